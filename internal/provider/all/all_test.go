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

// TestExtrasAreThoseThatCanBeEnabled holds that nothing is there unless it is named.
func TestExtrasAreThoseThatCanBeEnabled(t *testing.T) {
	t.Parallel()
	every := slices.Concat(drover.ProviderNames, drover.ExtraProviderNames)
	slices.Sort(every)
	if diff := cmp.Diff(every, slices.Sorted(maps.Keys(all.With(drover.ExtraProviderNames)))); diff != "" {
		t.Errorf("the adapters differ from what can be enabled (-want +got):\n%s", diff)
	}
	if n := len(all.With(nil)); n != len(drover.ProviderNames) {
		t.Errorf("%d providers are there with nothing enabled", n)
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

// TestAccountOfCredentials holds that what names an account is marked as such, is shown,
// and is never a secret.
func TestAccountOfCredentials(t *testing.T) {
	t.Parallel()
	for name, info := range all.With(drover.ExtraProviderNames) {
		for _, f := range info.Fields {
			if naming := slices.Contains([]string{"account", "database", "username", "email"}, f.Name); naming && !f.Account ||
				f.Account && f.Secret {
				t.Errorf("%s: field %s names an account %t, and is secret %t", name, f.Name, f.Account, f.Secret)
			}
		}
	}
	for name, want := range map[drover.ProviderName]string{drover.Webfleet: "northern, ann", drover.VolvoTrucks: "ann", drover.Samsara: ""} {
		got := all.Providers()[name].Account(provider.Credentials{"account": "northern", "username": " ann ", "password": "p", "api_token": "t"})
		if want == "" && got != nil || want != "" && (got == nil || *got != want) {
			t.Errorf("%s: the account is %v, want %q", name, got, want)
		}
	}
	if got := all.Providers()[drover.Traccar].Account(provider.Credentials{"token": "t"}); got != nil {
		t.Errorf("a token alone names %q", *got)
	}
}
