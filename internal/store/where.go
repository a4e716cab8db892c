package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drover-fleet/drover/internal/database"
)

// where gathers the conditions of a list and their arguments.
type where struct {
	parts []string
	args  []any
}

// add appends a condition; its %d becomes the number of the argument.
func (w *where) add(condition string, arg any) {
	w.args = append(w.args, arg)
	w.parts = append(w.parts, fmt.Sprintf(condition, len(w.args)))
}

// ids appends a comparison with an id, where there is one. What cannot be an id
// equals none.
func (w *where) ids(comparison, id string) {
	switch {
	case id == "":
	case validID(id):
		w.add(comparison+" $%d", id)
	default:
		w.parts = append(w.parts, "FALSE")
	}
}

// anyID appends a comparison with any of several ids, where there are some.
func (w *where) anyID(d database.Dialect, column string, ids []string) {
	if len(ids) == 0 {
		return
	}
	valid := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !validID(id) })
	w.args = append(w.args, d.List(valid))
	w.parts = append(w.parts, column+" "+d.InList(len(w.args)))
}

// contains appends that one of the columns contains a text, whatever the case, or
// that the id of the row, whose alias is d, is that text.
func (w *where) contains(text string, columns ...string) {
	if text == "" {
		return
	}
	w.args = append(w.args, "%"+likeEscaper.Replace(strings.ToLower(text))+"%")
	matches := make([]string, len(columns))
	for i, column := range columns {
		matches[i] = fmt.Sprintf("LOWER(%s) LIKE $%d ESCAPE '!'", column, len(w.args))
	}
	if validID(text) {
		w.args = append(w.args, text)
		matches = append(matches, fmt.Sprintf("d.id = $%d", len(w.args)))
	}
	w.parts = append(w.parts, "("+strings.Join(matches, " OR ")+")")
}

func (w *where) sql() string { return " WHERE " + strings.Join(w.parts, " AND ") }

// limit ends a list. The number is an argument: each text is a statement that is
// kept prepared.
func (w *where) limit(order string, n int) string {
	w.args = append(w.args, n)
	return fmt.Sprintf(" ORDER BY %s LIMIT $%d", order, len(w.args))
}

// likeEscaper makes a text match itself in LIKE … ESCAPE '!'.
var likeEscaper = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")
