package sim

import (
	"math"
	"slices"
	"sync"

	"github.com/drover-fleet/drover"
)

// Roads are where a busy fleet drives: between which towns, and how far apart they are.
type Roads int

// The roads of a busy fleet: of a city, of the country around it, and between its towns.
const (
	CityRoads Roads = iota + 1
	CountryRoads
	Highways
)

// network is towns and the roads between them. All fleets share it, so that their
// tracks lie on each other as those of real vehicles do.
type network struct {
	towns   []town
	homes   int     // how many of the towns, from the first on, have depots
	speed   float64 // metres a second outside of the streets of a town
	average float64 // metres a second that a journey makes, at least
	step    float64 // metres between the points of a road
}

// town is a place with streets in a grid around its middle. Its kerbs are where vehicles
// stop: the ways from each to the middle, and back.
type town struct {
	middle  drover.Coordinate
	turn    float64 // of its grid, in radians
	out, in [kerbs]way
	roads   []road
}

// road leads from a town to another.
type road struct {
	to int
	way
}

// way is a line with the metres to each of its points and how fast it may be passed, in
// metres a second. Its points are degrees, in metres at the equator.
type way struct {
	points        []point
	marks, limits []float64
}

func (w *way) length() float64 { return w.marks[len(w.marks)-1] }

// The towns lie inland: no road between them leads into the sea. Each lies within 40 km of a
// town that a coarse map has a name for.
var (
	cityTowns = []drover.Coordinate{
		{Latitude: -37.750, Longitude: 144.911}, // Essendon
		{Latitude: -37.633, Longitude: 144.867}, // Greenvale
		{Latitude: -37.733, Longitude: 145.150}, // Eltham
		{Latitude: -37.885, Longitude: 145.295}, // Ferntree Gully
		{Latitude: -37.650, Longitude: 145.033}, // Epping
		{Latitude: -37.878, Longitude: 145.165}, // Glen Waverley
		{Latitude: -37.745, Longitude: 144.800}, // St Albans
		{Latitude: -37.741, Longitude: 144.736}, // Caroline Springs
		{Latitude: -37.577, Longitude: 144.726}, // Sunbury
		{Latitude: -37.600, Longitude: 144.950}, // Craigieburn
		{Latitude: -37.601, Longitude: 145.096}, // Mernda
		{Latitude: -37.698, Longitude: 145.060}, // Bundoora
		{Latitude: -37.750, Longitude: 145.350}, // Lilydale
		{Latitude: -37.817, Longitude: 145.233}, // Ringwood
		{Latitude: -37.983, Longitude: 145.200}, // Dandenong
		{Latitude: -38.033, Longitude: 145.350}, // Berwick
		{Latitude: -37.836, Longitude: 144.660}, // Tarneit
		{Latitude: -37.817, Longitude: 144.750}, // Truganina
		{Latitude: -37.806, Longitude: 145.031}, // Kew
	}
	countryTowns = []drover.Coordinate{
		{Latitude: -37.562, Longitude: 143.850}, // Ballarat
		{Latitude: -37.577, Longitude: 144.726}, // Sunbury
		{Latitude: -36.381, Longitude: 145.399}, // Shepparton
		{Latitude: -36.757, Longitude: 144.280}, // Bendigo
		{Latitude: -37.600, Longitude: 144.950}, // Craigieburn
		{Latitude: -37.679, Longitude: 144.569}, // Melton
		{Latitude: -37.067, Longitude: 144.217}, // Castlemaine
		{Latitude: -37.676, Longitude: 144.438}, // Bacchus Marsh
		{Latitude: -37.490, Longitude: 144.590}, // Gisborne
		{Latitude: -37.412, Longitude: 144.980}, // Wallan
		{Latitude: -37.425, Longitude: 143.893}, // Creswick
		{Latitude: -37.344, Longitude: 144.142}, // Daylesford
		{Latitude: -37.280, Longitude: 144.730}, // Lancefield
		{Latitude: -37.295, Longitude: 144.951}, // Kilmore
		{Latitude: -36.552, Longitude: 145.983}, // Benalla
		{Latitude: -36.358, Longitude: 146.321}, // Wangaratta
		{Latitude: -36.122, Longitude: 146.888}, // Wodonga
	}
)

