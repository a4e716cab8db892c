package trip_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/sim"
)

// foldAll is what everything must equal: one fold over the sorted set.
func foldAll(positions []drover.Position) (out []trip.Derived, jumps []drover.Time) {
	return foldBy(trip.DefaultRules(), positions)
}

// foldBy is foldAll by other rules.
func foldBy(rules trip.Rules, positions []drover.Position) (out []trip.Derived, jumps []drover.Time) {
	var s trip.State
	s.Use(rules)
	first := 0
	for _, p := range positions {
		step := s.Add(p)
		if step.Completed {
			out = append(out, step.Trip)
		}
		if step.First {
			first = len(jumps)
		}
		if step.Confirms {
			jumps = jumps[:first]
		}
		if step.Jump {
			jumps = append(jumps, p.Time)
		}
	}
	return append(out, s.Close(epoch.AddDate(10, 0, 0)).Completed...), jumps
}

// device keeps what a store would: positions, trips with ids, the state as bytes.
type device struct {
	t         *testing.T
	positions []trip.Known
	trips     []stored
	state     []byte
	nextID    int
	loaded    int
	rules     trip.Rules
}

type stored struct {
	id int
	trip.Derived
}

func newDevice(t *testing.T) *device {
	t.Helper()
	return &device{t: t, rules: trip.DefaultRules()}
}

func (d *device) find(at drover.Time) (int, bool) {
	return slices.BinarySearchFunc(d.positions, at, func(p trip.Known, at drover.Time) int { return p.Time.Compare(at.Time) })
}

func (d *device) load(s trip.Span) ([]trip.Known, error) {
	from, _ := d.find(s.From)
	to, _ := d.find(s.To)
	d.loaded += to - from
	return slices.Clone(d.positions[from:to]), nil
}

// mark changes marks as asked, each of which must be a change.
func (d *device) mark(marks []trip.Mark) {
	d.t.Helper()
	for _, m := range marks {
		i, known := d.find(m.Time)
		if !known || d.positions[i].Jump == m.Jump {
			d.t.Fatalf("the mark %v changes nothing", m)
		}
		d.positions[i].Jump = m.Jump
	}
}

func (d *device) jumps() []drover.Time {
	var out []drover.Time
	for _, p := range d.positions {
		if p.Jump {
			out = append(out, p.Time)
		}
	}
	return out
}

// accepted is the time of the newest position that is no jump.
func (d *device) accepted() (at drover.Time) {
	for _, p := range d.positions {
		if !p.Jump {
			at = p.Time
		}
	}
	return at
}

// receive stores a batch as the collector does, and then closes what is over.
func (d *device) receive(batch []drover.Position, now time.Time) {
	d.t.Helper()
	var fresh []drover.Position
	for _, p := range batch {
		i, known := d.find(p.Time)
		if !known {
			d.positions = slices.Insert(d.positions, i, trip.Known{Position: p})
			fresh = append(fresh, p)
		}
	}
	var s trip.State
	s.Use(d.rules)
	if err := s.UnmarshalBinary(d.state); err != nil {
		d.t.Fatal(err)
	}
	out, err := s.Absorb(fresh, d.load)
	if err != nil {
		d.t.Fatal(err)
	}
	d.mark(out.Marks)
	if at, _ := s.Accepted(); len(d.positions) > 0 && !at.Equal(d.accepted().Time) {
		d.t.Fatalf("the newest position accepted is of %v, want %v", at, d.accepted())
	}
	d.take(out)
	d.take(s.Close(now))
	if d.state, err = s.MarshalBinary(); err != nil {
		d.t.Fatal(err)
	}
}

func (d *device) take(out trip.Outcome) {
	d.t.Helper()
	for _, r := range out.Revised {
		if _, over, _ := d.within(r.Span.From); over { // by other rules
			past := trip.Past{Newest: d.positions[len(d.positions)-1].Time, Load: d.load, Within: d.within}
			var err error
			if r, _, _, err = trip.Recompute(d.rules, r.Span, past); err != nil {
				d.t.Fatal(err)
			}
			d.mark(r.Marks)
		}
		d.apply(r)
	}
	for _, c := range out.Completed {
		d.put(c)
	}
}

func (d *device) apply(r trip.Revision) {
	d.t.Helper()
	var olds []stored
	for _, o := range d.trips {
		if !o.StartTime.Before(r.Span.From.Time) && o.StartTime.Before(r.Span.To.Time) {
			olds = append(olds, o)
		}
	}
	slices.SortFunc(olds, func(a, b stored) int { return a.StartTime.Compare(b.StartTime.Time) })
	derived := make([]trip.Derived, len(olds))
	for i, o := range olds {
		derived[i] = o.Derived
	}
	c := r.Diff(derived)
	for _, i := range c.Remove {
		d.trips = slices.DeleteFunc(d.trips, func(s stored) bool { return s.id == olds[i].id })
		d.unique()
	}
	for _, p := range c.Revise {
		i := slices.IndexFunc(d.trips, func(s stored) bool { return s.id == olds[p.Old].id })
		d.trips[i].Derived = r.Trips[p.New]
		d.unique()
	}
	for _, i := range c.Add {
		d.add(r.Trips[i])
	}
}

// put adds a completed trip, or replaces the one of the same name.
func (d *device) put(c trip.Derived) {
	d.t.Helper()
	if i := slices.IndexFunc(d.trips, func(s stored) bool { return s.SystemTripID == c.SystemTripID }); i >= 0 {
		d.trips[i].Derived = c
		return
	}
	d.add(c)
}

