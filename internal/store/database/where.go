package database

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drover-fleet/drover"
)

// Where gathers the conditions of a list and their arguments.
type Where struct {
	Parts []string
	Args  []any
}

// Add appends a condition; its %d becomes the number of the argument.
func (w *Where) Add(condition string, arg any) {
	w.Args = append(w.Args, arg)
	w.Parts = append(w.Parts, fmt.Sprintf(condition, len(w.Args)))
}

// ID appends a comparison with an id, where there is one. What cannot be an id
// equals none.
func (w *Where) ID(comparison, id string) {
	switch {
	case id == "":
	case drover.IsID(id):
		w.Add(comparison+" $%d", id)
	default:
		w.Parts = append(w.Parts, "FALSE")
	}
}

// AnyID appends a comparison with any of several ids, where there are some.
func (w *Where) AnyID(d Dialect, column string, ids []string) {
	if len(ids) == 0 {
		return
	}
	valid := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !drover.IsID(id) })
	w.Args = append(w.Args, d.List(valid))
	w.Parts = append(w.Parts, column+" "+d.InList(len(w.Args)))
}

// Contains appends that one of the columns contains a text, whatever the case, or
// that the id of the row, whose alias is d, is that text.
func (w *Where) Contains(text string, columns ...string) {
	if text == "" {
		return
	}
	w.Args = append(w.Args, "%"+LikeEscaper.Replace(strings.ToLower(text))+"%")
	matches := make([]string, len(columns))
	for i, column := range columns {
		matches[i] = fmt.Sprintf("LOWER(%s) LIKE $%d ESCAPE '!'", column, len(w.Args))
	}
	if drover.IsID(text) {
		w.Args = append(w.Args, text)
		matches = append(matches, fmt.Sprintf("d.id = $%d", len(w.Args)))
	}
	w.Parts = append(w.Parts, "("+strings.Join(matches, " OR ")+")")
}

// SQL is the clause.
func (w *Where) SQL() string { return " WHERE " + strings.Join(w.Parts, " AND ") }

// Limit ends a list. The number is an argument: each text is a statement that is
// kept prepared.
func (w *Where) Limit(order string, n int) string {
	w.Args = append(w.Args, n)
	return fmt.Sprintf(" ORDER BY %s LIMIT $%d", order, len(w.Args))
}

// LikeEscaper makes a text match itself in LIKE … ESCAPE '!'.
var LikeEscaper = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")
