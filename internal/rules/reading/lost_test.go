package reading_test

import (
	"testing"

	"github.com/drover-fleet/drover/internal/rules/reading"
)

func TestLost(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		devices, reporting, had, has int
		want                         bool
	}{
		"AllGone":             {10, 10, 10, 0, true},
		"HalfHadIt":           {10, 10, 5, 0, true},
		"FewHadIt":            {10, 10, 4, 0, false},
		"OneHasIt":            {10, 10, 10, 1, false},
		"NeverHadIt":          {0, 0, 0, 0, false},
		"TheFleetRests":       {10, 4, 10, 0, false},
		"HalfOfThemReport":    {10, 5, 10, 0, true},
		"OneDevice":           {1, 1, 1, 0, true},
		"OneDeviceThatParks":  {1, 0, 1, 0, false},
		"OddNumberOfDevices":  {5, 5, 3, 0, true},
		"JustBelowHalfOfFive": {5, 5, 2, 0, false},
	} {
		if got := reading.Lost(test.devices, test.reporting, test.had, test.has); got != test.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
