package providertest

import (
	"context"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/sim"
)

// maxPages is where the suite gives up: an adapter that asks for more goes round
// in circles.
const maxPages = 2000

// job is Provider.Positions or Provider.Trips.
type job[T any] func(context.Context, provider.Query) (provider.Page[T], error)

// drain reads pages until there are no more for now.
func drain[T any](t *testing.T, read job[T], q provider.Query) (records []T, cursor string) {
	t.Helper()
	for range maxPages {
		page, err := read(t.Context(), q)
		if err != nil {
			t.Fatalf("read with cursor %.200q: %v", q.Cursor, err)
		}
		if page.Cursor == "" && (q.Live() || page.More) {
			t.Fatal("a page without a cursor")
		}
		records = append(records, page.Records...)
		if !page.More {
			return records, page.Cursor
		}
		q.Cursor = page.Cursor
	}
	t.Fatal("the job has no last page")
	return nil, ""
}

// backlog is how far before the first poll a live job starts.
const backlog = 25 * time.Minute

// follow polls a live push while time passes: at least two and a half hours,
// at most as often as the adapter's interval. Each poll may come from another
// adapter; after is called behind each.
func follow[T any](t *testing.T, r *rig, interval time.Duration, read func() job[T], after func([]T)) (from time.Time) {
	t.Helper()
	step := max(interval, 4*time.Minute)
	polls := max(int(150*time.Minute/step), 6)
	from = r.clock.Now().Add(-backlog)
	cursor := ""
	for range polls {
		var records []T
		records, cursor = drain(t, read(), provider.Query{Cursor: cursor, From: from, Devices: r.ids()})
		after(records)
		r.clock.Advance(step)
	}
	records, _ := drain(t, read(), provider.Query{Cursor: cursor, From: from, Devices: r.ids()})
	after(records)
	return from
}

// followPositions checks the live job of positions.
func followPositions(t *testing.T, r *rig, adapter func() provider.Provider) {
	t.Helper()
	var got []provider.Position
	newest := map[int][]sim.Sample{}
	from := follow(t, r, r.h.Info.Poll.Positions,
		func() job[provider.Position] { return adapter().Positions },
		func(records []provider.Position) {
			got = append(got, records...)
			if r.h.Info.Features.Snapshot {
				r.addNewest(newest)
			}
		})
	want := newest
	if !r.h.Info.Features.Snapshot {
		// A record of this very second may come with the next poll.
		want = r.truth(from, r.clock.Now())
	}
	r.checkPositions(t, want, got, true)
}

// addNewest adds the newest sample of each vehicle that the vendor has.
func (r *rig) addNewest(to map[int][]sim.Sample) {
	for _, v := range r.fleet.Vehicles() {
		if s, ok := r.account.Latest(v); ok {
			to[v.Index] = append(to[v.Index], s)
		}
	}
}

func testLive(t *testing.T, h *Harness) {
	t.Helper()
	r := newRig(t, h, sim.Options{})
	p := r.adapter(t)
	followPositions(t, r, func() provider.Provider { return p })
}

func testLate(t *testing.T, h *Harness) {
	t.Helper()
	r := newRig(t, h, sim.Options{Late: late, Interval: 20 * time.Second})
	p := r.adapter(t)
	followPositions(t, r, func() provider.Provider { return p })
	overtaken := 0
	for _, v := range r.fleet.Vehicles() {
		for _, s := range r.account.Positions(v, began, r.clock.Now()) {
			if s.Received.Sub(s.Time.Time) > late/3 {
				overtaken++
			}
		}
	}
	if overtaken == 0 {
		t.Error("the truth has no late record: the test checks nothing")
	}
}

func testResume(t *testing.T, h *Harness) {
	t.Helper()
	r := newRig(t, h, sim.Options{})
	followPositions(t, r, func() provider.Provider { return r.adapter(t) })
}

// testRepeat asks for the same page twice, as after a crash before its commit.
func testRepeat(t *testing.T, h *Harness) {
	t.Helper()
	r := newRig(t, h, sim.Options{})
	from := r.clock.Now().Add(-backlog)
	q := provider.Query{From: from, Devices: r.ids()}
	got, cursor := drain(t, r.adapter(t).Positions, q)
	r.clock.Advance(max(10*time.Minute, h.Info.Poll.Positions))
	q.Cursor = cursor
	if _, err := r.adapter(t).Positions(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	repeated, _ := drain(t, r.adapter(t).Positions, q)
	r.checkPositions(t, r.expected(from), append(got, repeated...), true)
}

// expected returns what a live job since from has delivered by now.
func (r *rig) expected(from time.Time) map[int][]sim.Sample {
	if !r.h.Info.Features.Snapshot {
		return r.truth(from, r.clock.Now())
	}
	newest := map[int][]sim.Sample{}
	r.addNewest(newest)
	return newest
}

// testWindow reads a past window whose bounds are the times of records: the first
// belongs to it, the last does not.
func testWindow(t *testing.T, h *Harness) {
	t.Helper()
	r := newRig(t, h, sim.Options{})
	first, _ := r.fleet.At(r.fleet.Vehicles()[0], began.Add(-50*time.Hour))
	last, _ := r.fleet.At(r.fleet.Vehicles()[1], began.Add(-20*time.Hour))
	from, to := first.Time.Time, last.Time.Time
	got, _ := drain(t, r.adapter(t).Positions, provider.Query{From: from, To: to, Devices: r.ids()})
	for _, p := range got {
		if p.Time.Before(from) || !p.Time.Before(to) {
			t.Fatalf("position at %s is outside of the window from %s to %s", p.Time, from, to)
		}
	}
	r.checkPositions(t, r.truth(from, to), got, false)
}
