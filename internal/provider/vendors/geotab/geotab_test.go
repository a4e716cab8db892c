package geotab

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/geotab/geotabtest"
	"github.com/drover-fleet/drover/internal/sim"
)

var now = time.Date(2026, 7, 14, 12, 0, 0, 0, time.UTC)

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Harness{
		Info:        Info,
		Credentials: map[string]string{"database": "acme", "username": "api@acme.example", "password": "correct horse"},
		Vendor:      geotabtest.New,
		TripDrivers: true,
		Readings: []drover.ReadingKind{
			drover.ReadingOdometer, drover.ReadingEngine, drover.ReadingFuelUsed, drover.ReadingFuelPercent, drover.ReadingCharge,
			drover.ReadingSupply, drover.ReadingCoolant, drover.ReadingAmbient, drover.ReadingDEF, drover.ReadingPTOActive,
			drover.ReadingDoor, drover.ReadingProbe,
		},
		ID:       func(v sim.Vehicle) string { return geotabtest.ID(v.ID) },
		DriverID: geotabtest.ID,
		ExpectDevice: func(_ sim.Vehicle, want *provider.Device) {
			want.Make, want.Model, want.Year = nil, nil, nil
		},
		ExpectPosition: func(_ sim.Sample, want *provider.Position, _ bool) {
			want.DriverID = wire.Map(want.DriverID, geotabtest.ID)
		},
		ExpectTrip: func(truth sim.Trip, want *provider.Trip) {
			want.DrivingSeconds = new(truth.EndTime.Sub(truth.StartTime).Seconds())
			want.DriverID = wire.Map(want.DriverID, geotabtest.ID)
		},
	})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.GoldenOf(t, "testdata/devices.json", func(devices []device) []provider.Device {
		return wire.All(devices, func(d device) provider.Device { return d.record(now) })
	})
	providertest.Golden(t, "testdata/positions.json", func(payload []byte) ([]provider.Position, error) {
		var rows struct {
			Drivers   []driverChange
			Ignition  []statusData
			Positions []logRecord
		}
		err := json.Unmarshal(payload, &rows)
		var drivers timeline[*string]
		report(&drivers, rows.Drivers)
		var ignition timeline[*bool]
		report(&ignition, rows.Ignition)
		positions := records(rows.Positions)
		addStates(positions, &drivers, &ignition)
		return positions, err
	})
	providertest.Golden(t, "testdata/trips.json", func(payload []byte) (records []provider.Trip, err error) {
		var trips []trip
		err = json.Unmarshal(payload, &trips)
		for _, trip := range trips {
			if r, ok := trip.record(); ok {
				r.Start = trip.startAfter(trips)
				records = append(records, r)
			}
		}
		return records, err
	})
}

func answer(body string) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Retry-After": {"58"}}, Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

func newAdapter(t *testing.T, d providertest.Doer) *Adapter {
	t.Helper()
	return providertest.Adapter(t, Info, provider.Credentials{"server": "https://my.geotab.com/acme"}, d, now).(*Adapter)
}

func TestLoginMovesToTheServerOfTheDatabase(t *testing.T) {
	t.Parallel()
	var called []string
	a := newAdapter(t, func(req *http.Request) (*http.Response, error) {
		called = append(called, req.URL.String())
		body, _ := io.ReadAll(req.Body)
		if strings.Contains(string(body), `"Authenticate"`) {
			return answer(`{"result":{"credentials":{"sessionId":"s"},"path":"my3.geotab.com"}}`)
		}
		return answer(`{"result":[]}`)
	})
	if err := a.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{"https://my.geotab.com/apiv1", "https://my3.geotab.com/apiv1"}
	if diff := cmp.Diff(want, called); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]provider.Kind{
		`{"error":{"code":-32000,"data":{"type":"OverLimitException"}}}`:                  provider.KindRateLimited,
		`{"error":{"data":{"type":"DbUnavailableException"}}}`:                            provider.KindTemporary,
		`{"error":{"data":{"type":"ArgumentException"}}}`:                                 provider.KindPermanent,
		`{"error":{"errors":[{"name":"InvalidUserException","message":"secret words"}]}}`: provider.KindCredentials,
		`{"error":{"message":"secret words"}}`:                                            provider.KindTemporary,
		`{"result":{}}`:                                                                   provider.KindTemporary,
	} {
		err := newAdapter(t, func(*http.Request) (*http.Response, error) { return answer(body) }).Check(t.Context())
		if err == nil || provider.KindOf(err) != want || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s gives %v of kind %s, want %s", body, err, provider.KindOf(err), want)
		}
		if until := provider.RetryAt(err); want == provider.KindRateLimited && !until.Equal(now.Add(58*time.Second)) {
			t.Errorf("come back at %s, want the header's 58 s", until)
		}
	}
}

// TestErrorShapes tells in which shape errors came.
func TestErrorShapes(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"error":{"data":{"type":"ArgumentException"}}}`:     "data.type",
		`{"error":{"errors":[{"name":"ArgumentException"}]}}`: "errors.name",
		`{"error":{"message":"words"}}`:                       "unknown",
	} {
		a := newAdapter(t, func(*http.Request) (*http.Response, error) { return answer(body) })
		var seen []string
		a.cfg.Observed = func(name, form string) { seen = append(seen, name+" "+form) }
		if err := a.Check(t.Context()); err == nil || len(seen) != 1 || seen[0] != "error "+want {
			t.Errorf("%s is seen as %v: %v", body, seen, err)
		}
	}
}

// TestFullAnswerIsAskedForInHalves has a vendor that leaves out what is beyond the
// cap.
func TestFullAnswerIsAskedForInHalves(t *testing.T) {
	t.Parallel()
	const seconds = rowCap + rowCap/4
	from := now.Add(-seconds * time.Second)
	a := newAdapter(t, func(req *http.Request) (*http.Response, error) {
		var body struct {
			Method string
			Params struct {
				Search struct{ FromDate, ToDate time.Time }
			}
		}
		if err := json.NewDecoder(req.Body).Decode(&body); err != nil {
			return nil, err
		}
		if body.Method == "Authenticate" {
			return answer(`{"result":{"credentials":{"sessionId":"s"}}}`)
		}
		var rows []string
		for at := body.Params.Search.FromDate; !at.After(body.Params.Search.ToDate) && len(rows) < rowCap; at = at.Add(time.Second) {
			rows = append(rows, fmt.Sprintf(`{"device":"b1","dateTime":%q}`, wire.ISOMilli(at)))
		}
		return answer(`{"result":[` + strings.Join(rows, ",") + `]}`)
	})
	rows, err := a.logRecords(t.Context(), "b1", from, now)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[time.Time]bool{}
	for _, r := range rows {
		seen[r.DateTime.Time] = true
	}
	if len(seen) != seconds+1 {
		t.Errorf("%d positions, want %d", len(seen), seconds+1)
	}
}
