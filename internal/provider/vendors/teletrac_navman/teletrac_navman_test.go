package teletracnavman

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/teletrac_navman/teletracnavmantest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Harness{
		Info:        Info,
		Credentials: map[string]string{"api_key": "0123456789abcdef0123456789abcdef"},
		Vendor:      teletracnavmantest.New,
		BasePath:    "/v1",
	})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.GoldenOf(t, "testdata/devices.json", func(vehicles []vehicle) []provider.Device {
		return wire.All(vehicles, vehicle.record)
	})
	providertest.GoldenOf(t, "testdata/positions.json", func(rows []fix) []provider.Position {
		return wire.Records(rows, func(f fix) (provider.Position, bool) { return f.record("160160") })
	})
	providertest.Golden(t, "testdata/trips.json", func(payload []byte) ([]provider.Trip, error) {
		var events []event
		err := json.Unmarshal(payload, &events)
		return tripsOf(events, false), err
	})
}

var now = time.Date(2024, 5, 6, 12, 0, 0, 0, time.UTC)

func newAdapter(t *testing.T, region string, d providertest.Doer) *Adapter {
	t.Helper()
	return providertest.Adapter(t, Info, provider.Credentials{"region": region, "api_key": "k"}, d, now).(*Adapter)
}

func TestRegion(t *testing.T) {
	t.Parallel()
	a := newAdapter(t, "NZ", func(req *http.Request) (*http.Response, error) {
		if got := req.URL.Scheme + "://" + req.URL.Host + req.URL.Path; got != "https://api-nz.telematics.com/v1/vehicles" {
			t.Errorf("called %s", got)
		}
		if req.Header.Get("Authorization") != "Bearer k" || strings.Contains(req.URL.RawQuery, "key") {
			t.Error("the key belongs in the header")
		}
		return providertest.Answer("[]")
	})
	if err := a.Check(t.Context()); err != nil {
		t.Error(err)
	}
	_, err := New(provider.Config{Credentials: provider.Credentials{"region": "evil.example/#"}})
	if err == nil || provider.KindOf(err) != provider.KindPermanent {
		t.Errorf("a region that is none: %v", err)
	}
}

// TestOtherRegions are at other hosts, and may take the key in another form.
func TestOtherRegions(t *testing.T) {
	t.Parallel()
	for region, want := range map[string]string{
		"uk": "https://api-uk.nextgen.teletracnavman.net/v1/vehicles", "us": "https://api-us.nextgen.teletracnavman.net:8067/v1/vehicles",
	} {
		var called []string
		a := newAdapter(t, region, func(req *http.Request) (*http.Response, error) {
			called = append(called, req.URL.Scheme+"://"+req.URL.Host+req.URL.Path+" "+req.Header.Get("Authorization"))
			if req.Header.Get("Authorization") != `Token token="k"` {
				return providertest.Refuse(http.StatusUnauthorized)
			}
			return providertest.Answer("[]")
		})
		for range 2 {
			if err := a.Check(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if last := len(called) - 1; last != 2 || called[last] != want+` Token token="k"` || !a.miles {
			t.Errorf("%s: called %v, miles %t", region, called, a.miles)
		}
	}
	a := newAdapter(t, "au", func(*http.Request) (*http.Response, error) { return providertest.Refuse(http.StatusUnauthorized) })
	if err := a.Check(t.Context()); provider.StatusOf(err) != http.StatusUnauthorized || a.plain || a.miles {
		t.Errorf("a key that is refused in both forms: %v", err)
	}
	on, off := event{Odometer: wire.NumberOf(10)}, event{Odometer: wire.NumberOf(11)}
	if got := *trip(on, off, true).DistanceMetres; got != 1609.344 {
		t.Errorf("a mile is %v metres", got)
	}
}

// TestLongAnswerIsAskedForInHalves has a vendor that leaves out events beyond the
// hundredth.
func TestLongAnswerIsAskedForInHalves(t *testing.T) {
	t.Parallel()
	a := newAdapter(t, "au", func(req *http.Request) (*http.Response, error) {
		from, _ := time.Parse(time.RFC3339, req.URL.Query().Get("from"))
		to, _ := time.Parse(time.RFC3339, req.URL.Query().Get("to"))
		var rows []string
		for at := from.Truncate(time.Minute); !at.After(to) && len(rows) < eventRound; at = at.Add(time.Minute) {
			rows = append(rows, fmt.Sprintf(`{"timeAt":%d}`, at.UnixMilli()))
		}
		return providertest.Answer("[" + strings.Join(rows, ",") + "]")
	})
	events, err := a.events(t.Context(), "IGNITION", now.Add(-5*time.Hour), now)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[time.Time]bool{}
	for _, e := range events {
		seen[e.TimeAt.Time] = true
	}
	if len(seen) != 301 {
		t.Errorf("%d events, want 301", len(seen))
	}
}

// TestUpdatesAreKept has the second call fail: the first, which the vendor wants
// to be rare, is not made again.
func TestUpdatesAreKept(t *testing.T) {
	t.Parallel()
	updates, broken := 0, true
	a := newAdapter(t, "au", func(req *http.Request) (*http.Response, error) {
		if strings.HasSuffix(req.URL.Path, "/stats") {
			updates++
			return providertest.Answer(`[{"vehicle":{"id":7},"updatedAt":"2024-05-06T21:59:00.000+10:00"}]`)
		}
		if broken {
			return nil, provider.Errorf(provider.KindTemporary, "out of order")
		}
		return providertest.Answer(`[{"Lat":1,"Lng":2,"At":1714996740000}]`)
	})
	q := provider.Query{From: now.Add(-time.Hour), Devices: []string{"7", "8"}}
	page, err := a.Positions(t.Context(), q)
	if err != nil || !page.More {
		t.Fatalf("updates: more %t, %v", page.More, err)
	}
	q.Cursor = page.Cursor
	if _, err = a.Positions(t.Context(), q); err == nil {
		t.Fatal("no error")
	}
	broken = false
	if page, err = a.Positions(t.Context(), q); err != nil || len(page.Records) != 1 || page.More || updates != 1 {
		t.Errorf("%d records, more %t, %d updates, %v", len(page.Records), page.More, updates, err)
	}
}
