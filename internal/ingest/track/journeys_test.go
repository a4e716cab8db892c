package track_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/arrival"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// A journey that has arrived teaches, with how far its predictions were off, and the
// next one on the same way is predicted by it.
func TestArrivalTeaches(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		for minutes := 0.0; minutes <= 40; minutes++ { // half as fast as is assumed
			kph := 30.0
			if minutes == 40 {
				kph = 0
			}
			r.receive(withSpeed(seen(minutes, minutes*500), kph))
			r.at(minutes)
		}
		texts, err := r.store.History.JourneysOf(r.t.Context(), r.m.TenantID, r.m.DeviceID, history.MilestoneJourney, 10)
		if err != nil || len(texts) != 1 {
			r.t.Fatalf("%d journeys, %v", len(texts), err)
		}
		var j arrival.Journey
		if err := json.Unmarshal(texts[0], &j); err != nil {
			r.t.Fatal(err)
		}
		if got := j.StraightMetres(); math.Abs(got-19_500) > 600 {
			r.t.Errorf("the way leads %v m", got)
		}
		if n := len(j.Outcomes); n < 5 || n > 8 {
			r.t.Errorf("%d outcomes", n)
		}
		late := 0
		for _, o := range j.Outcomes {
			if o.LogRatio > 0 {
				late++
			}
			if o.Metres < 1000 || o.Metres > 20_000 {
				r.t.Errorf("an outcome %v m before the end", o.Metres)
			}
		}
		if late == 0 {
			r.t.Error("a slow journey was never later than predicted")
		}
		for _, p := range r.predictions() {
			if p.P10 == nil || p.P90 == nil || p.P10.After(p.ETA.Time) || p.P90.Before(p.ETA.Time) {
				r.t.Errorf("predicted %+v", p)
			}
		}
	})
}

// Journeys of one device are kept up to a number, and kept apart from those of the
// other devices of its connection and of its tenant.
func TestJourneysAreKept(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		ctx := r.t.Context()
		r.update(func(tx *store.Tx) error {
			for i := range 5 {
				j := history.Journey{
					DeviceID: r.m.DeviceID, Kind: history.TripJourney, StartedAt: drover.Milli(int64(i) * 1000),
					Lessons: json.RawMessage{byte('0' + i)},
				}
				if err := tx.History.AddJourney(ctx, r.m.TenantID, j, 3); err != nil {
					return err
				}
			}
			return tx.History.DropJourney(ctx, r.m.TenantID, r.m.DeviceID, history.TripJourney, drover.Milli(3000))
		})
		own, err := r.store.History.JourneysOf(ctx, r.m.TenantID, r.m.DeviceID, history.TripJourney, 10)
		if err != nil || len(own) != 2 || string(own[0]) != "4" || string(own[1]) != "2" {
			r.t.Errorf("own journeys are %s, %v", own, err)
		}
		if limited, err := r.store.History.JourneysOf(ctx, r.m.TenantID, r.m.DeviceID, history.TripJourney, 1); err != nil || len(limited) != 1 {
			r.t.Errorf("limited to one: %s, %v", limited, err)
		}
		for _, list := range []func() ([]json.RawMessage, error){
			func() ([]json.RawMessage, error) {
				return r.store.History.JourneysOf(ctx, r.m.TenantID, r.m.DeviceID, history.MilestoneJourney, 10)
			},
			func() ([]json.RawMessage, error) {
				return r.store.History.JourneysOf(ctx, store.NewID(), r.m.DeviceID, history.TripJourney, 10)
			},
			func() ([]json.RawMessage, error) {
				return r.store.History.JourneysBeside(ctx, r.m.TenantID, r.m.DeviceID, history.TripJourney, 10)
			},
			func() ([]json.RawMessage, error) {
				return r.store.History.JourneysElsewhere(ctx, r.m.TenantID, r.m.DeviceID, history.TripJourney, 10)
			},
		} {
			if got, err := list(); err != nil || len(got) != 0 {
				r.t.Errorf("others' journeys are %s, %v", got, err)
			}
		}
		other := drover.Device{ID: store.NewID(), SystemDeviceID: "other"}
		r.update(func(tx *store.Tx) error {
			d, err := tx.Fleet.Device(ctx, r.m.TenantID, r.m.DeviceID)
			if err != nil {
				return err
			}
			other.ConnectionID = d.ConnectionID
			if err := tx.Fleet.AddDevice(ctx, r.m.TenantID, other, drover.At(epoch)); err != nil {
				return err
			}
			return tx.History.AddJourney(ctx, r.m.TenantID, history.Journey{
				DeviceID: other.ID, Kind: history.TripJourney,
				StartedAt: drover.Milli(9), Lessons: json.RawMessage("9"),
			}, 3)
		})
		if beside, err := r.store.History.JourneysBeside(ctx, r.m.TenantID, r.m.DeviceID, history.TripJourney, 10); err != nil ||
			len(beside) != 1 || string(beside[0]) != "9" {
			r.t.Errorf("beside it: %s, %v", beside, err)
		}
	})
}