func (d *device) add(c trip.Derived) {
	d.t.Helper()
	d.nextID++
	d.trips = append(d.trips, stored{d.nextID, c})
	d.unique()
}

// unique fails where a store's unique index would.
func (d *device) unique() {
	d.t.Helper()
	seen := map[string]bool{}
	for _, s := range d.trips {
		if seen[s.SystemTripID] {
			d.t.Fatalf("two trips are called %s", s.SystemTripID)
		}
		seen[s.SystemTripID] = true
	}
}

func (d *device) all() []trip.Derived {
	slices.SortFunc(d.trips, func(a, b stored) int { return a.StartTime.Compare(b.StartTime.Time) })
	out := make([]trip.Derived, len(d.trips))
	for i, s := range d.trips {
		out[i] = s.Derived
	}
	return out
}

// arrivals shuffles, repeats and splits positions in one of several manners.
func arrivals(r *rand.Rand, positions []drover.Position) [][]drover.Position {
	order := slices.Clone(positions)
	switch r.IntN(5) {
	case 0: // wholly at random
		r.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
	case 1: // newest first, as a history is filled backwards
		slices.Reverse(order)
	case 2: // stretches that are held back
		jittered := map[int64]float64{}
		for i, p := range order {
			jittered[p.Time.UnixMilli()] = float64(i)
			if r.IntN(10) == 0 {
				jittered[p.Time.UnixMilli()] += r.Float64() * 200
			}
		}
		slices.SortStableFunc(order, func(a, b drover.Position) int {
			return cmp.Compare(jittered[a.Time.UnixMilli()], jittered[b.Time.UnixMilli()])
		})
	case 3: // two halves that interleave
		slices.SortStableFunc(order, func(a, b drover.Position) int {
			return cmp.Compare(a.Time.UnixMilli()/1000%2, b.Time.UnixMilli()/1000%2)
		})
	case 4: // in order
	}
	var batches [][]drover.Position
	for len(order) > 0 {
		n := min(len(order), 1+r.IntN(1+r.IntN(300)))
		batches = append(batches, order[:n])
		if r.IntN(4) == 0 {
			batches = append(batches, order[:n])
		}
		order = order[n:]
	}
	return batches
}

func TestAnyOrderGivesTheSameTrips(t *testing.T) {
	t.Parallel()
	for seed := range uint64(120) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 7))
			positions := randomHistory(r, 2+r.IntN(30))
			checkOrder(t, r, positions)
		})
	}
}

// TestJumpsInAnyOrder has histories that are full of jumps, alone and confirmed,
// around silences of any length and on the hour after a quiet one.
func TestJumpsInAnyOrder(t *testing.T) {
	t.Parallel()
	marked := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 13))
		positions := jumpyHistory(r, 5+r.IntN(40))
		for range 2 {
			checkOrder(t, r, positions)
		}
		_, jumps := foldAll(positions)
		marked += len(jumps)
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
	if marked < 500 {
		t.Errorf("%d jumps prove little", marked)
	}
}

func TestSimulatedFleetInAnyOrder(t *testing.T) {
	t.Parallel()
	fleet := sim.New(sim.Options{Seed: 3, Vehicles: 8, Interval: time.Minute, Heartbeat: 10 * time.Minute})
	for _, v := range fleet.Vehicles() {
		t.Run(v.ID, func(t *testing.T) {
			t.Parallel()
			var positions []drover.Position
			for _, s := range fleet.Positions(v, epoch, epoch.AddDate(0, 0, 4)) {
				positions = append(positions, s.Position)
			}
			checkOrder(t, rand.New(rand.NewPCG(uint64(v.Index), 1)), positions)
		})
	}
}

func checkOrder(t *testing.T, r *rand.Rand, positions []drover.Position) {
	t.Helper()
	want, jumps := foldAll(positions)
	d := newDevice(t)
	var newest time.Time
	for _, batch := range arrivals(r, positions) {
		for _, p := range batch {
			if p.Time.After(newest) {
				newest = p.Time.Time
			}
		}
		d.receive(batch, newest.Add(time.Duration(r.IntN(40))*time.Minute))
	}
	d.receive(nil, epoch.AddDate(10, 0, 0))
	if diff := gocmp.Diff(want, d.all(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("trips depend on the order of arrival (-one fold +stored):\n%s", diff)
	}
	if diff := gocmp.Diff(jumps, d.jumps(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("jumps depend on the order of arrival (-one fold +stored):\n%s", diff)
	}
	for i := 1; i < len(want); i++ {
		if want[i].StartTime.Before(want[i-1].EndTime.Time) {
			t.Errorf("trips overlap: %v and %v", want[i-1].Span(), want[i].Span())
		}
	}
	var first, last drover.Time
	if len(positions) > 0 {
		first, last = positions[0].Time, positions[len(positions)-1].Time
	}
	s, rebuilt, err := trip.Rebuild(trip.DefaultRules(), first, last, d.load)
	if err != nil {
		t.Fatal(err)
	}
	if closed := s.Close(epoch.AddDate(10, 0, 0)); len(closed.Completed) > 0 != rebuilt.Unfinished {
		t.Error("a trip under way is not marked as unfinished")
	}
	if diff := gocmp.Diff(want, rebuilt.Trips, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("a rebuild differs (-one fold +rebuilt):\n%s", diff)
	}
	if len(rebuilt.Marks) > 0 {
		t.Errorf("a rebuild changes the marks %v", rebuilt.Marks)
	}
}
