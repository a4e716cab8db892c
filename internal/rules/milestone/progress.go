package milestone

import (
	"math"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/arrival"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// View is what an update record is made from.
type View struct {
	Milestone      drover.Milestone
	State          State
	ConnectionID   string
	SystemDeviceID string
	Latest         *drover.Position  // newest position of the device; nil for none
	Recent         []drover.Position // the recent ones, oldest first, up to it
	Profile        arrival.Profile
	Model          *arrival.Model
	Route          *arrival.Route // from Latest to the end point; nil without a routing server
	ArrivedAt      *drover.Time   // nil before, and where the deadline ended the journey
	Config         Config
	Now            time.Time
}

// Progress returns the update record. The timeout comes first: with a newest
// position that is not younger, or with none, there is no ETA and no distance,
// whatever the status.
func Progress(v View) drover.MilestoneProgress {
	out := drover.MilestoneProgress{
		MilestoneID:    v.Milestone.ID,
		ConnectionID:   v.ConnectionID,
		DeviceID:       v.Milestone.DeviceID,
		SystemDeviceID: v.SystemDeviceID,
	}
	if v.Latest == nil {
		return out
	}
	at := v.Latest.Time
	out.CurrentPosition, out.LastUpdatedAt = v.Latest.View(), &at
	if TimedOut(v.Latest, v.Now, v.Config.Timeout) {
		return out
	}
	predicted := v.Predict()
	eta, km := predicted.P50, predicted.DistanceKM
	if v.State.EndedAt != nil {
		eta = *v.State.EndedAt
	}
	out.ETA, out.DistanceToDestinationKM = &eta, &km
	return out
}

// Entry returns the update record with what a list shows of it.
func Entry(v View) drover.MilestoneUpdateEntry {
	e := drover.MilestoneUpdateEntry{MilestoneProgress: Progress(v), Status: v.Milestone.Status}
	e.LateBySeconds, e.Progress = v.late(e.ETA), v.progress()
	return e
}

// late is by how much an arrival is later than the end of the milestone's window.
func (v View) late(eta *drover.Time) *float64 {
	end := v.Milestone.EndTime
	switch {
	case end == nil:
		return nil
	case v.Milestone.Status == drover.TripEnded:
		eta = v.ArrivedAt
	case eta == nil && v.Now.After(end.Time):
		eta = new(drover.At(v.Now))
	}
	if eta == nil {
		return nil
	}
	return new(eta.Sub(end.Time).Seconds())
}

// progress is the share of the way that is done.
func (v View) progress() *float64 {
	m := v.Milestone
	switch {
	case m.Status == drover.TripNotStarted:
		return new(0.0)
	case m.Status == drover.TripEnded && v.ArrivedAt != nil:
		return new(1.0)
	case v.Latest == nil:
		return nil
	}
	whole := geo.DistanceMetres(m.StartPoint, m.EndPoint)
	if whole == 0 {
		return new(0.0)
	}
	done := min(1, max(0, 1-geo.DistanceMetres(v.Latest.Point(), m.EndPoint)/whole))
	return new(math.Round(1000*done) / 1000)
}

// TimedOut reports whether the newest position is missing or no longer younger
// than the timeout.
func TimedOut(latest *drover.Position, now time.Time, timeout time.Duration) bool {
	return latest == nil || now.Sub(latest.Time.Time) >= timeout
}

// Predict returns when the device arrives, as long as it has not.
func (v View) Predict() arrival.Range { return v.Model.Predict(v.input()) }

func (v View) input() arrival.Input {
	m := v.Milestone
	_, radius := v.Config.radii(m)
	in := arrival.Input{
		Place: v.Latest.Point(), End: m.EndPoint,
		Now: v.Now, From: v.Latest.Time.Time, Profile: v.Profile, Route: v.Route,
		StraightMetres: geo.DistanceMetres(v.Latest.Point(), m.EndPoint),
		WholeMetres:    geo.DistanceMetres(m.StartPoint, m.EndPoint),
		RadiusMetres:   radius,
	}
	// It sets off at the planned time or now, and how it moves before that says nothing
	// about the journey.
	switch {
	case v.State.StartedAt != nil:
		in.Track = arrival.NewTrack(m.EndPoint, since(v.Recent, *v.State.StartedAt))
	case m.StartTime.After(v.Now):
		in.From = m.StartTime.Time
	default:
		in.From = v.Now
	}
	// One position makes no track, but says whether the vehicle reports its speed.
	in.Track.Blind = v.Latest.SpeedKPH == nil && arrival.Blind(v.Recent)
	return in
}

// since leaves the positions out that are older than start.
func since(positions []drover.Position, start drover.Time) []drover.Position {
	for i := range positions {
		if !positions[i].Time.Before(start.Time) {
			return positions[i:]
		}
	}
	return nil
}
