package traces

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/internal/rules/arrival"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/milestone"
)

// asked are the shares of the way at which an arrival is predicted, and remaining
// the least time before it.
var asked = []float64{0.02, 0.1, 0.25, 0.5, 0.75, 0.9}

const remaining = 2 * time.Minute

// guess is one prediction, held against what came true. Its numbers are seconds.
type guess struct {
	vehicle                   string
	share, straight, whole    float64
	took, p10, p50, p90, rule float64
}

// arrivals follows each journey of the traces as a milestone and prints how
// far its predictions were off. They know nothing that was not known at the time: the
// journeys of the same set that had ended by then.
func (r *report) arrivals(all []Trace) {
	first, later := map[string][]guess{}, map[string][]guess{}
	for _, set := range slices.Compact(setsOf(all)) {
		kinds := map[string][]*ride{}
		for _, t := range all {
			if t.set() == set {
				for kind, rides := range ridesOf(t) {
					kinds[kind] = append(kinds[kind], rides...)
				}
			}
		}
		for _, kind := range []string{tripRides, haulRides, directRides} {
			if len(kinds[kind]) > 0 {
				learned, fresh := foresee(kinds[kind], true), foresee(kinds[kind], false)
				r.arrivalTable(set+" "+kind, len(kinds[kind]), learned)
				r.beforeLearning(fresh)
				first[kind], later[kind] = append(first[kind], fresh...), append(later[kind], learned...)
				if kind != directRides { // their ends are not known to be stops
					r.earlyRow(kinds[kind])
				}
			}
		}
	}
	r.ranges(", knowing no journey", first)
	r.ranges(", with known journeys", later)
	taught, _ := delaysOf(first)
	for _, c := range slices.SortedFunc(maps.Keys(taught), func(a, b class) int { return cmp.Compare(a.String(), b.String()) }) {
		d := taught[c]
		r.progress(fmt.Sprintf("journeys of %s teach a range from %.2f times the prediction to %.2f times it and %.0f s",
			c, d.early, d.late, d.stop))
	}
	// How far the figures above are true of a vehicle that was not there when they were chosen.
	r.ranges(", knowing no journey, learned from the others", leftOut(first, bandsOf))
	r.ranges(", with known journeys, learned from the others", leftOut(later, scaleOf))
}

// ranges prints how many arrivals lie within their range, of all journeys of a kind and of brief ones.
func (r *report) ranges(when string, of map[string][]guess) {
	const fewest = 200
	for _, kind := range slices.Sorted(maps.Keys(of)) {
		for _, part := range []struct {
			name string
			all  []guess
		}{
			{"ranges of " + kind + when, of[kind]},
			{"  below 5 km", keep(of[kind], func(g guess) bool { return g.whole < 5_000 })},
			{"  from 5 km on", keep(of[kind], func(g guess) bool { return g.whole >= 5_000 })},
		} {
			if len(part.all) >= fewest {
				r.held(part.name, 100*inRange(part.all), len(part.all))
			}
		}
	}
}

// held holds a share against what a range is meant to hold.
func (r *report) held(name string, share float64, guesses int) {
	const least, most = 77, 83
	r.table.Add(name, fmt.Sprintf("%.1f %% in range", share), "of", table.Thousands(float64(guesses)), "",
		fmt.Sprintf("%d to %d %%", least, most), table.Judge(share >= least && share <= most))
}

// inRange is the share of arrivals within the range that was predicted.
func inRange(all []guess) float64 {
	within := 0
	for _, g := range all {
		if g.took >= g.p10 && g.took <= g.p90 {
			within++
		}
	}
	return float64(within) / float64(len(all))
}

func setsOf(all []Trace) []string {
	sets := make([]string, len(all))
	for i, t := range all {
		sets[i] = t.set()
	}
	slices.Sort(sets)
	return sets
}

// moment is a prediction to be made, or a ride that has ended to be learned from.
type moment struct {
	at    time.Time
	ride  *ride
	index int
	share float64
	ended bool
}

// settled is how long after its arrival a journey is known to have ended.
const settled = 30 * time.Minute

// foresee predicts the arrivals of rides in the order of time. Unless it learns, each is
// the first one that the service sees.
func foresee(rides []*ride, learns bool) []guess {
	var moments []moment
	for _, r := range rides {
		moments = append(moments, moment{at: r.arrived.Add(settled), ride: r, ended: true})
		moments = append(moments, r.moments()...)
	}
	slices.SortStableFunc(moments, func(a, b moment) int { return a.at.Compare(b.at) })
	known := knowledge{own: map[string][]arrival.Journey{}, profiles: map[string]arrival.Profile{}, open: map[*ride][]guess{}}
	var out []guess
	for _, m := range moments {
		if m.ended {
			if learns {
				known.learn(m.ride)
			}
			continue
		}
		g := known.predict(m)
		known.open[m.ride] = append(known.open[m.ride], g)
		out = append(out, g)
	}
	return out
}

// knowledge is what the service would have stored by then.
type knowledge struct {
	own      map[string][]arrival.Journey // by vehicle, newest first
	ended    []*ride
	profiles map[string]arrival.Profile
	open     map[*ride][]guess
}

