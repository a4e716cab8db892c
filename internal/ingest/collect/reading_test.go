package collect_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

var (
	odometer = drover.ReadingSeries{Kind: drover.ReadingOdometer, Source: drover.SourceVehicle, NativeName: "odo"}
	fuel     = drover.ReadingSeries{Kind: drover.ReadingFuelPercent, NativeName: "fuel"}
)

// saying is a position of a device with readings of its own time.
func saying(t time.Time, readings ...provider.Reading) provider.Position {
	p := at("a", t, 48, 11)
	p.Readings = readings
	return p
}

func said(s drover.ReadingSeries, v float64) provider.Reading {
	return provider.Reading{ReadingSeries: s, Value: v}
}

// newest are the values that a device shows, by kind.
func (r *rig) newest(device string) map[drover.ReadingKind]float64 {
	r.t.Helper()
	list, err := r.fleet.Vehicles.DeviceReadings(r.t.Context(), r.principal, device)
	if err != nil {
		r.t.Fatal(err)
	}
	out := map[drover.ReadingKind]float64{}
	for _, reading := range list {
		out[reading.Kind] = reading.Value
	}
	return out
}

// readings are the stored values of a device, oldest first.
func (r *rig) readings(device string) []float64 {
	r.t.Helper()
	rows, err := r.store.Vehicles.Readings(r.t.Context(), store.ReadingRange{
		TenantID: r.principal.TenantID, DeviceID: device, From: drover.Milli(0), To: drover.At(noon.AddDate(1, 0, 0)), Limit: 10_000,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	var out []float64
	for _, row := range rows {
		out = append(out, row.Value)
	}
	return out
}

// TestReadings collects readings with positions: what comes twice or late, says nothing
// new, is no number, is from the future or lies outside of the collection.
func TestReadings(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("read", noon.Add(-time.Hour), []string{"a"}, endingAt(noon.Add(2*time.Hour)))
		r.run()
		device := r.devices(conn)["a"].ID
		ago := func(d time.Duration) time.Time { return noon.Add(-d) }
		give := func(records ...provider.Position) {
			s.next(records...)
			r.clock.Advance(time.Minute)
			r.run()
		}
		expect := func(what string, rows []float64, newest map[drover.ReadingKind]float64) {
			t.Helper()
			if diff := cmp.Diff(rows, r.readings(device)); diff != "" {
				t.Errorf("%s, stored (-want +got):\n%s", what, diff)
			}
			if diff := cmp.Diff(newest, r.newest(device)); diff != "" {
				t.Errorf("%s, newest (-want +got):\n%s", what, diff)
			}
		}
		first := []provider.Position{
			saying(ago(30*time.Minute), said(odometer, 100_000), said(fuel, 80)),
			saying(ago(29*time.Minute), said(odometer, 101_000), said(fuel, 80)), // not worth a row
			saying(ago(25*time.Minute), said(odometer, 104_000), said(fuel, 78), said(odometer, math.NaN())),
		}
		give(first...)
		rows, shown := []float64{100_000, 80, 104_000, 78},
			map[drover.ReadingKind]float64{drover.ReadingOdometer: 104_000, drover.ReadingFuelPercent: 78}
		expect("first", rows, shown)
		give(first...)
		expect("again", rows, shown)

		give(saying(ago(40*time.Minute), said(odometer, 90_000)), saying(ago(28*time.Minute), said(odometer, 102_000)))
		rows = append([]float64{90_000}, rows...) // the second came late and says nothing
		expect("late", rows, shown)

		give(saying(ago(2*time.Hour), said(odometer, 1)), saying(noon.Add(time.Hour), said(odometer, 999_999)))
		expect("not collected", rows, shown)

		// A position that is known may bring a reading that is new.
		parked := saying(ago(25*time.Minute), provider.Reading{ReadingSeries: fuel, Time: drover.At(ago(5 * time.Minute)), Value: 60})
		give(parked)
		rows, shown[drover.ReadingFuelPercent] = append(rows, 60), 60
		expect("of its own time", rows, shown)
		give(parked)
		expect("of its own time, again", rows, shown)

		give(saying(ago(4*time.Minute), said(odometer, 0)))
		rows = append(rows, 0)
		expect("zero", rows, shown)
	})
}

