package traces

import (
	"math"
	"sort"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/trip"
)

// truth is what the raw positions of a trace show of its vehicle, found without
// the rules of trips: stops that no one can doubt, time with the engine on, holes that it
// drove through, and the way.
type truth struct {
	all       []drover.Position
	positions []drover.Position // without those that no vehicle can have been at
	reported  bool              // speed or ignition are known
	stops     []span            // what must be between trips
	pauses    []span            // what may be between trips
	holes     []hole
	idle      float64 // seconds
	driven    float64 // seconds at 5 km/h or more
	work      float64 // seconds at slow work
	metres    float64
	knownBy   string  // how the way is known
	dropped   float64 // share of the positions that were left out
	// stood is where it has stood since it last moved, and reported the way by its speeds.
	stood       *drover.Position
	speedMetres float64
}

type span struct{ from, to time.Time }

// hole is a silence that the vehicle drove through.
type hole struct {
	span
	metres float64
}

const (
	silence    = 15 * time.Minute
	longHole   = 3 * time.Hour
	standing   = 5.0   // km/h
	working    = 1.0   // km/h: from here to standing it works slowly, where it gets on
	slipping   = 0.25  // km/h: how fast it gets on at the least
	fastest    = 200.0 // km/h
	offStop    = 5 * time.Minute
	longStop   = 30 * time.Minute
	blindStop  = 7 * time.Minute
	unsure     = 0 // of stops that need not be found, but may
	neighbours = 12
)

// believable leaves out the positions that most of those around them contradict: at
// 160 km/h with 500 m to spare.
func believable(all []drover.Position) []drover.Position {
	var kept []drover.Position
	for i := range all {
		if !geo.Plausible(all[i].Point()) {
			continue
		}
		agree, asked := 0, 0
		for k := max(0, i-neighbours); k <= min(len(all)-1, i+neighbours); k++ {
			apart := all[k].Time.Sub(all[i].Time.Time).Abs()
			if k == i || apart >= longHole || !geo.Plausible(all[k].Point()) {
				continue
			}
			asked++
			if geo.DistanceMetres(all[i].Point(), all[k].Point()) <= 500+160/3.6*apart.Seconds() {
				agree++
			}
		}
		if 2*agree >= asked && !spike(all, i) {
			kept = append(kept, all[i])
		}
	}
	return kept
}

// spike reports whether a vehicle cannot have come from a position to the next one, or from
// the one before, and is where it was before.
func spike(all []drover.Position, i int) bool {
	if i == 0 || i == len(all)-1 {
		return false
	}
	a, b, c := &all[i-1], &all[i], &all[i+1]
	return (impossible(a, b) || impossible(b, c)) && 2*metresBetween(a, c) < metresBetween(a, b)
}

// impossible reports whether no vehicle drives from a to b.
func impossible(a, b *drover.Position) bool {
	metres := metresBetween(a, b)
	return metres > 1000 && geo.SpeedKPH(metres, b.Time.Sub(a.Time.Time).Seconds()) > fastest
}

func newTruth(all []drover.Position) truth {
	t := truth{all: all, positions: believable(all)}
	for n := 0; n != len(t.positions); { // wrong ones in a row defend each other
		n = len(t.positions)
		t.positions = believable(t.positions)
	}
	t.dropped = 1 - float64(len(t.positions))/float64(max(1, len(all)))
	known := 0
	for i := range t.positions {
		if p := &t.positions[i]; p.SpeedKPH != nil || p.Ignition != nil {
			known++
		}
	}
	t.reported = 2*known > len(t.positions)
	for i := 1; i < len(t.positions); i++ {
		t.leg(i)
	}
	if n := len(t.positions); n > 0 {
		t.moveOn(&t.positions[n-1])
	}
	t.knownBy = "raw path"
	first, last := all[0].OdometerMetres, all[len(all)-1].OdometerMetres
	switch {
	case first != nil && last != nil:
		t.metres, t.knownBy = *last-*first, "odometer"
	case t.dropped >= corruptShare && t.speedMetres > 0: // the path is corrupt as well
		t.metres, t.knownBy = t.speedMetres, "reported speeds"
	}
	least := offStop
	if !t.reported {
		least = blindStop
	}
	t.findStops(least, func(first, p *drover.Position) bool {
		return (off(p) || !t.reported) && slow(p) && metresBetween(first, p) <= t.place()
	})
	t.findStops(longStop, func(first, p *drover.Position) bool { return slow(p) && metresBetween(first, p) <= 100 })
	t.findStops(unsure, func(first, p *drover.Position) bool { return !on(p) && slow(p) && metresBetween(first, p) <= t.place() })
	t.findWork()
	return t
}

// findWork sums up the time that is driven, and that of slow work: from a position at 1 to 5 km/h on,
// while the vehicle gets on in the minute before and after.
func (t *truth) findWork() {
	for i := 1; i < len(t.positions); i++ {
		a, b := &t.positions[i-1], &t.positions[i]
		leg := b.Time.Sub(a.Time.Time)
		switch {
		case leg >= silence || off(a):
		case !slow(a):
			t.driven += leg.Seconds()
		case speed(a) >= working && t.getsOn(i):
			t.work += leg.Seconds()
		}
	}
}

