package collect_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// TestBadReadings has counters that fall, jump, repeat and come in another unit, and levels above
// 100 % and below none: each value is kept once with the reason for which it is not believed, what is
// shown is believed, and the connection goes on.
func TestBadReadings(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("bad", noon.Add(-3*time.Hour), []string{"a"})
		r.run()
		records := []provider.Position{
			saying(noon.Add(-100*time.Minute), said(odometer, 100_000), said(fuel, 90)),
			saying(noon.Add(-90*time.Minute), said(odometer, 110_000), said(fuel, 150)),     // above 100 %
			saying(noon.Add(-80*time.Minute), said(odometer, 110_000), said(fuel, 88)),      // stands still
			saying(noon.Add(-70*time.Minute), said(odometer, 105_000), said(fuel, -1)),      // falls
			saying(noon.Add(-60*time.Minute), said(odometer, 120_000), said(fuel, 84)),      // and goes on
			saying(noon.Add(-50*time.Minute), said(odometer, 9_000_000), said(fuel, 8_400)), // jumps; in another unit
			saying(noon.Add(-40*time.Minute), said(odometer, 130_000), said(fuel, 80)),
			saying(noon.Add(-30*time.Minute), said(odometer, 135)), // kilometres
			saying(noon.Add(-20*time.Minute), said(odometer, 0)),   // not known
			saying(noon.Add(-10*time.Minute), said(odometer, 140_000), said(fuel, 78)),
		}
		device := r.devices(conn)["a"].ID
		for range 3 { // it comes again and again
			s.next(records...)
			r.clock.Advance(time.Minute)
			r.run()
			rows, err := r.fleet.Vehicles.Readings(t.Context(), r.principal, device, drover.ReadingHistoryFilter{
				From: drover.At(noon.Add(-3 * time.Hour)), Suspect: true,
			}, drover.ReadingTimeCursor{}, 1000)
			if err != nil {
				t.Fatal(err)
			}
			got := map[drover.ReadingKind][]string{}
			for _, row := range rows {
				why := "-"
				if row.Suspect != nil {
					why = *row.Suspect
				}
				got[row.Kind] = append(got[row.Kind], fmt.Sprintf("%g %s", row.Value, why))
			}
			want := map[drover.ReadingKind][]string{
				drover.ReadingOdometer: {
					"100000 -", "110000 -", "105000 backwards", "120000 -", "9e+06 jump", "130000 -", "135 backwards", "0 zero", "140000 -",
				},
				drover.ReadingFuelPercent: {"90 -", "150 range", "88 -", "-1 range", "84 -", "8400 range", "80 -", "78 -"},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("stored (-want +got):\n%s", diff)
			}
			shown := map[drover.ReadingKind]float64{drover.ReadingOdometer: 140_000, drover.ReadingFuelPercent: 78}
			if diff := cmp.Diff(shown, r.newest(device)); diff != "" {
				t.Errorf("shown (-want +got):\n%s", diff)
			}
		}
		r.expectState(conn, drover.ConnectionHealthy)
	})
}

// TestAssignmentsThatOverlap has a vendor whose trips of one vehicle overlap, with two drivers, and
// come again in another order: no two drive at once, and neither is lost.
func TestAssignmentsThatOverlap(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		info := r.stubInfo()
		info.Features.Drivers = true
		r.options.Providers[stubName] = info
		s, conn := r.stub("overlap", noon.Add(-6*time.Hour), []string{"a"}, native)
		s.drive(persons(0, 2)...)
		trip := func(id, driver string, from, to int) provider.Trip {
			at := func(minutes int) drover.Time { return drover.At(noon.Add(-time.Duration(minutes) * time.Minute)) }
			return provider.Trip{SystemDeviceID: "a", SystemTripID: id, DriverID: &driver, StartTime: at(from), EndTime: at(to)}
		}
		first, second, within := trip("1", "p00000", 240, 120), trip("2", "p00001", 180, 60), trip("3", "p00000", 100, 90)
		device := ""
		for i, trips := range [][]provider.Trip{{first, second, within}, {within, second, first}, {second, second, first}} {
			s.tripsNext(trips...)
			if r.run(); i == 0 {
				device = r.devices(conn)["a"].ID
			}
			r.pass(16 * time.Minute)
			list, err := r.fleet.Drivers.Assignments(t.Context(), r.principal, drover.AssignmentFilter{
				DeviceID: device, From: drover.At(noon.Add(-6 * time.Hour)),
			})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, a := range list {
				if a.DriverID == nil {
					t.Errorf("%s is not known", a.SystemDriverID)
				}
				got = append(got, fmt.Sprintf("%s %s to %s", a.SystemDriverID, noon.Sub(a.StartTime.Time), noon.Sub(a.EndTime.Time)))
			}
			want := []string{
				"p00000 4h0m0s to 3h0m0s", "p00001 3h0m0s to 1h40m0s", "p00000 1h40m0s to 1h30m0s", "p00001 1h30m0s to 1h0m0s",
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("round %d (-want +got):\n%s", i, diff)
			}
			r.expectState(conn, drover.ConnectionHealthy)
		}
	})
}
