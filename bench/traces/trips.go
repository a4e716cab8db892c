package traces

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/internal/rules/trip"
)

// corruptShare is the share of impossible positions from which on a receiver counts
// as corrupt, and shiftedBy what the clock is moved by.
const (
	corruptShare = 0.003
	shiftedBy    = 15 * time.Minute
	thinnedTo    = 290 * time.Second
	slowByNature = 0.05 // share of slow work in the driving from which on it is judged
)

// tally is what became of the trips of some traces.
type tally struct {
	trips, invalid, soon, changed int
	stops, missed, splits         int
	metres, truthMetres           float64
	knownBy                       string
	idle, truthIdle               float64
	holeMetres, seenHoleMetres    float64
	driving, thinned              float64
	path, thinPath                float64
	work, truthWork, truthDriven  float64
}

// explainer says of a trip that is called wrong why it is as it is.
type explainer func(d trip.Derived, fault string)

// trips derives the trips of each trace and holds them against what the raw
// positions show. Corrupt receivers are a set of their own.
func (r *report) trips(all []Trace) {
	sets := map[string]*tally{}
	for _, t := range all {
		truth, name := newTruth(t.Positions), t.set()
		if truth.dropped >= corruptShare {
			name += " (corrupt)"
		}
		if sets[name] == nil {
			sets[name] = &tally{}
		}
		sets[name].add(t.Positions, truth, func(d trip.Derived, fault string) { r.explain(t, d, fault) })
	}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		r.printTally(name, sets[name])
	}
}

func (y *tally) add(positions []drover.Position, truth truth, explain explainer) {
	trips := deriveTrips(positions)
	y.trips += len(trips)
	for i, d := range trips {
		y.metres += d.DistanceMetres
		y.driving += d.DrivingSeconds
		y.work += d.Why.WorkingSeconds
		if broken := trip.Check(d.Facts(), d.EndTime.Time, nil); len(broken) > 0 {
			y.invalid++
			explain(d, fmt.Sprintf("it is not valid: %v", broken))
		}
		if i == 0 {
			continue
		}
		between := span{trips[i-1].EndTime.Time, d.StartTime.Time}
		if between.to.Sub(between.from) < 5*time.Minute {
			y.soon++
			explain(d, fmt.Sprintf("it begins %v after the one before", between.to.Sub(between.from)))
		}
		if !slices.ContainsFunc(truth.pauses, func(s span) bool {
			return s.from.Before(between.to.Add(time.Minute)) && s.to.After(between.from.Add(-time.Minute))
		}) {
			y.splits++
			explain(d, "neither a stop nor a hole parts it from the one before")
		}
	}
	y.truthWork, y.truthDriven = y.truthWork+truth.work, y.truthDriven+truth.driven
	y.truthMetres, y.knownBy = y.truthMetres+truth.metres, truth.knownBy
	y.compare(trips, truth, explain)
	for _, d := range differences(trips, positions) {
		y.changed++
		explain(d, fmt.Sprintf("it is another one where the clock is %v later", shiftedBy))
	}
	for _, d := range deriveTrips(thin(positions)) {
		y.thinned += d.DrivingSeconds
	}
	y.path, y.thinPath = y.path+pathOf(truth.positions), y.thinPath+pathOf(thin(truth.positions))
}

// compare counts what of stops, idling and holes the trips and stops show.
func (y *tally) compare(trips []trip.Derived, truth truth, explain explainer) {
	spanning := func(s span) int {
		return slices.IndexFunc(trips, func(d trip.Derived) bool { return !d.StartTime.After(s.from) && !d.EndTime.Before(s.to) })
	}
	for _, s := range truth.stops {
		y.stops++
		if i := spanning(s); i >= 0 {
			y.missed++
			explain(trips[i], fmt.Sprintf("it misses the stop from %s to %s", s.from.Format(time.RFC3339), s.to.Format(time.RFC3339)))
		}
	}
	for _, h := range truth.holes {
		y.holeMetres += h.metres
		if spanning(h.span) >= 0 {
			y.seenHoleMetres += h.metres
		}
	}
	y.truthIdle += truth.idle
	y.idle += idleOf(trips, truth.positions)
}

// idleOf is the time with the engine on in trips and in the stops between them.
func idleOf(trips []trip.Derived, positions []drover.Position) (sum float64) {
	next := 0
	var stop trip.Standing
	closeStop := func() {
		for _, s := range stop.Stops {
			if s.EngineOn != nil {
				sum += *s.EngineOn
			}
		}
		stop = trip.Standing{}
	}
	for _, p := range positions {
		for next < len(trips) && p.Time.After(trips[next].EndTime.Time) {
			next++
		}
		if next < len(trips) && p.Time.After(trips[next].StartTime.Time) && p.Time.Before(trips[next].EndTime.Time) {
			closeStop()
			continue
		}
		stop.Add(p)
	}
	closeStop()
	for _, d := range trips {
		if d.IdlingSeconds != nil {
			sum += *d.IdlingSeconds
		}
	}
	return sum
}

