package ruptela

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/ruptela/ruptelatest"
	"github.com/drover-fleet/drover/internal/sim"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Harness{
		Info:        Info,
		Credentials: map[string]string{"api_key": "k3y-of-the-fleet"},
		Vendor:      ruptelatest.New,
		ID:          ruptelatest.ObjectID,
		Readings: []drover.ReadingKind{
			drover.ReadingOdometer, drover.ReadingEngine, drover.ReadingFuelUsed, drover.ReadingFuelPercent, drover.ReadingFuelLitres,
			drover.ReadingCharge, drover.ReadingSupply, drover.ReadingCoolant, drover.ReadingAmbient, drover.ReadingProbe, drover.ReadingDoor,
			drover.ReadingPTOActive,
		},
		Tolerance: providertest.Tolerance{SpeedKPH: 0.5, Metres: 5},
		ExpectDevice: func(_ sim.Vehicle, want *provider.Device) {
			want.Year, want.Active = nil, true
		},
		ExpectTrip: func(_ sim.Trip, want *provider.Trip) {
			want.AuxiliarySeconds = nil // it is known of positions, not of trips
		},
	})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.GoldenOf(t, "testdata/devices.json", func(objects []object) []provider.Device {
		return wire.All(objects, object.record)
	})
	providertest.GoldenOf(t, "testdata/positions.json", func(answer coordinates) []provider.Position {
		return wire.Records(answer.Items, func(c coordinate) (provider.Position, bool) { return c.record("9db8ce84") })
	})
	providertest.GoldenOf(t, "testdata/trips.json", func(answer trips) []provider.Trip {
		return wire.Records(answer.Trips, func(trip trip) (provider.Trip, bool) { return trip.record("9db8ce84", unitAuto) })
	})
}

