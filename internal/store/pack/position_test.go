package pack_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/pack"
)

// newest are positions as devices have them.
func newest() map[string]drover.Position {
	at := drover.At(time.Date(2026, 5, 4, 12, 0, 0, 250_000_000, time.UTC))
	return map[string]drover.Position{
		"Least": {Time: at, Latitude: 48.5, Longitude: -11.25},
		"All": {
			Time: drover.Milli(-1), Latitude: 1e-9, Longitude: 1e21, Heading: new(0.0), SpeedKPH: new(71.5), DriverID: new("Jürgen"),
			Ignition: new(true), Auxiliary: new(false), OdometerMetres: new(1e9),
		},
		"NoDriverName": {Time: at, DriverID: new(""), Auxiliary: new(true)},
		"Off":          {Time: at, Ignition: new(false), SpeedKPH: new(0.0)},
	}
}

// TestPosition holds that what is stored with a device is read as it was.
func TestPosition(t *testing.T) {
	t.Parallel()
	var r pack.PositionReader
	for name, want := range newest() {
		got, err := r.Read(pack.AppendPosition(nil, &want))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// FuzzReadPosition holds that damage is an error or another position, and that whatever
// is read is written again to be read the same.
func FuzzReadPosition(f *testing.F) {
	for _, p := range newest() {
		f.Add(pack.AppendPosition(nil, &p))
	}
	for _, broken := range [][]byte{nil, {0}, {1}, {2, 0, 0}, append(pack.AppendPosition(nil, &drover.Position{}), 0)} {
		if p, err := pack.ReadPosition(broken); err == nil {
			f.Errorf("%x is read as %+v", broken, p)
		}
		f.Add(broken)
	}
	f.Fuzz(func(t *testing.T, stored []byte) {
		p, err := pack.ReadPosition(stored)
		if err != nil {
			return
		}
		again, err := pack.ReadPosition(pack.AppendPosition(nil, &p))
		if diff := cmp.Diff(p, again, cmp.Comparer(func(a, b float64) bool { return a == b || a != a && b != b })); diff != "" || err != nil {
			t.Errorf("%x: %v (-first +second):\n%s", stored, err, diff)
		}
	})
}
