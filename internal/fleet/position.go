package fleet

import (
	"context"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/memory/arena"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/motion"
	"github.com/drover-fleet/drover/internal/store"
)

const noPosition = "Device with ID %s has no position"

// Position reads the newest position of a device.
func (s Devices) Position(ctx context.Context, p drover.Principal, deviceID string) (drover.Position, error) {
	_, places, err := s.located(ctx, p, deviceID)
	if err != nil {
		return drover.Position{}, err
	}
	latest, err := places.Newest(ctx, s.store)
	return latest, guard.OrNotFound(err, noPosition, deviceID)
}

// located finds a device whose positions the caller may read.
func (s *core) located(ctx context.Context, p drover.Principal, deviceID string) (store.Device, guard.Positions, error) {
	d, err := s.device(ctx, p, deviceID)
	if err != nil {
		return d, guard.Positions{}, err
	}
	places, err := guard.MayReadPositions(p, d.Access, d.ID)
	return d, places, err
}

// NewestPositions reads the newest position of every device that the caller sees,
// and the sequence of its feed for which that is true: a stream from there misses
// nothing.
func (s Devices) NewestPositions(ctx context.Context, p drover.Principal, f drover.NewestFilter) ([]drover.NewestPosition, int64, error) {
	f.Tags = drover.FoldTags(f.Tags)
	polls, err := s.polls(ctx, p)
	if err != nil {
		return nil, 0, err
	}
	newest, err := guard.NewestPositions(ctx, s.store, p, f)
	if err != nil {
		return nil, 0, err
	}
	rows, now := make([]drover.NewestPosition, 0, len(newest.Devices)), s.clock()
	var details arena.Of[drover.DetailedPosition]
	for i := range newest.Devices {
		n := &newest.Devices[i]
		if f.Box != nil && (n.Position == nil || !f.Box.Contains(n.Position.Point())) {
			continue
		}
		status := statusOf(n.State, n.StateSince, n.Position, now, polls[n.ConnectionID])
		if len(f.States) > 0 && !slices.Contains(f.States, status.State) {
			continue
		}
		row := drover.NewestPosition{
			DeviceID: n.DeviceID, ConnectionID: n.ConnectionID, Description: n.Description, Registration: n.Registration, DeviceStatus: status,
		}
		if n.Position != nil {
			row.Position = details.Keep(n.Position.Detail())
		}
		rows = append(rows, row)
	}
	return rows, newest.Sequence, nil
}

// polls are the intervals at which the caller's connections are polled.
func (s *core) polls(ctx context.Context, p drover.Principal) (map[string]time.Duration, error) {
	connections, err := s.store.Fleet.Connections(ctx, p.TenantID, "")
	polls := make(map[string]time.Duration, len(connections))
	for _, c := range connections {
		polls[c.ID] = c.Configuration.PollInterval()
	}
	return polls, err
}

// statusOf is what a device does now: what was last reported of it, unless too much
// time has passed since.
func statusOf(
	state drover.DeviceState,
	since *drover.Time,
	latest *drover.Position,
	now time.Time,
	poll time.Duration,
) drover.DeviceStatus {
	if latest == nil {
		return drover.DeviceStatus{State: drover.DeviceSilent}
	}
	s := motion.Status{State: state}
	if since != nil {
		s.Since = *since
	}
	if state == "" { // it has not reported since states are kept
		s = motion.After(s, nil, []drover.Position{*latest}, poll, geo.MovingKPH)
	}
	s = motion.Now(s, latest.Time, now, poll)
	return drover.DeviceStatus{State: s.State, StateSince: &s.Since}
}

// Positions reads a device's positions, oldest first, after the place given.
func (s Devices) Positions(
	ctx context.Context,
	p drover.Principal,
	deviceID string,
	f drover.PositionFilter,
	after drover.PositionCursor,
	limit int,
) ([]drover.HistoricPosition, error) {
	r := guard.Window{From: f.From, To: s.now(), Limit: limit, WithSuspect: f.IncludeSuspect}
	if f.To != nil {
		r.To = *f.To
	}
	if r.To.Before(r.From.Time) {
		return nil, drover.InvalidValue("to must not be before from", "query", "to")
	}
	if after.Valid() {
		r.From = drover.Milli(after.After.UnixMilli() + 1)
	}
	_, places, err := s.located(ctx, p, deviceID)
	if err != nil {
		return nil, err
	}
	stored, err := places.Read(ctx, s.store, r)
	positions := make([]drover.HistoricPosition, len(stored))
	for i, p := range stored {
		positions[i] = p.History()
	}
	return positions, err
}
