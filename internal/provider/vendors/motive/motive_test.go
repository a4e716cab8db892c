package motive

import (
	"encoding/json"
	"testing"

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
		ExpectPosition: func(s sim.Sample, want *provider.Position, _ bool) {
			if !motivetest.TellsIgnition(s) {
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
	providertest.Golden(t, "testdata/vehicles.json", func(payload []byte) (records []provider.Device, err error) {
		var answer vehicles
		err = json.Unmarshal(payload, &answer)
		for _, item := range answer.Vehicles {
			records = append(records, item.Vehicle.record())
		}
		return records, err
	})
	providertest.Golden(t, "testdata/latest.json", func(payload []byte) (records []provider.Position, err error) {
		var answer vehicles
		err = json.Unmarshal(payload, &answer)
		for _, item := range answer.Vehicles {
			if r, ok := item.Vehicle.position(); ok {
				records = append(records, r)
			}
		}
		return records, err
	})
	providertest.GoldenOf(t, "testdata/history.json", func(locations []location) []provider.Position {
		return wire.Records(locations, func(l location) (provider.Position, bool) { return l.record("1284512", l.Driver) })
	})
	providertest.Golden(t, "testdata/trips.json", func(payload []byte) (records []provider.Trip, err error) {
		var answer periods
		err = json.Unmarshal(payload, &answer)
		for _, item := range answer.Periods {
			if r, ok := item.Period.record(); ok {
				records = append(records, r)
			}
		}
		return records, err
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
