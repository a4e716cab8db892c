package database

import (
	"context"
	"fmt"
	"math/bits"
	"strings"

	"github.com/drover-fleet/drover"
)

// Column is a column of rows that are inserted in bulk. Its values are strings,
// int64s, float64s, bools, or pointers to them, nil for null; those of Bytes are []byte.
type Column struct {
	name string
	kind columnKind
}

// columnKind is the type of a column, as PostgreSQL names it.
type columnKind string

const (
	columnID     columnKind = "uuid"
	columnText   columnKind = "text"
	columnNumber columnKind = "bigint"
	columnFloat  columnKind = "double precision"
	columnFlag   columnKind = "boolean"
	columnBytes  columnKind = "bytea"
)

// ID is a column of ids.
func ID(name string) Column { return Column{name, columnID} }

// Text is a column of texts.
func Text(name string) Column { return Column{name, columnText} }

// Number is a column of whole numbers.
func Number(name string) Column { return Column{name, columnNumber} }

// Float is a column of numbers.
func Float(name string) Column { return Column{name, columnFloat} }

// Flag is a column of what is true or false.
func Flag(name string) Column { return Column{name, columnFlag} }

// Bytes is a column of bytes. Its values are []byte, or nil for null.
func Bytes(name string) Column { return Column{name, columnBytes} }

// insertChunk bounds the rows of one statement: SQLite takes 32,766 parameters.
const insertChunk = 1000

// InsertRows inserts rows with few statements. Conflict is what follows the rows,
// where some may exist.
func (tx *Tx) InsertRows(ctx context.Context, table string, columns []Column, rows [][]any, conflict string) error {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	head := `INSERT INTO ` + table + ` (` + strings.Join(names, ", ") + `) `
	for len(rows) > 0 {
		from, args, n := tx.words.rowSource(columns, rows[:min(insertChunk, len(rows))])
		if _, err := tx.Write(table).ExecContext(ctx, head+from+` `+conflict, args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// sameFrom is the number of rows from which on it is worth looking for columns that have
// one value: what they leave out makes a text of its own, of which few are kept prepared.
const sameFrom = 100

// rowSource takes rows from one array for each column, but for those that have the same
// value in all rows, where they are many.
func (postgresWords) rowSource(columns []Column, rows [][]any) (query string, values []any, n int) {
	items, arrays, names := make([]string, len(columns)), []string{}, []string{}
	args := make([]any, len(columns))
	for i, c := range columns {
		// The last one must vary if no other does: without an array there are no rows.
		if len(rows) >= sameFrom && sameValues(rows, i) && (len(arrays) > 0 || i < len(columns)-1) {
			items[i], args[i] = fmt.Sprintf("$%d::%s", i+1, c.kind), rows[0][i]
			continue
		}
		items[i] = fmt.Sprintf("r.c%d", i+1)
		names = append(names, items[i][len("r."):])
		arrays = append(arrays, fmt.Sprintf("$%d::%s[]", i+1, c.kind))
		switch c.kind {
		case columnNumber:
			args[i] = column[int64](rows, i)
		case columnFloat:
			args[i] = column[float64](rows, i)
		case columnFlag:
			args[i] = column[bool](rows, i)
		case columnBytes:
			args[i] = byteValues(rows, i)
		case columnText:
			args[i] = column[string](rows, i)
		case columnID:
			args[i] = idArray(rows, i)
		}
	}
	return `SELECT ` + strings.Join(items, ", ") + ` FROM unnest(` + strings.Join(arrays, ", ") + `) AS r(` + strings.Join(names, ", ") +
		`)`, args, len(rows)
}

// sameValues reports whether a column has one value in all rows.
func sameValues(rows [][]any, i int) bool {
	first, ok := plain(rows[0][i])
	for _, row := range rows[1:] {
		v, also := plain(row[i])
		if !ok || !also || v != first {
			return false
		}
	}
	return ok
}

// plain is a value without its pointer, nil for null; bytes are compared with nothing.
func plain(v any) (value any, ok bool) {
	switch v := v.(type) {
	case nil:
		return nil, true
	case *string:
		if v == nil {
			return nil, true
		}
		return *v, true
	case *int64:
		if v == nil {
			return nil, true
		}
		return *v, true
	case *bool:
		if v == nil {
			return nil, true
		}
		return *v, true
	case []byte:
		return nil, v == nil
	}
	return v, true
}

func byteValues(rows [][]any, i int) [][]byte {
	out := make([][]byte, len(rows))
	for n, row := range rows {
		out[n], _ = row[i].([]byte)
	}
	return out
}

// column is the values of a column: themselves, which the driver writes at once, or
// pointers to them where some are null.
func column[T any](rows [][]any, i int) any {
	values := make([]T, len(rows))
	for n, row := range rows {
		switch v := row[i].(type) {
		case T:
			values[n] = v
		case *T:
			if v == nil {
				return pointers[T](rows, i)
			}
			values[n] = *v
		default:
			return pointers[T](rows, i)
		}
	}
	return values
}

func pointers[T any](rows [][]any, i int) []*T {
	out := make([]*T, len(rows))
	for n, row := range rows {
		switch v := row[i].(type) {
		case T:
			out[n] = &v
		case *T:
			out[n] = v
		}
	}
	return out
}

// idArray is a column of ids as PostgreSQL's own text: the driver would try other ways
// first, and describe the whole array for each that fails.
func idArray(rows [][]any, i int) string {
	ids := make([]*string, len(rows))
	for n, row := range rows {
		switch v := row[i].(type) {
		case string:
			ids[n] = &v
		case *string:
			ids[n] = v
		}
	}
	return arrayText(ids)
}

// arrayText writes texts as an array.
func arrayText(values []*string) string {
	b := make([]byte, 0, 40*len(values)+2)
	b = append(b, '{')
	for n, v := range values {
		if n > 0 {
			b = append(b, ',')
		}
		switch {
		case v == nil:
			b = append(b, "NULL"...)
		case drover.IsID(*v):
			b = append(b, *v...)
		default:
			b = append(b, '"')
			for _, c := range []byte(*v) {
				if c == '"' || c == '\\' {
					b = append(b, '\\')
				}
				b = append(b, c)
			}
			b = append(b, '"')
		}
	}
	return string(append(b, '}'))
}

// rowSource has a parameter for each value: SQLite takes JSON apart more slowly. Each
// number of rows is a statement of its own, and preparing one costs more than running
// it: so there are few numbers, the powers of two and a whole chunk.
func (d sqliteWords) rowSource(columns []Column, rows [][]any) (query string, values []any, n int) {
	if n = len(rows); n < insertChunk {
		n = 1 << (bits.Len(uint(n)) - 1)
	}
	args := make([]any, 0, n*len(columns))
	for _, row := range rows[:n] {
		args = append(args, row...)
	}
	return `VALUES ` + d.Tuples(n, len(columns)), args, n
}
