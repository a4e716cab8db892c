package track_test

import (
	"math/rand/v2"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/milestone"
)

var (
	epoch = time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)
	depot = drover.Coordinate{Latitude: 52.5, Longitude: 13.4}
	site  = geo.Destination(depot, 90, 20_000)
)

func journey() drover.Milestone {
	end := drover.At(epoch.Add(4 * time.Hour))
	return drover.Milestone{ID: "m", DeviceID: "d", StartPoint: depot, EndPoint: site, StartTime: drover.At(epoch), EndTime: &end}
}

// seen is a position minutes after the start time, metres east of the depot.
func seen(minutes, metres float64) drover.Position {
	at := geo.Destination(depot, 90, metres)
	return drover.Position{
		Time:     drover.At(epoch.Add(time.Duration(minutes * float64(time.Minute)))),
		Latitude: at.Latitude, Longitude: at.Longitude,
	}
}

func withSpeed(p drover.Position, kph float64) drover.Position {
	p.SpeedKPH = &kph
	return p
}

func byTime(a, b drover.Position) int { return a.Time.Compare(b.Time.Time) }

// outcome is all of a milestone that positions decide.
type outcome struct {
	Status             drover.MilestoneStatus
	StartedAt, EndedAt *drover.Time
	Expired            bool
}

func outcomeOf(st milestone.State) outcome {
	return outcome{st.Status, st.StartedAt, st.EndedAt, st.Expired}
}

// randomJourney wanders about between two points, which may be the same place.
func randomJourney(r *rand.Rand) (drover.Milestone, []drover.Position) {
	m := journey()
	m.EndPoint = geo.Destination(depot, 90, []float64{0, 60, 250, 500, 3000}[r.IntN(5)])
	if r.IntN(4) == 0 {
		m.EndTime = nil
	}
	var positions []drover.Position
	minutes := -30.0
	for range 3 + r.IntN(30) {
		minutes += 1 + r.Float64()*60
		p := seen(minutes, r.Float64()*800-200)
		if r.IntN(3) == 0 {
			p = seen(minutes, geo.DistanceMetres(depot, m.EndPoint)+r.Float64()*400-200)
		}
		if r.IntN(4) == 0 {
			p = withSpeed(p, r.Float64()*12)
		}
		positions = append(positions, p)
	}
	return m, positions
}
