package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestTenantLimit(t *testing.T) {
	t.Parallel()
	installations(t, func(t *testing.T, flags ...string) {
		t.Helper()
		succeed(t, "", with(flags, "tenant", "add", "acme")...)
		limits := func() map[string][2]int64 {
			t.Helper()
			var rows []struct {
				Name           string
				Limit, Default int64
			}
			if err := json.Unmarshal([]byte(succeed(t, "", with(flags, "tenant", "limit", "acme", "--json")...)), &rows); err != nil {
				t.Fatal(err)
			}
			out := map[string][2]int64{}
			for _, r := range rows {
				out[r.Name] = [2]int64{r.Limit, r.Default}
			}
			return out
		}
		if got := limits()["devices"]; got != [2]int64{100_000, 100_000} {
			t.Errorf("devices are %v before anything is set", got)
		}
		out := succeed(t, "", with(flags, "tenant", "limit", "acme", "--set", "devices=5,webhooks=0")...)
		if !strings.Contains(out, "devices              5") {
			t.Errorf("after setting it prints\n%s", out)
		}
		if got := limits(); got["devices"][0] != 5 || got["webhooks"][0] != 0 || got["connections"][0] != 1000 {
			t.Errorf("limits are %v", got)
		}
		succeed(t, "", with(flags, "tenant", "limit", "acme", "--unset", "devices")...)
		if got := limits(); got["devices"][0] != 100_000 || got["webhooks"][0] != 0 {
			t.Errorf("after unsetting limits are %v", got)
		}
		misuse(t, `there is no limit named "trucks"; the limits are connections, devices,`, "",
			with(flags, "tenant", "limit", "acme", "--set", "trucks=5")...)
		misuse(t, "must not be negative", "", with(flags, "tenant", "limit", "acme", "--set", "devices=-1")...)
		misuse(t, "both set and unset", "", with(flags, "tenant", "limit", "acme", "--set", "devices=1", "--unset", "devices")...)
		refuse(t, `there is no tenant named "absent"`, "", with(flags, "tenant", "limit", "absent")...)
	})
}
