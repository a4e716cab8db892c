package verizonconnect

import (
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
	"github.com/drover-fleet/drover/internal/provider/vendors/verizon_connect/verizonconnecttest"
	"github.com/drover-fleet/drover/internal/sim"
)

var now = time.Date(2022, 10, 21, 14, 0, 0, 0, time.UTC)

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Harness{
		Info: Info,
		Credentials: map[string]string{
			"region": "us", "app_id": "fleetmatics-p-us-0123456789abcdef", "username": "rest@acme.example", "password": "correct horse",
		},
		Vendor:   verizonconnecttest.New,
		Notice:   verizonconnecttest.Notice,
		ID:       verizonconnecttest.Number,
		Readings: []drover.ReadingKind{drover.ReadingOdometer},
		// The account is one of the US, which reports miles an hour.
		Tolerance: providertest.Tolerance{SpeedKPH: 0.001},
		ExpectDevice: func(_ sim.Vehicle, want *provider.Device) {
			want.Active = true // the vendor does not say
		},
	})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.GoldenOf(t, "testdata/devices.json", func(list vehicles) []provider.Device {
		return wire.Records(list, vehicle.record)
	})
	providertest.GoldenOf(t, "testdata/positions.json", func(rows []position) []provider.Position {
		return wire.Records(rows, func(p position) (provider.Position, bool) { return p.record("97", false) })
	})
	providertest.GoldenOf(t, "testdata/trips.json", func(list segments) []provider.Trip {
		return wire.Records(list, func(s segment) (provider.Trip, bool) { return s.record("97") })
	})
}

// doer answers without a network.
type doer func(*http.Request) (int, string)

