package traces

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/trip"
)

// goals holds each recording against what must be so of any vehicle, and explains
// each trip that it calls wrong.
func (r *report) goals(all []Trace) {
	for _, t := range all {
		accepted, trips := t.derive()
		r.phantoms(t, trips)
		shown, stops := newTruth(t.Positions), stopsBetween(accepted, trips)
		if shown.dropped >= corruptShare { // wrong positions are so many that they defend each other
			shown = truth{positions: accepted}
		}
		r.places(t, shown.positions, stops)
		r.holes(t, shown, stops, trips)
		r.odometer(t, shown.positions, trips, stops)
	}
}

// derive returns the positions that are accepted, and the trips.
func (t Trace) derive() (accepted []drover.Position, trips []trip.Derived) {
	var fold trip.State
	first := 0
	var odd []int
	var kept []drover.Position
	for _, p := range t.Positions {
		if _, suspect := trip.Suspect(p, p.Time.Time); suspect {
			continue
		}
		step := fold.Add(p)
		if step.First {
			first = len(odd)
		}
		if step.Confirms {
			odd = odd[:first]
		}
		if step.Jump {
			odd = append(odd, len(kept))
		}
		kept = append(kept, p)
	}
	for i, p := range kept {
		if _, wrong := slices.BinarySearch(odd, i); !wrong {
			accepted = append(accepted, p)
		}
	}
	return accepted, deriveTrips(t.Positions)
}

// phantoms counts the kilometres of valid trips in which no position reports a movement.
func (r *report) phantoms(t Trace, trips []trip.Derived) {
	if !slices.ContainsFunc(t.Positions, func(p drover.Position) bool { return p.SpeedKPH != nil }) {
		return
	}
	var metres, wrong float64
	for _, d := range trips {
		if len(trip.Check(d.Facts(), d.EndTime.Time, nil)) > 0 {
			continue
		}
		metres += d.DistanceMetres
		within := between(t.Positions, d.StartTime, d.EndTime)
		if !slices.ContainsFunc(within, func(p drover.Position) bool { return !slow(&p) }) {
			wrong += d.DistanceMetres
			r.explain(t, d, fmt.Sprintf("none of its %d positions reports %.0f km/h", len(within), geo.MovingKPH))
		}
	}
	r.atMost("km without a movement, "+t.name, wrong/1000, metres/1000, "km", 0.5)
}

// explain says why a trip is as it is that a goal calls wrong.
func (r *report) explain(t Trace, d trip.Derived, fault string) {
	start, end := d.Why.Start(), d.Why.End()
	r.progress(fmt.Sprintf("%s: trip from %v to %v, %.0f m, %.0f m of them unseen: %s; it began by %s (%s) and ended by %s (%s)",
		t.name, d.StartTime, d.EndTime, d.DistanceMetres, d.Why.UnseenMetres, fault, start.Cause, start.Words, end.Cause, end.Words))
}

// stopsBetween are the stops that are found beside trips, from the positions that were accepted.
func stopsBetween(accepted []drover.Position, trips []trip.Derived) (stops []trip.Stop) {
	from := accepted[0].Time
	for i := 0; i <= len(trips); i++ {
		to := accepted[len(accepted)-1].Time
		if i < len(trips) {
			to = trips[i].StartTime
		}
		var seen trip.Standing
		for _, p := range between(accepted, from, to) {
			seen.Add(p)
		}
		stops = append(stops, seen.Stops...)
		if i < len(trips) {
			from = trips[i].EndTime
		}
	}
	return stops
}

// places counts the stops that are not where they say, by the positions that are believed
// without the rules of trips: those accept only what fits.
func (r *report) places(t Trace, believed []drover.Position, stops []trip.Stop) {
	moved, elsewhere := 0, 0
	for _, s := range stops {
		within, far := between(believed, s.From, s.To), 0
		if len(within) == 0 {
			continue
		}
		for _, p := range within {
			if geo.DistanceMetres(s.Place, p.Point()) > trip.StopMetres {
				far++
			}
		}
		if geo.DistanceMetres(s.Place, within[len(within)-1].Point()) > 2*trip.StopMetres {
			moved++
		}
		if 2*far > len(within) {
			elsewhere++
		}
		if far > 0 {
			r.progress(fmt.Sprintf("%s: of the stop from %v to %v %d of %d positions are more than %.0f m from its place",
				t.name, s.From, s.To, far, len(within), trip.StopMetres))
		}
	}
	r.atMost("stops that end 1 km from their place, "+t.name, float64(moved), float64(len(stops)), "stops", 1)
	r.atMost("stops that are elsewhere, "+t.name, float64(elsewhere), float64(len(stops)), "stops", 0)
}

