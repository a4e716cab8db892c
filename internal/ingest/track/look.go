package track

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/rules/arrival"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

const (
	// predictEvery is how often an arrival is predicted and kept.
	predictEvery = 5 * time.Minute
	// recentPositions bounds the positions that a track is made of.
	recentPositions = 2000
)

// errPast says that the past of a milestone is to be judged before anything else.
var errPast = errors.New("the past of the milestone has not been evaluated")

// View gathers what an update record is made from, but for the names of the
// device and the route.
func (t *Tracker) View(ctx context.Context, fleet store.FleetReader, past history.Reader, m store.Milestone) (milestone.View, error) {
	v := milestone.View{Milestone: m.Milestone, ArrivedAt: m.ArrivedAt, Config: t.Config, Now: t.Now()}
	if err := json.Unmarshal(m.State, &v.State); err != nil {
		return v, fmt.Errorf("read the state of milestone %s: %w", m.ID, err)
	}
	device, err := fleet.LatestState(ctx, m.DeviceTenantID, m.DeviceID)
	if errors.Is(err, store.ErrNotFound) {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	if len(device.Profile) > 0 {
		// One that cannot be read is learned again with the next trip.
		_ = json.Unmarshal(device.Profile, &v.Profile)
	}
	v.Latest = device.Latest
	if v.State.Status != drover.TripEnded && !milestone.TimedOut(v.Latest, v.Now, t.Config.Timeout) {
		if v.Model, err = model(ctx, past, m); err != nil {
			return v, err
		}
	}
	if v.State.Status != drover.TripInProgress || v.State.StartedAt == nil || milestone.TimedOut(v.Latest, v.Now, t.Config.Timeout) {
		return v, nil
	}
	v.Recent, err = t.recent(ctx, past, m, *v.State.StartedAt, v.Latest.Time)
	return v, err
}

// recent reads the recent positions of a journey under way.
func (t *Tracker) recent(
	ctx context.Context,
	from history.Reader,
	m store.Milestone,
	started, latest drover.Time,
) ([]drover.Position, error) {
	begin := drover.At(latest.Add(-arrival.TrackWindow))
	if started.After(begin.Time) {
		begin = started
	}
	stored, err := from.Positions(ctx, history.Range{
		TenantID: m.DeviceTenantID, DeviceID: m.DeviceID, From: begin, To: drover.Milli(latest.UnixMilli() + 1), Limit: recentPositions,
	})
	positions := make([]drover.Position, len(stored))
	for i := range stored {
		positions[i] = stored[i].Position
	}
	return positions, err
}

// Ask asks the router for the way that remains, where there is one to ask and an
// estimate to make. It may take a while, and so is no part of a transaction.
func (t *Tracker) Ask(ctx context.Context, v milestone.View) *arrival.Route {
	if t.Router == nil || v.State.Status == drover.TripEnded || milestone.TimedOut(v.Latest, v.Now, t.Config.Timeout) {
		return nil
	}
	route, ok := t.Router.Route(ctx, v.Latest.Point(), v.Milestone.EndPoint)
	if !ok {
		return nil
	}
	return &route
}

// look does what time alone brings about: it ends a journey whose deadline has
// passed, notifies of a device that has fallen silent and of an arrival that is late,
// keeps a prediction, and says when to look again. The milestone must be locked.
func (t *Tracker) look(ctx context.Context, tx *store.Tx, m *store.Milestone, route *arrival.Route) error {
	if stored, err := readRecord(m); err != nil {
		return err
	} else if stored.Replay != nil {
		return errPast
	}
	v, err := t.View(ctx, tx.Fleet.FleetReader, tx.History.Reader, *m)
	if err != nil {
		return err
	}
	v.Route = route
	state, moved := milestone.Expire(m.Milestone, t.Config, v.State, v.Now)
	if len(moved) > 0 {
		return t.keep(ctx, tx, m, state, moved, false)
	}
	m.DueAt = nil
	if deadline, ok := milestone.Deadline(m.Milestone, t.Config); ok && state.Status != drover.TripEnded {
		m.DueAt = &deadline
	}
	if state.Status == drover.TripInProgress {
		if err := t.underWay(ctx, tx, m, v, &state); err != nil {
			return err
		}
	}
	if err := t.lookLate(ctx, tx, m, v, &state); err != nil {
		return err
	}
	if m.State, err = json.Marshal(state); err != nil {
		return fmt.Errorf("write the state of milestone %s: %w", m.ID, err)
	}
	return tx.Trips.SetMilestone(ctx, *m)
}

// underWay looks at a journey under way.
func (t *Tracker) underWay(ctx context.Context, tx *store.Tx, m *store.Milestone, v milestone.View, state *milestone.State) error {
	if milestone.TimedOut(v.Latest, v.Now, t.Config.Timeout) {
		return t.notifySilence(ctx, tx, m, v, state)
	}
	p := v.Predict()
	next := drover.At(v.Now.Add(predictEvery))
	if silent := v.Latest.Time.Add(t.Config.Timeout); silent.Before(next.Time) {
		next = drover.At(silent)
	}
	if m.DueAt == nil || next.Before(m.DueAt.Time) {
		m.DueAt = &next
	}
	return tx.Trips.AddPrediction(ctx, m.TenantID, m.ID, store.Prediction{
		Time: drover.At(v.Now), ETA: p.P50, DistanceKM: p.DistanceKM, P10: &p.P10, P90: &p.P90, RouteSeconds: v.Route.Seconds(),
	})
}

// notifySilence notifies once that a device has sent nothing for too long. The next
// position makes the milestone due again.
func (t *Tracker) notifySilence(ctx context.Context, tx *store.Tx, m *store.Milestone, v milestone.View, state *milestone.State) error {
	if v.Latest == nil || state.Silent != nil {
		return nil
	}
	grant, err := grantOf(ctx, tx.Shares, m)
	if err != nil {
		return err
	}
	state.Silent = &v.Latest.Time
	e, err := drover.NewEvent(drover.EventMilestoneTimedOut, drover.At(t.Now()), drover.MilestoneStep{
		Milestone: m.Milestone, OccurredAt: drover.At(v.Latest.Time.Add(t.Config.Timeout)), Position: grant.Position(*v.Latest).View(),
	})
	if err != nil {
		return err
	}
	return journal.AppendOf(ctx, tx, m.TenantID, m.DeviceTenantID, []drover.Event{e})
}

// lookLate looks at whether a milestone is late, and when to look at that again.
func (t *Tracker) lookLate(ctx context.Context, tx *store.Tx, m *store.Milestone, v milestone.View, state *milestone.State) error {
	late, known := v.Lateness()
	if !known || state.Status == drover.TripEnded {
		return nil
	}
	if next, again := late.Again(v); again && (m.DueAt == nil || next.Before(m.DueAt.Time)) {
		m.DueAt = &next
	}
	return t.notifyLate(ctx, tx, m, late, state)
}

// notifyLate notifies where a milestone has become late, or is on time again. State
// remembers which of the two was said last.
func (t *Tracker) notifyLate(ctx context.Context, tx *store.Tx, m *store.Milestone, late milestone.Lateness, state *milestone.State) error {
	if late.Late == state.Late {
		return nil
	}
	state.Late = late.Late
	typ := drover.EventMilestoneOnTime
	if late.Late {
		typ = drover.EventMilestoneLate
	}
	e, err := drover.NewEvent(typ, drover.At(t.Now()), drover.MilestoneLateness{
		Milestone: m.Milestone, ETA: late.ETA, ETAP10: late.P10, ETAP90: late.P90, LateBySeconds: new(late.By.Seconds()),
	})
	if err != nil {
		return err
	}
	return journal.AppendOf(ctx, tx, m.TenantID, m.DeviceTenantID, []drover.Event{e})
}
