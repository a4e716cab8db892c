package gpswox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/gpswox/gpswoxtest"
	"github.com/drover-fleet/drover/internal/sim"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Harness{
		Info:        Info,
		Credentials: map[string]string{"email": "fleet@example.com", "password": "correct horse"},
		Vendor:      gpswoxtest.New,
		Readings: []drover.ReadingKind{
			drover.ReadingOdometer, drover.ReadingEngine, drover.ReadingFuelUsed, drover.ReadingFuelPercent, drover.ReadingFuelLitres,
			drover.ReadingSupply, drover.ReadingCoolant, drover.ReadingProbe, drover.ReadingDoor,
		},
		Tolerance: providertest.Tolerance{TripMetres: 5}, // hundredths of a kilometre
		ExpectDevice: func(_ sim.Vehicle, want *provider.Device) {
			want.Make, want.Year = nil, nil
		},
		ExpectTrip: func(truth sim.Trip, want *provider.Trip) {
			want.DrivingSeconds = new(truth.EndTime.Sub(truth.StartTime).Seconds())
		},
	})
}

var now = time.Date(2016, 4, 29, 12, 0, 0, 0, time.UTC)

// read reads an answer as the client does.
func read(payload []byte, into any) error {
	inner, err := open(payload)
	if err != nil {
		return err
	}
	return json.Unmarshal(inner, into)
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, "testdata/devices.json", func(payload []byte) (records []provider.Device, err error) {
		var groups []group
		err = read(payload, &groups)
		for _, g := range groups {
			for _, d := range g.Items {
				records = append(records, d.record(now))
			}
		}
		return records, err
	})
	for file, miles := range map[string]bool{"testdata/positions.json": false, "testdata/positions-miles.json": true} {
		providertest.Golden(t, file, func(payload []byte) ([]provider.Position, error) {
			var got history
			err := read(payload, &got)
			return got.records("3", miles), err
		})
	}
	for file, miles := range map[string]bool{"testdata/trips.json": false, "testdata/trips-miles.json": true} {
		providertest.Golden(t, file, func(payload []byte) ([]provider.Trip, error) {
			var got drives
			err := read(payload, &got)
			return got.records("3", 2*time.Hour, miles), err
		})
	}
}

func TestSetup(t *testing.T) {
	t.Parallel()
	const item = `{"item":{"unit_of_distance":"km","timezone_id":"7"},"timezones":`
	tests := map[string]time.Duration{
		item + `[{"id":6,"value":"UTC +01:00"},{"id":7,"value":"UTC +02:00"}]}`: 2 * time.Hour,
		item + `[{"id":"7","value":"UTC -03:30"}]}`:                             -(3*time.Hour + 30*time.Minute),
		item + `[{"id":7,"value":"UTC"}]}`:                                      0,
		item + `[{"id":6,"value":"UTC +01:00"}]}`:                               0,
		item + `{"7":"UTC +02:00"}}`:                                            0,
		`{}`:                                                                    0,
	}
	for text, want := range tests {
		var s setup
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got := s.offset(); got != want || s.miles() {
			t.Errorf("%s: %v, miles %t, want %v", text, got, s.miles(), want)
		}
	}
	var s setup
	if s.Item.UnitOfDistance = "mi"; !s.miles() {
		t.Error("mi is not read as miles")
	}
}

// doer answers without a network, with status 200 unless the text starts with
// another.
type doer func(path string, query url.Values) string

func (d doer) Do(req *http.Request) (*http.Response, error) {
	text, status := d(req.URL.Path, req.URL.Query()), 0
	if n, _ := fmt.Sscanf(text, "%d", &status); n == 1 {
		_, body, _ := strings.Cut(text, " ")
		return nil, provider.Errorf(provider.KindPermanent, "no: %w", &provider.StatusError{Status: status, Body: body})
	}
	return providertest.Answer(text)
}

func newAdapter(t *testing.T, credentials provider.Credentials, d doer) *Adapter {
	t.Helper()
	p, err := New(provider.Config{
		Credentials: credentials, BaseURL: "https://track.test/api", HTTP: d, Now: func() time.Time { return now },
	})
	if err != nil {
		t.Fatal(err)
	}
	return p.(*Adapter)
}

