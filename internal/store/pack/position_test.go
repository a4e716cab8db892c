package pack

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
)

// FuzzReadPosition holds the reading by hand to encoding/json: the same value
// where both read it, and nothing that encoding/json refuses.
func FuzzReadPosition(f *testing.F) {
	at := drover.At(time.Date(2026, 5, 4, 12, 0, 0, 250_000_000, time.UTC))
	for _, p := range []drover.Position{
		{},
		{Time: at, Latitude: 48.5, Longitude: -11.25},
		{
			Time: drover.Milli(0), Latitude: 1e-9, Longitude: 1e21, Heading: new(0.0), SpeedKPH: new(71.5), DriverID: new(""), Ignition: new(true),
			Auxiliary: new(false), OdometerMetres: new(1e9),
		},
		{Time: at, DriverID: new(`a "quoted" \ driver`)},
		{Time: at, DriverID: new("Jürgen")},
	} {
		text, err := json.Marshal(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, text := range []string{
		``, `{}`, `null`, `{"Latitude":1,"Time":"2026-05-04T12:00:00Z"}`, `{"Time":"x","Latitude":1}`,
		`{"Time":"2026-05-04T12:00:00+02:00","Latitude":1,"Longitude":2,"Heading":null,"SpeedKPH":null,"DriverID":null,"Ignition":null,"Auxiliary":null,"OdometerMetres":null}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want drover.Position
		wantErr := json.Unmarshal([]byte(text), &want)
		byHand := positionText{room: &PositionReader{}, rest: text, ok: true}
		got := byHand.position()
		if !byHand.ok || byHand.rest != "" {
			return // encoding/json does it
		}
		if wantErr != nil {
			t.Fatalf("%q is read, which is no position: %v", text, wantErr)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	})
}

// TestReadPosition holds that what is stored today is read by hand.
func TestReadPosition(t *testing.T) {
	t.Parallel()
	want := drover.Position{
		Time: drover.At(time.Date(2026, 5, 4, 12, 0, 0, 250_000_000, time.UTC)), Latitude: 48.123456, Longitude: -11.5,
		SpeedKPH: new(71.5), DriverID: new("D-17"), Ignition: new(false), OdometerMetres: new(123456.5),
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	byHand := positionText{room: &PositionReader{}, rest: string(text), ok: true}
	if diff := cmp.Diff(want, byHand.position()); diff != "" || !byHand.ok || byHand.rest != "" {
		t.Errorf("ok is %t, %q is left, (-want +got):\n%s", byHand.ok, byHand.rest, diff)
	}
}
