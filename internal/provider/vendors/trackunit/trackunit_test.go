package trackunit

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/trackunit/trackunittest"
	"github.com/drover-fleet/drover/internal/sim"
)

func harness(credentials map[string]string) providertest.Harness {
	return providertest.Harness{
		Info:        Info,
		Credentials: credentials,
		Vendor:      trackunittest.New,
		ID:          trackunittest.AssetID,
		Readings: []drover.ReadingKind{
			drover.ReadingOdometer, drover.ReadingEngine, drover.ReadingIdle, drover.ReadingFuelUsed, drover.ReadingFuelPercent, drover.ReadingDEF,
		},
		ExpectDevice: func(_ sim.Vehicle, want *provider.Device) {
			want.Registration, want.Year, want.Active = nil, nil, true
		},
		ExpectPosition: func(_ sim.Sample, want *provider.Position, live bool) {
			if !live {
				want.Heading, want.SpeedKPH, want.Ignition, want.OdometerMetres = nil, nil, nil, nil
			}
		},
	}
}

func TestConformanceWithToken(t *testing.T) {
	t.Parallel()
	providertest.Run(t, harness(map[string]string{"client_id": "token-1", "client_secret": "correct horse"}))
}

// TestConformanceOfTheExport is for a key that allows nothing but the export.
func TestConformanceOfTheExport(t *testing.T) {
	t.Parallel()
	h := harness(map[string]string{"client_id": "token-1", "client_secret": "correct horse"})
	h.Vendor = trackunittest.NewExportOnly
	whole := h.ExpectDevice
	h.ExpectDevice = func(v sim.Vehicle, want *provider.Device) {
		whole(v, want)
		want.Description = new("Mini digger")
	}
	h.ExpectPosition = func(_ sim.Sample, want *provider.Position, live bool) {
		if want.Heading, want.SpeedKPH = nil, nil; !live {
			want.Ignition, want.OdometerMetres = nil, nil
		}
	}
	providertest.Run(t, h)
}

func TestConformanceWithClassicUser(t *testing.T) {
	t.Parallel()
	providertest.Run(t, harness(map[string]string{
		"auth_version": tokensV1, "client_id": "client-1", "client_secret": "correct horse",
		"username": "api@example.com", "password": "battery staple",
	}))
}

// canned answers by the path. What it has no answer for is forbidden.
type canned map[string]string

func (c canned) Do(req *http.Request) (*http.Response, error) {
	body, found := c[strings.TrimPrefix(req.URL.Path, exportPath)]
	switch {
	case strings.HasPrefix(req.URL.Path, "/token"):
		body = `{"access_token":"t","expires_in":1200}`
	case body == "429":
		return nil, provider.Errorf(provider.KindRateLimited, "no: %w", &provider.StatusError{Status: http.StatusTooManyRequests})
	case !found:
		return providertest.Refuse(http.StatusForbidden)
	}
	return providertest.Answer(body)
}

var now = time.Date(2024, 5, 20, 12, 0, 0, 0, time.UTC)

func cannedAdapter(t *testing.T, c canned) provider.Provider {
	t.Helper()
	return providertest.Adapter(t, Info, provider.Credentials{}, c, now)
}

const locationsPath = "/Fleet/Equipment/ID/927096/Locations/2024-05-19T12:00:00Z/2024-05-20T12:00:00Z/1"

var past = provider.Query{From: now.AddDate(0, 0, -1), To: now, Devices: []string{"927096"}}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, "testdata/devices.json", func(payload []byte) ([]provider.Device, error) {
		page, err := cannedAdapter(t, parts(t, payload)).Devices(t.Context(), "")
		return page.Records, err
	})
	providertest.Golden(t, "testdata/positions.json", func(payload []byte) ([]provider.Position, error) {
		page, err := cannedAdapter(t, parts(t, payload)).Positions(t.Context(), provider.Query{From: now})
		return page.Records, err
	})
	providertest.Golden(t, "testdata/series.json", func(payload []byte) ([]provider.Position, error) {
		page, err := cannedAdapter(t, canned{"/Fleet/1": onePage, locationsPath: string(payload)}).Positions(t.Context(), past)
		return page.Records, err
	})
}

// parts reads a payload that holds several answers by their path.
func parts(t *testing.T, payload []byte) canned {
	t.Helper()
	var answers map[string]json.RawMessage
	if err := json.Unmarshal(payload, &answers); err != nil {
		t.Fatal(err)
	}
	c := canned{}
	for path, answer := range answers {
		c[path] = string(answer)
	}
	return c
}

const onePage = `{"links":[],"equipment":[{"EquipmentHeader":{"EquipmentID":"1"},"Location":{"Latitude":1,"Longitude":2,"datetime":"2024-05-20T11:00:00Z"}}]}`

// Assets and locations add to the export; a token without the right to them does
// not lose the machines.
func TestExportAlone(t *testing.T) {
	t.Parallel()
	p := cannedAdapter(t, canned{"/Fleet/1": onePage})
	devices, err := p.Devices(t.Context(), "")
	if err != nil || len(devices.Records) != 1 || *devices.Records[0].Description != "1" {
		t.Errorf("devices %+v, %v", devices.Records, err)
	}
	positions, err := p.Positions(t.Context(), provider.Query{From: now})
	if err != nil || len(positions.Records) != 1 || positions.Records[0].SpeedKPH != nil {
		t.Errorf("positions %+v, %v", positions.Records, err)
	}
}

