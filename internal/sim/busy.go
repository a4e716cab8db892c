package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Busy makes a fleet to look at rather than to test with: at any hour of any day most of its
// vehicles are under way between towns.
type Busy struct {
	Roads Roads
	// Recent is since when there is a record at each interval. Before it there is one at
	// every fourth, and at every sixteenth where it is a day older, and one at every sixth
	// heartbeat: a demo reads weeks in seconds.
	Recent time.Time
	// Silent is when the last vehicle has stopped to report, in the middle of a journey;
	// zero: it never does.
	Silent time.Time
}

const (
	// tours is how many different days a busy vehicle has before it begins again.
	tours = 14
	// turns is how many drivers share a busy vehicle's day; firstDriver is the id of the first of a fleet.
	turns, firstDriver = 2, 50_000
	// rest is how long a busy vehicle stops at its depot each day, at least.
	rest = 60 * 60
	// shortStop is how long the engine is off at a stop, at least, and mostUnloading how long it
	// runs there before that, in seconds.
	shortStop, mostUnloading = 6 * 60, 12 * 60
)

// beat is what a busy vehicle's departures go by, in seconds: one of a city leaves every
// 45 minutes, so that with 20 of them one leaves every few minutes, and one arrives.
func (b *Busy) beat() int64 {
	if b.Roads == CityRoads {
		return 45 * 60
	}
	return 3 * 60
}

// unloading is how long the engine runs at a stop, at least. In a city one vehicle is at it
// until the next begins.
func (b *Busy) unloading() int64 {
	if b.Roads == CityRoads {
		return 4*60 + 45
	}
	return 60
}

// employ makes a vehicle a busy one. The days of a fleet's vehicles begin evenly over the
// clock, and their departures lie evenly within a beat.
func (b *Busy) employ(v *Vehicle, vehicles int) {
	n, i := networks[b.Roads](), int64(v.Index)
	v.Active, v.busy, v.recent, v.Drivers = true, true, b.Recent.Unix(), nil
	for turn := range turns {
		v.Drivers = append(v.Drivers, fmt.Sprint(firstDriver+v.Index*turns+turn))
	}
	v.home = stop{town: v.Index % n.homes, kerb: v.Index % kerbs}
	v.depot = n.place(v.home)
	whole, beat := int64(vehicles), b.beat()
	apart := whole/2 - 1 + whole%2 // vehicles that rest together do not leave one after the other
	if apart < 1 || greatest(apart, whole) > 1 {
		apart = 1
	}
	v.shift = (i*daySeconds/whole/beat*beat + i*apart%whole*beat/whole) % daySeconds
}

