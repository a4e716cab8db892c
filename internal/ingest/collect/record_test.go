package collect_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/collect"
	"github.com/drover-fleet/drover/internal/provider/vendors/push"
	"github.com/drover-fleet/drover/internal/store"
)

// pushed is a connection that records are sent to.
func (r *rig) pushed(with ...func(*drover.ConnectionInput)) drover.Connection {
	r.t.Helper()
	r.options.Providers[push.Info.Name] = push.Info
	with = append([]func(*drover.ConnectionInput){func(in *drover.ConnectionInput) { in.CollectionStartTime = nil }}, with...)
	return r.connect(push.Info.Name, noon, map[string]string{}, with...)
}

// drive is a journey of a device that ends with a stop, a position a minute.
func drive(device string, from time.Time, minutes int) (records []drover.Record) {
	for i := range minutes {
		at, speed := from.Add(time.Duration(i)*time.Minute), 50.0
		if i == minutes-1 {
			speed = 0
		}
		records = append(records, drover.Record{
			Type: drover.RecordPosition, SystemDeviceID: device, Timestamp: new(drover.At(at)),
			Latitude: new(-37.5 + 0.0075*at.Sub(noon).Minutes()), Longitude: new(144.9),
			Speed: &drover.Speed{SpeedKPH: speed}, Ignition: new(speed > 0),
		})
	}
	return records
}

// send sends records, and counts what became of them.
func (r *rig) send(c *collect.Collector, conn drover.Connection, records []drover.Record) drover.RecordResult {
	r.t.Helper()
	outcomes, err := c.Take(r.t.Context(), conn.TenantID, conn.ID, records)
	if err != nil {
		r.t.Fatal(err)
	}
	return drover.NewRecordResult(outcomes)
}

// TestRecordsBecomeTrips sends the positions of a journey, whose trip ends with the silence
// after it, as with any vendor. The health says in words how long nothing has come.
func TestRecordsBecomeTrips(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		conn := r.pushed()
		r.run()
		h := r.health(conn)
		if h.State != drover.ConnectionPending || h.Message == nil || !strings.HasPrefix(*h.Message, "No record has come yet") {
			t.Errorf("before the first record the health is %+v", h)
		}
		records := drive("truck", noon.Add(-20*time.Minute), 20)
		if got := r.send(r.collector, conn, records); got.Stored != 20 {
			t.Fatalf("%d of 20 positions are stored: %+v", got.Stored, got)
		}
		if got := r.send(r.collector, conn, records); got.Known != 20 {
			t.Errorf("%d of 20 positions are known: %+v", got.Known, got)
		}
		if n := len(r.announced()); n != 20 {
			t.Errorf("%d positions are announced, want 20", n)
		}
		if h := r.health(conn); h.State != drover.ConnectionHealthy || h.Message != nil || h.Acts != nil {
			t.Errorf("after the first record the health is %+v", h)
		}
		r.pass(90 * time.Minute)
		if trips := r.trips(drover.TripFilter{}); len(trips) != 1 || trips[0].EndTime.IsZero() {
			t.Errorf("the trips are %+v", trips)
		}
		if d := r.devices(conn)["truck"]; !d.Active {
			t.Error("a device that no one lists is not active any more")
		}
		h = r.health(conn)
		if h.State != drover.ConnectionHealthy || h.Message == nil || *h.Message !=
			"Silent since "+drover.At(noon).String()+": no record has come since then. Nothing is polled." || h.Acts != nil {
			t.Errorf("after the silence the health is %+v", h)
		}
		r.pass(23 * time.Hour)
		if h := r.health(conn); h.Acts == nil || *h.Acts != drover.PartyFleet {
			t.Errorf("after a day of silence the health is %+v", h)
		}
	})
}

// TestRecordsOfThePastAreSilent holds that a past that is sent becomes trips, and no one is
// notified of it.
func TestRecordsOfThePastAreSilent(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		conn := r.pushed()
		past := append(drive("truck", noon.AddDate(0, 0, -3), 20), drive("truck", noon.AddDate(0, 0, -2), 1)...)
		for i := range past { // where it was then is not where the formula puts it
			past[i].Latitude = new(-37.5 + 0.0075*float64(min(i, 19)-40))
		}
		if got := r.send(r.collector, conn, append(past, drive("truck", noon.Add(-20*time.Minute), 5)...)); got.Stored != 26 {
			t.Fatalf("%d of 26 positions are stored: %+v", got.Stored, got)
		}
		if n := len(r.announced()); n != 5 {
			t.Errorf("%d positions are announced, want the 5 of today", n)
		}
		if trips := r.trips(drover.TripFilter{}); len(trips) != 1 || len(r.events(drover.EventTripCompleted)) != 0 {
			t.Errorf("the trips are %+v, with %d events", trips, len(r.events(drover.EventTripCompleted)))
		}
	})
}