func (k *knowledge) history(vehicle string) arrival.History {
	h := arrival.History{Own: k.own[vehicle]}
	for i := len(k.ended) - 1; i >= 0 && len(h.Fleet) < arrival.MaxFleet; i-- {
		if r := k.ended[i]; r.vehicle != vehicle {
			h.Fleet = append(h.Fleet, r.learned)
		}
	}
	return h
}

func (k *knowledge) learn(r *ride) {
	k.profiles[r.vehicle] = k.profiles[r.vehicle].Learn(r.trip())
	learned, ok := arrival.NewJourney(r.positions, r.arrived)
	if !ok {
		return
	}
	for _, g := range k.open[r] {
		learned.Outcomes = append(learned.Outcomes, arrival.NewOutcome(g.straight, g.p50, g.took, nil))
	}
	delete(k.open, r)
	r.learned = learned
	k.own[r.vehicle] = slices.Insert(k.own[r.vehicle], 0, learned)
	k.ended = append(k.ended, r)
}

func (k *knowledge) predict(m moment) guess {
	r := m.ride
	now := r.positions[m.index]
	started := r.positions[0].Time
	v := milestone.View{
		Milestone: r.milestone(),
		State:     milestone.State{Status: drover.TripInProgress, StartedAt: &started},
		Latest:    &now, Recent: r.recent(m.index), Config: milestone.DefaultConfig(), Now: now.Time.Time,
		Profile: k.profiles[r.vehicle], Model: arrival.NewModel(k.history(r.vehicle)),
	}
	reported := v.Predict()
	seconds := func(t drover.Time) float64 { return t.Sub(v.Now).Seconds() }
	g := guess{
		vehicle: r.vehicle, share: m.share, straight: geo.DistanceMetres(now.Point(), r.end), whole: r.straight(),
		took: r.arrived.Sub(v.Now).Seconds(),
	}
	g.p10, g.p50, g.p90 = seconds(reported.P10), seconds(reported.P50), seconds(reported.P90)
	g.rule = 1.3 * g.straight / max(0.1, r.driven[m.index]/max(1, v.Now.Sub(started.Time).Seconds()))
	return g
}

// arrivalTable prints the errors of a kind of journeys.
func (r *report) arrivalTable(name string, journeys int, all []guess) {
	r.arrivalRow(fmt.Sprintf("arrival, %d %s", journeys, name), all)
	for _, share := range asked {
		r.arrivalRow(fmt.Sprintf("  at %.0f %% of the way", 100*share), keep(all, func(g guess) bool { return g.share == share }))
	}
	lengths := []float64{0, 5_000, 15_000, 50_000, 150_000, math.Inf(1)}
	for i := range len(lengths) - 1 {
		r.arrivalRow(fmt.Sprintf("  of %g to %g km", lengths[i]/1000, lengths[i+1]/1000),
			keep(all, func(g guess) bool { return g.whole >= lengths[i] && g.whole < lengths[i+1] }))
	}
}

// beforeLearning prints the errors of predictions that know no earlier journey.
func (r *report) beforeLearning(all []guess) {
	r.arrivalRow("  knowing no journey", all)
	r.arrivalRow("  knowing no journey, below 5 km", keep(all, func(g guess) bool { return g.whole < 5_000 }))
	r.arrivalRow("  knowing no journey, from 5 km on", keep(all, func(g guess) bool { return g.whole >= 5_000 }))
}

// earlyRow prints how many arrivals are reported more than a quarter of an hour before
// the vehicle first stayed there.
func (r *report) earlyRow(rides []*ride) {
	const tooEarly, bound = 15 * time.Minute, 0.01
	early, arrived := 0, 0
	for _, r := range rides {
		st, _ := milestone.Judge(r.milestone(), milestone.DefaultConfig(), milestone.Fresh(), r.until)
		if st.EndedAt == nil {
			continue
		}
		arrived++
		if r.stayed().Sub(st.EndedAt.Time) > tooEarly {
			early++
		}
	}
	if arrived > 0 {
		r.table.AtMost(fmt.Sprintf("  of %d arrivals reported 15 min too early", arrived), float64(early)/float64(arrived), bound, shareOf)
	}
}

func shareOf(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

func keep(all []guess, which func(guess) bool) []guess {
	return slices.DeleteFunc(slices.Clone(all), func(g guess) bool { return !which(g) })
}

// arrivalRow prints the median and the ninth decile of the error as shares of the
// time that remained, the median with its sign, and the share within the range.
func (r *report) arrivalRow(name string, all []guess) {
	if len(all) == 0 {
		return
	}
	var off, signed, rule []float64
	for _, g := range all {
		off, signed, rule = append(off, math.Abs(g.p50-g.took)/g.took), append(signed, (g.p50-g.took)/g.took),
			append(rule, math.Abs(g.rule-g.took)/g.took)
	}
	pair := func(v []float64) string { return fmt.Sprintf("%.1f / %.0f %%", 100*decile(v, 5), 100*decile(v, 9)) }
	r.table.Add(name, pair(off), "naive", pair(rule), fmt.Sprintf("bias %+.1f %%", 100*decile(signed, 5)),
		fmt.Sprintf("%.0f %% in range", 100*inRange(all)))
}

// decile is the nth tenth of values.
func decile(values []float64, n int) float64 {
	sort.Float64s(values)
	return values[min(len(values)-1, n*len(values)/10)]
}