var networks = map[Roads]func() *network{
	CityRoads: sync.OnceValue(func() *network {
		return newNetwork(network{homes: 4, speed: 19.5, average: 14.9, step: 90}, cityTowns, 17_500, 22_800)
	}),
	CountryRoads: sync.OnceValue(func() *network {
		return newNetwork(network{homes: 3, speed: 24, average: 18.5, step: 160}, countryTowns, 22_000, 66_000)
	}),
	Highways: sync.OnceValue(func() *network {
		return newNetwork(network{homes: 4, speed: 26, average: 21, step: 220}, countryTowns, 66_000, 120_000)
	}),
}

// newNetwork joins the towns that are from near to far metres apart.
func newNetwork(n network, towns []drover.Coordinate, near, far float64) *network {
	n.towns = make([]town, len(towns))
	for i, c := range towns {
		t := &n.towns[i]
		t.middle, t.turn = c, fraction(placeSeed(c))*math.Pi/2
		for kerb := range kerbs {
			street := t.street(kerb)
			t.out[kerb] = newWay(street, streetSpeed)
			slices.Reverse(street)
			t.in[kerb] = newWay(street, streetSpeed)
		}
	}
	for i := range towns {
		for k := range i {
			if apart := between(towns[i], towns[k]); apart < near || apart > far {
				continue
			}
			points := n.bends(towns[k], towns[i])
			n.towns[k].roads = append(n.towns[k].roads, road{i, newWay(points, n.speed)})
			slices.Reverse(points)
			n.towns[i].roads = append(n.towns[i].roads, road{k, newWay(points, n.speed)})
		}
	}
	return &n
}

// newWay measures a line that may be driven at a speed: less in its bends, and at its ends,
// where it meets others.
func newWay(places []drover.Coordinate, speed float64) way {
	const sideways, crossing = 1.7, 6.0 // metres a second squared that a load bears, metres a second
	w := way{make([]point, len(places)), make([]float64, len(places)), make([]float64, len(places))}
	for i, c := range places {
		w.points[i] = point{c.Longitude * metresPerDegree, c.Latitude * metresPerDegree}
		if i > 0 {
			w.marks[i] = w.marks[i-1] + between(places[i-1], c)
		}
	}
	narrow := math.Cos(places[0].Latitude * math.Pi / 180)
	for i := range places {
		w.limits[i] = crossing
		if i == 0 || i == len(places)-1 {
			continue
		}
		a, b, c := w.points[i-1], w.points[i], w.points[i+1]
		turn := math.Abs(math.Atan2(c.y-b.y, (c.x-b.x)*narrow) - math.Atan2(b.y-a.y, (b.x-a.x)*narrow))
		turn = max(min(turn, 2*math.Pi-turn), 0.001)
		radius := (w.marks[i+1] - w.marks[i-1]) / 2 / turn
		// No driver keeps to a limit to the tenth.
		w.limits[i] = min(speed*(0.93+0.07*math.Sin(w.marks[i]/700)), max(4, math.Sqrt(sideways*radius)))
	}
	return w
}

// bends lays a road: its swings to both sides are of many lengths, like those of roads that
// go around hills and fields, and it is straight where it meets a town.
func (n *network) bends(a, b drover.Coordinate) []drover.Coordinate {
	apart := between(a, b)
	steps := int(math.Ceil(apart / n.step))
	narrow := math.Cos((a.Latitude + b.Latitude) / 2 * math.Pi / 180)
	dx, dy := (b.Longitude-a.Longitude)*narrow, b.Latitude-a.Latitude
	seed := mix(placeSeed(a), placeSeed(b))
	points := make([]drover.Coordinate, steps+1)
	for i := range points {
		along := float64(i) / float64(steps)
		aside := 0.0
		for wave, metres := range [...]float64{apart, apart / 2.3, apart / 5.1, 4_100, 1_700} {
			phase := 2 * math.Pi * fraction(mix(seed, uint64(wave)))
			aside += 0.035 * min(metres/apart, 0.9) * math.Sin(2*math.Pi*along*apart/metres+phase)
		}
		aside *= min(1, 6*min(along, 1-along)) // none at its ends
		points[i] = drover.Coordinate{
			Latitude:  a.Latitude + along*dy + aside*dx,
			Longitude: a.Longitude + (along*dx-aside*dy)/narrow,
		}
	}
	return points
}

const (
	block       = 210.0 // metres between the streets of a town
	turning     = 14.0  // metres before and after a crossing that a turn takes
	kerbs       = 9     // places in a town at which vehicles stop
	blocks      = 5     // from the middle to the last street
	streetSpeed = 14.5  // metres a second in a town
)

