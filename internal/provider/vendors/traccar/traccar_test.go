package traccar

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/traccar/traccartest"
	"github.com/drover-fleet/drover/internal/sim"
)

func harness(credentials map[string]string) providertest.Harness {
	return providertest.Harness{
		Info:        Info,
		Credentials: credentials,
		Vendor:      traccartest.New,
		BasePath:    "/api",
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

func TestConformanceWithPassword(t *testing.T) {
	t.Parallel()
	providertest.Run(t, harness(map[string]string{"email": "fleet@example.com", "password": "correct horse"}))
}

func TestGolden(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	providertest.Golden(t, "testdata/devices.json", func(payload []byte) (records []provider.Device, err error) {
		var devices []device
		err = json.Unmarshal(payload, &devices)
		for _, d := range devices {
			records = append(records, d.record(now))
		}
		return records, err
	})
	providertest.Golden(t, "testdata/positions.json", func(payload []byte) (records []provider.Position, err error) {
		var positions []position
		err = json.Unmarshal(payload, &positions)
		for _, p := range positions {
			if r, ok := p.record(); ok {
				records = append(records, r)
			}
		}
		return records, err
	})
	providertest.Golden(t, "testdata/trips.json", func(payload []byte) (records []provider.Trip, err error) {
		var trips []trip
		err = json.Unmarshal(payload, &trips)
		for _, trip := range trips {
			records = append(records, trip.record())
		}
		return records, err
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

func TestOldServersIgnorePaging(t *testing.T) {
	t.Parallel()
	everything := `[{"id":31}` + strings.Repeat(`,{"id":32}`, devicePage-1) + `]`
	p := newAdapter(t, func(req *http.Request) (*http.Response, error) {
		if req.URL.Path != "/api/devices" {
			t.Errorf("path %s", req.URL.Path)
		}
		return providertest.Answer(everything)
	})
	page, err := p.Devices(t.Context(), "")
	if err != nil || len(page.Records) != devicePage || !page.More {
		t.Fatalf("first page: %d records, more %t, %v", len(page.Records), page.More, err)
	}
	page, err = p.Devices(t.Context(), page.Cursor)
	if err != nil || len(page.Records) != 0 || page.More {
		t.Errorf("the same page again: %d records, more %t, %v", len(page.Records), page.More, err)
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
