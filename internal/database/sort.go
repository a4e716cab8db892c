package store

import (
	"fmt"
	"strconv"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/database"
)

// sorting is an order that a caller has chosen. Records without the value come last,
// either way, and among equals the id decides, so that every record has one place.
type sorting struct {
	name    string // what a cursor calls it
	key     string // the expression; empty for the id alone
	numbers bool
	id      string // the column
	desc    bool
}

// column is read with each record, as the key of its place.
func (s sorting) column() string {
	if s.key == "" {
		return "NULL"
	}
	return "CAST(" + s.key + " AS TEXT)"
}

// after appends that a record comes after a place.
func (s sorting) after(w *database.Where, place drover.SortCursor) {
	if !place.Valid() {
		return
	}
	beyond := ">"
	if s.desc {
		beyond = "<"
	}
	switch {
	case s.key == "":
		w.Add(s.id+" "+beyond+" $%d", place.ID)
	case place.Key == nil:
		w.Add("("+s.key+" IS NULL AND "+s.id+" "+beyond+" $%d)", place.ID)
	default:
		w.Args = append(w.Args, s.value(*place.Key), place.ID)
		w.Parts = append(w.Parts, fmt.Sprintf("(%s IS NULL OR (%s, %s) %s ($%d, $%d))", s.key, s.key, s.id, beyond, len(w.Args)-1, len(w.Args)))
	}
}

// value is the key of a place as an argument. Whoever takes a cursor from outside has
// asked whether it is one of this order.
func (s sorting) value(key string) any {
	if !s.numbers {
		return key
	}
	n, _ := strconv.ParseInt(key, 10, 64)
	return n
}

// order is the order itself.
func (s sorting) order() string {
	direction := ""
	if s.desc {
		direction = " DESC"
	}
	if s.key == "" {
		return s.id + direction
	}
	return "CASE WHEN " + s.key + " IS NULL THEN 1 ELSE 0 END, " + s.key + direction + ", " + s.id + direction
}

// place is that of a record with an id and a key.
func (s sorting) place(id string, key *string) drover.SortCursor {
	return drover.SortCursor{Order: s.name, Key: key, ID: id}
}

// keyed adds a column to those that a scan reads.
type keyed struct {
	database.Scanner
	key *string
}

func (k *keyed) Scan(targets ...any) error { return k.Scanner.Scan(append(targets, &k.key)...) }