// street leads from a kerb of a town to its middle: along one street, around a corner
// and along another.
func (t *town) street(kerb int) []drover.Coordinate {
	at := t.corner(kerb)
	x, y := math.Copysign(turning, at.x), math.Copysign(turning, at.y)
	var points []drover.Coordinate
	for _, p := range [...]point{at, {x, at.y}, {x / 3, at.y - y/3}, {0, at.y - y}, {0, 0}} {
		if n := len(points); n > 0 {
			points = append(points, fill(points[n-1], t.place(p))...)
		}
		points = append(points, t.place(p))
	}
	return points
}

// corner is where a kerb lies in the grid: in a street, some blocks from the middle.
func (t *town) corner(kerb int) point {
	seed := mix(placeSeed(t.middle), uint64(kerb), 0x6b657262)
	p := point{(1 + float64(seed%blocks) + fraction(mix(seed, 1))) * block, (1 + float64(mix(seed, 2)%blocks)) * block}
	if seed&(1<<40) != 0 {
		p.x = -p.x
	}
	if seed&(1<<41) != 0 {
		p.y = -p.y
	}
	return p
}

// fill returns places between two, so that a vehicle has room to speed up and slow down.
func fill(a, b drover.Coordinate) []drover.Coordinate {
	parts := int(between(a, b) / 45)
	var points []drover.Coordinate
	for i := 1; i <= parts; i++ {
		share := float64(i) / float64(parts+1)
		points = append(points, drover.Coordinate{
			Latitude: a.Latitude + share*(b.Latitude-a.Latitude), Longitude: a.Longitude + share*(b.Longitude-a.Longitude),
		})
	}
	return points
}

// place is a point of the grid on the globe.
func (t *town) place(p point) drover.Coordinate {
	sin, cos := math.Sincos(t.turn)
	north, east := p.y*cos+p.x*sin, p.x*cos-p.y*sin
	return drover.Coordinate{
		Latitude:  t.middle.Latitude + north/metresPerDegree,
		Longitude: t.middle.Longitude + east/(metresPerDegree*math.Cos(t.middle.Latitude*math.Pi/180)),
	}
}

// stop is a kerb at which a vehicle parks.
type stop struct{ town, kerb int }

func (n *network) place(s stop) drover.Coordinate {
	return n.towns[s.town].place(n.towns[s.town].corner(s.kerb))
}

// leg is a journey from a stop over a road to a stop.
type leg struct {
	from, to stop
	over     *road
}

func (n *network) length(l leg) float64 {
	return n.towns[l.from.town].out[l.from.kerb].length() + l.over.length() + n.towns[l.to.town].in[l.to.kerb].length()
}

// route is all of a leg, with the limits of its points. The lights are where it comes to
// the other town.
func (n *network) route(l leg) (w route, limits []float64, lights int) {
	parts := [...]*way{&n.towns[l.from.town].out[l.from.kerb], &l.over.way, &n.towns[l.to.town].in[l.to.kerb]}
	size := len(parts[0].points) + len(parts[1].points) + len(parts[2].points)
	w = route{
		scale: 1.0 / metresPerDegree, narrow: math.Cos(n.towns[l.from.town].middle.Latitude * math.Pi / 180),
		points: make([]point, 0, size), marks: make([]float64, 0, size),
	}
	limits = make([]float64, 0, size)
	for i, part := range parts {
		first := min(i, 1) // the last of the part before it is the same place
		for k := first; k < len(part.points); k++ {
			w.marks = append(w.marks, w.length+part.marks[k])
		}
		w.points, limits = append(w.points, part.points[first:]...), append(limits, part.limits[first:]...)
		w.length += part.length()
		if i == 1 {
			lights = len(w.points) - 1
		}
	}
	return w, limits, lights
}

// between is how far two places are apart that are not far from each other, in metres.
func between(a, b drover.Coordinate) float64 {
	narrow := math.Cos((a.Latitude + b.Latitude) / 2 * math.Pi / 180)
	return metresPerDegree * math.Hypot(b.Latitude-a.Latitude, (b.Longitude-a.Longitude)*narrow)
}

func placeSeed(c drover.Coordinate) uint64 {
	return mix(math.Float64bits(c.Latitude), math.Float64bits(c.Longitude))
}

// fraction is a number from 0 to 1, made of a well-spread one.
func fraction(n uint64) float64 { return float64(n>>11) / (1 << 53) }
