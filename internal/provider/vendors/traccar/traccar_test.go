package traccar

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/traccar/traccartest"
	"github.com/drover-fleet/drover/internal/sim"
)

func harness(credentials map[string]string) providertest.Harness {
	return providertest.Harness{
		Info:        Info,
		Credentials: credentials,
		Readings: []drover.ReadingKind{
			drover.ReadingOdometer, drover.ReadingEngine, drover.ReadingFuelPercent, drover.ReadingFuelUsed,
			drover.ReadingSupply, drover.ReadingCoolant, drover.ReadingProbe, drover.ReadingDoor,
		},
		OtherReadings: []string{"totalDistance"},
		Vendor:        traccartest.New,
		TripDrivers:   true,
		BasePath:      "/api",
		ExpectDevice: func(_ sim.Vehicle, want *provider.Device) {
			want.Make, want.Model, want.Year = nil, nil, nil
		},
		ExpectTrip: func(truth sim.Trip, want *provider.Trip) {
			want.DrivingSeconds = new(truth.EndTime.Sub(truth.StartTime).Seconds())
		},
	}
}

func TestConformanceWithToken(t *testing.T) {
	t.Parallel()
	providertest.Run(t, harness(map[string]string{"token": "RzBFAiEA4b5s"}))
}

// TestConformanceWithPassword has a server, moreover, that was set to answer with few
// positions at once.
func TestConformanceWithPassword(t *testing.T) {
	t.Parallel()
	h := harness(map[string]string{"email": "fleet@example.com", "password": "correct horse"})
	h.Vendor = func(account *sim.Account) http.Handler { return traccartest.Cutting(account, 100) }
	providertest.Run(t, h)
}

func TestGolden(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	providertest.GoldenOf(t, "testdata/devices.json", func(devices []device) []provider.Device {
		return wire.All(devices, func(d device) provider.Device { return d.record(now) })
	})
	providertest.GoldenOf(t, "testdata/positions.json", func(positions []position) []provider.Position {
		return wire.Records(positions, position.record)
	})
	providertest.GoldenOf(t, "testdata/trips.json", func(trips []trip) []provider.Trip {
		return wire.All(trips, trip.record)
	})
}

func newAdapter(t *testing.T, d providertest.Doer) provider.Provider {
	t.Helper()
	p, err := New(provider.Config{
		Credentials: provider.Credentials{"token": "t"}, BaseURL: "https://traccar.test", HTTP: d,
		Now: func() time.Time { return time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestServerThatCutsEarly has servers whose setting for the largest answer is lower
// than usual.
func TestServerThatCutsEarly(t *testing.T) {
	t.Parallel()
	for _, full := range []int{60, 999, 1500} {
		p := newAdapter(t, func(req *http.Request) (*http.Response, error) {
			from, _ := time.Parse(time.RFC3339, req.URL.Query().Get("from"))
			to, _ := time.Parse(time.RFC3339, req.URL.Query().Get("to"))
			var rows []string
			for at := from; at.Before(to) && len(rows) < full; at = at.Add(time.Second) {
				rows = append(rows, fmt.Sprintf(`{"deviceId":1,"valid":true,"fixTime":%q,"latitude":1,"longitude":2}`, at.Format(time.RFC3339)))
			}
			return providertest.Answer("[" + strings.Join(rows, ",") + "]")
		})
		from := time.Date(2024, 5, 1, 8, 0, 0, 0, time.UTC)
		page, err := p.Positions(t.Context(), provider.Query{From: from, To: from.Add(time.Hour), Devices: []string{"1"}})
		seen := map[time.Time]bool{}
		for _, r := range page.Records {
			seen[r.Time.Time] = true
		}
		if err != nil || len(seen) != 3600 {
			t.Errorf("at most %d in an answer: %d positions, want 3600: %v", full, len(seen), err)
		}
	}
}

// TestServerWithShortReports has a server that refuses reports of more than six
// hours.
func TestServerWithShortReports(t *testing.T) {
	t.Parallel()
	p := newAdapter(t, func(req *http.Request) (*http.Response, error) {
		from, _ := time.Parse(time.RFC3339, req.URL.Query().Get("from"))
		to, _ := time.Parse(time.RFC3339, req.URL.Query().Get("to"))
		if to.Sub(from) > 6*time.Hour {
			return providertest.Refuse(http.StatusBadRequest)
		}
		return providertest.Answer("[]")
	})
	from := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	q := provider.Query{From: from, To: from.Add(4 * time.Hour), Devices: []string{"1"}}
	for attempt := 0; ; attempt++ {
		_, err := p.Trips(t.Context(), q)
		if err == nil {
			break
		}
		if provider.KindOf(err) != provider.KindTemporary || attempt == 5 {
			t.Fatalf("attempt %d: %v of kind %s", attempt, err, provider.KindOf(err))
		}
	}
}

func TestUnreadableTokenIsRefused(t *testing.T) {
	t.Parallel()
	p := newAdapter(t, func(*http.Request) (*http.Response, error) {
		return nil, provider.Errorf(provider.KindTemporary, "failed: %w", &provider.StatusError{Status: http.StatusInternalServerError})
	})
	if err := p.Check(t.Context()); provider.KindOf(err) != provider.KindCredentials {
		t.Errorf("500 on the first call: %v of kind %s", err, provider.KindOf(err))
	}
	p.(*Adapter).worked = true
	if err := p.Check(t.Context()); provider.KindOf(err) != provider.KindTemporary {
		t.Errorf("500 later: %v of kind %s", err, provider.KindOf(err))
	}
}

func TestAddressIsNeeded(t *testing.T) {
	t.Parallel()
	_, err := New(provider.Config{})
	if kind := provider.KindOf(err); err == nil || kind != provider.KindPermanent || errors.Unwrap(err) == nil {
		t.Errorf("New without an address: %v of kind %s", err, kind)
	}
}
