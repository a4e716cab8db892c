// Package path makes a device's track from its positions: what it did on each segment, with as few
// points as a tolerance allows. It is a pure function.
package path

import (
	"math"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/motion"
	"github.com/drover-fleet/drover/internal/rules/trip"
)

const (
	// MaxPoints bounds the points of a way.
	MaxPoints = 5000
	// HoleMetres is how far a device must have got in a silence, of which nothing is
	// known: otherwise it stood.
	HoleMetres = 200.0
	// shortest is the length of a piece that is simplified at a time.
	shortest = 512
	// coarsest is the tolerance at which simplifying is given up.
	coarsest = 1e6
)

// Make returns the way of accepted positions, oldest first, with the segments and
// the points of a track filled in. Where the tolerance, in metres, leaves more than
// MaxPoints, a greater one is taken. By the rules of the device's trips it moves from a speed on,
// and is silent from a time on.
func Make(positions []drover.Position, tolerance float64, rules trip.Rules) drover.Track {
	stretches := stretchesOf(positions, rules)
	kept := simplify(positions, stretches, tolerance)
	for kept.count > MaxPoints && tolerance < coarsest {
		tolerance = math.Max(1, tolerance*2)
		kept = simplify(positions, stretches, tolerance)
	}
	t := drover.Track{ToleranceMetres: tolerance, Points: emptyPoints(), Segments: []drover.TrackSegment{}}
	for _, s := range stretches {
		kept.write(&t, positions, s)
	}
	if len(positions) == 1 {
		add(&t.Points, positions[0])
	}
	return t
}

// Thin returns the positions that a tolerance leaves, so that a long history fits
// into memory.
func Thin(positions []drover.Position, tolerance float64, rules trip.Rules) []drover.Position {
	m := simplify(positions, stretchesOf(positions, rules), tolerance)
	out := make([]drover.Position, 0, m.count)
	for i, keep := range m.keep {
		if keep {
			out = append(out, positions[i])
		}
	}
	return out
}

// stretch is a run of positions, both ends included, of one kind.
type stretch struct {
	kind        drover.TrackKind
	first, last int
}

func stretchesOf(positions []drover.Position, rules trip.Rules) []stretch {
	var out []stretch
	for i := 1; i < len(positions); i++ {
		kind := kindOf(&positions[i-1], positions[i], rules)
		if n := len(out); n > 0 && out[n-1].kind == kind && kind != drover.TrackHole {
			out[n-1].last = i
			continue
		}
		out = append(out, stretch{kind, i - 1, i})
	}
	return out
}

// kindOf says what a device did between two positions.
func kindOf(before *drover.Position, p drover.Position, rules trip.Rules) drover.TrackKind {
	leg := p.Time.Sub(before.Time.Time)
	// Without a speed, what it did in a longer leg is not known, whatever the rules.
	if leg >= rules.Gap || p.SpeedKPH == nil && leg > motion.PairWithin {
		if trip.Hole(*before, p).DistanceMetres > HoleMetres {
			return drover.TrackHole
		}
		return drover.TrackStopped
	}
	switch motion.At(before, p, rules.MovingKPH) {
	case drover.DeviceDriving:
		return drover.TrackDriving
	case drover.DeviceIdling:
		if p.Auxiliary != nil && *p.Auxiliary {
			return drover.TrackAuxiliary
		}
		return drover.TrackIdling
	case drover.DeviceStopped, drover.DeviceSilent:
	}
	return drover.TrackStopped
}

// marks says which positions are kept.
type marks struct {
	keep  []bool
	count int
}

func (m *marks) set(i int) {
	if !m.keep[i] {
		m.keep[i] = true
		m.count++
	}
}

