package reading

import (
	"slices"
	"time"

	"github.com/drover-fleet/drover"
)

// Point is a value of a counter that is believed, with the line that it lies on.
type Point struct {
	Value
	Segment int
}

// Points are the believed values of each series of rows, oldest first.
func Points(rows []Row, kinds map[int64]drover.ReadingKind) map[int64][]Point {
	points := map[int64][]Point{}
	for i, j := range Judge(rows, kinds, 0) {
		if r := rows[i]; j.Suspect == "" {
			points[r.Series] = append(points[r.Series], Point{r.ReadingValue, j.Segment})
		}
	}
	return points
}

// How far from an instant a counter may have been read that is taken for what it shows then.
const (
	// A vehicle that does not drive may say nothing for a night: its counters do not move.
	GrowthBefore = 24 * time.Hour
	// The history has a counter that grows every five minutes.
	GrowthAfter = 3 * counterMoving
	// atOnce is how far apart the clock of an instrument and that of a trip may be.
	atOnce = time.Minute
)

// Growth is what a counter shows of a span of time. Start and End are its values then, and
// Grown is by how much it grew, nil where either is not known.
type Growth struct{ Start, End, Grown *float64 }

// Of is the growth of a counter in [from, to]. The value at an instant is the last one before
// it or, where there is none, the first one soon after it; at the end of a trip, after which
// the vehicle does not drive, it is the first one after it, unless next comes before that. No
// difference is taken from one segment to another: over a reset it is the sum of the parts.
func Of(points []Point, from, to, next int64, trip bool) Growth {
	first, last := at(points, from), at(points, to)
	if trip {
		after, _ := slices.BinarySearchFunc(points, to, byTime)
		if after < len(points) && points[after].At <= min(to+GrowthAfter.Milliseconds(), next) {
			last = after
		} else if last >= 0 && points[last].At < to-GrowthAfter.Milliseconds() {
			last = -1
		}
	}
	var g Growth
	if first >= 0 {
		g.Start = &points[first].Value.Value
	}
	if last >= 0 {
		g.End = &points[last].Value.Value
	}
	if first < 0 || last < first {
		return g
	}
	sum := 0.0
	for i := first + 1; i <= last; i++ {
		if points[i].Segment == points[i-1].Segment {
			sum += points[i].Value.Value - points[i-1].Value.Value
		}
	}
	g.Grown = &sum
	return g
}

func byTime(p Point, at int64) int { return int(p.At - at) }

// at is the index of the value that a counter shows at an instant, -1 where it is not known.
func at(points []Point, instant int64) int {
	after, _ := slices.BinarySearchFunc(points, instant+atOnce.Milliseconds(), byTime)
	switch {
	case after > 0 && points[after-1].At >= instant-GrowthBefore.Milliseconds():
		return after - 1
	case after < len(points) && points[after].At <= instant+GrowthAfter.Milliseconds():
		return after
	}
	return -1
}
