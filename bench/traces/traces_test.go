package traces

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
)

func TestReadTraces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := "time,latitude,longitude,speed_kph,ignition,odometer_metres\n" +
		"1700000060,52.5,13.4,30.5,1,1200\n" +
		"1700000000,52.4,13.3,,,\n" +
		"1700000060,9,9,9,0,9\n"
	if err := os.WriteFile(filepath.Join(dir, "truck-01.csv"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []Trace{{"truck-01", []drover.Position{
		{Time: drover.At(time.Unix(1700000000, 0)), Latitude: 52.4, Longitude: 13.3},
		{
			Time: drover.At(time.Unix(1700000060, 0)), Latitude: 52.5, Longitude: 13.4, SpeedKPH: new(30.5), Ignition: new(true),
			OdometerMetres: new(1200.0),
		},
	}}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Trace{})); diff != "" {
		t.Errorf("the trace (-want +got):\n%s", diff)
	}
	if set := got[0].set(); set != "truck" {
		t.Errorf("its set is %s", set)
	}
}

func TestReadTracesRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"NoNumber":   "1700000000,1,2,,,\n1700000060,x,2,,,\n",
		"NoPlace":    "1700000000,1,2,,,\n1700000060,,2,,,\n",
		"TooFew":     "1700000000,1\n1700000060,2\n",
		"NotAlike":   "1700000000,1,2,,,\n1700000060,1\n",
		"NoPosition": "",
		"HeaderOnly": "time,latitude,longitude,speed_kph,ignition,odometer_metres\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if text != "" {
				if err := os.WriteFile(filepath.Join(dir, "a.csv"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := Read(dir); err == nil {
				t.Errorf("it read %v", got)
			}
		})
	}
}

// TestBegun yields what is left of each recording from each part of it on, thinned, but not from its begin.
func TestBegun(t *testing.T) {
	t.Parallel()
	recording := Trace{name: "truck-01"}
	for i := range begins {
		recording.Positions = append(recording.Positions, drover.Position{Time: drover.At(time.Unix(int64(60*i), 0))})
	}
	var got []int
	for rest := range begun([]Trace{recording}, 120) {
		got = append(got, len(rest.Positions))
		if first := rest.Positions[0].Time.Unix(); first != int64(60*len(got)) {
			t.Errorf("%s begins after %d s, want %d", rest.name, first, 60*len(got))
		}
	}
	// The last is one position, of which nothing is left out.
	if len(got) != begins-2 || got[0] != begins/2 || got[len(got)-1] != 1 {
		t.Errorf("%d recordings of %v positions", len(got), got)
	}
}
