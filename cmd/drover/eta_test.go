package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

func outcome(journey string, before, late time.Duration) store.Outcome {
	arrival := time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)
	return store.Outcome{
		MilestoneID: journey, ArrivedAt: drover.At(arrival),
		Prediction: store.Prediction{Time: drover.At(arrival.Add(-before)), ETA: drover.At(arrival.Add(late))},
	}
}

func TestETAReport(t *testing.T) {
	t.Parallel()
	got := etaReport([]store.Outcome{
		outcome("a", 100*time.Minute, 10*time.Minute),
		outcome("a", 50*time.Minute, -5*time.Minute),
		outcome("a", 10*time.Minute, time.Minute),
		outcome("b", 20*time.Minute, 4*time.Minute),
		outcome("b", 5*time.Minute, -time.Minute),
	})
	want := [][]string{
		got[0],
		{"under 15 min", "2", "2", "1m0s", "1m0s", "20.0 %", "20.0 %", "1m0s"},
		{"15 to 60 min", "2", "2", "5m0s", "5m0s", "20.0 %", "20.0 %", "4m0s"},
		{"1 to 4 h", "1", "1", "10m0s", "10m0s", "10.0 %", "10.0 %", "10m0s"},
		{"over 4 h", "0", "0", "-", "-", "-", "-", "-"},
		{"all", "2", "5", "4m0s", "10m0s", "10.0 %", "20.0 %", "1m0s"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("differs (-want +got):\n%s", diff)
	}
}

func TestETAReportCommand(t *testing.T) {
	t.Parallel()
	installations(t, func(t *testing.T, flags ...string) {
		t.Helper()
		succeed(t, "", with(flags, "tenant", "add", "acme")...)
		for _, args := range [][]string{{"eta-report"}, {"eta-report", "--tenant", "acme", "--days", "7"}} {
			if got := succeed(t, "", with(flags, args...)...); !strings.Contains(got, "MEDIAN ERROR") || !strings.Contains(got, "all") {
				t.Errorf("%v prints:\n%s", args, got)
			}
		}
		refuse(t, `there is no tenant named "absent"`, "", with(flags, "eta-report", "--tenant", "absent")...)
		misuse(t, "--days must be at least 1", "", with(flags, "eta-report", "--days", "0")...)
	})
}