// simplify keeps the ends of each stretch and, between them, what lies farther
// beside the line than the tolerance (Douglas and Peucker). Long stretches are taken
// in pieces, because the work can grow with the square of their length.
func simplify(positions []drover.Position, stretches []stretch, tolerance float64) *marks {
	m := &marks{keep: make([]bool, len(positions))}
	piece := max(shortest, 5*len(positions)/MaxPoints)
	for _, s := range stretches {
		m.set(s.first)
		for first := s.first; first < s.last; {
			last := min(first+piece, s.last)
			m.set(last)
			m.between(positions, stretch{s.kind, first, last}, tolerance)
			first = last
		}
	}
	return m
}

func (m *marks) between(positions []drover.Position, s stretch, tolerance float64) {
	if tolerance <= 0 { // all are kept
		for i := s.first + 1; i < s.last; i++ {
			m.set(i)
		}
		return
	}
	open := []stretch{s}
	for len(open) > 0 {
		s, open = open[len(open)-1], open[:len(open)-1]
		l := lineBetween(&positions[s.first], &positions[s.last])
		farthest, at := 0.0, 0
		for i := s.first + 1; i < s.last; i++ {
			if d := l.beside(&positions[i]); d > farthest {
				farthest, at = d, i
			}
		}
		if farthest <= tolerance*tolerance {
			continue
		}
		m.set(at)
		open = append(open, stretch{s.kind, s.first, at}, stretch{s.kind, at, s.last})
	}
}

const metresPerDegree = 111_195.0

// line is one between two places. Over the length of a stretch the earth is flat
// enough.
type line struct {
	from         *drover.Position
	scale        float64 // of longitudes
	x, y, length float64 // its end, and the square of its length
}

func lineBetween(from, to *drover.Position) line {
	l := line{from: from, scale: math.Cos(from.Latitude * math.Pi / 180)}
	l.x, l.y = l.flat(to)
	l.length = l.x*l.x + l.y*l.y
	return l
}

// flat is where a place lies from the beginning of the line, in metres.
func (l *line) flat(p *drover.Position) (x, y float64) {
	// The difference of longitudes the short way round.
	return math.Remainder(p.Longitude-l.from.Longitude, 360) * l.scale * metresPerDegree, (p.Latitude - l.from.Latitude) * metresPerDegree
}

// beside is the square of the metres that a place lies from the line.
func (l *line) beside(p *drover.Position) float64 {
	x, y := l.flat(p)
	if l.length > 0 {
		along := math.Max(0, math.Min(1, (x*l.x+y*l.y)/l.length))
		x, y = x-along*l.x, y-along*l.y
	}
	return x*x + y*y
}

// write adds the kept points of a stretch. Where even its ends are too many, those
// of the last are left out.
func (m *marks) write(t *drover.Track, positions []drover.Position, s stretch) {
	n := len(t.Points.Timestamp)
	if n >= MaxPoints {
		return
	}
	segment := drover.TrackSegment{Kind: s.kind, First: max(0, n-1), StartTime: positions[s.first].Time, EndTime: positions[s.last].Time}
	if s.kind == drover.TrackHole {
		segment.Unseen = new(trip.Hole(positions[s.first], positions[s.last]))
	}
	for i := s.first; i <= s.last; i++ {
		if m.keep[i] && (i > s.first || n == 0) {
			add(&t.Points, positions[i])
		}
	}
	segment.Last = len(t.Points.Timestamp) - 1
	t.Segments = append(t.Segments, segment)
}

func emptyPoints() drover.TrackPoints {
	return drover.TrackPoints{
		Timestamp: []drover.Time{}, Longitude: []float64{}, Latitude: []float64{}, Heading: []*float64{},
		SpeedKPH: []*float64{},
	}
}

func add(to *drover.TrackPoints, p drover.Position) {
	to.Timestamp, to.Longitude, to.Latitude = append(to.Timestamp, p.Time), append(to.Longitude, p.Longitude), append(to.Latitude, p.Latitude)
	to.Heading, to.SpeedKPH = append(to.Heading, p.Heading), append(to.SpeedKPH, p.SpeedKPH)
}