// TestReadingsByThemselves collects readings that come without a position: twice, late, of a
// device that is not listed yet, in other units, and without a time.
func TestReadingsByThemselves(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("loose", noon.Add(-time.Hour), []string{"a"})
		r.run()
		give := func(readings ...provider.DeviceReading) {
			s.nextSaid(readings...)
			r.clock.Advance(time.Minute)
			r.run()
		}
		ago := func(minutes int, of drover.ReadingSeries, v float64) provider.DeviceReading {
			at := drover.At(noon.Add(-time.Duration(minutes) * time.Minute))
			return provider.DeviceReading{SystemDeviceID: "a", Reading: provider.Reading{ReadingSeries: of, Time: at, Value: v}}
		}
		expect := func(what string, rows ...float64) {
			t.Helper()
			if diff := cmp.Diff(rows, r.readings(r.devices(conn)["a"].ID)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		give(ago(40, odometer, 100_000), ago(30, odometer, 104_000), ago(30, fuel, math.NaN()))
		expect("first", 100_000, 104_000)
		give(ago(40, odometer, 100_000), ago(30, odometer, 104_000))
		expect("again", 100_000, 104_000)
		give(ago(35, odometer, 102_000), ago(50, odometer, 90_000))
		expect("late", 90_000, 100_000, 102_000, 104_000)
		timeless := ago(0, odometer, 105_000)
		timeless.Time = drover.Time{}
		give(timeless, ago(61, odometer, 1), ago(-60, odometer, 999_999))
		expect("without a time, too old, ahead", 90_000, 100_000, 102_000, 104_000)
		other := ago(5, fuel, 60)
		other.SystemDeviceID = "b"
		give(other)
		if got := r.readings(r.devices(conn)["b"].ID); !slices.Equal(got, []float64{60}) {
			t.Errorf("of a device that was not listed: %v", got)
		}
		units := drover.Units{Odometer: new("km")}
		_, err := r.fleet.Connections.UpdateConnection(t.Context(), r.principal, conn.ID, drover.ConnectionUpdate{
			Configuration: drover.Some(drover.ConfigurationUpdate{Units: drover.Some(units)}),
		})
		if err != nil {
			t.Fatal(err)
		}
		give(ago(2, odometer, 110))
		if got := r.newest(r.devices(conn)["a"].ID)[drover.ReadingOdometer]; got != 110_000 {
			t.Errorf("in other units: %g, want 110000", got)
		}
	})
}

// TestReadingsInAnyOrder gives the same readings in any order and repetition: what is shown
// in the end is the same, and nothing is doubled.
func TestReadingsInAnyOrder(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		var all []provider.Position
		for i := range 60 {
			all = append(all, saying(noon.Add(-time.Duration(60-i)*time.Minute), said(odometer, float64(1000*i)+1)))
		}
		for seed := range uint64(4) {
			random := rand.New(rand.NewPCG(seed, 3)) //nolint:gosec // the same numbers each time
			s, conn := r.stub("order"+string(rune('0'+seed)), noon.Add(-2*time.Hour), []string{"a"})
			r.run()
			records := slices.Concat(all, all[:20])
			random.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
			for chunk := range slices.Chunk(records, 1+random.IntN(30)) {
				s.next(chunk...)
				r.clock.Advance(time.Minute)
				r.run()
			}
			device := r.devices(conn)["a"].ID
			if got := r.newest(device)[drover.ReadingOdometer]; got != 59_001 {
				t.Errorf("seed %d: shows %g, want 59001", seed, got)
			}
			rows := r.readings(device)
			if !slices.IsSorted(rows) || len(slices.Compact(slices.Clone(rows))) != len(rows) || len(rows) < 12 || len(rows) > 60 {
				t.Errorf("seed %d: stored %v", seed, rows)
			}
		}
	})
}

// TestTooManyInstruments has a vendor that names each reading otherwise: the device keeps
// some, and the connection goes on.
func TestTooManyInstruments(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("many", noon.Add(-time.Hour), []string{"a"})
		r.run()
		var readings []provider.Reading
		for i := range 100 {
			probe := drover.ReadingSeries{Kind: drover.ReadingProbe, Channel: string(rune('A' + i)), NativeName: "t"}
			readings = append(readings, said(probe, 4))
		}
		s.next(saying(noon.Add(-time.Minute), readings...))
		r.clock.Advance(time.Minute)
		r.run()
		if got := len(r.readings(r.devices(conn)["a"].ID)); got != 64 {
			t.Errorf("%d series, want 64", got)
		}
		r.expectState(conn, drover.ConnectionHealthy)
	})
}

// TestReadingsInOtherUnits reads the odometer as a person has found it to be.
func TestReadingsInOtherUnits(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("units", noon.Add(-time.Hour), []string{"a"})
		units := drover.Units{Odometer: new("km")}
		_, err := r.fleet.Connections.UpdateConnection(t.Context(), r.principal, conn.ID, drover.ConnectionUpdate{
			Configuration: drover.Some(drover.ConfigurationUpdate{Units: drover.Some(units)}),
		})
		if err != nil {
			t.Fatal(err)
		}
		r.run()
		s.next(saying(noon.Add(-time.Minute), said(odometer, 104), said(fuel, 50)))
		r.clock.Advance(time.Minute)
		r.run()
		want := map[drover.ReadingKind]float64{drover.ReadingOdometer: 104_000, drover.ReadingFuelPercent: 50}
		if diff := cmp.Diff(want, r.newest(r.devices(conn)["a"].ID)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
