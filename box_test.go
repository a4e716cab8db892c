package drover_test

import (
	"testing"

	"github.com/drover-fleet/drover"
)

func TestBox(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text     string
		lat, lon float64
		want     bool
	}{
		{"10,40,12,50", 40, 10, true},
		{"10,40,12,50", 50, 12, true},
		{"10, 40, 12, 50", 45, 11, true},
		{"10,40,12,50", 39.999, 11, false},
		{"10,40,12,50", 50.001, 11, false},
		{"10,40,12,50", 45, 9.999, false},
		{"10,40,12,50", 45, 12.001, false},
		{"170,-20,-170,20", 0, 175, true},
		{"170,-20,-170,20", 0, -175, true},
		{"170,-20,-170,20", 0, 169.9, false},
		{"170,-20,-170,20", 0, -169.9, false},
		{"-180,-90,180,90", 90, 180, true},
	} {
		var b drover.Box
		if err := b.UnmarshalText([]byte(tt.text)); err != nil {
			t.Errorf("%s: %v", tt.text, err)
		}
		if got := b.Contains(drover.Coordinate{Latitude: tt.lat, Longitude: tt.lon}); got != tt.want {
			t.Errorf("%s contains %v, %v: %t", tt.text, tt.lat, tt.lon, got)
		}
	}
	for _, text := range []string{
		"", "1,2,3", "1,2,3,4,5", "a,2,3,4", "NaN,2,3,4", "-180.1,0,0,0", "0,0,180.1,0", "0,-90.1,0,0",
		"0,0,0,90.1", "0,2,0,1",
	} {
		var b drover.Box
		if err := b.UnmarshalText([]byte(text)); drover.ErrorKind(err) != drover.KindInvalid {
			t.Errorf("%q is read with %v", text, err)
		}
	}
}
