package store_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// faultOf is an open fault of a device.
func faultOf(d drover.Device, code string) store.Fault {
	return store.Fault{Key: "obd " + code, Fault: drover.Fault{
		ID: store.NewID(), DeviceID: d.ID, ConnectionID: d.ConnectionID, Protocol: drover.FaultOBD, Code: code, Lamps: []drover.Lamp{},
		Status: drover.FaultOpen, FirstSeenAt: noon, LastSeenAt: noon,
	}}
}

// over ends a fault.
func over(f store.Fault, at drover.Time) store.Fault {
	f.Status, f.ClosedAt, f.ClosedBy, f.SilentDue = drover.FaultClosed, &at, new(drover.ClosedByAbsence), nil
	return f
}

func (f fixture) setFaults(list ...store.Fault) {
	f.t.Helper()
	f.update(func(tx *store.Tx) error { return tx.Vehicles.SetFaults(f.t.Context(), f.own, list) })
}

func TestFaults(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx, d, e := f.t.Context(), f.addDevice("cold"), f.addDevice()
		full := faultOf(d, "SPN 3031 FMI 9")
		full.Protocol, full.SPN, full.FMI, full.SourceAddress = drover.FaultJ1939, new(int64(3031)), new(int64(9)), new(int64(0))
		full.Description, full.Severity, full.Occurrences = new("words"), new(drover.FaultHigh), new(int64(3))
		full.Lamps, full.SilentDue = []drover.Lamp{drover.LampAmber, drover.LampRedStop}, new(after(60))
		second, third := faultOf(d, "P0420"), faultOf(e, "P0420")
		f.setFaults(full, second, third)
		f.update(func(tx *store.Tx) error {
			got, err := tx.Vehicles.FaultsOf(ctx, f.own, []string{d.ID}, []string{"obd P0420"})
			want := []store.Fault{full, second}
			want[0].TenantID, want[1].TenantID = f.own, f.own
			check(f.t, got, want)
			return err
		})
		second = over(second, after(30))
		f.setFaults(second)
		list := func(asker string, filter drover.FaultFilter, after string, limit int) (codes []string) {
			f.t.Helper()
			for _, found := range must[[]drover.Fault](f.t)(f.Vehicles.Faults(ctx, asker, filter, after, limit)) {
				codes = append(codes, found.Code+" "+string(found.Status))
			}
			return codes
		}
		all := []string{"SPN 3031 FMI 9 open", "P0420 closed", "P0420 open"}
		check(f.t, list(f.own, drover.FaultFilter{}, "", 10), all)
		check(f.t, list(f.own, drover.FaultFilter{}, "", 2), all[:2])
		newest := must[[]drover.Fault](f.t)(f.Vehicles.Faults(ctx, f.own, drover.FaultFilter{Newest: true}, "", 2))
		check(f.t, []string{newest[0].ID, newest[1].ID}, []string{third.ID, second.ID})
		check(f.t, list(f.own, drover.FaultFilter{Newest: true}, second.ID, 10), all[:1])
		check(f.t, list(f.own, drover.FaultFilter{}, second.ID, 10), all[2:])
		check(f.t, list(f.own, drover.FaultFilter{DeviceIDs: []string{d.ID, "x"}}, "", 10), all[:2])
		check(f.t, list(f.own, drover.FaultFilter{ConnectionIDs: []string{f.connection}}, "", 10), all)
		check(f.t, list(f.own, drover.FaultFilter{Tags: []string{"cold"}}, "", 10), all[:2])
		check(f.t, list(f.own, drover.FaultFilter{Statuses: []drover.FaultStatus{drover.FaultClosed}}, "", 10), all[1:2])
		check(f.t, list(f.own, drover.FaultFilter{Protocols: []drover.FaultProtocol{drover.FaultJ1939}}, "", 10), all[:1])
		check(f.t, list(f.own, drover.FaultFilter{Codes: []string{"P0420"}}, "", 10), all[1:])
		check(f.t, list(f.own, drover.FaultFilter{From: new(after(31))}, "", 10), []string{all[0], all[2]})
		check(f.t, list(f.own, drover.FaultFilter{From: new(after(30))}, "", 10), all)
		check(f.t, list(f.own, drover.FaultFilter{To: new(noon)}, "", 10), nil)
		check(f.t, list(f.other, drover.FaultFilter{}, "", 10), nil)

		covered := must[[]store.RecordCoverage](f.t)(f.Vehicles.FaultCoverage(ctx, f.own, f.connection, noon))
		check(f.t, covered, []store.RecordCoverage{{Field: "fault", Devices: 2, Newest: noon}})
		check(f.t, len(must[[]store.RecordCoverage](f.t)(f.Vehicles.FaultCoverage(ctx, f.other, f.connection, noon))), 0)

		f.share()
		check(f.t, list(f.other, drover.FaultFilter{}, "", 10), all)
		check(f.t, list(f.other, drover.FaultFilter{Tags: []string{"cold"}}, "", 10), all[:2])
		shared := must[store.Fault](f.t)(f.Vehicles.Fault(ctx, f.other, full.ID))
		check(f.t, shared.Shared, drover.FullGrant)
		full.TenantID = f.own
		own := must[store.Fault](f.t)(f.Vehicles.Fault(ctx, f.own, full.ID))
		own.Shared = 0
		check(f.t, own, full)

		f.update(func(tx *store.Tx) error {
			early := must[[]store.Fault](f.t)(tx.Vehicles.SilentFaults(ctx, f.own, f.connection, after(59), 10))
			due := must[[]store.Fault](f.t)(tx.Vehicles.SilentFaults(ctx, f.own, f.connection, after(60), 10))
			check(f.t, []int{len(early), len(due)}, []int{0, 1})
			return nil
		})
		forgotten := must[int64](f.t)(f.ForgetFaults(ctx, []history.Cut{{TenantID: f.own, Before: new(after(31))}, {TenantID: f.other}}))
		check(f.t, forgotten, 1)
		f.update(func(tx *store.Tx) error {
			more, err := tx.Vehicles.EraseFaults(ctx, f.own, d.ID)
			check(f.t, more, false)
			return err
		})
		check(f.t, list(f.own, drover.FaultFilter{}, "", 10), all[2:])
	})
}

