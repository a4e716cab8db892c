package database

import (
	"context"
	"fmt"
	"math/bits"
	"strings"
)

// Column is a column of rows that are inserted in bulk. Its values are strings,
// int64s, bools, or pointers to them, nil for null; those of Bytes are []byte.
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
	columnFlag   columnKind = "boolean"
	columnBytes  columnKind = "bytea"
)

// ID is a column of ids.
func ID(name string) Column { return Column{name, columnID} }

// Text is a column of texts.
func Text(name string) Column { return Column{name, columnText} }

// Number is a column of whole numbers.
func Number(name string) Column { return Column{name, columnNumber} }

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

// rowSource takes rows from one array for each column.
func (postgresWords) rowSource(columns []Column, rows [][]any) (query string, values []any, n int) {
	arrays := make([]string, len(columns))
	args := make([]any, len(columns))
	for i, c := range columns {
		arrays[i] = fmt.Sprintf("$%d::%s[]", i+1, c.kind)
		switch c.kind {
		case columnNumber:
			args[i] = column[int64](rows, i)
		case columnFlag:
			args[i] = column[bool](rows, i)
		case columnBytes:
			args[i] = byteValues(rows, i)
		case columnID, columnText:
			args[i] = column[string](rows, i)
		}
	}
	return `SELECT * FROM unnest(` + strings.Join(arrays, ", ") + `)`, args, len(rows)
}

func byteValues(rows [][]any, i int) [][]byte {
	out := make([][]byte, len(rows))
	for n, row := range rows {
		out[n], _ = row[i].([]byte)
	}
	return out
}

func column[T any](rows [][]any, i int) []*T {
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
