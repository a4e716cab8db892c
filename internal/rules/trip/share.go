package trip

import (
	"math"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// Share is how much of a trip lies in a part of its time, as far as positions show: a
// weight for each of its numbers.
type Share struct {
	Seconds, Metres, Driving, Idling, Auxiliary float64
	// EngineOn and AuxiliaryOn are whatever the vehicle did, but for silences.
	EngineOn, AuxiliaryOn float64
}

// Shares weighs the parts of a trip that some times divide it into, by its positions,
// oldest first. A leg over such a time is divided in proportion.
func (r Rules) Shares(span Span, cuts []drover.Time, positions []drover.Position) []Share {
	bounds := make([]int64, 0, len(cuts)+2)
	bounds = append(bounds, span.From.UnixMilli())
	for _, c := range cuts {
		bounds = append(bounds, c.UnixMilli())
	}
	bounds = append(bounds, span.To.UnixMilli())
	shares := make([]Share, len(bounds)-1)
	for i := range shares {
		shares[i].Seconds = seconds(bounds[i+1] - bounds[i])
	}
	l := r.limits()
	for i := 1; i < len(positions); i++ {
		a, b := l.point(&positions[i-1]), l.point(&positions[i])
		l.weigh(shares, bounds, &a, &b)
	}
	return shares
}

// weigh adds a leg to the parts that it lies in.
func (l *limits) weigh(shares []Share, bounds []int64, a, b *point) {
	metres := a.metresTo(b)
	moves, seen := l.drives(a, b, metres), b.At-a.At < l.gap
	for i := range shares {
		within := seconds(min(b.At, bounds[i+1]) - max(a.At, bounds[i]))
		if within <= 0 {
			continue
		}
		s := &shares[i]
		s.Metres += metres * within / seconds(b.At-a.At)
		if seen && a.has(ignitionOn) {
			s.EngineOn += within
		}
		if seen && a.has(auxiliaryOn) {
			s.AuxiliaryOn += within
		}
		switch {
		case moves:
			s.Driving += within
		case a.has(auxiliaryOn):
			s.Auxiliary += within
		case a.has(ignitionOn):
			s.Idling += within
		}
	}
}

// drives reports whether a vehicle drives from one point to the next, or gets on at slow work.
func (l *limits) drives(a, b *point, metres float64) bool {
	kph := geo.SpeedKPH(metres, seconds(b.At-a.At))
	return a.Mode == moving || b.Mode == moving || kph >= l.moving || (a.crawls() || b.crawls()) && kph >= workKPH
}

// Apportion divides a whole number by weights, or by others where all of them are zero.
// The parts sum up to the whole.
func Apportion(whole int64, shares []Share, weight func(Share) float64) []int64 {
	total := 0.0
	for _, s := range shares {
		total += weight(s)
	}
	if total <= 0 {
		weight, total = func(s Share) float64 { return s.Seconds }, 0
		for _, s := range shares {
			total += s.Seconds
		}
	}
	parts := make([]int64, len(shares))
	sofar, given := 0.0, int64(0)
	for i, s := range shares {
		sofar += weight(s)
		upTo := whole
		if total > 0 {
			upTo = int64(math.Round(float64(whole) * sofar / total))
		}
		parts[i] = upTo - given
		given = upTo
	}
	return parts
}

// Fit moves what parts have beyond their room to the others, by the room that these have left.
// Several numbers share the room, the first one first. All of them must have room but for a
// little, which parts then have beyond theirs.
func Fit(room []int64, numbers ...[]int64) {
	left := slices.Clone(room)
	for _, parts := range numbers {
		excess, free := int64(0), make([]Share, len(parts))
		for i, p := range parts {
			excess += max(0, p-left[i])
			free[i].Seconds = float64(max(0, left[i]-p))
			parts[i] = min(p, left[i])
		}
		for i, more := range Apportion(excess, free, func(s Share) float64 { return s.Seconds }) {
			parts[i] += more
			left[i] = max(0, left[i]-parts[i])
		}
	}
}
