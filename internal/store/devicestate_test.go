package store_test

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// TestDevicesReporting counts the devices that have reported in the last 24 hours,
// to the millisecond.
func TestDevicesReporting(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		now := drover.At(noon.Add(17 * time.Minute))
		var states []*store.DeviceState
		for _, ago := range []time.Duration{
			-time.Minute, 0, time.Hour, 24*time.Hour - time.Millisecond, 24 * time.Hour,
			24*time.Hour + time.Minute, 25 * time.Hour, 48 * time.Hour,
		} {
			states = append(states, &store.DeviceState{DeviceID: f.addDevice().ID, Latest: &drover.Position{Time: drover.At(now.Add(-ago))}})
		}
		f.update(func(tx *store.Tx) error { return tx.Fleet.SetDeviceStates(ctx, f.own, states) })
		inactive := drover.Device{ID: store.NewID(), ConnectionID: f.connection, SystemDeviceID: "retired", Tags: []string{}}
		f.update(func(tx *store.Tx) error { return tx.Fleet.AddDevice(ctx, f.own, inactive, noon) })
		account := must[drover.AccountSummary](f.t)(f.Fleet.AccountSummary(ctx, f.own, now))
		check(f.t, account.Devices, drover.DeviceCounts{Total: 9, Active: 8, Reporting24h: 4})
		other := must[drover.AccountSummary](f.t)(f.Fleet.AccountSummary(ctx, f.other, now))
		check(f.t, other.Devices, drover.DeviceCounts{})
	})
}

// TestDeviceStatesAreFound changes a state step by step as batches of positions do,
// and looks for the device after each: by its hour and by its trip under way.
func TestDeviceStatesAreFound(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx, device := f.t.Context(), f.addDevice().ID
		at := func(minute int) *drover.Time { return new(drover.At(noon.Add(time.Duration(minute) * time.Minute))) }
		steps := []struct {
			latest, due *drover.Time
		}{
			{at(0), nil},
			{at(1), nil},
			{at(2), at(10)},
			{at(3), at(10)},
			{at(59), at(70)},
			{at(60), at(70)},
			{at(61), nil},
			{at(3), at(5)},
			{nil, nil},
			{at(125), at(130)},
		}
		for i, step := range steps {
			f.update(func(tx *store.Tx) error {
				states, err := tx.Fleet.DeviceStates(ctx, f.own, []string{device})
				if err != nil {
					return err
				}
				state := states[device]
				if state == nil {
					state = &store.DeviceState{DeviceID: device}
				}
				state.Latest, state.TripDue, state.TripState = nil, step.due, []byte{byte(i)}
				if step.latest != nil {
					state.Latest = &drover.Position{Time: *step.latest, Latitude: float64(i)}
				}
				return tx.Fleet.SetDeviceStates(ctx, f.own, []*store.DeviceState{state})
			})
			read := must[*store.DeviceState](f.t)(f.Fleet.LatestState(ctx, f.own, device))
			check(f.t, read.TripState, []byte{byte(i)})
			check(f.t, read.TripDue, step.due)
			check(f.t, f.tripDue(device, drover.At(noon.Add(24*time.Hour))), step.due != nil)
			if step.due != nil {
				check(f.t, f.tripDue(device, drover.At(step.due.Add(-time.Millisecond))), false)
			}
			now := drover.At(noon.Add(24*time.Hour + time.Minute))
			reporting := 0
			if step.latest != nil {
				check(f.t, read.Latest, &drover.Position{Time: *step.latest, Latitude: float64(i)})
				if step.latest.After(now.Add(-24 * time.Hour)) {
					reporting = 1
				}
			}
			check(f.t, must[drover.AccountSummary](f.t)(f.Fleet.AccountSummary(ctx, f.own, now)).Devices.Reporting24h, reporting)
		}
	})
}

// tripDue reports whether the trip under way of a device is found to have ended.
func (f fixture) tripDue(device string, now drover.Time) (found bool) {
	f.t.Helper()
	f.update(func(tx *store.Tx) error {
		states, err := tx.Fleet.DueTrips(f.t.Context(), f.own, f.connection, now, 10)
		found = len(states) == 1 && states[0].DeviceID == device
		return err
	})
	return found
}