// differences are the trips that change when the clock moves, by the clock that has not moved.
func differences(trips []trip.Derived, positions []drover.Position) (other []trip.Derived) {
	moved := slices.Clone(positions)
	for i := range moved {
		moved[i].Time = drover.At(moved[i].Time.Add(shiftedBy))
	}
	type key struct {
		from, to int64
		metres   float64
	}
	left := map[key]int{}
	for _, d := range trips {
		left[key{d.StartTime.UnixMilli(), d.EndTime.UnixMilli(), d.DistanceMetres}]++
	}
	for _, d := range deriveTrips(moved) {
		d.StartTime, d.EndTime = drover.At(d.StartTime.Add(-shiftedBy)), drover.At(d.EndTime.Add(-shiftedBy))
		k := key{d.StartTime.UnixMilli(), d.EndTime.UnixMilli(), d.DistanceMetres}
		if left[k] == 0 {
			other = append(other, d)
		}
		left[k]--
	}
	return other
}

// thin leaves a position in about five minutes.
func thin(positions []drover.Position) (kept []drover.Position) {
	for _, p := range positions {
		if len(kept) == 0 || p.Time.Sub(kept[len(kept)-1].Time.Time) >= thinnedTo {
			kept = append(kept, p)
		}
	}
	return kept
}

// pathOf is the way that positions show, but for silences.
func pathOf(positions []drover.Position) (metres float64) {
	for i := 1; i < len(positions); i++ {
		if a, b := &positions[i-1], &positions[i]; b.Time.Sub(a.Time.Time) < silence {
			metres += metresBetween(a, b)
		}
	}
	return metres
}

func (r *report) printTally(name string, y *tally) {
	count := func(figure string, part, whole int, bound float64) {
		share := percent(float64(part), float64(whole))
		r.table.Add(figure+", "+name, fmt.Sprintf("%d", part), "of", fmt.Sprintf("%d", whole), fmt.Sprintf("%.1f %%", share),
			fmt.Sprintf("<= %.1f %%", bound), table.Judge(share <= bound))
	}
	r.table.Add("trips, "+name, fmt.Sprintf("%d", y.trips), "", "", "", "", "")
	count("stops missed", y.missed, y.stops, 1)
	count("splits without a stop or hole", y.splits, y.trips, 0.7)
	count("trips within 5 min of the last", y.soon, y.trips, 3)
	count("invalid trips", y.invalid, y.trips, 3)
	count("trips that change with the clock", y.changed, y.trips, 0)
	off := percent(y.metres-y.truthMetres, y.truthMetres)
	r.table.Add("distance, "+name, fmt.Sprintf("%.1f km", y.metres/1000), y.knownBy, fmt.Sprintf("%.1f km", y.truthMetres/1000),
		fmt.Sprintf("%+.2f %%", off), "within 1.5 %", table.Judge(within(off, 1.5)))
	if y.truthIdle > 0 {
		seen := percent(y.idle, y.truthIdle)
		r.table.Add("idling seen, "+name, fmt.Sprintf("%.1f h", y.idle/3600), "engine on, standing", fmt.Sprintf("%.1f h", y.truthIdle/3600),
			fmt.Sprintf("%.1f %%", seen), ">= 97 %", table.Judge(seen >= 97))
	}
	if all := y.truthDriven + y.truthWork; y.truthWork > slowByNature*all {
		seen := percent(y.driving, all)
		r.table.Add("driving and slow work, "+name, fmt.Sprintf("%.2f h, %.2f h of it slow", y.driving/3600, y.work/3600), "by speeds",
			fmt.Sprintf("%.2f h, %.2f h", all/3600, y.truthWork/3600), fmt.Sprintf("%.1f %%", seen), ">= 90 %", table.Judge(seen >= 90))
	}
	if y.holeMetres > 0 {
		seen := percent(y.seenHoleMetres, y.holeMetres)
		r.table.Add("km in holes, "+name, fmt.Sprintf("%.1f km", y.seenHoleMetres/1000), "driven through",
			fmt.Sprintf("%.1f km", y.holeMetres/1000), fmt.Sprintf("%.1f %%", seen), ">= 95 %", table.Judge(seen >= 95))
	}
	sparse, verdict := percent(y.thinned-y.driving, y.driving), ""
	// Work in one field does not show in a position in five minutes: most of the way is gone.
	if 2*y.thinPath >= y.path {
		verdict = table.Judge(within(sparse, 5))
	}
	r.table.Add("driving time at a position in 5 min, "+name, fmt.Sprintf("%.1f h", y.thinned/3600), "all positions",
		fmt.Sprintf("%.1f h", y.driving/3600), fmt.Sprintf("%+.1f %%", sparse), "within 5 %", verdict)
}

// deriveTrips folds positions, oldest first, up to a silence after the last.
func deriveTrips(positions []drover.Position) []trip.Derived {
	var fold trip.State
	var out []trip.Derived
	for _, p := range positions {
		if _, suspect := trip.Suspect(p, p.Time.Time); suspect {
			continue
		}
		if step := fold.Add(p); step.Completed {
			out = append(out, step.Trip)
		}
	}
	if newest, some := fold.Seen(); some {
		out = append(out, fold.Close(newest.Add(24*time.Hour)).Completed...)
	}
	return out
}