func TestMileage(t *testing.T) {
	t.Parallel()
	const away = `"latitude":55.67,"longitude":12.56` // 9.9 km
	const home = `"latitude":55.72,"longitude":12.43`
	tests := map[string]struct {
		mileage string
		unit    string
		end     string
		want    *float64
	}{
		"metres reach the end":       {`10560`, unitAuto, away, new(10560.0)},
		"metres do not reach":        {`10.56`, unitAuto, away, new(10560.0)},
		"round trip":                 {`10560`, unitAuto, home, new(10560.0)},
		"round trip in kilometres":   {`10.56`, unitAuto, home, new(10560.0)},
		"no end place, kilometres":   {`10.56`, unitAuto, `"latitude":null`, new(10560.0)},
		"moved in the yard":          {`90`, unitAuto, home, new(90.0)},
		"scatter of a short trip":    {`0`, unitAuto, `"latitude":55.7205,"longitude":12.43`, new(0.0)},
		"metres are said":            {`10.56`, unitMetres, away, new(10.56)},
		"kilometres are said":        {`10.56`, unitKM, home, new(10560.0)},
		"no mileage":                 {`null`, unitKM, away, nil},
		"no unit is the same as any": {`10.56`, "", away, new(10560.0)},
	}
	for name, test := range tests {
		var got trip
		text := `{"trip_start":{"datetime":"2026-01-01T09:40:00Z",` + home + `},"trip_end":{"datetime":"2026-01-01T10:00:00Z",` + test.end +
			`},"mileage":` + test.mileage + `}`
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got.metres(test.unit)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestUnitShows tells the unit of trips whose ends are far enough apart.
func TestUnitShows(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want string
	}{
		"Metres":     {`{"trip_start":{"latitude":55.72,"longitude":12.43},"trip_end":{"datetime":"2026-01-01T10:00:00Z","latitude":55.67,"longitude":12.56},"mileage":10560}`, unitMetres},
		"Kilometres": {`{"trip_start":{"latitude":55.72,"longitude":12.43},"trip_end":{"datetime":"2026-01-01T10:00:00Z","latitude":55.67,"longitude":12.56},"mileage":10.56}`, unitKM},
		"RoundTrip":  {`{"trip_start":{"latitude":55.72,"longitude":12.43},"trip_end":{"datetime":"2026-01-01T10:00:00Z","latitude":55.72,"longitude":12.43},"mileage":10560}`, ""},
		"NoMileage":  {`{"trip_start":{"latitude":55.72,"longitude":12.43},"trip_end":{"datetime":"2026-01-01T10:00:00Z","latitude":55.67,"longitude":12.56}}`, ""},
		"NoEnd":      {`{"trip_start":{"latitude":55.72,"longitude":12.43},"mileage":10.56}`, ""},
		"NoMovement": {`{"trip_start":{"latitude":55.72,"longitude":12.43},"trip_end":{"datetime":"2026-01-01T10:00:00Z","latitude":55.67,"longitude":12.56},"mileage":0}`, ""},
	} {
		var got trip
		if err := json.Unmarshal([]byte(test.text), &got); err != nil {
			t.Fatal(err)
		}
		if unit, shows := got.unit(); unit != test.want || shows != (test.want != "") {
			t.Errorf("%s: %q, %t, want %q", name, unit, shows, test.want)
		}
	}
}

var now = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

func newAdapter(t *testing.T, d providertest.Doer) provider.Provider {
	t.Helper()
	return providertest.Adapter(t, Info, provider.Credentials{"api_key": "k", unitField: unitAuto}, d, now)
}

func TestContinuation(t *testing.T) {
	t.Parallel()
	var tokens []string
	p := newAdapter(t, func(req *http.Request) (*http.Response, error) {
		query := req.URL.Query()
		if req.URL.Host != "api.fm-track.com" || query.Get("from_datetime") != "2024-05-01T11:00:00.000Z" {
			t.Errorf("asked %s from %s", req.URL.Host, query.Get("from_datetime"))
		}
		tokens = append(tokens, query.Get("continuation_token"))
		// The last page has a token too: the one that led to it.
		return providertest.Answer(`{"items":[{"datetime":"2024-05-01T11:0` + strconv.Itoa(len(tokens)) +
			`:00.000Z","position":{"latitude":1,"longitude":2}}],"continuation_token":"2024-05-01T11:10:00.000Z"}`)
	})
	page, err := p.Positions(t.Context(), provider.Query{From: now.Add(-time.Hour), To: now, Devices: []string{"a"}})
	if err != nil || len(page.Records) != 2 {
		t.Errorf("%d records, %v; want 2", len(page.Records), err)
	}
	if diff := cmp.Diff([]string{"", "2024-05-01T11:10:00.000Z"}, tokens); diff != "" {
		t.Errorf("continuations: %s", diff)
	}
}

func TestEndlessHistoryIsGivenUp(t *testing.T) {
	t.Parallel()
	calls := 0
	p := newAdapter(t, func(*http.Request) (*http.Response, error) {
		calls++
		return providertest.Answer(`{"trips":[],"continuation_token":` + strconv.Itoa(calls%2) + `}`)
	})
	_, err := p.Trips(t.Context(), provider.Query{From: now.Add(-time.Hour), Devices: []string{"a"}})
	if err == nil || provider.KindOf(err) != provider.KindTemporary || calls != paging.MaxPages {
		t.Errorf("a history in circles: %v after %d calls", err, calls)
	}
}

func TestNoObjectsIsNoFleet(t *testing.T) {
	t.Parallel()
	p := newAdapter(t, func(*http.Request) (*http.Response, error) { return providertest.Answer(`null`) })
	if _, err := p.Devices(t.Context(), ""); err == nil {
		t.Error("an answer without objects would end every device")
	}
}

func TestObjectThatIsGone(t *testing.T) {
	t.Parallel()
	p := newAdapter(t, func(*http.Request) (*http.Response, error) {
		return providertest.Refuse(http.StatusNotFound)
	})
	page, err := p.Positions(t.Context(), provider.Query{From: now.Add(-time.Hour), Devices: []string{"a"}})
	if err != nil || len(page.Records) != 0 || page.More {
		t.Errorf("page %+v, %v; want an empty one", page, err)
	}
}
