package sim

import (
	"math"
	"math/rand/v2"

	"github.com/drover-fleet/drover"
)

// metresPerDegree is the length of a degree of latitude.
const metresPerDegree = 111_195

// point is a place on the plane around a depot: metres east and north of it.
type point struct{ x, y float64 }

// route is a road with bends.
type route struct {
	depot  drover.Coordinate
	scale  float64 // degrees of longitude per metre at the depot
	narrow float64 // how much shorter than its points say a metre to the east is
	points []point
	marks  []float64 // metres from the start at each point
	length float64
}

// newRoutes lays a round tour from the depot over a few places and back to it,
// one route for each leg, distance metres long together.
func newRoutes(r *rand.Rand, depot drover.Coordinate, distance float64) []route {
	legs := 3 + r.IntN(4)
	places := make([]point, legs+1) // the first and the last are the depot
	turn := 2 * math.Pi * r.Float64()
	for i := 1; i < legs; i++ {
		angle := turn + 2*math.Pi*(float64(i)+0.3*r.Float64())/float64(legs)
		sin, cos := math.Sincos(angle)
		far := 0.4 + 0.6*r.Float64()
		places[i] = point{far * cos, far * sin}
	}
	routes := make([]route, legs)
	var total float64
	for i := range routes {
		routes[i].points = bend(r, places[i], places[i+1])
		routes[i].measure()
		total += routes[i].length
	}
	for i := range routes {
		routes[i].stretch(distance / total)
		routes[i].depot, routes[i].narrow = depot, 1
		routes[i].scale = 1 / (metresPerDegree * math.Cos(depot.Latitude*math.Pi/180))
	}
	return routes
}

// bend returns a way from a to b that leaves the straight line to both sides.
func bend(r *rand.Rand, a, b point) []point {
	steps := 8 + r.IntN(8)
	points := make([]point, steps+1)
	dx, dy := b.x-a.x, b.y-a.y
	for i := range points {
		along := float64(i) / float64(steps)
		aside := 0.0
		if i > 0 && i < steps {
			aside = 0.16 * (r.Float64() - 0.5)
		}
		points[i] = point{a.x + along*dx - aside*dy, a.y + along*dy + aside*dx}
	}
	return points
}

func (w *route) measure() {
	w.marks = make([]float64, len(w.points))
	for i := 1; i < len(w.points); i++ {
		a, b := w.points[i-1], w.points[i]
		w.marks[i] = w.marks[i-1] + math.Hypot(b.x-a.x, b.y-a.y)
	}
	w.length = w.marks[len(w.marks)-1]
}

func (w *route) stretch(factor float64) {
	for i := range w.points {
		w.points[i].x *= factor
		w.points[i].y *= factor
		w.marks[i] *= factor
	}
	w.length *= factor
}

// at returns the place and the heading after some metres. The hint is the index
// that the call before returned: a walk along the route never looks back.
func (w *route) at(metres float64, hint int) (c drover.Coordinate, heading float64, next int) {
	i := max(hint, 1)
	for i < len(w.marks)-1 && w.marks[i] < metres {
		i++
	}
	a, b := w.points[i-1], w.points[i]
	share := (metres - w.marks[i-1]) / (w.marks[i] - w.marks[i-1])
	share = min(max(share, 0), 1)
	x, y := a.x+share*(b.x-a.x), a.y+share*(b.y-a.y)
	heading = math.Round(math.Atan2((b.x-a.x)*w.narrow, b.y-a.y) * 180 / math.Pi)
	if heading < 0 {
		heading += 360
	}
	return drover.Coordinate{
		Latitude:  round(w.depot.Latitude+y/metresPerDegree, 1e6),
		Longitude: round(w.depot.Longitude+x*w.scale, 1e6),
	}, heading, i
}

// round keeps the digits of v down to 1/per.
func round(v, per float64) float64 { return math.Round(v*per) / per }
