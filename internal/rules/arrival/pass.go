package arrival

import (
	"cmp"
	"math"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
)

const (
	// slackShare is the share of the way that remains by which an earlier way may
	// miss its two ends together, and slackMetres what it may in any case.
	slackShare  = 0.5
	slackMetres = 1_500.0
	// freeMetres is what receivers and yards scatter by: such a miss takes no time.
	freeMetres = 300.0
	// A way of another device counts less than one's own, and one that was driven
	// in the other direction less again.
	fleetWeight   = 0.8
	reverseWeight = 0.5
	// passWeight is the weight of passes at which they count as much as all else.
	passWeight = 0.5
	// enoughPasses is the weight of passes from which on older ones are left out.
	enoughPasses = 6.0
	// maxPassLog is by how much a pass may differ from what is usual: more is a stop
	// for the night, or another way altogether.
	maxPassLog = 1.2
)

// way is a finished journey, ready to be searched.
type way struct {
	Journey
	plane  plane
	points []vector
	low    vector // corners of the box around it
	high   vector
}

func newWay(j Journey) way {
	w := way{Journey: j, plane: planeAt(j.end()), points: make([]vector, len(j.Way))}
	for i, p := range j.Way {
		v := w.plane.of(p.Place)
		w.points[i] = v
		w.low = vector{min(w.low.east, v.east), min(w.low.north, v.north)}
		w.high = vector{max(w.high.east, v.east), max(w.high.north, v.north)}
	}
	return w
}

// toEnd is the straight line from a waypoint to the end.
func (w *way) toEnd(i int) float64 { return math.Sqrt(w.points[i].dot(w.points[i])) }

// holds reports whether v lies in the box around the way or near it.
func (w *way) holds(v vector, slack float64) bool {
	return v.east >= w.low.east-slack && v.east <= w.high.east+slack && v.north >= w.low.north-slack && v.north <= w.high.north+slack
}

// nearest finds where the way comes nearest to v: how far it is from there, and how
// long the journey then still took.
func (w *way) nearest(v vector) (metres, left float64) {
	best := math.Inf(1)
	for i := 1; i < len(w.points); i++ {
		share, squared := v.along(w.points[i-1], w.points[i])
		if squared < best {
			best, left = squared, w.Way[i-1].Left+share*(w.Way[i].Left-w.Way[i-1].Left)
		}
	}
	return math.Sqrt(best), left
}

// pass is an earlier journey that went by both ends of the way that remains.
type pass struct {
	logSeconds float64
	weight     float64
}

// passes finds earlier journeys that led from near here to near the end, or back,
// newest first and one's own before others'. What they lack at either end is
// added at the usual pace, in seconds a metre.
func (m *Model) passes(from, to drover.Coordinate, straight, usualLog float64) []pass {
	var out []pass
	var total float64
	slack, pace := max(slackMetres, slackShare*straight), math.Exp(usualLog)/straight
	for side, l := range [...]*lessons{&m.own, &m.fleet} {
		weight := [...]float64{1, fleetWeight}[side]
		for i := range l.ways {
			if total >= enoughPasses {
				return out
			}
			if p, ok := l.ways[i].pass(from, to, slack, pace); ok && math.Abs(p.logSeconds-usualLog) <= maxPassLog {
				p.weight *= weight
				out, total = append(out, p), total+p.weight
			}
		}
	}
	return out
}

func (w *way) pass(from, to drover.Coordinate, slack, pace float64) (pass, bool) {
	a, b := w.plane.of(from), w.plane.of(to)
	if !w.holds(a, slack) || !w.holds(b, slack) {
		return pass{}, false
	}
	missA, leftA := w.nearest(a)
	if missA >= slack {
		return pass{}, false
	}
	missB, leftB := w.nearest(b)
	miss, seconds := missA+missB, leftA-leftB
	if miss >= slack || math.Abs(seconds) < minLeftSeconds {
		return pass{}, false
	}
	near := 1 - miss/slack
	p := pass{logSeconds: math.Log(math.Abs(seconds) + pace*max(0, miss-freeMetres)), weight: near * near}
	if seconds < 0 {
		p.weight *= reverseWeight
	}
	return p, true
}

// middle is the mean of the middle half of passes, by weight, and their weight.
func middle(passes []pass) (logSeconds, weight float64) {
	for _, p := range passes {
		weight += p.weight
	}
	order.By(passes, func(a, b pass) int { return cmp.Compare(a.logSeconds, b.logSeconds) })
	var sum, counted, below float64
	for _, p := range passes {
		part := max(0, min(below+p.weight, 0.75*weight)-max(below, 0.25*weight))
		below += p.weight
		sum, counted = sum+part*p.logSeconds, counted+part
	}
	if counted == 0 {
		return 0, 0
	}
	return sum / counted, weight
}
