package traces

import (
	"sort"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/arrival"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/rules/trip"
)

// The kinds of journeys that traces are cut into.
const (
	tripRides   = "trips" // valid derived trips of 2 km and more
	haulRides   = "hauls" // trips of 50 km and more together, with less than 2 h between them
	directRides = "rides" // of vehicles that report neither speed nor ignition: between stops of 90 s
	haulRest    = 2 * time.Hour
	rideStop    = 90 * time.Second
	rideSilence = 5 * time.Minute
	minRide     = 2_000.0
	minHaul     = 50_000.0
	// maxRideDetour leaves out what wandered about and led nowhere.
	maxRideDetour = 3.0
	stopMetres    = 50.0
)

// ride is a journey of a trace: its positions from the start to the arrival, which
// is the last time that it came into the end circle.
type ride struct {
	vehicle   string
	positions []drover.Position
	until     []drover.Position // and further ones, up to where it stands
	driven    []float64         // metres up to each of them
	end       drover.Coordinate
	arrived   time.Time
	learned   arrival.Journey
}

// ridesOf cuts a trace into journeys by their kinds.
func ridesOf(t Trace) map[string][]*ride {
	believed, trips := believe(t.Positions)
	if !tellsMotion(believed) {
		return map[string][]*ride{directRides: betweenStops(t.name, believed)}
	}
	out := map[string][]*ride{}
	haul := 0
	for i, d := range trips {
		if r, ok := newRide(t.name, spanned(believed, d.StartTime, d.EndTime), d.End, minRide); ok {
			out[tripRides] = append(out[tripRides], r)
		}
		if i+1 < len(trips) && trips[i+1].StartTime.Sub(d.EndTime.Time) < haulRest {
			continue
		}
		if r, ok := newRide(t.name, spanned(believed, trips[haul].StartTime, d.EndTime), d.End, minHaul); ok {
			out[haulRides] = append(out[haulRides], r)
		}
		haul = i + 1
	}
	return out
}

// believe leaves the positions out that the fold takes for jumps, and returns the
// valid trips.
func believe(positions []drover.Position) (believed []drover.Position, trips []trip.Derived) {
	var plausible []drover.Position
	for _, p := range positions {
		if _, suspect := trip.Suspect(p, p.Time.Time); !suspect {
			plausible = append(plausible, p)
		}
	}
	var fold trip.State
	// In order nothing is derived again, so nothing is loaded.
	out, err := fold.Absorb(plausible, func(trip.Span) ([]trip.Known, error) { return nil, nil })
	if err != nil {
		return nil, nil
	}
	jump := map[int64]bool{}
	for _, m := range out.Marks {
		jump[m.Time.UnixMilli()] = m.Jump
	}
	for _, p := range plausible {
		if !jump[p.Time.UnixMilli()] {
			believed = append(believed, p)
		}
	}
	for _, d := range out.Completed {
		if len(trip.Check(d.Facts(), d.EndTime.Time, nil)) == 0 {
			trips = append(trips, d)
		}
	}
	return believed, trips
}

func tellsMotion(positions []drover.Position) bool {
	reported := 0
	for _, p := range positions {
		if p.SpeedKPH != nil || p.Ignition != nil {
			reported++
		}
	}
	return reported > len(positions)/2
}

// spanned are the positions from one time to another, both included.
func spanned(positions []drover.Position, from, to drover.Time) []drover.Position {
	first := sort.Search(len(positions), func(i int) bool { return !positions[i].Time.Before(from.Time) })
	last := sort.Search(len(positions), func(i int) bool { return positions[i].Time.After(to.Time) })
	return positions[first:last]
}

// betweenStops cuts a track where it stands or is silent.
func betweenStops(vehicle string, positions []drover.Position) []*ride {
	var out []*ride
	first, stop := 0, 0
	cut := func(last, next int) {
		if last > first {
			if r, ok := newRide(vehicle, positions[first:last+1], positions[last].Point(), minRide); ok {
				out = append(out, r)
			}
		}
		first = next
	}
	for i := 1; i < len(positions); i++ {
		switch {
		case positions[i].Time.Sub(positions[i-1].Time.Time) >= rideSilence:
			cut(i-1, i)
			stop = i
		case geo.DistanceMetres(positions[stop].Point(), positions[i].Point()) > stopMetres:
			if positions[i-1].Time.Sub(positions[stop].Time.Time) >= rideStop {
				cut(stop, i-1)
			}
			stop = i
		}
	}
	return out
}

// newRide ends the positions where they last come into the end circle. It answers
// false for what is too short, or leads nowhere.
func newRide(vehicle string, positions []drover.Position, end drover.Coordinate, least float64) (*ride, bool) {
	last := len(positions) - 1
	for last > 0 && geo.Inside(end, milestone.DefaultConfig().EndRadius, positions[last-1].Point()) {
		last--
	}
	const fewest = 3
	if last < fewest {
		return nil, false
	}
	r := &ride{
		vehicle: vehicle, positions: positions[:last+1], until: positions, end: end, arrived: positions[last].Time.Time,
		driven: make([]float64, last+1),
	}
	for i := 1; i <= last; i++ {
		r.driven[i] = r.driven[i-1] + geo.DistanceMetres(positions[i-1].Point(), positions[i].Point())
	}
	return r, r.straight() >= least && r.driven[last] <= maxRideDetour*r.straight()
}

// stayed is when it first came near its end to stay for five minutes; receivers
// scatter by up to 100 m.
func (r *ride) stayed() time.Time {
	const stay, scatter = 5 * time.Minute, 100.0
	var came *drover.Position
	for i := range r.until {
		p := &r.until[i]
		switch near := geo.Inside(r.end, milestone.DefaultConfig().EndRadius+scatter, p.Point()); {
		case !near:
			came = nil
		case came == nil:
			came = p
		case p.Time.Sub(came.Time.Time) >= stay:
			return came.Time.Time
		}
	}
	return r.arrived
}

func (r *ride) milestone() drover.Milestone {
	return drover.Milestone{StartPoint: r.positions[0].Point(), EndPoint: r.end, StartTime: r.positions[0].Time}
}

// straight is the line from the start to the end.
func (r *ride) straight() float64 { return geo.DistanceMetres(r.positions[0].Point(), r.end) }

// moments are when its arrival is predicted.
func (r *ride) moments() []moment {
	var out []moment
	last := len(r.driven) - 1
	for _, share := range asked {
		i := sort.SearchFloat64s(r.driven, share*r.driven[last])
		if at := r.positions[i].Time.Time; i < last && r.arrived.Sub(at) >= remaining {
			out = append(out, moment{at: at, ride: r, index: i, share: share})
		}
	}
	return out
}

// recent are the positions of the last half hour up to one of them.
func (r *ride) recent(index int) []drover.Position {
	from := drover.At(r.positions[index].Time.Add(-arrival.TrackWindow))
	return spanned(r.positions[:index+1], from, r.positions[index].Time)
}

// trip is the ride as a profile learns it.
func (r *ride) trip() drover.Trip {
	start, last := r.positions[0], len(r.driven)-1
	return drover.Trip{
		StartLatitude: &start.Latitude, StartLongitude: &start.Longitude, EndLatitude: &r.end.Latitude, EndLongitude: &r.end.Longitude,
		DistanceMetres: &r.driven[last], DurationSeconds: r.arrived.Sub(start.Time.Time).Seconds(), IsValid: true,
	}
}