// TestZoneOfTheAnswerCounts has settings that may not be read, and answers in a
// zone of two hours.
func TestZoneOfTheAnswerCounts(t *testing.T) {
	t.Parallel()
	var asked []string
	a := newAdapter(t, provider.Credentials{"user_api_hash": "h"}, func(path string, query url.Values) string {
		if path == "/api/edit_setup_data" {
			return `403 {"status":0}`
		}
		asked = append(asked, query.Get("from_date")+" "+query.Get("from_time"))
		return `{"status":1,"messages":{"last_page":1,"data":[
			{"latitude":1,"longitude":2,"time":"2016-04-29 13:30:00","sort":1461929400}]}}`
	})
	seen := map[string]string{}
	a.cfg.Observed = func(name, form string) { seen[name] = form }
	q := provider.Query{From: now.Add(-time.Hour), To: now, Devices: []string{"3"}}
	for range 2 {
		page, err := a.Positions(t.Context(), q)
		if err != nil || len(page.Records) != 1 {
			t.Errorf("%d records, %v", len(page.Records), err)
		}
	}
	want := []string{"2016-04-29 11:00", "2016-04-29 13:00", "2016-04-29 13:00"}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"zone": "UTC+02:00"}, seen); diff != "" {
		t.Errorf("the forms that were seen (-want +got):\n%s", diff)
	}
}

func TestOneDeviceDoesNotHoldUpOthers(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		`400 {"status":0,"errors":{"device_id":["unknown"]}}`: true,
		`404 <html>`: true,
		`400 {"status":0,"errors":{"from_date":["wrong"]}}`: false,
		`403 {"status":0}`:                       false,
		`{"status":0,"message":"not permitted"}`: false,
	}
	for text, passed := range tests {
		a := newAdapter(t, provider.Credentials{"user_api_hash": "h"}, func(path string, _ url.Values) string {
			if path == "/api/edit_setup_data" {
				return `{"status":1}`
			}
			return text
		})
		_, err := a.Trips(t.Context(), provider.Query{From: now.Add(-time.Hour), To: now, Devices: []string{"3"}})
		if (err == nil) != passed || err != nil && provider.KindOf(err) != provider.KindPermanent {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestHashNeedsNoLogin(t *testing.T) {
	t.Parallel()
	const hash = "$2y$10$exampleHash/with.signs+"
	account := sim.NewAccount(sim.New(sim.Options{}), func() time.Time { return now }, map[string]string{"user_api_hash": hash})
	vendor := gpswoxtest.New(account)
	for entered, want := range map[string]int{hash: http.StatusOK, "another": http.StatusUnauthorized} {
		a := newAdapter(t, provider.Credentials{"user_api_hash": entered}, func(path string, query url.Values) string {
			recorder := httptest.NewRecorder()
			vendor.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path+"?"+query.Encode(), nil))
			if recorder.Code != want || path == "/api/login" {
				t.Errorf("%s answers %d, want %d", path, recorder.Code, want)
			}
			return `[]`
		})
		if err := a.Check(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestRefusedLogin(t *testing.T) {
	t.Parallel()
	a := newAdapter(t, provider.Credentials{"email": "e", "password": "p"}, func(string, url.Values) string {
		return `{"status":0,"message":"Wrong credentials."}`
	})
	if err := a.Check(t.Context()); err == nil || provider.KindOf(err) != provider.KindCredentials {
		t.Errorf("%v of kind %s", err, provider.KindOf(err))
	}
}

func TestOldServersIgnorePaging(t *testing.T) {
	t.Parallel()
	a := newAdapter(t, provider.Credentials{"user_api_hash": "h"}, func(string, url.Values) string {
		return `[{"title":"Ungrouped","items":[{"id":"3"},{"id":4}]}]`
	})
	page, err := a.Devices(t.Context(), "")
	if err != nil || len(page.Records) != 2 || !page.More {
		t.Fatalf("first page: %d records, more %t, %v", len(page.Records), page.More, err)
	}
	page, err = a.Devices(t.Context(), page.Cursor)
	if err != nil || len(page.Records) != 0 || page.More {
		t.Errorf("the same page again: %d records, more %t, %v", len(page.Records), page.More, err)
	}
}

func TestAddressIsNeeded(t *testing.T) {
	t.Parallel()
	if _, err := New(provider.Config{}); provider.KindOf(err) != provider.KindPermanent {
		t.Errorf("New without an address: %v", err)
	}
}
