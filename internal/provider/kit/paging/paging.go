// Package paging reads paged lists: by a cursor of the vendor, by page number, or by offset.
// Package window selects by time.
package paging

import (
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
)

// MaxPages is where a list is given up: cursors that lead back, or a server that
// ignores the number of the page, would repeat it for ever.
const MaxPages = 1000

// ByCursor reads all pages of a list. fetch returns the page that cursor leads to,
// the first one for an empty cursor, and the cursor of the next page. The last
// page has an empty one, or the one that led to it. Where a page fails, those before
// it are returned with the error.
func ByCursor[T any](fetch func(cursor string) (rows []T, next string, err error)) ([]T, error) {
	var all []T
	cursor := ""
	for range MaxPages {
		rows, next, err := fetch(cursor)
		if err != nil {
			return all, err
		}
		all = append(all, rows...)
		if next == "" || next == cursor {
			return all, nil
		}
		cursor = next
	}
	return nil, endless()
}

// ByNumber reads all pages of a list, of which the first is number 1. fetch
// returns a page and whether there is another.
func ByNumber[T any](fetch func(number int) (rows []T, more bool, err error)) ([]T, error) {
	var all []T
	for number := range MaxPages {
		rows, more, err := fetch(number + 1)
		if err != nil {
			return nil, err
		}
		if all = append(all, rows...); !more {
			return all, nil
		}
	}
	return nil, endless()
}

// Resumed reads lists of many pages, of which each takes long: where one fails, the
// pages before it are kept for the next attempt. The zero value is ready.
type Resumed[T any] struct {
	list string
	at   time.Time
	rows []T
	next int
}

// resumable is for how long pages are kept: a list moves on.
const resumable = 10 * time.Minute

// ByNumber reads all pages of a list as the function of that name does. list says
// which one it is.
func (r *Resumed[T]) ByNumber(list string, now time.Time, fetch func(number int) (rows []T, more bool, err error)) ([]T, error) {
	if r.list != list || now.Sub(r.at) > resumable {
		*r = Resumed[T]{list: list, at: now}
	}
	for ; r.next < MaxPages; r.next++ {
		rows, more, err := fetch(r.next + 1)
		if err != nil {
			return nil, err
		}
		if r.rows = append(r.rows, rows...); !more {
			all := r.rows
			*r = Resumed[T]{}
			return all, nil
		}
	}
	*r = Resumed[T]{}
	return nil, endless()
}

func endless() error {
	return provider.Errorf(provider.KindTemporary, "the provider's list has no last page")
}

// Number reads a cursor that is the number of a page. Any other is the first.
func Number(cursor string) int {
	number, _ := strconv.Atoi(cursor)
	return max(number, 1)
}

// Cursor returns the cursor of a numbered page.
func Cursor(number int) string { return strconv.Itoa(number) }

// Place is where a listing stops that counts what was read. Servers that ignore
// the paging return the first page for ever, so that it also knows with which
// record the list began.
type Place struct {
	Read  int
	first string
}

// PlaceOf reads a cursor that Next has made; an empty one is the beginning.
func PlaceOf(cursor string) Place {
	read, first, _ := strings.Cut(cursor, ":")
	n, _ := strconv.Atoi(read)
	return Place{n, first}
}

// Next returns the cursor behind a page that begins with the record first and
// counts for n; false where it is the list's first page once more.
func (p Place) Next(first string, n int) (cursor string, ok bool) {
	switch p.first {
	case first:
		return "", false
	case "":
		p.first = first
	}
	return Cursor(p.Read+n) + ":" + p.first, true
}
