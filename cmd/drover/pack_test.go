package main

import (
	"encoding/json"
	"testing"
)

func TestPack(t *testing.T) {
	t.Parallel()
	installations(t, func(t *testing.T, flags ...string) {
		t.Helper()
		succeed(t, "", with(flags, "tenant", "add", "acme")...)
		if out := succeed(t, "", with(flags, "pack")...); out != "packed 0 positions into 0 blocks, 0 readings, and 0 events into 0\n" {
			t.Errorf("it prints %q", out)
		}
		var done map[string]int
		if err := json.Unmarshal([]byte(succeed(t, "", with(flags, "pack", "--json", "--pack-after", "30d")...)), &done); err != nil {
			t.Fatal(err)
		}
		if n, some := done["positions"]; !some || n != 0 {
			t.Errorf("it prints %v", done)
		}
		if _, some := done["event_blocks"]; !some {
			t.Errorf("it prints %v", done)
		}
		misuse(t, "--pack-after is off", "", with(flags, "pack", "--pack-after", "off")...)
	})
}
