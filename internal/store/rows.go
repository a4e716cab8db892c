package store

import (
	"context"
	"fmt"
	"strings"
)

// column is a column of rows that are inserted in bulk. Its values are strings,
// int64s, bools, or pointers to strings, nil for null.
type column struct {
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
)

// insertChunk bounds the rows of one statement: SQLite takes 32,766 parameters.
const insertChunk = 1000

// insertRows inserts rows with few statements. Conflict is what follows the rows,
// where some may exist.
func (tx *Tx) insertRows(ctx context.Context, table string, columns []column, rows [][]any, conflict string) error {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	head := `INSERT INTO ` + table + ` (` + strings.Join(names, ", ") + `) `
	for start := 0; start < len(rows); start += insertChunk {
		from, args := tx.on.rowSource(columns, rows[start:min(start+insertChunk, len(rows))])
		if _, err := tx.write(table).ExecContext(ctx, head+from+` `+conflict, args...); err != nil {
			return err
		}
	}
	return nil
}

// rowSource takes rows from one array for each column.
func (d *onPostgres) rowSource(columns []column, rows [][]any) (string, []any) {
	arrays := make([]string, len(columns))
	args := make([]any, len(columns))
	for i, c := range columns {
		arrays[i] = fmt.Sprintf("$%d::%s[]", i+1, c.kind)
		switch c.kind {
		case columnNumber:
			args[i] = values[int64](rows, i)
		case columnFlag:
			args[i] = values[bool](rows, i)
		case columnID, columnText:
			args[i] = values[string](rows, i)
		}
	}
	return `SELECT * FROM unnest(` + strings.Join(arrays, ", ") + `)`, args
}

func values[T any](rows [][]any, i int) []*T {
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

// rowSource has a parameter for each value: SQLite takes JSON apart more slowly.
func (d *onSQLite) rowSource(columns []column, rows [][]any) (string, []any) {
	args := make([]any, 0, len(rows)*len(columns))
	for _, row := range rows {
		args = append(args, row...)
	}
	return `VALUES ` + d.Tuples(len(rows), len(columns)), args
}
