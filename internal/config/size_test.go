package config_test

import (
	"testing"

	"github.com/drover-fleet/drover/internal/config"
)

func TestSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"512MiB": 512 << 20, "2GiB": 2 << 30, "100KiB": 100 << 10} {
		var s config.Size
		if err := s.UnmarshalText([]byte(text)); err != nil || int64(s) != want || s.String() != text {
			t.Errorf("%s is %d (%s), %v", text, s, s, err)
		}
	}
	for _, text := range []string{"", "512", "0MiB", "-1GiB", "1.5GiB", "512 MiB", "512mb", "99999999999GiB"} {
		var s config.Size
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is %d", text, s)
		}
	}
}
