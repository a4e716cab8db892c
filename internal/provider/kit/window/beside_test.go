package window_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
)

// TestBeside reads readings now and then, with the last page of a live round: not with others,
// not too often, and never at the cost of positions.
func TestBeside(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	var (
		page     provider.Page[provider.Position]
		fails    error
		reads    int
		withheld []string
	)
	b := window.Beside{
		Every: time.Minute, Need: "a plan", Series: []drover.ReadingSeries{{Kind: drover.ReadingOdometer}},
		Config: provider.Config{
			Now: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler),
			Observed: func(name, form string) { withheld = append(withheld, name+": "+form) },
		},
		Read: func(_ context.Context, devices []string) ([]provider.DeviceReading, error) {
			reads++
			if len(devices) != 1 {
				t.Errorf("asked for %v", devices)
			}
			return []provider.DeviceReading{{SystemDeviceID: "a"}}, fails
		},
	}
	job := b.Of(func(context.Context, provider.Query) (provider.Page[provider.Position], error) { return page, nil })
	step := func(what string, q provider.Query, want int) {
		t.Helper()
		before := reads
		q.Devices = []string{"a"}
		if _, err := job(t.Context(), q); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if got := reads - before; got != want {
			t.Errorf("%s: %d reads, want %d", what, got, want)
		}
	}
	step("the past", provider.Query{To: now}, 0)
	page.More = true
	step("there is more", provider.Query{}, 0)
	page.More = false
	step("the last page", provider.Query{}, 1)
	step("at once", provider.Query{}, 0)
	now, fails = now.Add(time.Minute), errors.New("down")
	step("a failure", provider.Query{}, 1)
	now = now.Add(time.Minute)
	step("after a failure", provider.Query{}, 1)
	now, fails = now.Add(time.Minute), provider.Errorf(provider.KindPermanent, "no")
	step("refused", provider.Query{}, 1)
	now = now.Add(provider.WithheldRetry - time.Second)
	step("after a refusal", provider.Query{}, 0)
	now, fails, withheld = now.Add(time.Second), nil, withheld[1:]
	step("hours after a refusal", provider.Query{}, 1)
	now = now.Add(time.Minute)
	step("permitted", provider.Query{}, 1)
	want := []string{"withheld odometer_metres: a plan", "withheld odometer_metres: ", "withheld odometer_metres: "}
	if diff := cmp.Diff(want, withheld); diff != "" {
		t.Errorf("withheld (-want +got):\n%s", diff)
	}
}