// holes counts the silences that were crossed, and that are in a stop, or neither in a trip nor
// after a stop as unseen.
func (r *report) holes(t Trace, truth truth, stops []trip.Stop, trips []trip.Derived) {
	holes, hidden, lost := 0, 0, 0
	for i := 1; i < len(truth.positions); i++ {
		a, b := &truth.positions[i-1], &truth.positions[i]
		took, metres := b.Time.Sub(a.Time.Time), metresBetween(a, b)
		kph := geo.SpeedKPH(metres, took.Seconds())
		if took < silence || metres < trip.StopMetres || kph < geo.MovingKPH || kph > fastest || truth.spoke(a, b) {
			continue
		}
		holes++
		if slices.ContainsFunc(stops, func(s trip.Stop) bool { return !s.From.After(a.Time.Time) && !s.To.Before(b.Time.Time) }) {
			hidden++
		}
		reported := slices.ContainsFunc(stops, func(s trip.Stop) bool { return s.Unseen != nil && s.Unseen.StartTime.Equal(a.Time.Time) })
		if !reported && !slices.ContainsFunc(trips, func(d trip.Derived) bool {
			return !d.StartTime.After(a.Time.Time) && !d.EndTime.Before(b.Time.Time)
		}) {
			lost++
			r.progress(fmt.Sprintf("%s: nothing reports the %.0f m from %v to %v", t.name, metres, a.Time, b.Time))
		}
	}
	if holes > 0 {
		r.atMost("holes that a stop hides, "+t.name, float64(hidden), float64(holes), "holes", 5)
		r.atMost("holes that nothing reports, "+t.name, float64(lost), float64(holes), "holes", 5)
	}
}

// odometer holds the kilometres of each day, those of trips and those unseen between them,
// against an odometer.
func (r *report) odometer(t Trace, believed []drover.Position, trips []trip.Derived, stops []trip.Stop) {
	counted, metres := map[int64]float64{}, map[int64]float64{}
	for i := 1; i < len(believed); i++ {
		a, b := believed[i-1], believed[i]
		if a.OdometerMetres == nil || b.OdometerMetres == nil {
			return
		}
		divide(counted, a.Time, b.Time, *b.OdometerMetres-*a.OdometerMetres, nil)
	}
	for _, d := range trips {
		divide(metres, d.StartTime, d.EndTime, d.DistanceMetres, between(believed, d.StartTime, d.EndTime))
	}
	for _, s := range stops {
		if u := s.Unseen; u != nil {
			divide(metres, u.StartTime, u.EndTime, u.DistanceMetres, nil)
		}
	}
	for _, day := range slices.Sorted(maps.Keys(counted)) {
		if counted[day] < 1000 { // it hardly left its place
			continue
		}
		off := percent(metres[day]-counted[day], counted[day])
		r.table.Add(fmt.Sprintf("trips and unseen of day %d, %s", day, t.name), fmt.Sprintf("%.1f km", metres[day]/1000), "odometer",
			fmt.Sprintf("%.1f km", counted[day]/1000),
			fmt.Sprintf("%+.2f %%", off), "within 5 %", table.Judge(math.Abs(off) <= 5))
	}
}

// divide adds metres to the days of a time, by the positions of it, or else in proportion.
func divide(to map[int64]float64, from, until drover.Time, metres float64, positions []drover.Position) {
	var cuts []drover.Time
	for day := from.Day() + 1; day <= until.Day(); day++ {
		cuts = append(cuts, drover.Milli(day*24*time.Hour.Milliseconds()))
	}
	shares := trip.DefaultRules().Shares(trip.Span{From: from, To: until}, cuts, positions)
	for i, part := range trip.Apportion(int64(metres), shares, func(s trip.Share) float64 { return s.Metres }) {
		to[from.Day()+int64(i)] += float64(part)
	}
}

func (r *report) atMost(figure string, part, whole float64, unit string, bound float64) {
	share := percent(part, whole)
	r.table.Add(figure, fmt.Sprintf("%.1f %s", part, unit), "of", fmt.Sprintf("%.1f %s", whole, unit), fmt.Sprintf("%.2f %%", share),
		fmt.Sprintf("<= %.1f %%", bound), table.Judge(share <= bound))
}

// between are the positions of a time, both ends included.
func between(positions []drover.Position, from, to drover.Time) []drover.Position {
	a := sort.Search(len(positions), func(i int) bool { return !positions[i].Time.Before(from.Time) })
	b := sort.Search(len(positions), func(i int) bool { return positions[i].Time.After(to.Time) })
	return positions[a:max(a, b)]
}
