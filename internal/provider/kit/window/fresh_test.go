package window

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// freshVendor has devices whose newest positions and tracks can be asked for.
type freshVendor struct {
	now    time.Time
	newest map[string]time.Time
	asked  []string // for tracks
	fails  error    // of tracks
	hides  error    // of newest positions
}

func (v *freshVendor) reader() Fresh {
	return Fresh{
		Newest: func(context.Context) ([]provider.Position, error) {
			var all []provider.Position
			for id, at := range v.newest {
				all = append(all, provider.Position{SystemDeviceID: id, Position: drover.Position{Time: drover.At(at)}})
			}
			return all, v.hides
		},
		Reader: Reader[provider.Position]{
			Batch: 1, Now: func() time.Time { return v.now },
			Fetch: func(_ context.Context, w Window) ([]provider.Position, error) {
				v.asked = append(v.asked, w.Devices[0])
				return nil, v.fails
			},
		},
	}
}

// poll reads until there is no more, after some time.
func (v *freshVendor) poll(t *testing.T, q *provider.Query, after time.Duration) (records []provider.Position, err error) {
	t.Helper()
	v.now, v.asked = v.now.Add(after), nil
	for range 10 {
		page, err := v.reader().Page(t.Context(), *q)
		if err != nil {
			return records, err
		}
		records, q.Cursor = append(records, page.Records...), page.Cursor
		if !page.More {
			return records, nil
		}
	}
	t.Fatal("no last page")
	return nil, nil
}

func TestFresh(t *testing.T) {
	t.Parallel()
	start := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	v := &freshVendor{now: start, newest: map[string]time.Time{"a": start, "b": start.Add(-time.Hour)}}
	// A cursor of the time when tracks alone were read is gone on with.
	old, err := v.reader().Reader.Page(t.Context(), provider.Query{From: start.Add(-time.Hour), Devices: []string{"a", "b", "c"}})
	if err != nil {
		t.Fatal(err)
	}
	q := provider.Query{Cursor: old.Cursor, From: start.Add(-time.Hour), Devices: []string{"a", "b", "c"}}
	step := func(what string, after time.Duration, newest int, tracks ...string) {
		t.Helper()
		records, err := v.poll(t, &q, after)
		if err != nil || len(records) != newest || !cmp.Equal(tracks, v.asked) {
			t.Errorf("%s: %d newest positions, tracks of %v, %v", what, len(records), v.asked, err)
		}
	}
	step("the first poll", 0, 2, "a", "b", "c")
	step("nothing new", 15*time.Second, 0)
	v.newest["a"] = start.Add(20 * time.Second)
	step("one has moved", 15*time.Second, 1)
	step("tracks are due", 2*time.Minute, 0, "a", "b", "c")
	v.newest["a"] = start.Add(13 * time.Minute)
	step("late records of the others", 11*time.Minute, 1, "a", "b", "c")
	step("those are at rest", 2*time.Minute, 0, "a")

	v.newest["a"], v.fails = start.Add(20*time.Minute), errors.New("out of order")
	if records, err := v.poll(t, &q, 2*time.Minute); err == nil || len(records) != 1 {
		t.Errorf("tracks fail: %d newest positions, %v", len(records), err)
	}
	v.fails = provider.Errorf(provider.KindRateLimited, "the limit is used up")
	v.newest["b"] = start.Add(21 * time.Minute)
	step("tracks must wait", 15*time.Second, 1, "a")
	v.fails = nil
	step("and go on", 15*time.Second, 0, "a")

	v.hides = provider.Errorf(provider.KindPermanent, "not permitted")
	step("newest positions are not permitted", 2*time.Minute, 0, "a", "b", "c")
	v.hides = errors.New("out of order")
	if _, err := v.poll(t, &q, 2*time.Minute); err == nil {
		t.Error("newest positions fail, and no one says so")
	}
	q.Cursor = "?"
	if _, err := v.poll(t, &q, 0); err == nil {
		t.Error("an unreadable cursor was read")
	}
	past := provider.Query{From: start.Add(-time.Hour), To: start, Devices: []string{"b"}}
	if _, err := v.poll(t, &past, 0); err != nil || !slices.Equal(v.asked, []string{"b"}) {
		t.Errorf("a past window: tracks of %v, %v", v.asked, err)
	}
}

// TestFreshBehind reads the tracks of a device whose clock is six hours behind from where
// they are: the windows up to the present have nothing of it.
func TestFreshBehind(t *testing.T) {
	t.Parallel()
	start := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	const behind = 6 * time.Hour
	now := start
	f := Fresh{
		Newest: func(context.Context) ([]provider.Position, error) {
			return []provider.Position{{SystemDeviceID: "a", Position: drover.Position{Time: drover.At(now.Add(-behind))}}}, nil
		},
		Reader: Reader[provider.Position]{
			Batch: 1, Now: func() time.Time { return now },
			Fetch: func(_ context.Context, w Window) (track []provider.Position, _ error) {
				for at := start.Add(-behind); !at.After(now.Add(-behind)); at = at.Add(30 * time.Second) {
					if !at.Before(w.From) && at.Before(w.To) {
						track = append(track, provider.Position{SystemDeviceID: "a", Position: drover.Position{Time: drover.At(at)}})
					}
				}
				return track, nil
			},
		},
	}
	q := provider.Query{From: start, Devices: []string{"a"}}
	got := map[time.Time]bool{}
	for ; now.Before(start.Add(30 * time.Minute)); now = now.Add(3 * time.Minute) {
		page, err := f.Page(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		q.Cursor = page.Cursor
		for _, p := range page.Records {
			got[p.Time.Time] = true
		}
	}
	if want := 27*2 + 1; len(got) != want {
		t.Errorf("%d positions were read, want %d", len(got), want)
	}
	for at := range got {
		if at.After(start) {
			t.Errorf("%s is not behind", at)
		}
	}
}
