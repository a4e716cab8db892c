package milestone

import (
	"math"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// Done is the part of the way that a vehicle has covered, by the straight lines:
// nothing before the start and all after the arrival.
func Done(m drover.Milestone, latest *drover.Position) float64 {
	switch {
	case m.Status == drover.TripEnded:
		return 1
	case m.Status == drover.TripNotStarted || latest == nil:
		return 0
	}
	whole := geo.DistanceMetres(m.StartPoint, m.EndPoint)
	if whole == 0 {
		return 0
	}
	part := 1 - geo.DistanceMetres(latest.Point(), m.EndPoint)/whole
	return math.Round(min(1, max(0, part))*1000) / 1000
}

// Shared is what someone without a user sees of a journey. Where the vehicle was
// before it left, and where it goes after it has arrived, is not part of it.
func Shared(v View) drover.SharedJourney {
	m := v.Milestone
	out := drover.SharedJourney{
		Status: m.Status, Destination: m.EndPoint, Deadline: m.EndTime, Progress: Done(m, v.Latest),
	}
	if m.Status == drover.TripEnded {
		if !v.State.Expired { // the deadline ended it otherwise
			out.ArrivedAt = v.State.EndedAt
		}
		return out
	}
	if v.Latest == nil {
		return out
	}
	fresh := !TimedOut(v.Latest, v.Now, v.Config.Timeout)
	if fresh {
		r := v.Predict()
		out.Arrival = &drover.ArrivalRange{Earliest: r.P10, Expected: r.P50, Latest: r.P90}
	}
	if m.Status != drover.TripInProgress {
		return out
	}
	at := v.Latest.Time
	out.Position = &drover.SharedPosition{Timestamp: at, Longitude: v.Latest.Longitude, Latitude: v.Latest.Latitude, Heading: v.Latest.Heading}
	km := math.Round(geo.DistanceMetres(v.Latest.Point(), m.EndPoint)) / 1000
	out.UpdatedAt, out.DistanceToDestinationKM = &at, &km
	return out
}
