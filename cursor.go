package drover

import (
	"strconv"
	"strings"
)

// A cursor is a place in a list, after which it goes on. Callers get it as an
// opaque text and may send anything back, so each knows whether it is one that a
// list could have ended at: a database would fail on what is no id.

// IDCursor is a place in a list that is ordered by id.
type IDCursor string

// Valid reports whether a list could have ended there.
func (c IDCursor) Valid() bool { return IsID(string(c)) }

// SortCursor is a place in a list whose order the caller has chosen. It names that
// order: in another one the place means nothing.
type SortCursor struct {
	Order string `json:"o"`
	// Key is the value by which the record is ordered; nil where it has none, and in
	// an order by id.
	Key *string `json:"k"`
	ID  string  `json:"i"`
}

// Valid reports whether a list could have ended there.
func (c SortCursor) Valid() bool {
	return IsID(c.ID) && (c.Key == nil || !strings.ContainsRune(*c.Key, 0))
}

// Of reports whether it is a place in a list of that order, whose keys are numbers or
// texts; no place at all is the beginning of any.
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

// TripCursor is a place in the list of trips, or of stops, which is ordered by
// start time.
type TripCursor struct {
	StartTime Time   `json:"t"`
	ID        string `json:"i"`
}

// Valid reports whether a list could have ended there.
func (c TripCursor) Valid() bool { return IsID(c.ID) }

// AttemptCursor is a place in a target's log: after it come older entries.
type AttemptCursor struct {
	EventID string `json:"e"`
	Attempt int    `json:"a"`
}

// Valid reports whether a list could have ended there.
func (c AttemptCursor) Valid() bool { return IsID(c.EventID) }

// EventCursor is a place in a feed: the sequence after which it goes on or, read
// newest first, before which it does.
type EventCursor struct {
	After  *int64 `json:"s,omitempty"`
	Before *int64 `json:"b,omitempty"`
}

// Valid reports whether a feed could have been read up to there.
func (c EventCursor) Valid() bool {
	return (c.After == nil) != (c.Before == nil) && (c.After == nil || *c.After >= 0) && (c.Before == nil || *c.Before > 0)
}

// Sequence is where the feed goes on, its beginning without a cursor.
func (c EventCursor) Sequence() int64 {
	if c.After == nil {
		return 0
	}
	return *c.After
}

// PositionCursor is a place in a device's history: the time after which it goes
// on.
type PositionCursor struct {
	After Time `json:"t"`
}

// Valid reports whether a list could have ended there.
func (c PositionCursor) Valid() bool { return !c.After.IsZero() }

// PredictionCursor is a place among the predictions of a milestone: the time
// after which they go on.
type PredictionCursor struct {
	After Time `json:"p"`
}

// Valid reports whether a list could have ended there.
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
