package collect_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

// beat is the time between two positions of the device of a snapshot vendor.
const beat = 20 * time.Second

// newestAlone answers as a vendor whose live push has the newest position of a
// device alone, while a window of the past is complete, in two pages.
func newestAlone(r *rig) func(context.Context, provider.Query) (provider.Page[provider.Position], error) {
	return func(_ context.Context, q provider.Query) (provider.Page[provider.Position], error) {
		if q.Live() {
			return provider.Page[provider.Position]{Cursor: "x", Records: []provider.Position{at("a", r.clock.Now().Truncate(beat), -37, 145)}}, nil
		}
		page := provider.Page[provider.Position]{More: q.Cursor == "", Cursor: "second"}
		half := q.From.Add(q.To.Sub(q.From) / 2)
		for t := q.From.Truncate(beat); t.Before(q.To); t = t.Add(beat) {
			if !t.Before(q.From) && t.Before(half) == page.More {
				page.Records = append(page.Records, at("a", t, -37, 145))
			}
		}
		return page, nil
	}
}

func (r *rig) snapshotVendor(start time.Time, with ...func(*drover.ConnectionInput)) (*stub, drover.Connection) {
	r.t.Helper()
	info := r.stubInfo()
	info.Features.Snapshot = true
	r.options.Providers[stubName] = info
	s, conn := r.stub("snapshot", start, []string{"a"}, with...)
	s.positions = newestAlone(r)
	return s, conn
}

// TestTracks holds that what lies between the polls is read every hour, after an
// outage too, and that everyone is notified of each position once.
func TestTracks(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.snapshotVendor(noon)
		r.run()
		r.pass(3*time.Hour + 10*time.Minute)
		asked := 0
		for _, q := range s.queries() {
			if !q.Live() {
				asked++
			}
		}
		if asked > 2*2*4 { // the window has two pages, and is cut in two
			t.Errorf("the past was asked for %d times in three hours", asked)
		}
		r.clock.Advance(5 * time.Hour)
		r.run()
		for _, q := range s.queries() {
			if !q.Live() && q.To.Sub(q.From) > time.Hour {
				t.Errorf("asked for %s at once, more than the vendor answers", q.To.Sub(q.From))
			}
		}
		// The last minutes have their turn within the hour.
		var want []time.Time
		for at := noon; at.Before(r.clock.Now().Add(-15 * time.Minute)); at = at.Add(beat) {
			want = append(want, at)
		}
		if diff := cmp.Diff(want, r.times(r.devices(conn)["a"].ID)[:len(want)]); diff != "" {
			t.Errorf("the positions (-want +got):\n%s", diff)
		}
		reported := map[time.Time]int{}
		for _, e := range r.events(drover.EventPositionUpdated) {
			for _, p := range decode[drover.PositionBatch](t, e).Positions {
				reported[p.Timestamp.Time]++
			}
		}
		for _, at := range want {
			if reported[at] != 1 {
				t.Fatalf("the position at %s was reported %d times", at, reported[at])
			}
		}
		r.expectState(conn, drover.ConnectionHealthy)
	})
}

// TestTracksEnd holds that a connection with tracks comes to its end.
func TestTracksEnd(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.snapshotVendor(noon, endingAt(noon.Add(30*time.Minute)))
		r.run()
		r.pass(3 * time.Hour)
		r.expectState(conn, drover.ConnectionDisabled)
		asked := len(s.queries())
		r.pass(3 * time.Hour)
		if n := len(s.queries()) - asked; n != 0 {
			t.Errorf("past its end the connection was asked %d times", n)
		}
		if got, want := len(r.times(r.devices(conn)["a"].ID)), int(30*time.Minute/beat); got != want {
			t.Errorf("%d positions, want %d", got, want)
		}
	})
}

// TestNoTracksOfWhoTellsAll holds that only vendors with snapshots are asked.
func TestNoTracksOfWhoTellsAll(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("all", noon, []string{"a"})
		r.run()
		r.pass(2 * time.Hour)
		for _, q := range s.queries() {
			if !q.Live() {
				t.Fatalf("asked for %s to %s", q.From, q.To)
			}
		}
		for _, h := range r.health(conn).Jobs {
			if h.Kind == string(store.JobTracks) {
				t.Error("there is a job of tracks")
			}
		}
	})
}