// TestFaultsAreTrimmed keeps the newest of a device that has very many, and all that are open.
func TestFaultsAreTrimmed(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx, d := f.t.Context(), f.addDevice()
		open := faultOf(d, "open")
		list := []store.Fault{open}
		for i := range store.MaxFaults + 5 {
			list = append(list, over(faultOf(d, fmt.Sprint("P", i)), after(i)))
		}
		f.setFaults(list...)
		f.update(func(tx *store.Tx) error { return tx.Vehicles.TrimFaults(ctx, f.own, []string{d.ID}) })
		left := must[[]drover.Fault](f.t)(f.Vehicles.Faults(ctx, f.own, drover.FaultFilter{}, "", store.MaxFaults+10))
		check(f.t, len(left), store.MaxFaults)
		check(f.t, []string{left[0].Code, left[1].Code}, []string{"open", "P6"})
	})
}

// TestFaultsOfAShareWithoutReadings holds that a share without the scope shows none, nor that
// one has changed or is gone.
func TestFaultsOfAShareWithoutReadings(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx, d := f.t.Context(), f.addDevice()
		f.update(func(tx *store.Tx) error {
			s := drover.Share{ID: store.NewID(), ConnectionID: f.connection, OwnerTenantID: f.own, TenantID: f.other, CreatedAt: noon}
			return errors.Join(tx.Shares.AddShare(ctx, s, drover.FullGrant&^drover.GrantReadings), tx.Shares.AcceptShare(ctx, s, noon))
		})
		f.setFaults(faultOf(d, "P1"), faultOf(d, "P2"))
		check(f.t, len(must[[]drover.Fault](f.t)(f.Vehicles.Faults(ctx, f.other, drover.FaultFilter{}, "", 10))), 0)
		var own, others *drover.ChangeCursor
		expect := func() {
			f.t.Helper()
			// PostgreSQL shows changes once no older transaction of the server is under way.
			for seen := 0; seen < 2; {
				list := must[drover.ChangeList](f.t)(f.Fleet.Changes(ctx, f.own, drover.ChangedFaults, own, nil, 10))
				own, seen = &list.Next, seen+len(list.Changes)
			}
			list := must[drover.ChangeList](f.t)(f.Fleet.Changes(ctx, f.other, drover.ChangedFaults, others, nil, 10))
			check(f.t, len(list.Changes), 0)
			others = &list.Next
		}
		expect()
		f.update(func(tx *store.Tx) error {
			_, err := tx.Vehicles.EraseFaults(ctx, f.own, d.ID)
			return err
		})
		expect()
	})
}
