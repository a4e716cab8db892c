package api

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
)

// FuzzColumns holds the writing by hand to encoding/json, byte by byte.
func FuzzColumns(f *testing.F) {
	for _, text := range []string{
		"", "Truck 12", `a "quoted" \ name`, "<b>&amp;</b>", "Jürgen", "line\nbreak\t\x00\x1f\x7f", "\u2028\u2029",
		"\xff broken \xc3",
	} {
		for _, n := range []float64{
			0, math.Copysign(0, -1), 1, -11.25, 48.137154, 1e-6, 9.99e-7, -1e-9, 1e20, 1e21, -3e300,
			math.SmallestNonzeroFloat64, math.MaxFloat64,
		} {
			f.Add(text, n, int64(1714644870250), true)
			f.Add(text, n, int64(-1), false)
		}
	}
	f.Fuzz(func(t *testing.T, text string, n float64, ms int64, known bool) {
		at := drover.Milli(ms)
		if math.IsNaN(n) || math.IsInf(n, 0) || at.Year() < 0 || at.Year() > 9999 {
			return // no position has them
		}
		full := drover.NewestPosition{
			DeviceID: text, ConnectionID: text, Description: &text, Registration: &text,
			DeviceStatus: drover.DeviceStatus{State: drover.DeviceState(text), StateSince: &at},
			Position: &drover.DetailedPosition{
				CurrentPosition: drover.CurrentPosition{
					Timestamp: at, Longitude: n, Latitude: -n, Heading: &n, Speed: &drover.Speed{SpeedKPH: n},
					DriverID: drover.NewDriverID(&text),
				},
				Ignition: &known, Auxiliary: &known, OdometerMetres: &n,
			},
		}
		bare := drover.NewestPosition{Position: &drover.DetailedPosition{CurrentPosition: drover.CurrentPosition{Timestamp: at}}}
		for _, rows := range [][]drover.NewestPosition{nil, {full}, {{}, full, bare}} {
			type plain newestColumns // which encoding/json writes by its tags
			columns := columnsOf(rows)
			var want bytes.Buffer
			encoder := json.NewEncoder(&want)
			encoder.SetEscapeHTML(false)
			if err := encoder.Encode((*plain)(columns)); err != nil {
				t.Fatal(err)
			}
			if got := columns.appendJSON(nil); string(got)+"\n" != want.String() {
				t.Errorf("%s\nis not\n%s", got, want.String())
			}
		}
	})
}

// TestColumnsKeepWhatIsThere holds that they are appended to an answer that has begun.
func TestColumnsKeepWhatIsThere(t *testing.T) {
	t.Parallel()
	a := &answer{}
	a.WriteString(`{"data":`)
	at := drover.At(time.Date(2024, 5, 2, 10, 14, 30, 0, time.UTC))
	if err := a.encode(columnsOf([]drover.NewestPosition{{
		DeviceID:     "1",
		DeviceStatus: drover.DeviceStatus{State: drover.DeviceStopped, StateSince: &at},
	}})); err != nil {
		t.Fatal(err)
	}
	a.WriteString("}\n")
	const want = `{"data":{"device_id":["1"],"connection_id":[""],"description":[null],"registration":[null],"state":["stopped"],"state_since":["2024-05-02T10:14:30Z"],` +
		`"timestamp":[null],"longitude":[null],"latitude":[null],"heading":[null],"speed_kph":[null],"driver_id":[null],"ignition":[null],"auxiliary":[null],"odometer_metres":[null]}}` + "\n"
	if got := a.String(); got != want {
		t.Errorf("%s\nis not\n%s", got, want)
	}
}
