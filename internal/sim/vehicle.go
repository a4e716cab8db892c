package sim

import (
	"fmt"
	"math/rand/v2"

	"github.com/drover-fleet/drover"
)

// Vehicle is one unit of the fleet. Vendors that know vehicles by another id
// than ID use IMEI or VIN; all three are unique.
type Vehicle struct {
	Index        int
	ID           string // digits only, so that it serves as a number and as text
	IMEI         string
	VIN          string
	Name         string
	Registration string
	Make         string
	Model        string
	Year         int
	// Active is false for a vehicle that is laid up: it reports nothing.
	Active bool
	// Drivers are those who take turns with it, digits only; there may be none.
	Drivers []string

	busy    bool
	recent  int64 // second from which on a busy one's records are close together
	depot   drover.Coordinate
	home    stop  // of a busy one
	shift   int64 // second of the UTC day at which the vehicle's own day starts
	restDay int64
	base    int64 // odometer in metres at the epoch
	average int64 // metres of a working day
	beat    int64 // phase of the heartbeat
}

// depots are inland towns of Victoria: no route from them leads into the sea.
var depots = [...]drover.Coordinate{
	{Latitude: -37.562, Longitude: 143.850}, // Ballarat
	{Latitude: -36.757, Longitude: 144.280}, // Bendigo
	{Latitude: -36.381, Longitude: 145.399}, // Shepparton
	{Latitude: -37.026, Longitude: 145.140}, // Seymour
	{Latitude: -36.357, Longitude: 146.312}, // Wangaratta
	{Latitude: -37.245, Longitude: 144.453}, // Kyneton
	{Latitude: -36.711, Longitude: 142.200}, // Horsham
	{Latitude: -37.282, Longitude: 142.926}, // Ararat
}

var models = [...]struct{ make, model string }{
	{"Isuzu", "FRR"},
	{"Hino", "500"},
	{"Volvo", "FH16"},
	{"Scania", "R450"},
	{"Kenworth", "T410"},
	{"Mercedes-Benz", "Actros"},
	{"Iveco", "Daily"},
	{"Ford", "Transit"},
}

func newVehicle(seed uint64, index int) Vehicle {
	r := rand.New(rand.NewPCG(seed, mix(uint64(index), 0x7665686963)))
	model := models[r.IntN(len(models))]
	v := Vehicle{
		Index:        index,
		ID:           fmt.Sprint(1001 + index),
		IMEI:         fmt.Sprintf("35262506%07d", index+1),
		VIN:          fmt.Sprintf("YV2RT40A1LB%06d", index+1),
		Name:         fmt.Sprintf("Truck %d", index+1),
		Registration: fmt.Sprintf("%c%c%c-%03d", 'A'+r.IntN(26), 'A'+r.IntN(26), 'A'+r.IntN(26), index%1000),
		Make:         model.make,
		Model:        model.model,
		Year:         2012 + r.IntN(13),
		Active:       index%10 != 6,
		depot:        depots[r.IntN(len(depots))],
		// Spread over the clock, so that at any hour some vehicles are under way
		// and some journeys go through midnight UTC.
		shift:   int64(index*7%24) * 3600,
		restDay: int64(r.IntN(7)),
		base:    int64(100_000+r.IntN(300_000)) * 1000,
		average: int64(90_000 + r.IntN(110_000)),
		beat:    int64(r.IntN(1800)),
	}
	for i := range index % 3 {
		v.Drivers = append(v.Drivers, fmt.Sprint(50_000+index*3+i))
	}
	return v
}

// mix turns its parts into one well-spread number.
func mix(parts ...uint64) uint64 {
	var h uint64 = 0x9e3779b97f4a7c15
	for _, p := range parts {
		h ^= p
		h *= 0xbf58476d1ce4e5b9
		h ^= h >> 27
		h *= 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}
