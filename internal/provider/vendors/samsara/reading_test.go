package samsara

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/provider/providertest"
)

// TestReadings reads the shapes of the vendor's feed: each statistic in a unit of its own,
// and what is missing, no number or no state.
func TestReadings(t *testing.T) {
	t.Parallel()
	providertest.CheckReadings(t, map[string]map[string]float64{
		`{"id":"281474977","name":"T-12","fuelPercents":[{"time":"2026-07-20T10:01:00Z","value":71}],
			"obdEngineSeconds":[{"time":"2026-07-20T10:01:00Z","value":3600}],
			"fuelConsumedMilliliters":[{"time":"2026-07-20T10:01:00Z","value":123456789}]}`: {
			"fuelPercents": 71, "obdEngineSeconds": 3600, "fuelConsumedMilliliters": 123456.789,
		},
		`{"id":"1","defLevelMilliPercent":[{"time":"2026-07-20T10:01:00Z","value":42000}],
			"batteryMilliVolts":[{"time":"2026-07-20T10:01:00Z","value":12600}],
			"idlingDurationMilliseconds":[{"time":"2026-07-20T10:01:00Z","value":7200000}]}`: {
			"defLevelMilliPercent": 42, "batteryMilliVolts": 12.6, "idlingDurationMilliseconds": 7200,
		},
		`{"id":"1","engineCoolantTemperatureMilliC":[{"time":"2026-07-20T10:01:00Z","value":84000}],
			"ambientAirTemperatureMilliC":[{"time":"2026-07-20T10:01:00Z","value":-1000}],
			"evStateOfChargeMilliPercent":[{"time":"2026-07-20T10:01:00Z","value":64500}]}`: {
			"engineCoolantTemperatureMilliC": 84, "ambientAirTemperatureMilliC": -1, "evStateOfChargeMilliPercent": 64.5,
		},
		`{"id":"1","gpsOdometerMeters":[{"time":"2026-07-20T10:01:00Z","value":210454468}],
			"syntheticEngineSeconds":[{"time":"2026-07-20T10:01:00Z","value":60}],
			"ecuDoorStatus":[{"time":"2026-07-20T10:01:00Z","value":"Open"}]}`: {
			"gpsOdometerMeters": 210454468, "syntheticEngineSeconds": 60, "ecuDoorStatus": 1,
		},
		`{"id":"1","fuelPercents":[{"time":"2026-07-20T10:01:00Z","value":255}],"obdEngineSeconds":[{"time":"","value":5}],
			"fuelConsumedMilliliters":[{"time":"2026-07-20T10:01:00Z","value":-1}],"batteryMilliVolts":{"value":12},
			"ecuDoorStatus":[{"time":"2026-07-20T10:01:00Z","value":"Unknown"}],
			"defLevelMilliPercent":[{"time":"2026-07-20T10:01:00Z","value":null}],"gpsDistanceMeters":[{"time":"2026-07-20T10:01:00Z","value":7}],
			"gpsOdometerMeters":[{"time":"2026-07-20T10:01:00Z"}]}`: {},
		`{"id":"1"}`: {},
	}, func(row wire.Bag) []provider.Reading {
		var said []provider.Reading
		for _, s := range spoken([]wire.Bag{row}) {
			said = append(said, s.Reading)
		}
		return said
	})
}

// TestReadingsRefused has a token that may not read one feed, and a vendor that does not know
// a type of another: positions and the other feeds go on, and neither is asked for until hours
// later. Then the token may read it.
func TestReadingsRefused(t *testing.T) {
	t.Parallel()
	asked, refuses := map[string]int{}, true
	withheld := map[string]string{}
	passing, later := providertest.Passing(now, readingsEvery), time.Duration(0)
	cfg := provider.Config{
		Credentials: provider.Credentials{"api_token": "t"}, Now: func() time.Time { return passing().Add(later) },
		Observed: func(name, form string) {
			if withheld[name] = form; form == "" {
				delete(withheld, name)
			}
		},
		HTTP: providertest.Doer(func(req *http.Request) (*http.Response, error) {
			types := req.URL.Query().Get("types")
			asked[strings.Split(types, ",")[0]]++
			switch {
			case strings.Contains(types, "fuelPercents") && refuses:
				return providertest.Refuse(http.StatusForbidden)
			case strings.Contains(types, "ecuDoorStatus"):
				return providertest.Refuse(http.StatusBadRequest)
			case types == "gps":
				return providertest.Answer(`{"data":[],"pagination":{"endCursor":"g","hasNextPage":false}}`)
			case strings.Contains(types, "fuelPercents"):
				return providertest.Answer(`{"data":[],"pagination":{"endCursor":"r","hasNextPage":false}}`)
			}
			return providertest.Answer(`{"data":[{"id":"7","batteryMilliVolts":[{"time":"2024-05-01T10:00:00Z","value":24000}]}],
				"pagination":{"endCursor":"r","hasNextPage":false}}`)
		}),
	}
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	q := provider.Query{From: now}
	read := func() {
		t.Helper()
		for range 4 {
			page, err := p.Positions(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if !page.More && len(page.Readings) != 2 { // of two feeds
				t.Errorf("%d readings, want those of the feeds that are left", len(page.Readings))
			}
			q.Cursor = page.Cursor
		}
	}
	read()
	if asked["obdEngineSeconds"] != 1 || asked["gpsOdometerMeters"] != 1 || asked["idlingDurationMilliseconds"] < 2 {
		t.Errorf("asked %v", asked)
	}
	want := map[string]string{
		"withheld engine_seconds": statisticsScope, "withheld fuel_level_percent": statisticsScope, "withheld fuel_used_litres": statisticsScope,
	}
	if diff := cmp.Diff(want, withheld); diff != "" {
		t.Errorf("withheld (-want +got):\n%s", diff)
	}
	later, refuses = provider.WithheldRetry, false
	read()
	if asked["obdEngineSeconds"] < 2 || asked["gpsOdometerMeters"] != 2 {
		t.Errorf("asked later %v", asked)
	}
	if len(withheld) > 0 {
		t.Errorf("still withheld: %v", withheld)
	}
}
