package trip_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/trip"
)

// within is the stored trip that a time lies within.
func (d *device) within(at drover.Time) (trip.Span, bool, error) {
	for _, s := range d.trips {
		if s.StartTime.Before(at.Time) && at.Before(s.EndTime.Time) {
			return s.Span(), true, nil
		}
	}
	return trip.Span{}, false, nil
}

// recompute derives windows of a length again, one after the other, from the first
// position to the newest.
func (d *device) recompute(length time.Duration) {
	d.t.Helper()
	if len(d.positions) == 0 {
		return
	}
	newest := d.positions[len(d.positions)-1].Time
	past := trip.Past{Newest: newest, Load: d.load, Within: d.within}
	for at := d.positions[0].Time; !at.After(newest.Time); {
		r, end, atEnd, err := trip.Recompute(d.rules, trip.Span{From: at, To: drover.At(at.Add(length))}, past)
		if err != nil {
			d.t.Fatal(err)
		}
		d.mark(r.Marks)
		d.apply(r)
		if at = r.Span.To; atEnd {
			if d.state, err = end.MarshalBinary(); err != nil {
				d.t.Fatal(err)
			}
			break
		}
	}
}

func randomRules(r *rand.Rand) trip.Rules {
	minutes := func(least, most int) time.Duration { return time.Duration(least+r.IntN(most-least)) * time.Minute }
	return trip.Rules{
		StopAfter: minutes(1, 20), IdleAfter: minutes(1, 90), Gap: minutes(5, 120),
		PlaceMetres: 10 + 200*r.Float64(), MinTripMetres: 10 + 2000*r.Float64(), MovingKPH: 1 + 9*r.Float64(),
	}
}

// TestRecomputeIsDerivingFromScratch has histories of which each part was derived by
// other rules, and derives them again in windows of any length.
func TestRecomputeIsDerivingFromScratch(t *testing.T) {
	t.Parallel()
	kept := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 17))
		positions := randomHistory(r, 2+r.IntN(20))
		if seed%3 == 0 {
			positions = jumpyHistory(r, 5+r.IntN(40))
		}
		d := newDevice(t)
		var newest time.Time
		for _, batch := range arrivals(r, positions) {
			for _, p := range batch {
				if p.Time.After(newest) {
					newest = p.Time.Time
				}
			}
			if r.IntN(3) == 0 {
				d.rules = randomRules(r)
			}
			d.receive(batch, newest.Add(time.Duration(r.IntN(40))*time.Minute))
		}
		before := map[string]stored{}
		for _, s := range d.trips {
			before[s.SystemTripID] = s
		}
		if r.IntN(4) > 0 {
			d.rules = randomRules(r)
		}
		d.recompute(time.Duration(1+r.IntN(100)) * time.Hour)
		d.receive(nil, epoch.AddDate(10, 0, 0))
		want, _ := foldBy(d.rules, positions)
		if diff := gocmp.Diff(want, d.all(), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("seed %d: deriving again differs (-one fold +stored):\n%s", seed, diff)
		}
		for _, s := range d.trips {
			if old, known := before[s.SystemTripID]; known && old.Span() == s.Span() {
				kept++
				if old.id != s.id {
					t.Errorf("seed %d: the trip %s has another id", seed, s.SystemTripID)
				}
			}
		}
	}
	if kept < 300 {
		t.Errorf("%d trips that stay prove little", kept)
	}
}

