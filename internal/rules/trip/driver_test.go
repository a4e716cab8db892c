package trip_test

import (
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/trip"
)

func TestDriver(t *testing.T) {
	t.Parallel()
	for named, want := range map[string]string{
		"":        "",
		"- -":     "",
		"a":       "a",
		"- b -":   "b",
		"a b b":   "b",
		"a a b":   "a",
		"b a a b": "b", // as often as a, and named first
		"a b c c": "c",
	} {
		var positions []drover.Position
		for i, name := range strings.Fields(named) {
			p := drover.Position{Time: drover.Milli(int64(i))}
			if name != "-" {
				p.DriverID = &name
			}
			positions = append(positions, p)
		}
		got := ""
		if driver := trip.Driver(positions); driver != nil {
			got = *driver
		}
		if got != want {
			t.Errorf("of %q %q has driven, want %q", named, got, want)
		}
	}
}

// TestDriverNamedAsOften holds that of two who are named as often the first counts.
func TestDriverNamedAsOften(t *testing.T) {
	t.Parallel()
	positions := []drover.Position{{DriverID: new("first")}, {DriverID: new("second")}}
	if got := trip.Driver(positions); got == nil || *got != "first" {
		t.Errorf("the driver is %v", got)
	}
}
