// Package track connects the rules of trips and milestones to the store: it reads what they need
// inside the transaction that stores positions, and writes their results. The rules themselves are
// in packages trip and milestone, without a database.
package track

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/arrival"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// Tracker applies the rules to stored devices and milestones.
type Tracker struct {
	Config milestone.Config
	Now    func() time.Time
	// Router knows the roads; nil where none is configured.
	Router Router
	// ReplayPage is how many stored positions a transaction judges again at most;
	// zero chooses.
	ReplayPage int
}

// Router finds the way between two points. It answers false where it cannot, or
// not in time.
type Router interface {
	Route(ctx context.Context, from, to drover.Coordinate) (arrival.Route, bool)
}

// Source is the connection whose data is tracked.
type Source struct {
	TenantID     string
	ConnectionID string
	// Poll is how often its positions are asked for.
	Poll time.Duration
	// NativeTrips says that the vendor reports the trips, so that none are derived.
	NativeTrips bool
	// Drivers says that the vendor's positions may name a driver.
	Drivers bool
	// TripRules are what was set for the connection; nil where nothing was.
	TripRules *drover.TripRules
	// TimeZone is what was set for the connection; nil where nothing was.
	TimeZone *string
	// set is what the tenant and its devices have set, by their ids.
	set map[string]drover.Settings
	// Oldest returns the time from which on positions are kept, zero where all
	// are. It is asked only where a device's trips are derived again.
	Oldest func(ctx context.Context, tx *store.Tx) (time.Time, error)
}

// Absorbed is what new positions brought about, stored but for the devices'
// states and the milestones.
type Absorbed struct {
	// Batch is what the milestones are judged by.
	Batch Batch
	// Events are about the trips, for everyone who sees the connection.
	Events []drover.Event
	// Ended is when the vendor may know of the ends of trips that the positions show: of the
	// last of them; zero where they show none.
	Ended  drover.Time
	states map[string]*store.DeviceState
}

// Absorb folds positions that were just stored, by device and oldest first:
// which of them are accepted, and what trips they make. Silent is for history
// that is filled in.
func (t *Tracker) Absorb(
	ctx context.Context,
	tx *store.Tx,
	from Source,
	added map[string][]drover.Position,
	silent bool,
) (Absorbed, error) {
	ids := slices.Sorted(maps.Keys(added))
	states, err := deviceStates(ctx, tx.Fleet, from.TenantID, ids)
	out := Absorbed{states: states, Batch: Batch{
		TenantID: from.TenantID, ConnectionID: from.ConnectionID, Silent: silent,
		Positions: map[string][]drover.Position{}, Withdrawn: map[string][]drover.Time{}, Before: map[string]drover.Time{},
	}}
	if err != nil {
		return out, err
	}
	if from, err = from.with(ctx, tx.Accounts, ids); err != nil {
		return out, err
	}
	var marks []history.Mark
	var touched []*device
	for _, id := range slices.Sorted(maps.Keys(states)) {
		d := t.device(tx, from, states[id], silent)
		if d.state.Latest != nil {
			out.Batch.Before[id] = d.state.Latest.Time
		}
		b, err := d.absorb(ctx, added[id])
		if err != nil {
			return out, err
		}
		if len(b.positions) > 0 {
			out.Batch.Positions[id] = b.positions
		}
		if len(b.withdrawn) > 0 {
			out.Batch.Withdrawn[id] = b.withdrawn
		}
		if d.stopped.After(out.Ended.Time) {
			out.Ended = d.stopped
		}
		marks, out.Events = append(marks, b.marks...), append(out.Events, d.events...)
		if d.touched != nil || d.turned || d.days != nil {
			touched = append(touched, d)
		}
	}
	if err := tx.History.MarkPositions(ctx, from.TenantID, marks); err != nil {
		return out, err
	}
	return out, settle(ctx, tx, from.TenantID, touched...)
}

// Keep stores the states of the devices.
func (f Absorbed) Keep(ctx context.Context, tx store.FleetTx) error {
	sorted := make([]*store.DeviceState, 0, len(f.states)) // neighbours lie together, and all processes lock them in one order
	for _, id := range slices.Sorted(maps.Keys(f.states)) {
		sorted = append(sorted, f.states[id])
	}
	return tx.SetDeviceStates(ctx, f.Batch.TenantID, sorted)
}

// deviceStates reads the states of devices; one that has none gets an empty one.
func deviceStates(ctx context.Context, tx store.FleetTx, tenantID string, ids []string) (map[string]*store.DeviceState, error) {
	states, err := tx.DeviceStates(ctx, tenantID, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if states[id] == nil {
			states[id] = &store.DeviceState{DeviceID: id}
		}
	}
	return states, nil
}