// Do implements provider.Doer, with errors like those of package outbound.
func (d doer) Do(req *http.Request) (*http.Response, error) {
	if req.URL.Path == "/token" {
		return providertest.Answer("token-1")
	}
	status, body := d(req)
	if status >= http.StatusBadRequest {
		return nil, provider.Errorf(provider.KindPermanent, "refused: %w", &provider.StatusError{Status: status, Body: body})
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func newAdapter(t *testing.T, d provider.Doer) provider.Provider {
	t.Helper()
	return providertest.Adapter(t, Info, provider.Credentials{"region": "eu", "app_id": "a"}, d, now)
}

// TestOddVehicles reads a past window of vehicles that the vendor has trouble
// with: none of them is an error.
func TestOddVehicles(t *testing.T) {
	t.Parallel()
	var called []string
	p := newAdapter(t, doer(func(req *http.Request) (int, string) {
		called = append(called, req.Method+" "+req.URL.Host+req.URL.EscapedPath())
		switch {
		case req.Method == http.MethodPost:
			body, _ := io.ReadAll(req.Body)
			if string(body) != `["7/8"]` {
				t.Errorf("body %s", body)
			}
			return http.StatusOK, `[{"VehicleNumber":"7/8","StatusCode":200,"ContentResource":{"Value":{"Latitude":1,"Longitude":2,"UpdateUTC":"2022-10-21T13:30:00"}}}]`
		case strings.Contains(req.URL.Path, "no plan"):
			return http.StatusBadRequest, "Vehicle is not in the data plan"
		case strings.Contains(req.URL.Path, "gone"):
			return http.StatusNotFound, ""
		default:
			return http.StatusNoContent, ""
		}
	}))
	page, err := p.Positions(t.Context(), provider.Query{
		From: now.Add(-time.Hour), To: now, Devices: []string{"7/8", "id:5", "no plan", "gone", "A-1"},
	})
	if err != nil || len(page.Records) != 1 || page.Records[0].SystemDeviceID != "7/8" || page.More {
		t.Errorf("%+v, %v", page, err)
	}
	want := []string{
		"POST fim.api.eu.fleetmatics.com/rad/v1/vehicles/locations",
		"GET fim.api.eu.fleetmatics.com/rad/v1/vehicles/no%20plan/status/history",
		"GET fim.api.eu.fleetmatics.com/rad/v1/vehicles/gone/status/history",
		"GET fim.api.eu.fleetmatics.com/rad/v1/vehicles/A%2D1/status/history",
	}
	if diff := cmp.Diff(want, called); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestWraps reads the list of vehicles in the forms that clients have met.
func TestWraps(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		`[{"VehicleNumber":"1"}]`: 1, `{"Items":[{"VehicleNumber":"1"}]}`: 1, `{"Vehicles":[{"VehicleNumber":"1"}]}`: 1,
		`{"Data":[{"VehicleNumber":"1"}]}`: 1, `{"Vehicles":[]}`: 0, `{"Message":"x"}`: -1, `{"Vehicles":null}`: -1, `{}`: -1,
	} {
		page, err := newAdapter(t, doer(func(*http.Request) (int, string) { return http.StatusOK, body })).Devices(t.Context(), "")
		if (err != nil) != (want < 0) || len(page.Records) != max(want, 0) {
			t.Errorf("%s: %d devices, %v", body, len(page.Records), err)
		}
	}
}

// TestAccountWithoutLocations has a product of the vendor's that lacks the call for
// the newest location of many: each vehicle is asked for its history.
func TestAccountWithoutLocations(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusForbidden, http.StatusNotFound} {
		p := newAdapter(t, doer(func(req *http.Request) (int, string) {
			if req.Method == http.MethodPost {
				return status, ""
			}
			return http.StatusOK, `[{"UpdateUtc":"2022-10-21T13:30:00","Latitude":1,"Longitude":2,"Speed":10}]`
		}))
		page, err := p.Positions(t.Context(), provider.Query{From: now.Add(-time.Hour), Devices: []string{"1", "2"}})
		if err != nil || len(page.Records) != 2 {
			t.Errorf("%d: %d positions, %v", status, len(page.Records), err)
		}
	}
}

func TestUnitOfSpeed(t *testing.T) {
	t.Parallel()
	for credentials, want := range map[[2]string]float64{{"us", ""}: 16.093, {"eu", ""}: 10, {"us", "kph"}: 10, {"eu", "mph"}: 16.093} {
		p := providertest.Adapter(t, Info, provider.Credentials{"region": credentials[0], speedField: credentials[1], "app_id": "a"},
			doer(func(*http.Request) (int, string) {
				return http.StatusOK, `[{"UpdateUtc":"2022-10-21T13:30:00","Latitude":1,"Longitude":2,"Speed":10}]`
			}), now)
		page, err := p.Positions(t.Context(), provider.Query{From: now.Add(-time.Hour), To: now, Devices: []string{"1"}})
		if err != nil || len(page.Records) != 1 || *page.Records[0].SpeedKPH != want {
			t.Errorf("%v: %+v, %v", credentials, page.Records, err)
		}
	}
}

func TestRefusedTokenIsNoRefusedVehicle(t *testing.T) {
	t.Parallel()
	p := newAdapter(t, doer(func(*http.Request) (int, string) {
		return http.StatusBadRequest, "The provided token has an invalid format."
	}))
	_, err := p.Trips(t.Context(), provider.Query{From: now.Add(-time.Hour), To: now, Devices: []string{"97"}})
	if provider.KindOf(err) != provider.KindCredentials {
		t.Errorf("%v of kind %s", err, provider.KindOf(err))
	}
}

func TestLogin(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{" \"abc\" \r\n": "abc", "a.b-c_d==": "a.b-c_d==", "<html>": "", "": "", `{"error":"x"}`: ""} {
		a := newAdapter(t, answering(body)).(*Adapter)
		token, err := a.login(t.Context())
		if token.Value != want || (err == nil) != (want != "") {
			t.Errorf("%q gives %q, %v", body, token.Value, err)
		}
	}
	refused := provider.Errorf(provider.KindPermanent, "refused: %w", &provider.StatusError{Status: http.StatusForbidden})
	if err := loginMeaning(refused); provider.KindOf(err) != provider.KindCredentials {
		t.Errorf("403 is of kind %s", provider.KindOf(err))
	}
	if _, err := New(provider.Config{Credentials: provider.Credentials{"region": "x"}}); provider.KindOf(err) != provider.KindPermanent {
		t.Errorf("an unknown region: %v", err)
	}
}

// answering gives every call the same answer.
type answering string

// Do implements provider.Doer.
func (a answering) Do(*http.Request) (*http.Response, error) {
	return providertest.Answer(string(a))
}
