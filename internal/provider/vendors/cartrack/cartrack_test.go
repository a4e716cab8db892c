package cartrack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/cartrack/cartracktest"
	"github.com/drover-fleet/drover/internal/sim"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Harness{
		Info: Info,
		Credentials: map[string]string{
			"username": "ABCD00001", "password": "correct horse", "timezone": cartracktest.Timezone,
		},
		Vendor:      cartracktest.New,
		TripDrivers: true,
		Readings: []drover.ReadingKind{
			drover.ReadingOdometer, drover.ReadingEngine, drover.ReadingSupply, drover.ReadingCoolant, drover.ReadingCharge,
			drover.ReadingFuelPercent, drover.ReadingProbe,
		},
		BasePath: "/rest",
		ExpectDevice: func(v sim.Vehicle, want *provider.Device) {
			want.Active = true
			if v.Index%5 == 3 { // those with a made-up registration have the plate for a name
				want.Description = want.Registration
			}
		},
	})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	zone, err := wire.Zone("Africa/Johannesburg")
	if err != nil {
		t.Fatal(err)
	}
	providertest.GoldenOf(t, "testdata/devices.json", func(answer envelope[vehicle]) []provider.Device {
		return wire.All(answer.Data, vehicle.record)
	})
	providertest.Golden(t, "testdata/positions.json", func(payload []byte) ([]provider.Position, error) {
		return convert[event, provider.Position](payload, func(e event) (provider.Position, bool, error) { return e.record(zone) })
	})
	providertest.Golden(t, "testdata/trips.json", func(payload []byte) ([]provider.Trip, error) {
		return convert[trip, provider.Trip](payload, func(t trip) (provider.Trip, bool, error) { return t.record(zone) })
	})
}

func convert[T, R any](payload []byte, record func(T) (R, bool, error)) (records []R, err error) {
	var answer envelope[T]
	if err := json.Unmarshal(payload, &answer); err != nil {
		return nil, err
	}
	for _, row := range answer.Data {
		r, ok, err := record(row)
		if err != nil {
			return nil, err
		}
		if ok {
			records = append(records, r)
		}
	}
	return records, nil
}

var now = time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)

func newAdapter(t *testing.T, region string, d providertest.Doer) provider.Provider {
	t.Helper()
	return providertest.Adapter(t, Info, provider.Credentials{
		"username": "u", "password": "p", "region": region,
		"timezone": "Africa/Johannesburg",
	}, d, now)
}

func TestHosts(t *testing.T) {
	t.Parallel()
	for region, want := range map[string]string{
		"za": "fleetapi-za.cartrack.com", "ke": "fleetapi-ke.karooooo.com",
		"sa": "fleetapi-sa.karooooo.com", "znz": "fleetapi-znz.cartrack.com",
	} {
		var got string
		p := newAdapter(t, region, func(req *http.Request) (*http.Response, error) {
			got = req.URL.Host + req.URL.Path
			return providertest.Answer(`{"data":[]}`)
		})
		if err := p.Check(t.Context()); err != nil || got != want+"/rest/vehicles" {
			t.Errorf("region %s: called %s, %v", region, got, err)
		}
		if !slices.Contains(Info.Fields[0].Options, region) {
			t.Errorf("region %s cannot be chosen", region)
		}
	}
}

func TestCredentialsAreChecked(t *testing.T) {
	t.Parallel()
	for name, credentials := range map[string]provider.Credentials{
		"no region":    {"timezone": "Africa/Johannesburg"},
		"no zone":      {"region": "za"},
		"unknown zone": {"region": "za", "timezone": "SAST"},
	} {
		if _, err := New(provider.Config{Credentials: credentials}); provider.KindOf(err) != provider.KindPermanent {
			t.Errorf("%s: %v of kind %s", name, err, provider.KindOf(err))
		}
	}
}

func TestKindsOfErrors(t *testing.T) {
	t.Parallel()
	refused := func(status int) providertest.Doer {
		return func(*http.Request) (*http.Response, error) {
			return providertest.Refuse(status)
		}
	}
	answered := func(text string) providertest.Doer {
		return func(*http.Request) (*http.Response, error) { return providertest.Answer(text) }
	}
	tests := map[string]struct {
		doer providertest.Doer
		want provider.Kind
	}{
		"409":         {refused(409), provider.KindTemporary},
		"401":         {refused(401), provider.KindCredentials},
		"403":         {refused(403), provider.KindPermanent},
		"200 and 401": {answered(`{"error":{"code":401}}`), provider.KindCredentials},
		"200 and 403": {answered(`{"error":{"code":"403"}}`), provider.KindPermanent},
		"200 and 429": {answered(`{"error":{"code":429}}`), provider.KindRateLimited},
		"200 and 500": {answered(`{"error":{"code":500}}`), provider.KindTemporary},
		"no data":     {answered(`{}`), provider.KindTemporary},
	}
	for name, test := range tests {
		if _, err := newAdapter(t, "za", test.doer).Devices(t.Context(), ""); err == nil || provider.KindOf(err) != test.want {
			t.Errorf("%s: %v of kind %s, want %s", name, err, provider.KindOf(err), test.want)
		}
	}
}

