package database

import (
	"database/sql"
	"fmt"
)

// OptionalFloat, OptionalText and OptionalFlag are where columns go that may be null, as
// &p would be. They take what the drivers give as it is: database/sql finds out by
// reflection, which is most of what reading a record of many such columns costs.

// OptionalFloat is the destination of a number that may be null.
func OptionalFloat(to **float64) sql.Scanner { return optionalFloat{to} }

// OptionalText is the destination of a text that may be null.
func OptionalText(to **string) sql.Scanner { return optionalText{to} }

// OptionalFlag is the destination of a flag that may be null.
func OptionalFlag(to **bool) sql.Scanner { return optionalFlag{to} }

type (
	optionalFloat struct{ to **float64 }
	optionalText  struct{ to **string }
	optionalFlag  struct{ to **bool }
)

// Scan implements sql.Scanner.
func (o optionalFloat) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*o.to = nil
	case float64:
		*o.to = &v
	case int64:
		n := float64(v)
		*o.to = &n
	default:
		return fmt.Errorf("a number is a %T", v)
	}
	return nil
}

// Scan implements sql.Scanner.
func (o optionalText) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*o.to = nil
	case string:
		*o.to = &v
	case []byte:
		text := string(v)
		*o.to = &text
	default:
		return fmt.Errorf("a text is a %T", v)
	}
	return nil
}

// Scan implements sql.Scanner. SQLite has no flags but whole numbers.
func (o optionalFlag) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*o.to = nil
	case bool:
		*o.to = &v
	case int64:
		is := v != 0
		*o.to = &is
	default:
		return fmt.Errorf("a flag is a %T", v)
	}
	return nil
}
