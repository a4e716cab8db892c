package arrival

import (
	"math"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// plane measures distances around a place as on a flat map, which is exact enough
// for comparing them over some hundred kilometres, and fast.
type plane struct {
	origin  drover.Coordinate
	perLon  float64 // metres of a degree east
	perLati float64 // metres of a degree north
}

// metresPerDegree is the length of a degree of latitude.
const metresPerDegree = 111_195.0

func planeAt(origin drover.Coordinate) plane {
	return plane{origin: origin, perLati: metresPerDegree, perLon: metresPerDegree * math.Cos(origin.Latitude*math.Pi/180)}
}

// vector is a place on a plane, in metres east and north of its origin.
type vector struct{ east, north float64 }

func (p plane) of(c drover.Coordinate) vector {
	return vector{east: geo.WrapLongitude(c.Longitude-p.origin.Longitude) * p.perLon, north: (c.Latitude - p.origin.Latitude) * p.perLati}
}

func (v vector) minus(o vector) vector { return vector{v.east - o.east, v.north - o.north} }

func (v vector) dot(o vector) float64 { return v.east*o.east + v.north*o.north }

// along returns the share of the way from a to b that is nearest to v, and its
// distance from there, squared.
func (v vector) along(a, b vector) (share, squared float64) {
	leg, from := b.minus(a), v.minus(a)
	if length := leg.dot(leg); length > 0 {
		share = clamp(from.dot(leg)/length, 0, 1)
	}
	off := from.minus(vector{share * leg.east, share * leg.north})
	return share, off.dot(off)
}
