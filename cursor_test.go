package drover_test

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
)

const id = "0192f3a1-7b3c-7def-8123-456789abcdef"

func TestIsID(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		id:                                       true,
		"":                                       false,
		"0192f3a1-7b3c-7def-8123-456789abcde":    false,
		"0192f3a1-7b3c-7def-8123-456789abcdef0":  false,
		"0192F3A1-7B3C-7DEF-8123-456789ABCDEF":   false,
		"0192f3a17-b3c-7def-8123-456789abcdef":   false,
		"0192f3a1-7b3c-7def-8123-456789abcdeg":   false,
		"0192f3a1-7b3c-7def-8123-456789abcd\x00": false,
		"{192f3a1-7b3c-7def-8123-456789abcde}":   false,
	} {
		if got := drover.IsID(text); got != want {
			t.Errorf("IsID(%q) is %t", text, got)
		}
	}
}

func TestCursorValid(t *testing.T) {
	t.Parallel()
	at := drover.At(time.Unix(1, 0))
	for _, tt := range []struct {
		name   string
		cursor interface{ Valid() bool }
		want   bool
	}{
		{"ID", drover.IDCursor(id), true},
		{"NoID", drover.IDCursor("x"), false},
		{"Trip", drover.TripCursor{StartTime: at, ID: id}, true},
		{"TripWithoutID", drover.TripCursor{StartTime: at}, false},
		{"Attempt", drover.AttemptCursor{EventID: id}, true},
		{"AttemptWithoutID", drover.AttemptCursor{Attempt: 1}, false},
		{"FeedBegin", drover.EventCursor{After: new(int64(0))}, true},
		{"FeedBeforeBegin", drover.EventCursor{After: new(int64(-1))}, false},
		{"FeedBefore", drover.EventCursor{Before: new(int64(1))}, true},
		{"FeedBeforeAll", drover.EventCursor{Before: new(int64(0))}, false},
		{"FeedBothWays", drover.EventCursor{After: new(int64(1)), Before: new(int64(1))}, false},
		{"FeedNowhere", drover.EventCursor{}, false},
		{"Position", drover.PositionCursor{After: at}, true},
		{"PositionNever", drover.PositionCursor{}, false},
		{"Prediction", drover.PredictionCursor{After: at}, true},
		{"PredictionNever", drover.PredictionCursor{}, false},
	} {
		if got := tt.cursor.Valid(); got != tt.want {
			t.Errorf("%s: valid is %t", tt.name, got)
		}
	}
}
