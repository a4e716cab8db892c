package guard

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// Positions is the leave to read where one device was. Only MayReadPositions gives it,
// and all that reads positions for a caller is a method of it, so that nothing reads
// them without having asked for the scope, or with drivers that the caller may not
// know. Lists over many devices ask in their statement, by who asks.
type Positions struct {
	tenantID, deviceID string
	grant              drover.Grant
}

// MayReadPositions refuses a caller who may not read where a device was.
func MayReadPositions(p drover.Principal, a store.Access, deviceID string) (Positions, error) {
	if err := Readable(p, a); err != nil {
		return Positions{}, err
	}
	grant := GrantOf(p, a)
	if !grant.Positions() {
		return Positions{}, drover.Requires(drover.ScopePositions)
	}
	return Positions{tenantID: a.TenantID, deviceID: deviceID, grant: grant}, nil
}

// Owner is the tenant whose device it is.
func (l Positions) Owner() string { return l.tenantID }

// Window is a time of which positions are read: [From, To).
type Window struct {
	From, To    drover.Time
	Limit       int // zero is no limit
	WithSuspect bool
}

func (l Positions) window(w Window) history.Range {
	return history.Range{TenantID: l.tenantID, DeviceID: l.deviceID, From: w.From, To: w.To, Limit: w.Limit, WithSuspect: w.WithSuspect}
}

// Newest reads the newest position.
func (l Positions) Newest(ctx context.Context, from *store.Store) (drover.Position, error) {
	p, err := from.Fleet.LatestPosition(ctx, l.tenantID, l.deviceID)
	return l.grant.Position(p), err
}

// Read reads the positions of a window, oldest first.
func (l Positions) Read(ctx context.Context, from *store.Store, w Window) ([]drover.StoredPosition, error) {
	stored, err := from.History.Positions(ctx, l.window(w))
	return l.shown(stored), err
}

// Chunk reads some of the positions of a window, and from when on the others are.
func (l Positions) Chunk(ctx context.Context, from *store.Store, w Window) ([]drover.StoredPosition, drover.Time, error) {
	stored, next, err := from.History.Chunk(ctx, l.window(w))
	return l.shown(stored), next, err
}

// NewestPositions reads the newest positions of the devices of which the caller may read them: the
// statement asks for the scope, by who asks.
func NewestPositions(ctx context.Context, from *store.Store, p drover.Principal, f drover.NewestFilter) (store.Newest, error) {
	return from.NewestPositions(ctx, p.TenantID, f)
}

// shown leaves out who drove where the caller may not know it.
func (l Positions) shown(stored []drover.StoredPosition) []drover.StoredPosition {
	if l.grant.Drivers() {
		return stored
	}
	for i := range stored {
		stored[i].DriverID = nil
	}
	return stored
}

// View gathers what the update record of a milestone of the device is made from.
func (l Positions) View(ctx context.Context, from *store.Store, t *track.Tracker, m store.Milestone) (milestone.View, error) {
	v, err := t.View(ctx, from.Fleet, from.History.Reader, m)
	if v.Latest != nil {
		latest := l.grant.Position(*v.Latest)
		v.Latest = &latest
	}
	return v, err
}

// Predictions lists the predictions of a milestone of the device after a time.
func (l Positions) Predictions(
	ctx context.Context,
	from *store.Store,
	m store.Milestone,
	after drover.Time,
	limit int,
) ([]store.Prediction, error) {
	return from.Trips.Predictions(ctx, m.TenantID, m.ID, after, limit)
}
