package traces

import (
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

// class is what the ranges of vehicles without known journeys go by: how long the journey is, how
// much of it is left, and whether the vehicle reports its speed.
type class struct {
	whole, left int
	blind       bool
}

func classOf(kind string, g guess) class {
	below := func(metres float64, bounds ...float64) int {
		i, _ := slices.BinarySearch(bounds, metres)
		return i
	}
	const brief, far = 5_000, 50_000
	return class{
		whole: below(g.whole, brief, far), left: below(g.straight, 2_000, brief, 12_000, 30_000, 80_000, 200_000),
		blind: kind == directRides,
	}
}

// bandsOf learns a range for each class. One of which the others say too little has that of its kind.
func bandsOf(others map[string][]guess) ranger {
	const few = 30
	off, all := map[class][]float64{}, map[string][]float64{}
	for kind, guesses := range others {
		for _, g := range guesses {
			c, v := classOf(kind, g), math.Log(g.took/g.p50)
			off[c], all[kind] = append(off[c], v), append(all[kind], v)
		}
	}
	return func(kind string, g guess) (low, high float64) {
		values := off[classOf(kind, g)]
		if len(values) < few {
			values = all[kind]
		}
		return min(0, decile(values, 1)), max(0, decile(values, 9))
	}
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