// TestListsWithoutMeta reads a list that does not say how long it is.
func TestListsWithoutMeta(t *testing.T) {
	t.Parallel()
	full := strings.Repeat(`{"vehicle_id":1,"event_ts":"2026-10-01 13:00:00+02","latitude":1,"longitude":2},`, pageSize)
	calls := 0
	p := newAdapter(t, "za", func(req *http.Request) (*http.Response, error) {
		switch req.URL.Path {
		case "/rest/vehicles":
			return providertest.Answer(`{"data":[{"vehicle_id":1,"registration":"AB 1/2"}]}`)
		case "/rest/vehicles/status":
			return providertest.Answer(`{"data":[]}`)
		}
		if got := req.URL.EscapedPath(); got != "/rest/vehicles/AB%201%2F2/events" {
			t.Errorf("path %s", got)
		}
		if got := req.URL.Query().Get("start_timestamp"); got != "2026-10-01 12:00:00" {
			t.Errorf("start %s", got)
		}
		calls++
		if calls == 1 {
			return providertest.Answer(`{"data":[` + strings.TrimSuffix(full, ",") + `]}`)
		}
		return providertest.Answer(`{"data":[{"vehicle_id":2,"event_ts":"2026-10-01 13:30:00+02","latitude":1,"longitude":2}]}`)
	})
	page, err := p.Positions(t.Context(), provider.Query{From: now.Add(-2 * time.Hour), Devices: []string{"1", "gone"}})
	if err != nil || len(page.Records) != pageSize || calls != 2 {
		t.Errorf("%d records in %d calls, %v; want those of the vehicle asked for", len(page.Records), calls, err)
	}
}

// TestNothingOlderThanFiveYears asks for a past that the vendor refuses.
func TestNothingOlderThanFiveYears(t *testing.T) {
	t.Parallel()
	var start string
	p := newAdapter(t, "za", func(req *http.Request) (*http.Response, error) {
		start = req.URL.Query().Get("start_timestamp")
		return providertest.Answer(`{"data":[]}`)
	})
	from := now.AddDate(-5, 0, -1)
	if _, err := p.Trips(t.Context(), provider.Query{From: from, To: from.AddDate(0, 0, 5)}); err != nil || start < "2021-10-01" {
		t.Errorf("asked from %s, %v", start, err)
	}
}

func TestEventWithoutAFixIsNoPosition(t *testing.T) {
	t.Parallel()
	for fix, want := range map[string]bool{`0`: false, `1`: false, `"1"`: false, `2`: true, `3`: true, `null`: true} {
		var e event
		if err := json.Unmarshal([]byte(`{"event_ts":"2026-10-01 13:00:00+02","latitude":1,"longitude":2,"gps_fix_type":`+fix+`}`),
			&e); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := e.record(time.UTC); err != nil || ok != want {
			t.Errorf("a fix of type %s is a position: %t, %v", fix, ok, err)
		}
	}
}

func TestEndlessListIsGivenUp(t *testing.T) {
	t.Parallel()
	trips := `{"data":[` + strings.TrimSuffix(strings.Repeat("{},", pageSize), ",") + `]}`
	p := newAdapter(t, "za", func(*http.Request) (*http.Response, error) { return providertest.Answer(trips) })
	if _, err := p.Trips(t.Context(), provider.Query{From: now.Add(-time.Hour)}); provider.KindOf(err) != provider.KindTemporary ||
		err == nil {
		t.Errorf("a list without end: %v", err)
	}
}

func TestUnreadableTimeIsNoRecord(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"start_timestamp", "end_timestamp"} {
		p := newAdapter(t, "za", func(*http.Request) (*http.Response, error) {
			return providertest.Answer(fmt.Sprintf(`{"data":[{"trip_id":1,%q:"soon"}]}`, field))
		})
		if _, err := p.Trips(t.Context(), provider.Query{From: now.Add(-time.Hour)}); err == nil {
			t.Errorf("%s was read", field)
		}
	}
}
