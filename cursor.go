package drover

import (
	"strconv"
	"strings"
)

// A cursor is the place in a list after which the next page begins. Callers get it as an
// opaque text and may send anything back, so each type has a method Valid: a database
// returns an error for a malformed id.

// IDCursor is a cursor of a list ordered by id.
type IDCursor string

// Valid reports whether c can be the end of a list.
func (c IDCursor) Valid() bool { return IsID(string(c)) }

// SortCursor is a cursor of a list whose order the caller has chosen. It is valid only for
// that order.
type SortCursor struct {
	Order string `json:"o"`
	// Key is the value by which the record is ordered; nil where it has none, and in
	// an order by id.
	Key *string `json:"k"`
	ID  string  `json:"i"`
}

// Valid reports whether c can be the end of a list.
func (c SortCursor) Valid() bool {
	return IsID(c.ID) && (c.Key == nil || !strings.ContainsRune(*c.Key, 0))
}

// Of reports whether c belongs to a list of that order, whose keys are numbers or texts.
// The zero cursor is the beginning of any list.
func (c SortCursor) Of(order string, numbers bool) bool {
	if c == (SortCursor{}) {
		return true
	}
	if numbers && c.Key != nil {
		if _, err := strconv.ParseInt(*c.Key, 10, 64); err != nil {
			return false
		}
	}
	return c.Order == order
}

// Sorted is a record of a list with its place in it.
type Sorted[T any] struct {
	Record T
	Place  SortCursor
}

// Records are the records of a list without their places.
func Records[T any](list []Sorted[T]) []T {
	records := make([]T, len(list))
	for i := range list {
		records[i] = list[i].Record
	}
	return records
}

// TripCursor is a cursor of a list of trips or stops, ordered by start time.
type TripCursor struct {
	StartTime Time   `json:"t"`
	ID        string `json:"i"`
}

// Valid reports whether c can be the end of a list.
func (c TripCursor) Valid() bool { return IsID(c.ID) }

// AttemptCursor is a cursor of a target's log, newest first.
type AttemptCursor struct {
	EventID string `json:"e"`
	Attempt int    `json:"a"`
}

// Valid reports whether c can be the end of a list.
func (c AttemptCursor) Valid() bool { return IsID(c.EventID) }

// EventCursor is a cursor of a feed: the sequence after which the next page begins or, read
// newest first, before which it does.
type EventCursor struct {
	After  *int64 `json:"s,omitempty"`
	Before *int64 `json:"b,omitempty"`
}

// Valid reports whether c can be a position in a feed.
func (c EventCursor) Valid() bool {
	return (c.After == nil) != (c.Before == nil) && (c.After == nil || *c.After >= 0) && (c.Before == nil || *c.Before > 0)
}

// Sequence is where the feed continues; without a cursor, its beginning.
func (c EventCursor) Sequence() int64 {
	if c.After == nil {
		return 0
	}
	return *c.After
}

// PositionCursor is a cursor of a device's history: the time after which the next page
// begins.
type PositionCursor struct {
	After Time `json:"t"`
}

// Valid reports whether c can be the end of a list.
func (c PositionCursor) Valid() bool { return !c.After.IsZero() }

// PredictionCursor is a cursor of a milestone's predictions: the time after which the next
// page begins.
type PredictionCursor struct {
	After Time `json:"p"`
}

// Valid reports whether c can be the end of a list.
func (c PredictionCursor) Valid() bool { return !c.After.IsZero() }

// IsID reports whether a text has the form of the service's ids: a UUID in lower
// case.
func IsID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
			continue
		}
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