// TestSeriesEndsWithoutThePool reads 950 points of two machines at the rate that is
// left where the pool is used up: a page of each in a quarter of an hour.
func TestSeriesEndsWithoutThePool(t *testing.T) {
	t.Parallel()
	clock, last := now, map[string]time.Time{}
	p, err := New(provider.Config{
		Credentials: provider.Credentials{}, Now: func() time.Time { return clock },
		HTTP: providertest.Doer(func(req *http.Request) (*http.Response, error) {
			path, isSeries := strings.CutPrefix(req.URL.Path, exportPath+"/Fleet/Equipment/ID/")
			if !isSeries {
				return canned{"/Fleet/1": onePage}.Do(req)
			}
			parts := strings.Split(path, "/")
			machine, number := parts[0], parts[len(parts)-1]
			if clock.Sub(last[machine]) < renewal {
				return nil, provider.Errorf(provider.KindRateLimited, "no: %w", &provider.StatusError{Status: http.StatusTooManyRequests})
			}
			last[machine] = clock
			return providertest.Answer(pageOfSeries(number))
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	q := provider.Query{From: now.AddDate(0, 0, -10), To: now, Devices: []string{"1", "2"}}
	seen := map[string]bool{}
	for calls := 0; ; calls++ {
		page, err := p.Positions(t.Context(), q)
		if provider.KindOf(err) == provider.KindRateLimited && calls < 100 {
			clock = provider.RetryAt(err)
			continue
		}
		if err != nil || calls == 100 {
			t.Fatalf("after %d calls: %v", calls, err)
		}
		for _, r := range page.Records {
			seen[r.SystemDeviceID+r.Time.String()] = true
		}
		if q.Cursor = page.Cursor; !page.More {
			break
		}
	}
	if len(seen) != 2*950 || clock.Sub(now) > 10*renewal {
		t.Errorf("%d positions after %v, want 1900 within two and a half hours", len(seen), clock.Sub(now))
	}
}

func pageOfSeries(number string) string {
	n, _ := strconv.Atoi(number)
	var rows []string
	for i := (n - 1) * 100; i < min(n*100, 950); i++ {
		at := now.AddDate(0, 0, -9).Add(time.Duration(i) * time.Minute).Format(time.RFC3339)
		rows = append(rows, `{"Latitude":1,"Longitude":2,"datetime":"`+at+`"}`)
	}
	links := `[{"rel":"self"}]`
	if n*100 < 950 {
		links = `[{"rel":"self"},{"rel":"next"}]`
	}
	return `{"links":` + links + `,"location":[` + strings.Join(rows, ",") + `]}`
}

func TestNoTimeSeries(t *testing.T) {
	t.Parallel()
	_, err := cannedAdapter(t, canned{"/Fleet/1": onePage}).Positions(t.Context(), past)
	if provider.KindOf(err) != provider.KindPermanent || !strings.Contains(err.Error(), "has no time series") {
		t.Errorf("%v of kind %s", err, provider.KindOf(err))
	}
}

func TestThrottledExportWaits(t *testing.T) {
	t.Parallel()
	p := cannedAdapter(t, canned{"/Fleet/1": "429", locationsPath: "429"})
	for _, q := range []provider.Query{{From: now}, past} {
		_, err := p.Positions(t.Context(), q)
		if at := provider.RetryAt(err); provider.KindOf(err) != provider.KindRateLimited || !at.Equal(now.Add(renewal)) {
			t.Errorf("%v of kind %s, again at %v", err, provider.KindOf(err), at)
		}
	}
}

// Devices and positions want the same pages, which may be read seldom.
func TestPagesAreShared(t *testing.T) {
	t.Parallel()
	reads := map[string]int{}
	clock := now
	p, err := New(provider.Config{
		Credentials: provider.Credentials{}, Now: func() time.Time { return clock },
		HTTP: counting{canned{"/Fleet/1": onePage}, reads},
	})
	if err != nil {
		t.Fatal(err)
	}
	step := func(want int, what string, read func() error) {
		t.Helper()
		if err := read(); err != nil || reads[exportPath+"/Fleet/1"] != want {
			t.Errorf("%s: %d reads of the export, want %d, %v", what, reads[exportPath+"/Fleet/1"], want, err)
		}
	}
	positions := func() error { _, err := p.Positions(t.Context(), provider.Query{From: now}); return err }
	devices := func() error { _, err := p.Devices(t.Context(), ""); return err }
	step(1, "positions", positions)
	step(1, "a check right after", func() error { return p.Check(t.Context()) })
	clock = clock.Add(14 * time.Minute)
	step(1, "devices 14 minutes later", devices)
	clock = clock.Add(time.Minute)
	step(2, "positions 15 minutes later", positions)
	clock = clock.Add(15 * time.Minute)
	step(3, "devices after 15 minutes more", devices)
}

type counting struct {
	provider.Doer
	reads map[string]int
}

func (c counting) Do(req *http.Request) (*http.Response, error) {
	c.reads[req.URL.Path]++
	return c.Doer.Do(req)
}

func TestClassicUserNeedsAPassword(t *testing.T) {
	t.Parallel()
	_, err := New(provider.Config{Credentials: provider.Credentials{"auth_version": tokensV1, "username": "u"}})
	if err == nil || provider.KindOf(err) != provider.KindPermanent {
		t.Errorf("New without a password: %v", err)
	}
}
