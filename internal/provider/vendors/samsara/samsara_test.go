package samsara

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/samsara/samsaratest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Harness{
		Info:        Info,
		Credentials: map[string]string{"api_token": "samsara_api_x1y2z3"},
		Vendor:      samsaratest.New,
		TripDrivers: true,
		Notice:      samsaratest.Notice,
		Readings: []drover.ReadingKind{
			drover.ReadingOdometer, drover.ReadingEngine, drover.ReadingIdle, drover.ReadingFuelUsed, drover.ReadingFuelPercent,
			drover.ReadingDEF, drover.ReadingCharge, drover.ReadingSupply, drover.ReadingCoolant, drover.ReadingAmbient, drover.ReadingDoor,
		},
	})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.GoldenOf(t, "testdata/vehicles.json", func(answer list[vehicle]) []provider.Device {
		return wire.All(answer.Data, vehicle.record)
	})
	providertest.Golden(t, "testdata/feed.json", func(payload []byte) ([]provider.Position, error) {
		var answer list[stats]
		err := json.Unmarshal(payload, &answer)
		return positions(answer.Data), err
	})
	providertest.Golden(t, "testdata/trips.json", func(payload []byte) (records []provider.Trip, err error) {
		var answer struct {
			Trips  []trip
			Idling list[idling]
		}
		err = json.Unmarshal(payload, &answer)
		for _, trip := range answer.Trips {
			if trip.over() {
				record := trip.record("281474977075805")
				setIdling(&record, answer.Idling.Data)
				records = append(records, record)
			}
		}
		return records, err
	})
}

func TestRegion(t *testing.T) {
	t.Parallel()
	for region, want := range map[string]string{"": "api.samsara.com", "us": "api.samsara.com", "eu": "api.eu.samsara.com"} {
		var host string
		p := newAdapter(t, provider.Credentials{"region": region}, func(req *http.Request) (*http.Response, error) {
			host = req.URL.Host
			return providertest.Answer(`{"data":[]}`)
		})
		if err := p.Check(t.Context()); err != nil || host != want {
			t.Errorf("region %q calls %q, want %q: %v", region, host, want, err)
		}
	}
	_, err := New(provider.Config{Credentials: provider.Credentials{"region": "mars"}})
	if provider.KindOf(err) != provider.KindPermanent {
		t.Errorf("an unknown region: %v", err)
	}
}

// TestRefusedCursor has a feed that forgot its cursor: the history fills the gap.
func TestRefusedCursor(t *testing.T) {
	t.Parallel()
	var calls []string
	p := newAdapter(t, nil, func(req *http.Request) (*http.Response, error) {
		if req.URL.Query().Get("types") != "gps" {
			return providertest.Answer(`{"data":[],"pagination":{"endCursor":"new","hasNextPage":false}}`)
		}
		calls = append(calls, req.URL.Path+" "+req.URL.Query().Get("after")+req.URL.Query().Get("startTime"))
		if req.URL.Query().Get("after") == "old" {
			return providertest.Refuse(http.StatusBadRequest)
		}
		return providertest.Answer(`{"data":[],"pagination":{"endCursor":"new","hasNextPage":false}}`)
	})
	q := provider.Query{Cursor: `{"f":"old","r":1714557600000}`} // 2024-05-01T10:00:00Z
	for range 3 {
		page, err := p.Positions(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		q.Cursor = page.Cursor
	}
	want := "/fleet/vehicles/stats/feed old, /fleet/vehicles/stats/feed , " +
		"/fleet/vehicles/stats/history 2024-05-01T09:00:00.000Z, /fleet/vehicles/stats/feed new"
	if got := strings.Join(calls, ", "); got != want {
		t.Errorf("calls\n%s\nwant\n%s", got, want)
	}
}

// TestMissingScopes has a token that may read neither assignments nor idling.
func TestMissingScopes(t *testing.T) {
	t.Parallel()
	p := newAdapter(t, nil, func(req *http.Request) (*http.Response, error) {
		switch req.URL.Path {
		case "/fleet/vehicles/stats/history":
			return providertest.Answer(`{"data":[{"id":"7","gps":[{"time":"2024-05-01T10:00:00Z","latitude":1,"longitude":2}]}]}`)
		case "/v1/fleet/trips":
			return providertest.Answer(`{"trips":[{"startMs":1714557600000,"endMs":1714557660000}]}`)
		case "/idling/events":
			return providertest.Refuse(http.StatusUnauthorized)
		default:
			return providertest.Refuse(http.StatusForbidden)
		}
	})
	q := provider.Query{From: now.Add(-4 * time.Hour), To: now, Devices: []string{"7"}}
	positions, err := p.Positions(t.Context(), q)
	if err != nil || len(positions.Records) != 1 || positions.Records[0].DriverID != nil {
		t.Errorf("positions without the scope for drivers: %+v, %v", positions.Records, err)
	}
	trips, err := p.Trips(t.Context(), q)
	if err != nil || len(trips.Records) != 1 || trips.Records[0].IdlingSeconds != nil || trips.Records[0].DrivingSeconds != nil {
		t.Errorf("trips without the scope for idling: %+v, %v", trips.Records, err)
	}
}

var now = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

func newAdapter(t *testing.T, credentials provider.Credentials, d providertest.Doer) provider.Provider {
	t.Helper()
	return providertest.Adapter(t, Info, credentials, d, now)
}
