package traces

import (
	"math"
	"sort"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
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
	metres    float64
	dropped   float64 // share of the positions that were left out
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
		if 2*agree >= asked {
			kept = append(kept, all[i])
		}
	}
	return kept
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
	least := offStop
	if !t.reported {
		least = blindStop
	}
	t.findStops(least, func(first, p *drover.Position) bool {
		return (off(p) || !t.reported) && slow(p) && metresBetween(first, p) <= t.place()
	})
	t.findStops(longStop, func(first, p *drover.Position) bool { return slow(p) && metresBetween(first, p) <= 100 })
	t.findStops(unsure, func(first, p *drover.Position) bool { return !on(p) && slow(p) && metresBetween(first, p) <= t.place() })
	return t
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
	if apart >= silence {
		t.pauses = append(t.pauses, span{a.Time.Time, b.Time.Time})
		if t.spoke(a, b) {
			// No hole: wrong positions alone were left out. It drove as far at the least.
			if apart < longHole && kph <= fastest {
				t.metres += metres
			}
			return
		}
		if apart < longHole && kph >= standing && t.moves(i-1, -1) && t.moves(i, 1) {
			t.holes = append(t.holes, hole{span{a.Time.Time, b.Time.Time}, metres})
			t.metres += metres
		}
		return
	}
	if metres > 1000 && kph > fastest {
		return // what is left of wrong positions
	}
	moves := !slow(a) || !slow(b) || metres > 100 && (!off(a) || !off(b))
	if !t.reported {
		moves = metres >= 30 && kph >= standing
	}
	switch {
	case moves:
		t.metres += metres
	case on(a) && on(b):
		t.idle += apart.Seconds()
	}
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
	if least != unsure && to.Sub(from) >= least {
		t.stops = append(t.stops, span{from, to})
	}
	if after.Sub(before) >= max(least, offStop) {
		t.pauses = append(t.pauses, span{before, after})
	}
}

func metresBetween(a, b *drover.Position) float64 { return geo.DistanceMetres(a.Point(), b.Point()) }
func slow(p *drover.Position) bool                { return p.SpeedKPH == nil || *p.SpeedKPH < standing }
func off(p *drover.Position) bool                 { return p.Ignition != nil && !*p.Ignition }
func on(p *drover.Position) bool                  { return p.Ignition != nil && *p.Ignition }

func percent(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * part / whole
}

// within reports whether a share lies within some percent of none.
func within(share, bound float64) bool { return math.Abs(share) <= bound }
