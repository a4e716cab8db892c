package database

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteWords and postgresWords are the dialects.
type (
	sqliteWords   struct{}
	postgresWords struct{}
)

func (sqliteWords) Name() string               { return "sqlite" }
func (sqliteWords) ForUpdate(...string) string { return "" }
func (sqliteWords) SkipLocked() string         { return "" }
func (sqliteWords) ByBytes() string            { return "" }

func (sqliteWords) InList(n int) string {
	return fmt.Sprintf("IN (SELECT value FROM json_each($%d))", n)
}

// List is a JSON text, which SQLite takes apart.
func (sqliteWords) List(values []string) any {
	if len(values) == 0 {
		return "[]"
	}
	text, _ := json.Marshal(values) // strings always marshal
	return string(text)
}

func (sqliteWords) Numbers(values []int64) any { return "[" + joined(values) + "]" }

func (sqliteWords) HasEntry(column string, key, value int) string {
	return fmt.Sprintf("EXISTS (SELECT 1 FROM json_each(%s) entry WHERE entry.key = $%d AND entry.value = $%d)", column, key, value)
}

// Tuples is (?,?),(?,?)… SQLite looks a numbered parameter up among all of them,
// which for hundreds costs more than the insert.
func (sqliteWords) Tuples(n, width int) string {
	row := "(" + strings.TrimSuffix(strings.Repeat("?,", width), ",") + ")"
	return strings.TrimSuffix(strings.Repeat(row+",", n), ",")
}

func (sqliteWords) IsDuplicate(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY)
}

func (postgresWords) Name() string       { return "postgres" }
func (postgresWords) SkipLocked() string { return " FOR UPDATE SKIP LOCKED" }
func (postgresWords) ByBytes() string    { return ` COLLATE "C"` }

func (postgresWords) ForUpdate(aliases ...string) string {
	if len(aliases) == 0 {
		return " FOR UPDATE"
	}
	return " FOR UPDATE OF " + strings.Join(aliases, ", ")
}

func (postgresWords) HasEntry(column string, key, value int) string {
	return fmt.Sprintf("%s::jsonb ->> $%d::text = $%d", column, key, value)
}

func (postgresWords) InList(n int) string { return fmt.Sprintf("= ANY($%d)", n) }

// List is an array in PostgreSQL's own text, as that of idArray.
func (postgresWords) List(values []string) any {
	pointers := make([]*string, len(values))
	for i := range values {
		pointers[i] = &values[i]
	}
	return arrayText(pointers)
}

func (postgresWords) Numbers(values []int64) any { return "{" + joined(values) + "}" }

// IsDuplicate reports whether a row exists already.
func (postgresWords) IsDuplicate(err error) bool { return State(err) == uniqueViolation }

// Tuples is ($1,$2),($3,$4)…
func (postgresWords) Tuples(n, width int) string {
	var b strings.Builder
	for i := range n * width {
		switch {
		case i == 0:
			b.WriteByte('(')
		case i%width == 0:
			b.WriteString("),(")
		default:
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "$%d", i+1)
	}
	b.WriteByte(')')
	return b.String()
}

// joined is numbers with commas between them.
func joined(values []int64) string {
	var b []byte
	for i, n := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(b)
}
