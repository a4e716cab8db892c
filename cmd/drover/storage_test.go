package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestStorage(t *testing.T) {
	t.Parallel()
	installations(t, func(t *testing.T, flags ...string) {
		t.Helper()
		succeed(t, "", with(flags, "tenant", "add", "acme")...)
		var report storageReport
		if err := json.Unmarshal([]byte(succeed(t, "", with(flags, "storage", "--json")...)), &report); err != nil {
			t.Fatal(err)
		}
		if len(report.Tenants) != 1 || report.Tenants[0].Tenant != "acme" || report.Tenants[0].Positions.Rows != 0 ||
			report.DaysUntilFull != nil {
			t.Errorf("the report is %+v", report)
		}
		if out := succeed(t, "", with(flags, "storage")...); !strings.HasPrefix(out, "TENANT") || !strings.Contains(out, "acme") {
			t.Errorf("it prints\n%s", out)
		}
	})
}

// TestLasts says how long the disk lasts.
func TestLasts(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]storageReport{
		", full in 400 days at this rate":                      {DaysUntilFull: new(400.2)},
		"; how long that lasts is known once a day was packed": {},
	} {
		if got := r.lasts(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
