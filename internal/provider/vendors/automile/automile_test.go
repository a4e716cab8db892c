package automile

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/automile/automiletest"
	"github.com/drover-fleet/drover/internal/sim"
)

var credentials = map[string]string{
	"api_client_id": "drover.automile.com", "api_client_secret": "c1i3nt-s3cr3t",
	"username": "fleet@example.com", "password": "correct horse",
}

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Harness{
		Info:        Info,
		Credentials: credentials,
		Vendor:      automiletest.New,
		TripDrivers: true,
		Readings:    []drover.ReadingKind{drover.ReadingOdometer},
		Lacks: map[string]string{
			"Positions/Window": "the history has the tracks of trips and nothing of parked vehicles; TestHistory checks what there is",
		},
		ExpectDevice:   func(_ sim.Vehicle, want *provider.Device) { want.Active = true },
		ExpectPosition: func(_ sim.Sample, want *provider.Position, _ bool) { want.SpeedKPH = nil },
	})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.GoldenOf(t, "testdata/vehicles.json", func(vehicles []vehicle) []provider.Device {
		return wire.All(vehicles, vehicle.record)
	})
	providertest.Golden(t, "testdata/status.json", func(payload []byte) (records []provider.Position, err error) {
		var answer struct {
			Vehicle vehicle
			Status  []status
		}
		err = json.Unmarshal(payload, &answer)
		for _, s := range answer.Status {
			if r, ok := s.record(answer.Vehicle); ok {
				records = append(records, r)
			}
		}
		return records, err
	})
	providertest.Golden(t, "testdata/track.json", func(payload []byte) ([]provider.Position, error) {
		var answer struct {
			Trip  tripRow
			Geo   []point
			Speed []speed
		}
		err := json.Unmarshal(payload, &answer)
		return track("33553", answer.Trip.trip(), answer.Geo, answer.Speed), err
	})
	providertest.Golden(t, "testdata/trips.json", func(payload []byte) (records []provider.Trip, err error) {
		var answer struct {
			Trips  []tripRow
			Detail detail
			Ends   ends
		}
		err = json.Unmarshal(payload, &answer)
		answer.Detail.Ends = answer.Ends
		for _, t := range distinct(answer.Trips) {
			if t.over() {
				records = append(records, t.record("33553", answer.Detail))
			}
		}
		return records, err
	})
}

var now = time.Date(2024, 5, 6, 6, 0, 0, 0, time.UTC)

// network brings requests to the fake and counts them by the end of their path.
type network struct {
	vendor http.Handler
	calls  map[string]int
}

// Do implements provider.Doer.
func (n *network) Do(req *http.Request) (*http.Response, error) {
	n.calls[req.URL.Path[strings.LastIndex(req.URL.Path, "/")+1:]]++
	recorder := httptest.NewRecorder()
	n.vendor.ServeHTTP(recorder, req)
	if recorder.Code >= http.StatusBadRequest {
		return nil, provider.Errorf(provider.KindPermanent, "refused: %w", &provider.StatusError{Status: recorder.Code})
	}
	return recorder.Result(), nil
}

func newAdapter(t *testing.T, vehicles int) (*sim.Account, *network, provider.Provider) {
	t.Helper()
	clock := func() time.Time { return now }
	account := sim.NewAccount(sim.New(sim.Options{Vehicles: vehicles}), clock, credentials)
	n := &network{vendor: automiletest.New(account), calls: map[string]int{}}
	p, err := New(provider.Config{Credentials: credentials, BaseURL: "https://vendor.test", HTTP: n, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	return account, n, p
}

// TestHistory reads the tracks of most of a day: every position of every trip, and
// no other.
func TestHistory(t *testing.T) {
	t.Parallel()
	account, _, p := newAdapter(t, 6)
	q := provider.Query{From: now.Add(-20 * time.Hour), To: now}
	want := map[string]provider.Position{}
	for _, v := range account.Vehicles() {
		q.Devices = append(q.Devices, v.ID)
		for _, r := range driven(account, v, q.From, q.To) {
			want[v.ID+" "+r.Time.String()] = r
		}
	}
	got := map[string]provider.Position{}
	for more := true; more; {
		page, err := p.Positions(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Records {
			got[r.SystemDeviceID+" "+r.Time.String()] = r
		}
		q.Cursor, more = page.Cursor, page.More
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-truth +adapter):\n%.2000s", diff)
	}
	if len(want) < 500 {
		t.Errorf("the truth has %d positions: the test checks nothing", len(want))
	}
}

// driven returns the truth as a track reports it. The last position of a trip, when
// the engine is off already, belongs to it.
func driven(account *sim.Account, v sim.Vehicle, from, to time.Time) []provider.Position {
	ends := map[time.Time]bool{}
	for _, t := range account.Trips(v, from, to) {
		ends[t.EndTime] = true
	}
	var records []provider.Position
	for _, s := range account.Positions(v, from, to) {
		if !*s.Ignition && !ends[s.Time.Time] {
			continue
		}
		s.Ignition, s.OdometerMetres, s.Auxiliary = new(true), nil, nil
		if !automiletest.ReportsSpeed(v) {
			s.SpeedKPH = nil
		}
		records = append(records, provider.Position{SystemDeviceID: v.ID, Position: s.Position})
	}
	return records
}

// TestDetailsAreReadOnce polls trips twice while none is new.
func TestDetailsAreReadOnce(t *testing.T) {
	t.Parallel()
	_, n, p := newAdapter(t, 3)
	q := provider.Query{From: now.Add(-24 * time.Hour), Devices: []string{"1001", "1002", "1003"}}
	page, err := p.Trips(t.Context(), q)
	if err != nil || len(page.Records) == 0 {
		t.Fatalf("%d trips, %v", len(page.Records), err)
	}
	before := n.calls["geostartend"]
	q.Cursor = page.Cursor
	page, err = p.Trips(t.Context(), q)
	if err != nil || len(page.Records) == 0 {
		t.Fatalf("again %d trips, %v", len(page.Records), err)
	}
	if before == 0 || n.calls["geostartend"] != before || n.calls["trips"] != 6 {
		t.Errorf("details read %d times, then %d; lists %d", before, n.calls["geostartend"], n.calls["trips"])
	}
}
