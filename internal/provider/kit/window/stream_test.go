package window_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
)

func TestLiveAndPast(t *testing.T) {
	t.Parallel()
	job := window.LiveAndPast(window.Snapshot(func() time.Time { return start }, func(context.Context) ([]string, error) {
		return []string{"live"}, nil
	}), window.Nothing[string])
	for name, test := range map[string]struct {
		query provider.Query
		want  provider.Page[string]
	}{
		"live": {provider.Query{From: start}, provider.Page[string]{Records: []string{"live"}, Cursor: "2024-05-01T00:00:00Z"}},
		"past": {provider.Query{From: start, To: start.Add(time.Hour)}, provider.Page[string]{}},
	} {
		got, err := job(t.Context(), test.query)
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

func TestSnapshotThatFails(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	job := window.Snapshot(func() time.Time { return start }, func(context.Context) ([]string, error) { return []string{"half"}, failed })
	if page, err := job(t.Context(), provider.Query{}); !errors.Is(err, failed) || page.Records != nil || page.Cursor != "" {
		t.Errorf("%+v, %v", page, err)
	}
}

func TestHeard(t *testing.T) {
	t.Parallel()
	rows := map[string]window.Update{"a": {Heard: start}, "never": {}}
	got := window.Heard([]string{"a", "never"}, func(device string) (string, window.Update) { return device, rows[device] })
	if diff := cmp.Diff(map[string]window.Update{"a": {Heard: start}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestUnlessGone(t *testing.T) {
	t.Parallel()
	for status, gone := range map[int]bool{http.StatusNotFound: true, http.StatusForbidden: false} {
		err := provider.Errorf(provider.KindPermanent, "no: %w", &provider.StatusError{Status: status})
		if got := window.UnlessGone(err); (got == nil) != gone {
			t.Errorf("status %d: %v", status, got)
		}
	}
}

// TestSpanOfAReader has a server that permits less than it is asked for: the next
// page asks for less.
func TestSpanOfAReader(t *testing.T) {
	t.Parallel()
	span := window.Span{Length: 8 * time.Hour, Margin: 2 * time.Hour}
	var asked []time.Duration
	reader := window.Reader[provider.Trip]{
		Now: func() time.Time { return start.Add(48 * time.Hour) }, Span: &span,
		Fetch: func(_ context.Context, w window.Window) ([]provider.Trip, error) {
			asked = append(asked, w.To.Sub(w.From))
			if len(asked) == 1 && span.Narrow() {
				return nil, errors.New("too long")
			}
			return nil, nil
		},
	}
	q := provider.Query{From: start.Add(12 * time.Hour), To: start.Add(20 * time.Hour)}
	if _, err := reader.Page(t.Context(), q); err == nil {
		t.Error("the first page does not fail")
	}
	if _, err := reader.Page(t.Context(), q); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]time.Duration{12 * time.Hour, 6 * time.Hour, 6 * time.Hour}, asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
}
