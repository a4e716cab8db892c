package all_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/all"
)

func TestTableEqualsTheEnum(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(drover.ProviderNames, slices.Sorted(maps.Keys(all.Providers()))); diff != "" {
		t.Errorf("the adapters differ from the enum (-want +got):\n%s", diff)
	}
	for name, info := range all.Providers() {
		if info.New == nil {
			t.Errorf("%s has no adapter", name)
		}
	}
}

// TestErrorsSayWhatWasDone asks an adapter without a network.
func TestErrorsSayWhatWasDone(t *testing.T) {
	t.Parallel()
	p, err := all.Providers()[drover.Traccar].New(provider.Config{BaseURL: "https://example.com", HTTP: refusing{}, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	q := provider.Query{From: now().Add(-time.Hour), Devices: []string{"1"}}
	for doing, call := range map[string]func(context.Context) error{
		"check credentials": p.Check,
		"list devices":      func(ctx context.Context) error { _, err := p.Devices(ctx, ""); return err },
		"read positions":    func(ctx context.Context) error { _, err := p.Positions(ctx, q); return err },
		"read trips":        func(ctx context.Context) error { _, err := p.Trips(ctx, q); return err },
	} {
		err := call(t.Context())
		if err == nil || err.Error() != doing+": not today" || provider.KindOf(err) != provider.KindPermanent {
			t.Errorf("%s: %v of kind %s", doing, err, provider.KindOf(err))
		}
	}
}

func now() time.Time { return time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC) }

type refusing struct{}

// Do implements provider.Doer.
func (refusing) Do(*http.Request) (*http.Response, error) {
	return nil, provider.Errorf(provider.KindPermanent, "not today")
}
