package config_test

import (
	"testing"

	"github.com/drover-fleet/drover/internal/config"
)

func TestAge(t *testing.T) {
	t.Parallel()
	for text, days := range map[string]int{"off": 0, "1d": 1, "365d": 365, "36500d": 36_500} {
		var a config.Age
		if err := a.UnmarshalText([]byte(text)); err != nil || a.Days() != days || a.String() != text {
			t.Errorf("%s is read as %s, %d days: %v", text, a, a.Days(), err)
		}
	}
	for _, text := range []string{"", "d", "0d", "-1d", "36501d", "90", "24h", "1.5d", "OFF"} {
		var a config.Age
		if err := a.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %s", text, a)
		}
	}
}
