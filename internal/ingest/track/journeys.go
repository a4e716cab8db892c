package track

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/arrival"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/work"
)

const (
	// enoughMilestones is how many journeys of milestones make those of trips, which
	// hold no rests, needless.
	enoughMilestones = 8
	// enoughBeside is how many journeys of a connection make those of the tenant's
	// others needless.
	enoughBeside = 32
	// maxJourneyPositions bounds the positions of a journey that teaches.
	maxJourneyPositions = 5000
	// maxOutcomes bounds the predictions of a milestone that teach.
	maxOutcomes = 8
	// settledLeft is how long before an arrival predictions no longer teach.
	settledLeft = 2 * time.Minute
)

// model reads what a device's arrivals are predicted by.
func model(ctx context.Context, from history.Reader, m store.Milestone) (*arrival.Model, error) {
	var h arrival.History
	for _, kind := range []history.JourneyKind{history.MilestoneJourney, history.TripJourney} {
		if len(h.Own)+len(h.Fleet) >= enoughMilestones {
			break
		}
		own, err := from.JourneysOf(ctx, m.DeviceTenantID, m.DeviceID, kind, arrival.MaxOwn)
		if err != nil {
			return nil, err
		}
		fleet, err := from.JourneysBeside(ctx, m.DeviceTenantID, m.DeviceID, kind, arrival.MaxFleet)
		if err != nil {
			return nil, err
		}
		if len(fleet) < enoughBeside {
			others, err := from.JourneysElsewhere(ctx, m.DeviceTenantID, m.DeviceID, kind, arrival.MaxFleet-len(fleet))
			if err != nil {
				return nil, err
			}
			fleet = append(fleet, others...)
		}
		h.Own, h.Fleet = append(h.Own, readJourneys(own)...), append(h.Fleet, readJourneys(fleet)...)
	}
	return arrival.NewModel(h), nil
}

// readJourneys leaves out what this program cannot read: others take its place.
func readJourneys(texts []json.RawMessage) []arrival.Journey {
	out := make([]arrival.Journey, 0, len(texts))
	for _, text := range texts {
		var j arrival.Journey
		if json.Unmarshal(text, &j) == nil {
			out = append(out, j)
		}
	}
	return out
}

// lessonsOf is what a finished journey of a device teaches; nil where its positions do
// not tell a way.
func lessonsOf(
	ctx context.Context,
	from positionReader,
	tenantID string,
	j history.Journey,
	arrived drover.Time,
	outcomes func([]drover.Position) []arrival.Outcome,
) (json.RawMessage, error) {
	stored, err := from.Positions(ctx, history.Range{
		TenantID: tenantID, DeviceID: j.DeviceID, From: j.StartedAt, To: drover.Milli(arrived.UnixMilli() + 1), Limit: maxJourneyPositions,
	})
	if err != nil || len(stored) == maxJourneyPositions {
		return nil, err
	}
	positions := make([]drover.Position, len(stored))
	for i := range stored {
		positions[i] = stored[i].Position
	}
	learned, ok := arrival.NewJourney(positions, arrived.Time)
	if !ok {
		return nil, nil
	}
	learned.Outcomes = outcomes(positions)
	text, err := json.Marshal(learned)
	if err != nil {
		return nil, fmt.Errorf("write a journey: %w", err)
	}
	return text, nil
}

// learnTrip keeps a valid trip as a journey.
func (d *device) learnTrip(ctx context.Context, t drover.Trip) error {
	if !t.IsValid || !arrival.Teaches(t) {
		return d.tx.History.DropJourney(ctx, d.source.TenantID, d.state.DeviceID, history.TripJourney, t.StartTime)
	}
	j := history.Journey{DeviceID: d.state.DeviceID, Kind: history.TripJourney, StartedAt: t.StartTime}
	var err error
	j.Lessons, err = lessonsOf(ctx, d.driven(t), d.source.TenantID, j, t.EndTime, func([]drover.Position) []arrival.Outcome { return nil })
	if err != nil || j.Lessons == nil {
		return err
	}
	return d.tx.History.AddJourney(ctx, d.source.TenantID, j, arrival.MaxOwn)
}

// learnMilestone keeps a journey that has arrived, with how far its predictions were
// off. A journey of another tenant's device is sent to its owner.
func (t *Tracker) learnMilestone(ctx context.Context, tx *store.Tx, m *store.Milestone, state milestone.State) error {
	if state.StartedAt == nil || state.EndedAt == nil || state.Expired {
		return nil
	}
	predicted, err := tx.Trips.Predictions(ctx, m.TenantID, m.ID, drover.Time{}, maxJourneyPositions)
	if err != nil {
		return err
	}
	j := history.Journey{DeviceID: m.DeviceID, Kind: history.MilestoneJourney, StartedAt: *state.StartedAt}
	j.Lessons, err = lessonsOf(ctx, tx.History, m.DeviceTenantID, j, *state.EndedAt, func(positions []drover.Position) []arrival.Outcome {
		return outcomes(m.EndPoint, predicted, positions, *state.EndedAt)
	})
	switch {
	case err != nil || j.Lessons == nil:
		return err
	case foreign(m):
		r := work.Route{OwnerID: m.TenantID, RecipientID: m.DeviceTenantID}
		return tx.Feed.Send(ctx, r, work.MessageJourney, lesson{DeviceID: j.DeviceID, StartedAt: j.StartedAt, Lessons: j.Lessons})
	}
	return tx.History.AddJourney(ctx, m.TenantID, j, arrival.MaxOwn)
}

// outcomes holds predictions against the arrival, as many as teach and evenly spread.
func outcomes(end drover.Coordinate, predicted []store.Prediction, positions []drover.Position, arrived drover.Time) []arrival.Outcome {
	var out []arrival.Outcome
	step := max(1, (len(predicted)+maxOutcomes-1)/maxOutcomes)
	for i := 0; i < len(predicted); i += step {
		p := predicted[i]
		place, seen := lastBefore(positions, p.Time)
		took := arrived.Sub(p.Time.Time)
		if seen && took >= settledLeft {
			out = append(out, arrival.NewOutcome(geo.DistanceMetres(place, end), p.ETA.Sub(p.Time.Time).Seconds(), took.Seconds(), p.RouteSeconds))
		}
	}
	return out
}

// lastBefore is where the device was at a time; false before its first position.
func lastBefore(positions []drover.Position, at drover.Time) (place drover.Coordinate, seen bool) {
	for _, p := range slices.Backward(positions) {
		if !p.Time.After(at.Time) {
			return p.Point(), true
		}
	}
	return place, false
}
