package store

import (
	"context"
	"encoding/json"
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

// insertChunk bounds the rows of one statement.
const insertChunk = 1000

// insertRows inserts rows with few statements, each of one text however many rows
// there are. Conflict is what follows the rows, where some may exist.
func (tx *Tx) insertRows(ctx context.Context, table string, columns []column, rows [][]any, conflict string) error {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	head := `INSERT INTO ` + table + ` (` + strings.Join(names, ", ") + `) `
	for start := 0; start < len(rows); start += insertChunk {
		from, args, err := tx.on.rowSource(columns, rows[start:min(start+insertChunk, len(rows))])
		if err != nil {
			return err
		}
		if _, err := tx.write(table).ExecContext(ctx, head+from+` `+conflict, args...); err != nil {
			return err
		}
	}
	return nil
}

// rowSource takes rows from one array for each column.
func (d *onPostgres) rowSource(columns []column, rows [][]any) (string, []any, error) {
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
	return `SELECT * FROM unnest(` + strings.Join(arrays, ", ") + `)`, args, nil
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

// rowSource sends the rows as one JSON text, which SQLite takes apart.
func (d *onSQLite) rowSource(columns []column, rows [][]any) (string, []any, error) {
	text, err := json.Marshal(rows)
	if err != nil {
		return "", nil, fmt.Errorf("write rows: %w", err)
	}
	parts := make([]string, len(columns))
	for i := range columns {
		parts[i] = fmt.Sprintf("value->>%d", i)
	}
	return `SELECT ` + strings.Join(parts, ", ") + ` FROM json_each($1) WHERE TRUE`, []any{string(text)}, nil
}