// TestRecordsOutsideOfTheWindow are refused with the reason, beyond the account's limit of
// devices too.
func TestRecordsOutsideOfTheWindow(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		conn := r.pushed(func(in *drover.ConnectionInput) { in.CollectionStartTime = new(drover.At(noon.Add(-10 * time.Minute))) })
		got := r.send(r.collector, conn, drive("truck", noon.Add(-20*time.Minute), 20))
		if got.Stored != 10 || got.Refused != 10 || *got.Records[0].Reason != "it is before the connection's collection_start_time" {
			t.Errorf("got %+v", got)
		}
		r.update(func(ctx context.Context, tx *store.Tx) error {
			return tx.Accounts.SetLimit(ctx, r.principal.TenantID, drover.QuotaDevices, 1)
		})
		for _, record := range []drover.Record{
			drive("van", noon.Add(-time.Minute), 1)[0],
			{Type: drover.RecordDevice, SystemDeviceID: "van"},
			{
				Type: drover.RecordReading, SystemDeviceID: "van", Kind: new(drover.ReadingOdometer), Timestamp: new(drover.At(noon)),
				Value: new(1.0),
			},
		} {
			got := r.send(r.collector, conn, []drover.Record{record})
			if got.Refused != 1 || *got.Records[0].Reason != "the account's limit of devices is reached" {
				t.Errorf("a %s beyond the limit: %+v", record.Type, got)
			}
		}
		trip := drover.Record{
			Type: drover.RecordTrip, SystemDeviceID: "truck", SystemTripID: new("1"), StartTime: new(drover.At(noon)), EndTime: new(drover.At(noon)),
		}
		if got := r.send(r.collector, conn, []drover.Record{trip}); got.Refused != 1 {
			t.Errorf("a connection that derives trips takes one: %+v", got)
		}
	})
}

// TestRecordsOfTwoProcesses sends the same batches to two processes at once: each record is
// stored and announced once.
func TestRecordsOfTwoProcesses(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		conn := r.pushed()
		var all sync.WaitGroup
		var mu sync.Mutex
		var sum drover.RecordResult
		for i := range 4 {
			c := r.another(fmt.Sprint(i % 2))
			all.Go(func() {
				for n := range 5 {
					outcomes, err := c.Take(t.Context(), conn.TenantID, conn.ID, drive("truck", noon.Add(time.Duration(n-10)*10*time.Minute), 10))
					if err != nil {
						t.Error(err)
					}
					got := drover.NewRecordResult(outcomes)
					mu.Lock()
					sum.Stored, sum.Known, sum.Refused = sum.Stored+got.Stored, sum.Known+got.Known, sum.Refused+got.Refused
					mu.Unlock()
				}
			})
		}
		all.Wait()
		if sum.Stored != 50 || sum.Known != 150 || sum.Refused != 0 {
			t.Errorf("of 4 times 50 records %d are stored, %d known and %d refused", sum.Stored, sum.Known, sum.Refused)
		}
		if devices := r.devices(conn); len(devices) != 1 || len(r.positions(devices["truck"].ID)) != 50 {
			t.Errorf("there are %d devices", len(devices))
		}
		if n := len(r.announced()); n != 50 {
			t.Errorf("%d positions are announced, want 50", n)
		}
	})
}

// TestRecordsOfReadings come without a position, late ones too.
func TestRecordsOfReadings(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		conn := r.pushed()
		at := func(minutes int, metres float64) drover.Record {
			return drover.Record{
				Type: drover.RecordReading, SystemDeviceID: "truck", Kind: new(drover.ReadingOdometer), Value: &metres,
				Timestamp: new(drover.At(noon.Add(time.Duration(minutes) * time.Minute))),
			}
		}
		records := []drover.Record{at(-60, 1000), at(-1, 90_000), at(-30, 50_000)}
		if got := r.send(r.collector, conn, records); got.Stored != 3 {
			t.Errorf("got %+v", got)
		}
		if got := r.send(r.collector, conn, []drover.Record{at(-45, 30_000)}); got.Stored != 1 {
			t.Errorf("a late one: %+v", got)
		}
		if got := r.send(r.collector, conn, append(records, at(-45, 30_000))); got.Known != 4 {
			t.Errorf("again: %+v", got)
		}
	})
}
