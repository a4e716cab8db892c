package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// TestNewestOfManyDevices reads a fleet that comes in several batches: own devices and
// shared ones in one order, each with its own values, and shared ones without drivers.
func TestNewestOfManyDevices(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		const devices = 1100
		shared := drover.Connection{
			ID: store.NewID(), TenantID: f.other, IntegrationName: drover.Traccar, BusinessName: "shared", Active: true,
			CollectionStartTime: noon,
		}
		f.update(func(tx *store.Tx) error {
			offer := drover.Share{ID: store.NewID(), ConnectionID: shared.ID, OwnerTenantID: f.other, TenantID: f.own, CreatedAt: noon}
			return errors.Join(tx.Fleet.AddConnection(ctx, shared, []byte("sealed"), noon),
				tx.Shares.AddShare(ctx, offer, drover.GrantRecords|drover.GrantPositions), tx.Shares.AcceptShare(ctx, offer, noon))
		})
		var want []store.NewestPosition
		fleets, states := map[string][]drover.Device{}, map[string][]*store.DeviceState{}
		for i := range devices {
			tenant, connection := f.own, f.connection
			if i%3 == 0 {
				tenant, connection = f.other, shared.ID
			}
			name := fmt.Sprint("Truck ", i)
			n := store.NewestPosition{DeviceID: store.NewID(), ConnectionID: connection}
			if i%5 > 0 {
				n.Description, n.Registration = new("Lkw „"+name+"“"), &name
			}
			fleets[tenant] = append(fleets[tenant],
				drover.Device{
					ID: n.DeviceID, ConnectionID: connection, SystemDeviceID: name, Description: n.Description,
					Registration: n.Registration, Active: true, Tags: []string{},
				})
			if i%7 > 0 {
				n.State, n.StateSince = drover.DeviceDriving, new(drover.Milli(noon.UnixMilli()+int64(i)))
				p := drover.Position{Time: drover.Milli(noon.UnixMilli() + 2*int64(i)), Latitude: float64(i) / 1000, Longitude: -float64(i) / 999}
				if i%2 > 0 {
					p.Heading, p.SpeedKPH, p.OdometerMetres = new(float64(i%360)), new(float64(i)/10), new(float64(i)*1000.5)
					p.Ignition, p.Auxiliary, p.DriverID = new(i%4 == 1), new(i%4 == 3), new("D "+name)
				}
				stored := p
				states[tenant] = append(states[tenant], &store.DeviceState{
					DeviceID: n.DeviceID, State: n.State, StateSince: n.StateSince,
					Latest: &stored,
				})
				if tenant == f.other {
					p.DriverID = nil
				}
				n.Position = &p
			}
			want = append(want, n)
		}
		for tenant, fleet := range fleets {
			f.update(func(tx *store.Tx) error {
				return errors.Join(tx.Fleet.AddDevices(ctx, tenant, fleet, noon), tx.Fleet.SetDeviceStates(ctx, tenant, states[tenant]))
			})
		}
		check(f.t, must[store.Newest](f.t)(f.NewestPositions(ctx, f.own, drover.NewestFilter{})).Devices, want)
		some := []string{want[1099].DeviceID, want[3].DeviceID, want[4].DeviceID}
		check(f.t, must[store.Newest](f.t)(f.NewestPositions(ctx, f.own, drover.NewestFilter{DeviceIDs: some})).Devices,
			[]store.NewestPosition{want[3], want[4], want[1099]})
		f.update(func(tx *store.Tx) error {
			return tx.Accounts.TagConnection(ctx, f.own, f.connection, []string{"red", "north"})
		})
		f.update(func(tx *store.Tx) error {
			return tx.Accounts.TagConnection(ctx, f.other, shared.ID, []string{"red", "south"})
		})
		for tag, of := range map[string][]string{"red": {f.connection, shared.ID}, "north": {f.connection}, "south": {shared.ID}, "west": nil} {
			var tagged []store.NewestPosition
			for _, n := range want {
				if slices.Contains(of, n.ConnectionID) {
					tagged = append(tagged, n)
				}
			}
			check(f.t, must[store.Newest](f.t)(f.NewestPositions(ctx, f.own, drover.NewestFilter{Tags: []string{tag}})).Devices, tagged)
		}
	})
}
