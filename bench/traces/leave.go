package traces

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// ranger gives the range of a prediction, as logarithms of the time taken by the time predicted.
type ranger func(kind string, g guess) (low, high float64)

// leftOut returns the predictions with the ranges that the other recordings alone teach: each recording
// is left out in turn, so that a range is never held against what it was made from.
func leftOut(of map[string][]guess, learn func(others map[string][]guess) ranger) map[string][]guess {
	vehicles := map[string]bool{}
	for _, all := range of {
		for _, g := range all {
			vehicles[g.vehicle] = true
		}
	}
	out := map[string][]guess{}
	for _, vehicle := range slices.Sorted(maps.Keys(vehicles)) {
		others := map[string][]guess{}
		for kind, all := range of {
			others[kind] = keep(all, func(g guess) bool { return g.vehicle != vehicle })
		}
		rangeOf := learn(others)
		for kind, all := range of {
			for _, g := range keep(all, func(g guess) bool { return g.vehicle == vehicle }) {
				low, high := rangeOf(kind, g)
				g.p10, g.p90 = g.p50*math.Exp(low), g.p50*math.Exp(high)
				out[kind] = append(out[kind], g)
			}
		}
	}
	return out
}

// class is what the ranges of vehicles without known journeys go by: how long the journey is, and
// whether the vehicle reports its speed.
type class struct {
	whole int
	blind bool
}

// The classes of a journey's length, in metres: brief below the first, far from the second on.
var lengthBounds = []float64{5_000, 50_000}

func classOf(kind string, g guess) class {
	c := class{blind: kind == directRides}
	for c.whole < len(lengthBounds) && g.whole >= lengthBounds[c.whole] {
		c.whole++
	}
	if c.blind {
		c.whole = min(c.whole, 1) // too few are far
	}
	return c
}

func (c class) String() string {
	words := [...]string{"less than 5 km", "5 km and more", "50 km and more"}[c.whole]
	if c.blind {
		words += " without speeds"
	}
	return words
}

// missed is the share of arrivals outside of a range that it is made for. The recordings that it is
// made from lie within it more often than others do, by 4 points where journeys are brief: it
// is made for halfway between.
func (c class) missed() float64 {
	if c.whole == 0 {
		return 0.18
	}
	return 0.2
}

// weighted is what a range is made from.
type weighted struct{ took, predicted, weight float64 }

// bandsOf learns a range for each class. One of which the others say too little has that of all.
func bandsOf(others map[string][]guess) ranger {
	of, rest := delaysOf(others)
	return func(kind string, g guess) (low, high float64) {
		d, ok := of[classOf(kind, g)]
		if !ok {
			d = rest
		}
		return math.Log(min(1, d.early)), math.Log(max(1, d.late+d.stop/g.p50))
	}
}

// delaysOf learns from predictions by their kind. Journeys of several kinds may be of a class, and
// weigh the same then: at its start nothing tells them apart.
func delaysOf(others map[string][]guess) (of map[class]delay, rest delay) {
	const few = 30
	values, all := map[class][]weighted{}, []weighted(nil)
	for _, kind := range slices.Sorted(maps.Keys(others)) {
		counts := map[class]float64{}
		for _, g := range others[kind] {
			counts[classOf(kind, g)]++
		}
		for _, g := range others[kind] {
			c := classOf(kind, g)
			w := weighted{g.took, g.p50, 1 / counts[c]}
			values[c], all = append(values[c], w), append(all, w)
		}
	}
	of = map[class]delay{}
	for c, v := range values {
		if len(v) >= few {
			of[c] = delayOf(v, c.missed())
		}
	}
	return of, delayOf(all, class{whole: 1}.missed())
}

// delay is a range as package arrival assumes it: from early times the predicted time to late times it
// and a stop, in seconds.
type delay struct{ early, late, stop float64 }

// stopLengths are the seconds of a stop that are tried.
var stopLengths = []float64{0, 60, 120, 180, 240, 300, 400, 500, 600, 800, 1000, 1200, 1500, 1800, 2400, 3600, 5400, 7200}

// delayOf finds the range that misses a share of what it is made from, half of it on either side: of
// the stops that can be assumed the one with the least loss.
func delayOf(values []weighted, missed float64) delay {
	d := delay{early: quantileOf(values, missed/2, func(w weighted) float64 { return w.took / w.predicted })}
	least := math.Inf(1)
	for _, stop := range stopLengths {
		late := max(0, quantileOf(values, 1-missed/2, func(w weighted) float64 { return (w.took - stop) / w.predicted }))
		var loss float64
		for _, w := range values {
			off := math.Log(w.took/w.predicted) - math.Log(max(1e-3, late+stop/w.predicted))
			loss += w.weight * max((1-missed/2)*off, -missed/2*off)
		}
		if loss < least {
			least, d.late, d.stop = loss, late, stop
		}
	}
	return d
}

// quantileOf is the least number below which a share of the weight lies.
func quantileOf(values []weighted, share float64, number func(weighted) float64) float64 {
	sorted := slices.Clone(values)
	slices.SortFunc(sorted, func(a, b weighted) int { return cmp.Compare(number(a), number(b)) })
	var need, below float64
	for _, w := range values {
		need += share * w.weight
	}
	for _, w := range sorted {
		if below += w.weight; below >= need {
			return number(w)
		}
	}
	return number(sorted[len(sorted)-1])
}

// scaleOf learns by what factor the ranges of a kind are too wide or too narrow, on each side.
func scaleOf(others map[string][]guess) ranger {
	early, late := map[string][]float64{}, map[string][]float64{}
	for kind, guesses := range others {
		for _, g := range guesses {
			low, high := sides(g)
			v := math.Log(g.took / g.p50)
			early[kind], late[kind] = append(early[kind], v/low), append(late[kind], v/high)
		}
	}
	return func(kind string, g guess) (low, high float64) {
		low, high = sides(g)
		return low * decile(early[kind], 9), high * decile(late[kind], 9)
	}
}

// sides are how far a range reaches below and above the middle.
func sides(g guess) (low, high float64) {
	const least = 0.01
	return min(-least, math.Log(max(1, g.p10)/g.p50)), max(least, math.Log(g.p90/g.p50))
}
