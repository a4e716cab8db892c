package sandbox_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/demo/sandbox"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/all"
)

var now = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)

// tokens keeps the tokens that a provider renews.
type tokens struct{ current provider.Credentials }

// Exchange implements provider.TokenStore.
func (k *tokens) Exchange(
	ctx context.Context,
	renew func(context.Context, provider.Credentials) (provider.Credentials, error),
) (provider.Credentials, error) {
	renewed, err := renew(ctx, k.current)
	if err == nil {
		k.current = renewed
	}
	return renewed, err
}

// open makes a sandbox, and a func that makes adapters for it.
func open(t *testing.T, name drover.ProviderName) (adapter func() provider.Provider, server *httptest.Server) {
	t.Helper()
	return openAt(t, name, now)
}

func openAt(t *testing.T, name drover.ProviderName, now time.Time) (adapter func() provider.Provider, server *httptest.Server) {
	t.Helper()
	s, err := sandbox.New(sandbox.Options{Provider: name, Vehicles: 5, Seed: 7, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	server = httptest.NewServer(s)
	t.Cleanup(server.Close)
	credentials := provider.Credentials(s.Credentials(server.URL))
	info := all.With(drover.ExtraProviderNames)[name]
	for _, f := range info.Fields {
		if credentials[f.Name] == "" && f.Default != "" {
			credentials[f.Name] = f.Default
		}
	}
	kept := &tokens{credentials}
	return func() provider.Provider {
		t.Helper()
		p, err := info.New(provider.Config{
			Credentials: kept.current, BaseURL: credentials[provider.BaseURLField], Tokens: kept, Now: func() time.Time { return now },
			HTTP: outbound.New(outbound.Options{
				Transport: http.DefaultTransport, Now: func() time.Time { return now }, Timeout: 10 * time.Minute,
				Attempts: 1,
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}, server
}

// TestEveryProvider reads the fleet of each sandbox, and has it fail on request.
func TestEveryProvider(t *testing.T) {
	t.Parallel()
	for _, name := range append(slices.Clone(drover.ProviderNames), drover.ProviderISO15143, drover.ProviderRFMS) {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			adapter, server := open(t, name)
			p := adapter()
			if err := p.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			page, err := p.Devices(t.Context(), "")
			if err != nil || len(page.Records) == 0 {
				t.Fatalf("%d devices, %v", len(page.Records), err)
			}
			var ids []string
			for _, d := range page.Records {
				ids = append(ids, d.SystemDeviceID)
			}
			q := provider.Query{From: now.Add(-time.Hour), Devices: ids}
			positions := 0
			for more := true; more; {
				page, err := p.Positions(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				positions, q.Cursor, more = positions+len(page.Records), page.Cursor, page.More
			}
			if positions == 0 {
				t.Error("no positions")
			}
			ask(t, server, url.Values{"kind": {"unavailable"}}, http.StatusOK)
			if err := adapter().Check(t.Context()); provider.KindOf(err) != provider.KindTemporary || err == nil {
				t.Errorf("out of order: %v", err)
			}
			ask(t, server, url.Values{"kind": {"none"}}, http.StatusOK)
			if err := adapter().Check(t.Context()); err != nil {
				t.Errorf("in order again: %v", err)
			}
		})
	}
}

// TestSomethingDrives looks at a sandbox at each hour of a day, by night and on a Sunday.
func TestSomethingDrives(t *testing.T) {
	t.Parallel()
	sunday := time.Date(2026, 11, 1, 0, 7, 0, 0, time.UTC)
	for hour := range 24 {
		at := sunday.Add(time.Duration(hour) * time.Hour)
		adapter, _ := openAt(t, drover.Traccar, at)
		p := adapter()
		devices, err := p.Devices(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		q := provider.Query{From: at.Add(-10 * time.Minute)}
		for _, d := range devices.Records {
			q.Devices = append(q.Devices, d.SystemDeviceID)
		}
		driving := 0
		for more := true; more; {
			page, err := p.Positions(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range page.Records {
				if r.SpeedKPH != nil && *r.SpeedKPH > 10 {
					driving++
				}
			}
			q.Cursor, more = page.Cursor, page.More
		}
		if driving == 0 {
			t.Errorf("at %s nothing drives", at.Format(time.TimeOnly))
		}
	}
}

func ask(t *testing.T, server *httptest.Server, form url.Values, want int) string {
	t.Helper()
	resp, err := server.Client().PostForm(server.URL+sandbox.FaultPath, form) // a test of its own server
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	if err := resp.Body.Close(); err != nil || resp.StatusCode != want {
		t.Errorf("%v is answered %d, want %d: %v", form, resp.StatusCode, want, err)
	}
	return string(body)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	adapter, server := open(t, drover.Traccar)
	p := adapter()
	for _, kind := range sandbox.Faults() {
		ask(t, server, url.Values{"kind": {kind}, "seconds": {"30"}}, http.StatusOK)
		if err := p.Check(t.Context()); (err == nil) != (kind == "empty") {
			t.Errorf("%s: %v", kind, err)
		}
	}
	ask(t, server, url.Values{"kind": {"cut"}, "seconds": {"0"}}, http.StatusOK)
	if err := p.Check(t.Context()); err != nil {
		t.Errorf("a fault that is over: %v", err)
	}
	if words := ask(t, server, url.Values{"kind": {"fire"}}, http.StatusBadRequest); !strings.Contains(words, "unavailable") {
		t.Errorf("an unknown fault: %s", words)
	}
	ask(t, server, url.Values{"kind": {"cut"}, "seconds": {"soon"}}, http.StatusBadRequest)
	if !slices.Contains(sandbox.Faults(), "rate_limited") {
		t.Errorf("faults are %v", sandbox.Faults())
	}
	if _, err := sandbox.New(sandbox.Options{Provider: "acme"}); err == nil {
		t.Error("a sandbox of no provider")
	}
}
