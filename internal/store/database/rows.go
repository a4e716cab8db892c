package database

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
)

// ErrNotFound says that no such record exists, no matter who asks.
var ErrNotFound = errors.New("not found")

// ErrExists says that a name is taken.
var ErrExists = errors.New("already exists")

// Found turns the absence of a row into ErrNotFound.
func Found(err error, doing string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return ErrNotFound
	default:
		return fmt.Errorf("%s: %w", doing, err)
	}
}

// JSONTexts writes two values as the texts of columns.
func JSONTexts(a, b any) (first, second string, err error) {
	one, err := json.Marshal(a)
	if err != nil {
		return "", "", err
	}
	two, err := json.Marshal(b)
	return string(one), string(two), err
}

// Scanner is a *sql.Row or *sql.Rows.
type Scanner interface {
	Scan(dest ...any) error
}

// ReadAll reads all rows with scan. The result is never nil.
func ReadAll[T any](rows *sql.Rows, err error, doing string, scan func(Scanner) (T, error)) ([]T, error) {
	return ReadInto([]T{}, rows, err, doing, scan)
}

// ReadInto is ReadAll that appends to out.
func ReadInto[T any](out []T, rows *sql.Rows, err error, doing string, scan func(Scanner) (T, error)) ([]T, error) {
	err = each(rows, err, doing, func() error {
		v, err := scan(rows)
		if len(out) == cap(out) { // append would make room for a quarter more, and copy many rows often
			out = slices.Grow(out, max(len(out), 4))
		}
		out = append(out, v)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// each calls scan for each row. It is apart, because a program has a ReadInto for each type.
func each(rows *sql.Rows, err error, doing string, scan func() error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// ScanText scans a row of one text, such as an id.
func ScanText(row Scanner) (string, error) {
	var text string
	return text, row.Scan(&text)
}

// ParseStrings reads a list of strings that is stored as JSON. The empty list is
// the common case and needs no parser.
func ParseStrings(text string) ([]string, error) {
	list := []string{}
	if text == "[]" {
		return list, nil
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, fmt.Errorf("read list: %w", err)
	}
	return list, nil
}

// FormatStrings is a list of strings as ParseStrings reads it.
func FormatStrings(list []string) string {
	if len(list) == 0 {
		return "[]"
	}
	text, _ := json.Marshal(list) // strings always marshal
	return string(text)
}

// Changed expects that a statement has changed a row; ErrNotFound says that it has
// not.
func Changed(res sql.Result, err error) error {
	if err != nil {
		return fmt.Errorf("change a row: %w", err)
	}
	n, err := res.RowsAffected()
	switch {
	case err != nil:
		return fmt.Errorf("change a row: %w", err)
	case n == 0:
		return ErrNotFound
	}
	return nil
}

// NewID makes an id: a UUIDv7, so that ids sort by the time they were made.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }
