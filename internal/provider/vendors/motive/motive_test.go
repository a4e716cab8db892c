package motive

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/motive/motivetest"
	"github.com/drover-fleet/drover/internal/sim"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Harness{
		Info:        Info,
		Credentials: map[string]string{"api_key": "9e90504a-82f0-4ed4"},
		Vendor:      motivetest.New,
		TripDrivers: true,
		Notice:      motivetest.Notice,
		Readings: []drover.ReadingKind{
			drover.ReadingOdometer, drover.ReadingEngine, drover.ReadingFuelPercent, drover.ReadingSupply,
		},
		OtherReadings: []string{"odometer", "engine_hours"}, // as the fleet has set them
		ExpectPosition: func(s sim.Sample, want *provider.Position, _ bool) {
			if !motivetest.ReportsIgnition(s) {
				want.Ignition = nil
			}
		},
		ExpectTrip: func(truth sim.Trip, want *provider.Trip) {
			want.DrivingSeconds = new(truth.EndTime.Sub(truth.StartTime).Seconds())
		},
	})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.GoldenOf(t, "testdata/vehicles.json", func(answer vehicles) []provider.Device {
		return wire.All(answer.Vehicles, func(item vehicleItem) provider.Device { return item.Vehicle.record() })
	})
	providertest.GoldenOf(t, "testdata/latest.json", func(answer vehicles) []provider.Position {
		return wire.Records(answer.Vehicles, func(item vehicleItem) (provider.Position, bool) { return item.Vehicle.position() })
	})
	providertest.GoldenOf(t, "testdata/history.json", func(locations []location) []provider.Position {
		return wire.Records(locations, func(l location) (provider.Position, bool) { return l.record("1284512", l.Driver) })
	})
	providertest.GoldenOf(t, "testdata/trips.json", func(answer periods) []provider.Trip {
		return wire.Records(answer.Periods, func(item periodItem) (provider.Trip, bool) { return item.Period.record() })
	})
}

func TestMorePages(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answer       string
		number, rows int
		want         bool
	}{
		"first of three":       {`{"per_page":100,"page_no":1,"total":214}`, 1, 100, true},
		"last of three":        {`{"per_page":100,"page_no":3,"total":214}`, 3, 14, false},
		"exactly full":         {`{"per_page":100,"page_no":2,"total":200}`, 2, 100, false},
		"past the end":         {`{"per_page":100,"page_no":2,"total":214}`, 2, 0, false},
		"smaller pages":        {`{"per_page":25,"page_no":1,"total":30}`, 1, 25, true},
		"without total, full":  {`{}`, 1, 100, true},
		"without total, short": {`{}`, 1, 99, false},
	}
	for name, test := range tests {
		var p pagination
		if err := json.Unmarshal([]byte(test.answer), &p); err != nil {
			t.Fatal(err)
		}
		if got := p.more(test.number, test.rows); got != test.want {
			t.Errorf("%s: more is %t", name, got)
		}
	}
}

// TestFailedPageIsAskedForAgain has the second of three pages of driving periods fail: the
// next attempt goes on with it.
func TestFailedPageIsAskedForAgain(t *testing.T) {
	t.Parallel()
	var asked []string
	broken := true
	now := time.Date(2024, 5, 3, 12, 0, 0, 0, time.UTC)
	p := providertest.Adapter(t, Info, provider.Credentials{"api_key": "k"},
		providertest.Doer(func(req *http.Request) (*http.Response, error) {
			number := req.URL.Query().Get("page_no")
			asked = append(asked, number)
			if number == "2" && broken {
				broken = false
				return providertest.Refuse(http.StatusBadGateway)
			}
			return providertest.Answer(fmt.Sprintf(`{"driving_periods":[{"driving_period":{"id":%s,"start_time":"2024-05-02T0%[1]s:00:00Z","end_time":"2024-05-02T0%[1]s:30:00Z",
			"vehicle":{"id":7}}}],"pagination":{"per_page":1,"page_no":%[1]s,"total":3}}`, number))
		}), now)
	q := provider.Query{From: now.Add(-36 * time.Hour), To: now.Add(-12 * time.Hour)}
	if _, err := p.Trips(t.Context(), q); err == nil {
		t.Fatal("no error")
	}
	page, err := p.Trips(t.Context(), q)
	if err != nil || len(page.Records) != 3 {
		t.Errorf("%d trips, %v", len(page.Records), err)
	}
	if want := []string{"1", "2", "2", "3"}; !slices.Equal(asked, want) {
		t.Errorf("pages %v were asked for, want %v", asked, want)
	}
}