// TestRecomputeAgainChangesNothing expects what is derived to be stable.
func TestRecomputeAgainChangesNothing(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 19))
		d := newDevice(t)
		d.rules = randomRules(r)
		d.receive(randomHistory(r, 12), epoch)
		d.recompute(24 * time.Hour)
		before, ids := d.all(), d.nextID
		d.recompute(7 * time.Hour)
		if diff := gocmp.Diff(before, d.all(), cmpopts.EquateEmpty()); diff != "" || ids != d.nextID {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

// TestRecomputeKeepsWhatIsForgotten has a trip of which the first positions are no
// longer kept: it stays as it is, and so does all before it.
func TestRecomputeKeepsWhatIsForgotten(t *testing.T) {
	t.Parallel()
	v := exact()
	for range 6 {
		v.drive(20 * time.Minute)
		v.stop(4*time.Hour, false, false)
	}
	d := newDevice(t)
	d.receive(v.positions, v.at)
	before := d.all()
	if len(before) < 4 {
		t.Fatalf("%d trips prove little", len(before))
	}
	cut := before[1]
	oldest := drover.At(cut.StartTime.Add(cut.EndTime.Sub(cut.StartTime.Time) / 2))
	i, _ := d.find(oldest)
	d.positions = d.positions[i:]
	newest := d.positions[len(d.positions)-1].Time
	revised, _, _, err := trip.Recompute(trip.DefaultRules(), trip.Span{From: drover.At(epoch.AddDate(0, 0, -1)), To: newest},
		trip.Past{Oldest: oldest, Newest: newest, Load: d.load, Within: d.within})
	if err != nil {
		t.Fatal(err)
	}
	d.apply(revised)
	d.receive(nil, v.at)
	if diff := gocmp.Diff(before, d.all()); diff != "" {
		t.Errorf("what was forgotten changes trips (-before +after):\n%s", diff)
	}
}

// TestRulesDecide has a stop, a hole and a short way that rules may see in two ways.
func TestRulesDecide(t *testing.T) {
	t.Parallel()
	rules := func(change func(r *trip.Rules)) trip.Rules {
		r := trip.DefaultRules()
		change(&r)
		return r
	}
	stop := func(v *vehicle) { v.stop(8*time.Minute, false, false) }
	jam := func(v *vehicle) { v.stop(40*time.Minute, true, false) }
	long := func(v *vehicle) { v.stop(3*time.Hour, true, false) }
	parked := func(v *vehicle) { v.stop(3*time.Hour, false, false) }
	silence := func(v *vehicle) { v.at = v.at.Add(20 * time.Minute) }
	for _, tc := range []struct {
		name  string
		drive func(v *vehicle)
		rules trip.Rules
		want  int
		why   trip.Decision // of the first trip's end
	}{
		{"Stop", stop, trip.DefaultRules(), 2, trip.Decision{Cause: "stop", Value: 5, Unit: "minutes"}},
		{
			"LongerStop", stop, rules(func(r *trip.Rules) { r.StopAfter = 10 * time.Minute }), 1,
			trip.Decision{Cause: "stop", Value: 10, Unit: "minutes"},
		},
		{
			"StopAtTheSecond", stop, rules(func(r *trip.Rules) { r.StopAfter = 450 * time.Second }), 2,
			trip.Decision{Cause: "stop", Value: 7.5, Unit: "minutes"},
		},
		{"LongerIdling", jam, rules(func(r *trip.Rules) { r.IdleAfter = time.Hour }), 1, trip.Decision{Cause: "stop", Value: 5, Unit: "minutes"}},
		{
			"IdlingBeyondTheQuietHour", long, rules(func(r *trip.Rules) { r.IdleAfter = 4 * time.Hour }), 1,
			trip.Decision{Cause: "stop", Value: 5, Unit: "minutes"},
		},
		{
			"StopBeyondTheQuietHour", parked, rules(func(r *trip.Rules) { r.StopAfter = 4 * time.Hour }), 1,
			trip.Decision{Cause: "hole", Value: 15, Unit: "minutes"},
		},
		{
			"ShorterIdling", jam, rules(func(r *trip.Rules) { r.IdleAfter = 10 * time.Minute }), 2,
			trip.Decision{Cause: "idle", Value: 10, Unit: "minutes"},
		},
		{
			"LongerGap", silence, rules(func(r *trip.Rules) { r.Gap = 25 * time.Minute }), 1,
			trip.Decision{Cause: "stop", Value: 5, Unit: "minutes"},
		},
		{
			"ShorterGap", silence, rules(func(r *trip.Rules) { r.Gap = 5 * time.Minute }), 2,
			trip.Decision{Cause: "hole", Value: 5, Unit: "minutes"},
		},
		{"Farther", func(*vehicle) {}, rules(func(r *trip.Rules) { r.MinTripMetres = 1e6 }), 0, trip.Decision{}},
	} {
		v := exact()
		v.stop(10*time.Minute, false, false)
		v.drive(20 * time.Minute)
		tc.drive(v)
		v.drive(20 * time.Minute)
		v.stop(20*time.Minute, false, false)
		trips, _ := foldBy(tc.rules, v.positions)
		if len(trips) != tc.want {
			t.Errorf("%s: %d trips, want %d", tc.name, len(trips), tc.want)
			continue
		}
		if tc.want == 0 {
			continue
		}
		got := trips[0].Why.End()
		if got.Words = ""; got != tc.why {
			t.Errorf("%s: ended by %+v, want %+v", tc.name, got, tc.why)
		}
	}
}

// TestRadius has a vehicle that scatters by 70 m.
func TestRadius(t *testing.T) {
	t.Parallel()
	positions := []drover.Position{seen(-60, 0, 8, true)}
	for i := range 40 {
		positions = append(positions, seen(float64(60*i), 70*float64(i%2), 0, true))
	}
	for metres, want := range map[float64]bool{50: true, 70.5: false} {
		rules := trip.DefaultRules()
		rules.PlaceMetres, rules.MinTripMetres = metres, 60
		trips, _ := foldBy(rules, positions)
		if got := len(trips) > 0; got != want {
			t.Errorf("with a place of %g m: a trip is %t", metres, got)
		}
	}
}
