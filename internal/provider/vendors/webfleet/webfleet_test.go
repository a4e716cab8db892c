package webfleet

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background/clocktest"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/webfleet/webfleettest"
	"github.com/drover-fleet/drover/internal/sim"
)

var now = time.Date(2024, 5, 1, 12, 0, 20, 0, time.UTC)

func harness(queue string, metres float64) providertest.Harness {
	read := []drover.ReadingKind{drover.ReadingOdometer, drover.ReadingEngine, drover.ReadingFuelPercent}
	if queue == queueOn {
		read = nil // its messages have none
	}
	return providertest.Harness{
		Info:     Info,
		Readings: read,
		Credentials: map[string]string{
			"account": "acme", "username": "drover", "password": "correct horse", "api_key": "7f2c1e90-aa11", queueField: queue,
		},
		Vendor:      webfleettest.New,
		TripDrivers: true,
		DriverID:    webfleettest.DriverUID,
		ID:          webfleettest.ObjectUID,
		Tolerance:   providertest.Tolerance{SpeedKPH: 0.5, Metres: metres}, // speeds are whole numbers
		ExpectDevice: func(_ sim.Vehicle, want *provider.Device) {
			want.Make, want.Model = nil, nil
		},
		ExpectTrip: func(_ sim.Trip, want *provider.Trip) {
			if want.DriverID != nil {
				want.DriverID = new(webfleettest.DriverUID(*want.DriverID))
			}
		},
		ExpectPosition: func(_ sim.Sample, want *provider.Position, live bool) {
			if !live {
				want.DriverID, want.Ignition, want.OdometerMetres = nil, nil, nil
			}
			if want.DriverID != nil {
				want.DriverID = new(webfleettest.DriverUID(*want.DriverID))
			}
		},
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.Run(t, harness(queueOff, 0))
}

func TestConformanceWithQueue(t *testing.T) {
	t.Parallel()
	providertest.Run(t, harness(queueOn, 100)) // odometers are in units of 100 m
}

// TestQueueKeepsWhatWasNotStored reads a queue whose pages are stored or not: what was
// not comes again, what was is acknowledged, and nothing is left out.
func TestQueueKeepsWhatWasNotStored(t *testing.T) {
	t.Parallel()
	clock := clocktest.New(time.Date(2024, 5, 6, 6, 0, 0, 0, time.UTC))
	credentials := harness(queueOn, 0).Credentials
	account := sim.NewAccount(sim.New(sim.Options{Seed: 7, Vehicles: 6, Interval: 20 * time.Second, Heartbeat: time.Minute}), clock.Now,
		credentials)
	vendor := webfleettest.New(account)
	adapter := func() provider.Provider {
		p, err := New(provider.Config{
			Credentials: credentials, BaseURL: "https://webfleet.test", Now: clock.Now,
			HTTP: providertest.Doer(func(req *http.Request) (*http.Response, error) {
				return providertest.Carry(vendor, req), nil
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p, cursor := adapter(), ""
	begun := clock.Now()
	stored := map[string]int{}
	for i := range 40 {
		page, err := p.Positions(t.Context(), provider.Query{Cursor: cursor, From: begun})
		if err != nil {
			t.Fatal(err)
		}
		switch i % 4 {
		case 1: // it could not be stored
		case 2: // the process ends after it was
			p = adapter()
			fallthrough
		default:
			cursor = page.Cursor
			for _, r := range page.Records {
				stored[r.SystemDeviceID+r.Time.String()]++
			}
		}
		clock.Advance(30 * time.Second)
	}
	last := clock.Now().Add(-2 * time.Minute)
	missing, all := 0, 0
	for _, v := range account.Vehicles() {
		for _, s := range account.Arrived(v, begun.Add(time.Nanosecond), last) {
			if all++; stored[webfleettest.ObjectUID(v)+s.Time.String()] == 0 {
				missing++
			}
		}
	}
	if missing > 0 || all < 50 {
		t.Errorf("%d of %d positions are missing", missing, all)
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.GoldenOf(t, "testdata/devices.json", func(got answer[vehicle]) []provider.Device {
		return wire.All(got.rows, func(v vehicle) provider.Device { return v.record(true) })
	})
	for _, file := range []string{"testdata/objects.json", "testdata/tracks.json"} {
		providertest.Golden(t, file, func(payload []byte) ([]provider.Position, error) {
			var got answer[position]
			err := json.Unmarshal(payload, &got)
			return positions(got.rows, "1-83646-6663E74501"), err
		})
	}
	providertest.GoldenOf(t, "testdata/trips.json", func(got answer[trip]) []provider.Trip {
		return wire.Records(got.rows, trip.record)
	})
}

func answering(body string, headers ...string) providertest.Doer {
	return func(*http.Request) (*http.Response, error) {
		resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
		for i := 0; i+1 < len(headers); i += 2 {
			resp.Header.Set(headers[i], headers[i+1])
		}
		return resp, nil
	}
}

func newAdapter(t *testing.T, d providertest.Doer) *Adapter {
	t.Helper()
	return providertest.Adapter(t, Info, provider.Credentials{
		"account": "a", "username": "u", "password": "pass word",
		"api_key": "secret-key",
	}, d, now).(*Adapter)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		doer   providertest.Doer
		worked bool
		want   provider.Kind // empty: no error
		until  time.Duration
	}{
		"quota": {
			doer: answering(`{"errorCode":8011,"errorMsg":"request quota reached"}`), want: provider.KindRateLimited,
			until: 40 * time.Second,
		},
		"user busy": {
			doer: answering(`{"errorCode":"8015","errorMsg":"busy"}`), want: provider.KindRateLimited,
			until: 10 * time.Second,
		},
		"resource busy":    {doer: answering(`10000,resource busy`), want: provider.KindRateLimited, until: 30 * time.Second},
		"general":          {doer: answering(`60, general error`), want: provider.KindTemporary},
		"not allowed":      {doer: answering(`{"errorCode":8}`), worked: true, want: provider.KindPermanent},
		"login":            {doer: answering(`{"errorCode":1101,"errorMsg":"no"}`), worked: true, want: provider.KindCredentials},
		"unknown at first": {doer: answering(`{"errorCode":77,"errorMsg":"?"}`), want: provider.KindCredentials},
		"unknown later":    {doer: answering(`{"errorCode":77,"errorMsg":"?"}`), worked: true, want: provider.KindTemporary},
		"in headers": {
			doer: answering(``, "X-Webfleet-Errorcode", "8011", "X-Webfleet-Errormessage", "quota"),
			want: provider.KindRateLimited, until: 40 * time.Second,
		},
		"no data":             {doer: answering(`63, Document is empty`)},
		"no data, in JSON":    {doer: answering(`{"errorCode":63}`)},
		"rows below a report": {doer: answering(`{"report":[{"objectuid":"1"}]}`)},
		"forbidden": {doer: func(*http.Request) (*http.Response, error) {
			return providertest.Refuse(http.StatusForbidden)
		}, want: provider.KindCredentials},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAdapter(t, test.doer)
			a.worked = test.worked
			err := a.Check(t.Context())
			if test.want == "" && err != nil || test.want != "" && (err == nil || provider.KindOf(err) != test.want) {
				t.Fatalf("%v of kind %s, want %q", err, provider.KindOf(err), test.want)
			}
			if until := provider.RetryAt(err); test.until > 0 && !until.Equal(now.Add(test.until)) {
				t.Errorf("come back at %v, want %v later", until, test.until)
			}
		})
	}
}

func TestMessagesAreRedacted(t *testing.T) {
	t.Parallel()
	a := newAdapter(t, answering(`{"errorCode":1101,"errorMsg":"bad key secret-key for pass+word"}`))
	err := a.Check(t.Context())
	if err == nil || strings.Contains(err.Error(), "secret-key") || strings.Contains(err.Error(), "pass+word") {
		t.Errorf("Check: %v", err)
	}
}

func TestFullReportOfTripsIsAskedForInParts(t *testing.T) {
	t.Parallel()
	full := "[" + strings.Repeat(`{"tripid":1},`, tripCap-1) + `{"tripid":1}]`
	var asked []string
	a := newAdapter(t, func(req *http.Request) (*http.Response, error) {
		query := req.URL.Query()
		asked = append(asked, fmt.Sprint(query.Get("rangefrom_string"), " ", query.Get("rangeto_string")))
		return answering(full)(req)
	})
	q := provider.Query{From: now.Add(-20 * time.Second).Add(-24 * time.Hour), To: now}
	for range 2 {
		if _, err := a.Trips(t.Context(), q); err == nil {
			t.Error("a full report was taken for a whole one")
		}
	}
	want := "[2024-04-30T00:00:00Z 2024-04-30T23:59:59Z 2024-04-30T06:00:00Z 2024-04-30T17:59:59Z]"
	if got := fmt.Sprint(asked); got != want {
		t.Errorf("asked for %s, want %s", got, want)
	}
}
