package bouncie

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/bouncie/bouncietest"
	"github.com/drover-fleet/drover/internal/sim"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Harness{
		Info: Info,
		Credentials: map[string]string{
			"client_id": "drover-test", "client_secret": "c1i3nt-s3cr3t",
			"redirect_uri": "https://drover.example/callback", "authorization_code": "c0d3-0f-c0ns3nt",
		},
		Readings: []drover.ReadingKind{drover.ReadingOdometer, drover.ReadingFuelPercent},
		Vendor:   bouncietest.New,
		Notice:   bouncietest.Notice,
		ID:       func(v sim.Vehicle) string { return v.IMEI },
		ExpectDevice: func(_ sim.Vehicle, want *provider.Device) {
			want.Registration, want.Active = nil, true
		},
	})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.GoldenOf(t, "testdata/vehicles.json", func(vehicles []vehicle) []provider.Device {
		return wire.All(vehicles, vehicle.record)
	})
	providertest.GoldenOf(t, "testdata/positions.json", func(vehicles []vehicle) []provider.Position {
		return wire.Records(vehicles, vehicle.position)
	})
	providertest.GoldenOf(t, "testdata/trips.json", func(trips []trip) []provider.Trip {
		return wire.Records(trips, func(trip trip) (provider.Trip, bool) { return trip.record("123456789012345") })
	})
}

// TestHosts has the vendor's own addresses called, and a list that cannot be
// paged come to an end.
func TestHosts(t *testing.T) {
	t.Parallel()
	var calls []string
	p, err := New(provider.Config{
		Credentials: provider.Credentials{codeField: "c0d3-0f-c0ns3nt"},
		Now:         func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) },
		HTTP: providertest.Doer(func(req *http.Request) (*http.Response, error) {
			calls = append(calls, req.URL.Host+req.URL.Path)
			body := `{"access_token":"t","expires_in":3600}`
			if req.URL.Path == "/v1/vehicles" {
				body = `[{"imei":"123456789012345"}]`
			}
			return providertest.Answer(body)
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	first, err := p.Devices(t.Context(), "")
	if err != nil || len(first.Records) != 1 || !first.More {
		t.Fatalf("first page: %+v, %v", first, err)
	}
	second, err := p.Devices(t.Context(), first.Cursor)
	if err != nil || len(second.Records) != 0 || second.More {
		t.Errorf("the same page again: %+v, %v", second, err)
	}
	want := "auth.bouncie.com/oauth/token api.bouncie.dev/v1/vehicles api.bouncie.dev/v1/vehicles"
	if got := strings.Join(calls, " "); got != want {
		t.Errorf("calls %s, want %s", got, want)
	}
}
