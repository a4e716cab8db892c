package arrival

import (
	"math"
	"slices"
)

// reaches are the straight lines, in metres, that part journeys by what remains of
// them: a yard, a town, the country, a day, more than a day.
var reaches = [...]float64{2_000, 5_000, 12_000, 30_000, 80_000, 200_000}

// reachOf is the class of a straight line.
func reachOf(metres float64) int {
	i := 0
	for i < len(reaches) && metres >= reaches[i] {
		i++
	}
	return i
}

// byReach are numbers by the class of the way that remained, sorted.
type byReach [len(reaches) + 1][]float64

func (r *byReach) add(metres, v float64) {
	i := reachOf(metres)
	r[i] = append(r[i], v)
}

func (r *byReach) sort() {
	for _, values := range r {
		slices.Sort(values)
	}
}

const (
	// MaxOwn is how many of the newest journeys of a device a model is made of.
	MaxOwn = 64
	// MaxFleet is how many of those of the others of its connection or tenant.
	MaxFleet = 128
	// enough is the number of values from which on more of them make a median no
	// better, and few the number at which they count half.
	enough = 40
	few    = 20
)

// History is what a model learns from: journeys that have ended, newest first.
type History struct {
	// Own are the device's, Fleet those of others of its connection, and of its
	// tenant where those are few.
	Own, Fleet []Journey
}

// Model is what finished journeys teach of those to come. It is made again from
// them when it is needed, so that there is nothing else to keep.
type Model struct {
	own, fleet lessons
}

// lessons are what the journeys of one side teach.
type lessons struct {
	ways []way
	// pace is the logarithm of seconds by metres of the straight line that
	// remained, and off that of the time taken by the time predicted.
	// Those of brief journeys are apart: near their end long ones are off by more.
	pace, off, offBrief byReach
	// route is the logarithm of the time taken by what a router said.
	route []float64
}

// shares of the way at which a journey is looked at.
var shares = [...]float64{0.02, 0.1, 0.25, 0.5, 0.75, 0.9}

// NewModel learns from a history.
func NewModel(h History) *Model {
	return &Model{own: learn(h.Own, MaxOwn), fleet: learn(h.Fleet, MaxFleet)}
}

func learn(journeys []Journey, most int) lessons {
	var l lessons
	for _, j := range journeys[:min(len(journeys), most)] {
		l.add(j)
	}
	l.pace.sort()
	l.off.sort()
	l.offBrief.sort()
	slices.Sort(l.route)
	return l
}

// errors are how far predictions of journeys were off.
func (l *lessons) errors(ofBrief bool) *byReach {
	if ofBrief {
		return &l.offBrief
	}
	return &l.off
}

func (l *lessons) add(j Journey) {
	if len(j.Way) < 2 {
		return
	}
	w := newWay(j)
	l.ways = append(l.ways, w)
	for _, o := range j.Outcomes {
		l.errors(j.StraightMetres() < briefMetres).add(o.Metres, o.LogRatio)
		if o.LogRoute != nil {
			l.route = append(l.route, *o.LogRoute)
		}
	}
	if !j.direct() {
		return
	}
	last := -1
	for _, share := range shares {
		i := int(math.Round(share * float64(len(j.Way)-1)))
		if metres := w.toEnd(i); i != last && metres >= minLeft && j.Way[i].Left >= minLeftSeconds {
			l.pace.add(metres, math.Log(j.Way[i].Left/metres))
		}
		last = i
	}
}

const (
	// A way that remains says something from minLeft metres and minLeftSeconds on.
	minLeft        = 200.0
	minLeftSeconds = 60.0
)

// usual is the pace of earlier journeys with as much before them, as a logarithm,
// and how many values it comes from. Where there are none, those with more or
// less before them stand in.
func (m *Model) usual(metres float64) (pace float64, values int) {
	reach := reachOf(metres)
	for away := range len(m.own.pace) {
		for _, i := range [...]int{reach - away, reach + away} {
			if i < 0 || i >= len(m.own.pace) {
				continue
			}
			own, fleet := m.own.pace[i], m.fleet.pace[i]
			if n := len(own) + len(fleet); n > 0 {
				return shrunk(own, fleet, 0.5, median(fleet, median(own, 0)), few), n
			}
		}
	}
	return 0, 0
}

// shrunk is a quantile of a device's own values, drawn to that of the fleet's, and
// that to what is assumed, the more the fewer values there are; weight is the
// number of values at which both count the same.
func shrunk(own, fleet []float64, q, assumed, weight float64) float64 {
	for _, values := range [...][]float64{fleet, own} {
		if len(values) > 0 {
			n := float64(min(len(values), enough))
			assumed += n / (n + weight) * (quantile(values, q) - assumed)
		}
	}
	return assumed
}

func median(sorted []float64, none float64) float64 {
	if len(sorted) == 0 {
		return none
	}
	return quantile(sorted, 0.5)
}

// quantile of sorted values, at least one, between the two nearest. Few values leave
// room beyond the outermost.
func quantile(sorted []float64, q float64) float64 {
	at := clamp(q*float64(len(sorted)+1)-1, 0, float64(len(sorted)-1))
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[low]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}
