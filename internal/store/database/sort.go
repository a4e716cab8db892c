package database

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/drover-fleet/drover"
)

// Sorting is an order that a caller has chosen. Records without the value come last,
// either way, and among equals the id decides, so that every record has one place.
type Sorting struct {
	Name    string // what a cursor calls it
	Key     string // the expression; empty for the id alone
	Numbers bool
	ID      string // the column
	Desc    bool
}

// Column is read with each record, as the key of its place. Without a name of its own it has
// that of the column, and the order is ambiguous where tenants lie apart.
func (s Sorting) Column() string {
	if s.Key == "" {
		return "NULL AS sort_key"
	}
	return "CAST(" + s.Key + " AS TEXT) AS sort_key"
}

// After appends that a record comes after a place.
func (s Sorting) After(w *Where, place drover.SortCursor) {
	if !place.Valid() {
		return
	}
	beyond := ">"
	if s.Desc {
		beyond = "<"
	}
	switch {
	case s.Key == "":
		w.Add(s.ID+" "+beyond+" $%d", place.ID)
	case place.Key == nil:
		w.Add("("+s.Key+" IS NULL AND "+s.ID+" "+beyond+" $%d)", place.ID)
	default:
		w.Args = append(w.Args, s.value(*place.Key), place.ID)
		w.Parts = append(w.Parts, fmt.Sprintf("(%s IS NULL OR (%s, %s) %s ($%d, $%d))", s.Key, s.Key, s.ID, beyond, len(w.Args)-1, len(w.Args)))
	}
}

// value is the key of a place as an argument. Anyone who takes a cursor from outside has
// asked whether it is one of this order.
func (s Sorting) value(key string) any {
	if !s.Numbers {
		return key
	}
	n, _ := strconv.ParseInt(key, 10, 64)
	return n
}

// Order is the order itself.
func (s Sorting) Order() string {
	direction := ""
	if s.Desc {
		direction = " DESC"
	}
	if s.Key == "" {
		return s.ID + direction
	}
	return "CASE WHEN " + s.Key + " IS NULL THEN 1 ELSE 0 END, " + s.Key + direction + ", " + s.ID + direction
}

// Compare is the order of two places.
func (s Sorting) Compare(a, b drover.SortCursor) int {
	down := 1
	if s.Desc {
		down = -1
	}
	switch {
	case a.Key == nil && b.Key == nil:
		return down * cmp.Compare(a.ID, b.ID)
	case a.Key == nil:
		return 1
	case b.Key == nil:
		return -1
	case s.Numbers:
		of, _ := strconv.ParseInt(*a.Key, 10, 64)
		to, _ := strconv.ParseInt(*b.Key, 10, 64)
		return down * cmp.Or(cmp.Compare(of, to), cmp.Compare(a.ID, b.ID))
	}
	return down * cmp.Or(cmp.Compare(*a.Key, *b.Key), cmp.Compare(a.ID, b.ID))
}

// Place is that of a record with an id and a key.
func (s Sorting) Place(id string, key *string) drover.SortCursor {
	return drover.SortCursor{Order: s.Name, Key: key, ID: id}
}

// Keyed adds the key of a record's place to the columns that a scan reads.
type Keyed struct {
	Scanner
	Key *string
}

// Scan reads a row.
func (k *Keyed) Scan(targets ...any) error { return k.Scanner.Scan(append(targets, &k.Key)...) }