func greatest(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// tour is a day of a busy vehicle: legs from its depot over some towns and back on the
// same roads, again and again, and the second of the day at which each begins.
func (f *Fleet) tour(v Vehicle, day int64) (legs []leg, starts []int64) {
	n := networks[f.opts.Busy.Roads]()
	r := rand.New(rand.NewPCG(mix(f.opts.Seed, uint64(v.Index)), mix(uint64(day-floorDiv(day, tours)*tours), 0x746f7572)))
	at := int64(0)
	for depth := 1 + r.IntN(3); depth > -5; {
		trial := n.roundTrip(r, v.home, max(depth, 1)) // at the end of a day some short ones are tried
		ends := at
		for _, l := range trial {
			ends += f.opts.Busy.takes(n, l)
		}
		if ends > daySeconds-rest {
			depth--
			continue
		}
		for _, l := range trial {
			legs, starts = append(legs, l), append(starts, at)
			at += f.opts.Busy.takes(n, l)
		}
		depth = 1 + r.IntN(3)
	}
	return legs, starts
}

// takes is the time from a leg's beginning to that of the next, in whole beats.
func (b *Busy) takes(n *network, l leg) int64 {
	most := int64(n.length(l)/n.average) + b.unloading() + shortStop
	return (most + b.beat() - 1) / b.beat() * b.beat()
}

// roundTrip goes from a depot to a town, on to others, and back on the same roads.
func (n *network) roundTrip(r *rand.Rand, home stop, depth int) (legs []leg) {
	at := home
	for range depth {
		roads := n.towns[at.town].roads
		over := &roads[r.IntN(len(roads))]
		l := leg{from: at, to: stop{over.to, r.IntN(kerbs)}, over: over}
		legs, at = append(legs, l), l.to
	}
	for _, out := range slices.Backward(legs) {
		back := leg{from: at, to: stop{out.from.town, r.IntN(kerbs)}}
		if out.from == home {
			back.to = home
		}
		roads := n.towns[at.town].roads
		back.over = &roads[slices.IndexFunc(roads, func(r road) bool { return r.to == back.to.town })]
		legs, at = append(legs, back), back.to
	}
	return legs
}

// workDay is the journeys of a busy vehicle's day.
func (f *Fleet) workDay(v Vehicle, day, start int64) []journey {
	n := networks[f.opts.Busy.Roads]()
	legs, starts := f.tour(v, day)
	journeys := make([]journey, len(legs))
	for i, l := range legs {
		r := rand.New(rand.NewPCG(mix(f.opts.Seed, uint64(v.Index)), mix(uint64(day-floorDiv(day, tours)*tours), uint64(i))))
		journeys[i] = f.busyJourney(n, r, l, start+starts[i])
	}
	return journeys
}

// busyJourney is one journey: warming up, driving with a wait at the lights of the other
// town, and unloading with the engine on until it is time for a short stop.
func (f *Fleet) busyJourney(n *network, r *rand.Rand, l leg, start int64) journey {
	w, limits, lights := n.route(l)
	j := journey{start: start, end: start, route: w}
	j.add(phase{kind: idling, length: 20 + int64(r.IntN(30))})
	// Traffic is as slow as there is time: what is on the road makes the picture.
	takes := f.opts.Busy.takes(n, l)
	pace := n.length(l) / (1.07 * n.average) / float64(takes-shortStop-f.opts.Busy.unloading()-90)
	pace = min(max(pace, 0.6), 1) - 0.02 + 0.04*r.Float64()
	j.addSection(limits, 0, lights, pace)
	j.add(phase{kind: idling, length: 15 + int64(r.IntN(50))})
	j.addSection(limits, lights, len(limits)-1, pace)
	kind := idling
	if r.IntN(2) > 0 {
		kind = auxiliary
	}
	left := start + takes - shortStop - j.end
	j.add(phase{kind: kind, length: max(min(left, mostUnloading), 30)})
	return j
}

// addSection drives the way between two of its points, from a stop to a stop.
func (j *journey) addSection(limits []float64, from, to int, pace float64) {
	m := paced(j.route.marks[from:to+1], limits[from:to+1], pace)
	j.add(phase{kind: driving, length: m.seconds, from: j.route.marks[from], motion: m})
}

// paced is how a section is driven of which each point has a limit: as fast as the limits
// allow, speeding up and slowing down gently.
func paced(marks, limits []float64, pace float64) motion {
	const gain, loss = 0.8, 1.0 // metres a second squared
	last := len(marks) - 1
	knots := make([]knot, last+1)
	for i := 1; i <= last; i++ {
		limit := limits[i] * pace
		if i == last {
			limit = 0
		}
		knots[i].metres = marks[i] - marks[0]
		knots[i].speed = min(limit, math.Sqrt(knots[i-1].speed*knots[i-1].speed+2*gain*(marks[i]-marks[i-1])))
	}
	for i := last - 1; i > 0; i-- {
		knots[i].speed = min(knots[i].speed, math.Sqrt(knots[i+1].speed*knots[i+1].speed+2*loss*(marks[i+1]-marks[i])))
	}
	for i := 1; i <= last; i++ {
		knots[i].seconds = knots[i-1].seconds + 2*(knots[i].metres-knots[i-1].metres)/(knots[i].speed+knots[i-1].speed)
	}
	m := motion{seconds: int64(math.Ceil(knots[last].seconds)), knots: knots}
	slower := float64(m.seconds) / knots[last].seconds
	for i := range knots {
		knots[i].seconds *= slower
		knots[i].speed /= slower
	}
	return m
}

// knot is where a motion is after some seconds, and how fast.
type knot struct{ seconds, metres, speed float64 }

// along returns the metres driven and the speed after t seconds of a motion with knots.
func (m *motion) along(t float64) (metres, speed float64) {
	lo, hi := 0, len(m.knots)-1
	for hi-lo > 1 {
		if middle := (lo + hi) / 2; m.knots[middle].seconds <= t {
			lo = middle
		} else {
			hi = middle
		}
	}
	a, b := m.knots[lo], m.knots[hi]
	passed := min(max(t-a.seconds, 0), b.seconds-a.seconds)
	gain := (b.speed - a.speed) / (b.seconds - a.seconds)
	return min(a.metres+a.speed*passed+gain*passed*passed/2, b.metres), a.speed + gain*passed
}

// distances are the metres of a busy vehicle up to the beginning of each of its days, and
// of all of them together. A metre more than driven keeps each day apart from the next.
func (f *Fleet) distances(v Vehicle) *[tours + 1]int64 {
	if kept := f.driven[v.Index].Load(); kept != nil {
		return kept
	}
	n := networks[f.opts.Busy.Roads]()
	var sums [tours + 1]int64
	for day := range int64(tours) {
		metres := 0.0
		legs, _ := f.tour(v, day)
		for _, l := range legs {
			metres += n.length(l)
		}
		sums[day+1] = sums[day] + int64(metres) + 1
	}
	f.driven[v.Index].Store(&sums)
	return &sums
}

// firstRound is the round of days from which on odometers count: a year before what is
// recent, as no vehicle keeps this rate up for longer.
func (b *Busy) firstRound() int64 {
	return floorDiv(max(b.Recent.Unix()/daySeconds-365, epoch), tours)
}

// silentFrom is when a vehicle stops to report: in the middle of its last journey that begins
// before the option says so, so that it looks lost rather than parked. It is far away for all
// vehicles but the last.
func (f *Fleet) silentFrom(v Vehicle) int64 {
	b := f.opts.Busy
	if b == nil || b.Silent.IsZero() || v.Index != len(f.vehicles)-1 {
		return math.MaxInt64
	}
	limit, from := b.Silent.Unix(), int64(math.MinInt64)
	for day := v.dayOf(limit) - 1; day <= v.dayOf(limit); day++ {
		for _, j := range f.plan(v, day).journeys {
			if middle := (j.start + j.end) / 2; middle <= limit {
				from = middle
			}
		}
	}
	return from
}

// robbed reports whether fuel was taken from the tank that a vehicle has at a time: of the second one,
// while it rested for the last time before what is recent, until it was refuelled.
func (f *Fleet) robbed(v Vehicle, t int64, started float64) bool {
	const before = 40 * 60 // a rest is longer
	if f.opts.Busy == nil || v.Index != 1 || f.opts.Busy.Recent.IsZero() {
		return false
	}
	day := v.dayOf(f.opts.Busy.Recent.Unix())
	return t >= day*daySeconds+v.shift-before && tank(started, metresPerTank) == tank(float64(f.odometerAt(v, day)), metresPerTank)
}

// step is the time between records of a journey at a time, in seconds.
func (f *Fleet) step(t int64) int64 {
	step := int64(f.opts.Interval / time.Second)
	if b := f.opts.Busy; b != nil && t < b.Recent.Unix() {
		if f.old(t) {
			return 16 * step
		}
		return 4 * step
	}
	return step
}

// old reports whether a time is of the days of which a busy fleet has little.
func (f *Fleet) old(t int64) bool {
	b := f.opts.Busy
	return b != nil && t < b.Recent.Unix()-daySeconds
}
