package provider_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

func TestReadings(t *testing.T) {
	t.Parallel()
	type answer map[string]float64
	value := func(name string) func(answer) *float64 {
		return func(a answer) *float64 {
			if v, ok := a[name]; ok {
				return &v
			}
			return nil
		}
	}
	at := drover.At(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	instruments := []provider.Instrument[answer]{
		{Name: "km", Kind: drover.ReadingOdometer, Source: drover.SourceVehicle, Factor: 1000, NeverZero: true, Of: value("km")},
		{
			Name: "temp2", Kind: drover.ReadingProbe, Channel: "2", Source: drover.SourceSensor, Of: value("temp2"),
			At: func(answer) drover.Time { return at },
		},
	}
	odometer := drover.ReadingSeries{Kind: drover.ReadingOdometer, Source: drover.SourceVehicle, NativeName: "km"}
	probe := drover.ReadingSeries{Kind: drover.ReadingProbe, Channel: "2", Source: drover.SourceSensor, NativeName: "temp2"}
	for name, test := range map[string]struct {
		answer answer
		want   []provider.Reading
	}{
		"Nothing": {answer{}, nil},
		"Both": {answer{"km": 1.5, "temp2": -18}, []provider.Reading{
			{ReadingSeries: odometer, Value: 1500},
			{ReadingSeries: probe, Value: -18, Time: at},
		}},
		"Zeros":    {answer{"km": 0, "temp2": 0}, []provider.Reading{{ReadingSeries: probe, Value: 0, Time: at}}},
		"NoNumber": {answer{"km": math.NaN(), "temp2": math.Inf(-1)}, nil},
	} {
		if diff := cmp.Diff(test.want, provider.Readings(test.answer, instruments)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff([]drover.ReadingSeries{odometer, probe}, provider.Declared(instruments)); diff != "" {
		t.Errorf("declared (-want +got):\n%s", diff)
	}
}

// TestFillers leaves out what stands for a value that is not known.
func TestFillers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind  drover.ReadingKind
		value float64
		known bool
	}{
		{drover.ReadingOdometer, -1, false},
		{drover.ReadingOdometer, 65535, false},
		{drover.ReadingOdometer, 4294967295, false},
		{drover.ReadingOdometer, 255, true},
		{drover.ReadingOdometer, 0, true},
		{drover.ReadingEngine, -1, false},
		{drover.ReadingFuelPercent, 255, false},
		{drover.ReadingFuelPercent, 65535, false},
		{drover.ReadingFuelPercent, 100, true},
		{drover.ReadingCharge, -1, false},
		{drover.ReadingDEF, 255, false},
		{drover.ReadingFuelLitres, 255, true},
		{drover.ReadingFuelLitres, -1, false},
		{drover.ReadingAmbient, -1, true},
		{drover.ReadingCoolant, 65535, false},
		{drover.ReadingProbe, 4294967295, false},
		{drover.ReadingProbe, -18, true},
		{drover.ReadingSupply, 65535, false},
	} {
		_, known := provider.Instrument[float64]{Kind: test.kind}.Say(&test.value)
		if known != test.known {
			t.Errorf("%s of %g: known %t, want %t", test.kind, test.value, known, test.known)
		}
	}
}
