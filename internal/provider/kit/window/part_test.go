package window_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider/kit/window"
)

// TestSpans reads a window in spans, each from where the last one ended, also to the nanosecond.
func TestSpans(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 11, 15, 12, 0, 0, 500, time.UTC)
	fetch := window.Spans(time.Hour, func(_ context.Context, from, to time.Time) ([]string, error) {
		return []string{fmt.Sprint(from.Sub(begin), " ", to.Sub(begin))}, nil
	})
	var got []string
	for cursor, pages := "", 0; pages < 9; pages++ {
		records, next, err := fetch(t.Context(), begin, begin.Add(150*time.Minute), cursor, nil)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, records...)
		if cursor = next; next == "" {
			break
		}
	}
	if diff := cmp.Diff([]string{"0s 1h0m0s", "1h0m0s 2h0m0s", "2h0m0s 2h30m0s"}, got); diff != "" {
		t.Error(diff)
	}
	if _, _, err := fetch(t.Context(), begin, begin, "rubbish", nil); err == nil {
		t.Error("a cursor that is no time was read")
	}
}

// TestDevices asks for each device once, for no more than some at a time, also where the list has
// become shorter since the page before.
func TestDevices(t *testing.T) {
	t.Parallel()
	fetch := window.Devices(2, func(_ context.Context, _, _ time.Time, devices []string) ([]string, error) {
		return []string{fmt.Sprint(devices)}, nil
	})
	for _, tt := range []struct {
		cursor  string
		devices []string
		want    []string
		next    string
	}{
		{"", nil, nil, ""},
		{"", []string{"a", "b"}, []string{"[a b]"}, ""},
		{"", []string{"a", "b", "c"}, []string{"[a b]"}, "2"},
		{"2", []string{"a", "b", "c"}, []string{"[c]"}, ""},
		{"2", []string{"a"}, nil, ""},
		{"-1", []string{"a"}, []string{"[a]"}, ""},
	} {
		got, next, err := fetch(t.Context(), time.Time{}, time.Time{}, tt.cursor, tt.devices)
		if err != nil || next != tt.next || !cmp.Equal(got, tt.want) {
			t.Errorf("%q of %q: %q, then %q, %v", tt.cursor, tt.devices, got, next, err)
		}
	}
	if _, _, err := fetch(t.Context(), time.Time{}, time.Time{}, "rubbish", nil); err == nil {
		t.Error("a cursor that is no number was read")
	}
}