// getsOn reports whether the vehicle got on around a leg, if only with wheels that slip.
func (t *truth) getsOn(i int) bool {
	first, last := i-1, i
	near := func(k, end int) bool {
		return t.positions[k].Time.Sub(t.positions[end].Time.Time).Abs() < time.Minute
	}
	for first > 0 && near(first, i-1) && t.positions[first].Time.Sub(t.positions[first-1].Time.Time) < silence {
		first--
	}
	for last < len(t.positions)-1 && near(last, i) && t.positions[last+1].Time.Sub(t.positions[last].Time.Time) < silence {
		last++
	}
	a, b := &t.positions[first], &t.positions[last]
	return geo.SpeedKPH(metresBetween(a, b), b.Time.Sub(a.Time.Time).Seconds()) >= slipping
}

// place is how far a vehicle may be seen from where it stands.
func (t *truth) place() float64 {
	if t.reported {
		return 200
	}
	return 100
}

// leg counts the way and the idling between two positions, and notes silences.
func (t *truth) leg(i int) {
	a, b := &t.positions[i-1], &t.positions[i]
	apart, metres := b.Time.Sub(a.Time.Time), metresBetween(a, b)
	kph := geo.SpeedKPH(metres, apart.Seconds())
	moves := !slow(a) || !slow(b) || metres > 100 && (!off(a) || !off(b))
	if !t.reported {
		moves = metres >= 30 && kph >= standing
	}
	bySpeed := (speed(a) + speed(b)) / 2 / 3.6 * apart.Seconds()
	wrong := impossible(a, b) // what is left of wrong positions
	if apart >= silence || wrong || moves {
		t.moveOn(a)
	} else if t.stood == nil {
		t.stood = a
	}
	if apart >= silence {
		t.pauses = append(t.pauses, span{a.Time.Time, b.Time.Time})
		if t.spoke(a, b) {
			// No hole: wrong positions alone were left out. It drove as far at the least.
			if apart < longHole && kph <= fastest {
				t.metres += metres
				t.speedMetres += bySpeed
			}
			return
		}
		if apart < longHole && kph >= standing && t.moves(i-1, -1) && t.moves(i, 1) {
			t.holes = append(t.holes, hole{span{a.Time.Time, b.Time.Time}, metres})
			t.metres += metres
			t.speedMetres += metres
		}
		return
	}
	t.speedMetres += bySpeed
	switch {
	case wrong:
	case moves:
		t.metres += metres
	case on(a) && on(b) && speed(a) < 1 && speed(b) < 1: // slow work is no idling
		t.idle += apart.Seconds()
	}
}

// moveOn ends a stop: the vehicle got on from where it stood to p.
func (t *truth) moveOn(p *drover.Position) {
	if t.stood != nil {
		t.metres += metresBetween(t.stood, p)
	}
	t.stood = nil
}

// spoke reports whether there are positions between two that are believed.
func (t *truth) spoke(a, b *drover.Position) bool {
	i := sort.Search(len(t.all), func(i int) bool { return t.all[i].Time.After(a.Time.Time) })
	return i < len(t.all) && t.all[i].Time.Before(b.Time.Time)
}

// moves reports whether the vehicle moves at a position, or does so within five
// minutes beside it while its ignition is not off.
func (t *truth) moves(i, step int) bool {
	at := t.positions[i].Time
	for ; i >= 0 && i < len(t.positions) && t.positions[i].Time.Sub(at.Time).Abs() <= 5*time.Minute && !off(&t.positions[i]); i += step {
		if !slow(&t.positions[i]) {
			return true
		}
	}
	return false
}

// findStops finds runs of positions that stay, seen for at least some time.
func (t *truth) findStops(least time.Duration, stays func(first, p *drover.Position) bool) {
	for i := 0; i < len(t.positions); {
		first, k := &t.positions[i], i
		for k < len(t.positions) && stays(first, &t.positions[k]) && (k == i || t.positions[k].Time.Sub(t.positions[k-1].Time.Time) < silence) {
			k++
		}
		if k == i {
			i++
			continue
		}
		t.stop(i, k-1, least)
		i = k
	}
}

// stop notes a run of positions at which the vehicle stood. It may have stood since
// the position before and until the one after.
func (t *truth) stop(first, last int, least time.Duration) {
	from, to := t.positions[first].Time.Time, t.positions[last].Time.Time
	before, after := t.positions[max(0, first-1)].Time.Time, t.positions[min(len(t.positions)-1, last+1)].Time.Time
	if least != unsure && to.Sub(from) >= least && !t.cleared(first, last) {
		t.stops = append(t.stops, span{from, to})
	}
	if after.Sub(before) >= max(least, offStop) {
		t.pauses = append(t.pauses, span{before, after})
	}
}

// cleared reports whether the odometer has counted on within a place, as a plough's does in a yard.
func (t *truth) cleared(first, last int) bool {
	a, b := t.positions[first].OdometerMetres, t.positions[last].OdometerMetres
	return a != nil && b != nil && *b-*a >= trip.MinTripMetres
}

func metresBetween(a, b *drover.Position) float64 { return geo.DistanceMetres(a.Point(), b.Point()) }
func slow(p *drover.Position) bool                { return speed(p) < standing }
func speed(p *drover.Position) float64 {
	if p.SpeedKPH == nil {
		return 0
	}
	return *p.SpeedKPH
}
func off(p *drover.Position) bool { return p.Ignition != nil && !*p.Ignition }
func on(p *drover.Position) bool  { return p.Ignition != nil && *p.Ignition }

func percent(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * part / whole
}

// within reports whether a share lies within some percent of none.
func within(share, bound float64) bool { return math.Abs(share) <= bound }
