package track

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
)

// dueTrips bounds the trips that one transaction ends.
const dueTrips = 200

// CloseTrips ends the trips of devices that have fallen silent, and returns the
// events about them. The positions must have been read up to now, so that silence
// is known.
func (t *Tracker) CloseTrips(ctx context.Context, tx *store.Tx, from Source) ([]drover.Event, error) {
	if from.NativeTrips {
		return nil, nil
	}
	states, err := tx.Fleet.DueTrips(ctx, from.TenantID, from.ConnectionID, drover.At(t.Now()), dueTrips)
	if err != nil {
		return nil, err
	}
	if len(states) == 0 {
		return nil, nil
	}
	ids := make([]string, len(states))
	for i, state := range states {
		ids[i] = state.DeviceID
	}
	if from, err = from.with(ctx, tx.Accounts, ids); err != nil {
		return nil, err
	}
	var events []drover.Event
	devices := make([]*device, len(states))
	for i, state := range states {
		devices[i] = t.device(tx, from, state, false)
		if err := devices[i].closeTrip(ctx); err != nil {
			return nil, err
		}
		events = append(events, devices[i].events...)
	}
	if err := settle(ctx, tx, from.TenantID, devices...); err != nil {
		return nil, err
	}
	return events, tx.Fleet.SetDeviceStates(ctx, from.TenantID, states)
}

// closeTrip ends the trip under way.
func (d *device) closeTrip(ctx context.Context) error {
	var fold trip.State
	fold.Use(d.rules)
	err := fold.UnmarshalBinary(d.state.TripState)
	if errors.Is(err, trip.ErrVersion) {
		b, err := d.absorb(ctx, nil)
		if err != nil {
			return err
		}
		return d.tx.History.MarkPositions(ctx, d.source.TenantID, b.marks)
	}
	if err != nil {
		return fmt.Errorf("read the trip state: %w", err)
	}
	d.turned = true
	return d.apply(ctx, &fold, fold.Close(d.tracker.Now()))
}

// VendorTrip is a trip as the vendor reports it.
type VendorTrip struct {
	SystemTripID string
	trip.Facts
	// DriverID is who drove; where the vendor does not say, the positions may.
	DriverID *string
}

// StoreTrips stores the vendor's own trips, by device, and returns the events
// about them.
func (t *Tracker) StoreTrips(
	ctx context.Context,
	tx *store.Tx,
	from Source,
	byDevice map[string][]VendorTrip,
	silent bool,
) ([]drover.Event, error) {
	ids := slices.Sorted(maps.Keys(byDevice))
	states, err := deviceStates(ctx, tx.Fleet, from.TenantID, ids)
	if err != nil {
		return nil, err
	}
	if from, err = from.with(ctx, tx.Accounts, ids); err != nil {
		return nil, err
	}
	var events []drover.Event
	var devices []*device
	touched := make([]*store.DeviceState, 0, len(ids))
	for _, id := range ids {
		d := t.device(tx, from, states[id], silent)
		for _, v := range byDevice[id] {
			if err := d.put(ctx, found{
				Trip: newTrip(v.SystemTripID, v.Facts), driver: v.DriverID,
				unnamed: v.DriverID == nil && from.Drivers,
			}); err != nil {
				return nil, err
			}
		}
		devices, touched = append(devices, d), append(touched, d.state)
		events = append(events, d.events...)
	}
	if err := settle(ctx, tx, from.TenantID, devices...); err != nil {
		return nil, err
	}
	return events, tx.Fleet.SetDeviceStates(ctx, from.TenantID, touched)
}
