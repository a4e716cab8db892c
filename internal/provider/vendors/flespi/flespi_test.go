package flespi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/flespi/flespitest"
)

func harness(more map[string]string) providertest.Harness {
	all := map[string]string{
		"token": "Fl3spiTokenOfTheFleet", "trips_calc_id": "8", "counter_driving": "drive_time", "counter_auxiliary": "pto_time",
	}
	maps.Copy(all, more)
	return providertest.Harness{Info: Info, Credentials: all, Vendor: flespitest.New, Readings: []drover.ReadingKind{
		drover.ReadingOdometer, drover.ReadingEngine, drover.ReadingFuelPercent, drover.ReadingFuelUsed,
		drover.ReadingSupply, drover.ReadingCoolant, drover.ReadingAmbient, drover.ReadingDoor,
	}}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.Run(t, harness(nil))
}

func TestConformanceOfASubaccount(t *testing.T) {
	t.Parallel()
	h := harness(map[string]string{"cid": "77"})
	h.Lacks = map[string]string{}
	for _, name := range []string{"Live", "Faults", "Cut", "Limits"} {
		h.Lacks["Push/"+name] = "the broker knows the token's own account alone"
	}
	providertest.Run(t, h)
}

// credentials are those of the golden pairs, with the defaults of Info.
func credentials(more provider.Credentials) provider.Credentials {
	all := provider.Credentials{}
	for _, f := range Info.Fields {
		all[f.Name] = f.Default
	}
	maps.Copy(all, more)
	return all
}

func TestGolden(t *testing.T) {
	t.Parallel()
	named := credentials(provider.Credentials{"trips_calc_id": "8", "metadata_registration": "plate", "counter_driving": "driven"})
	providertest.GoldenOf(t, "testdata/devices.json", func(answer envelope[device]) []provider.Device {
		return wire.All(answer.Result, func(d device) provider.Device { return d.record(named) })
	})
	providertest.GoldenOf(t, "testdata/positions.json", func(answer envelope[message]) []provider.Position {
		return wire.Records(answer.Result, func(m message) (provider.Position, bool) { return m.record("123456") })
	})
	providertest.GoldenOf(t, "testdata/trips.json", func(answer envelope[interval]) []provider.Trip {
		return wire.All(answer.Result, func(i interval) provider.Trip { return i.record(named, "123456") })
	})
}

var now = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

func newAdapter(t *testing.T, d providertest.Doer) provider.Provider {
	t.Helper()
	return newAdapterWith(t, provider.Credentials{"token": "t"}, d)
}

func newAdapterWith(t *testing.T, some provider.Credentials, d providertest.Doer) provider.Provider {
	t.Helper()
	return providertest.Adapter(t, Info, some, d, now)
}

func TestErrorsWithStatus200(t *testing.T) {
	t.Parallel()
	tests := map[int]provider.Kind{
		401: provider.KindCredentials, 403: provider.KindPermanent, 404: provider.KindPermanent,
		429: provider.KindRateLimited, 2: provider.KindTemporary,
	}
	for code, want := range tests {
		p := newAdapter(t, func(*http.Request) (*http.Response, error) {
			return providertest.Answer(fmt.Sprintf(`{"result":[{"id":1}],"errors":[{"code":%d,"reason":"no"}]}`, code))
		})
		if _, err := p.Devices(t.Context(), ""); err == nil || provider.KindOf(err) != want {
			t.Errorf("code %d: %v of kind %s, want %s", code, err, provider.KindOf(err), want)
		}
	}
}

func TestAnswerWithoutResult(t *testing.T) {
	t.Parallel()
	p := newAdapter(t, func(*http.Request) (*http.Response, error) { return providertest.Answer(`{}`) })
	if _, err := p.Devices(t.Context(), ""); err == nil || provider.KindOf(err) != provider.KindTemporary {
		t.Errorf("no result and no error: %v, which would end every device", err)
	}
}

func TestDevicesInSmallerPages(t *testing.T) {
	t.Parallel()
	p := newAdapter(t, func(req *http.Request) (*http.Response, error) {
		if req.URL.Host != "flespi.io" {
			t.Errorf("host %s", req.URL.Host)
		}
		return providertest.Answer(`{"result":[{"id":"` + req.URL.Query().Get("offset") + `1"}],"pagination":{"limit":1,"count":2}}`)
	})
	page, err := p.Devices(t.Context(), "")
	if err != nil || len(page.Records) != 1 || !page.More {
		t.Fatalf("first page: %+v, %v", page, err)
	}
	page, err = p.Devices(t.Context(), page.Cursor)
	if err != nil || len(page.Records) != 1 || page.Records[0].SystemDeviceID != "11" || page.More {
		t.Errorf("second page: %+v, %v", page, err)
	}
}

// messages answers as a device with one message a second since start would.
func messages(start int64, total int, asked *[]int64) providertest.Doer {
	return func(req *http.Request) (*http.Response, error) {
		var span struct{ From, To, Count int64 }
		if err := json.Unmarshal([]byte(req.URL.Query().Get("data")), &span); err != nil {
			return nil, err
		}
		*asked = append(*asked, span.From)
		list := []string{}
		for at := max(start, span.From); at <= span.To && at < start+int64(total) && int64(len(list)) < span.Count; at++ {
			list = append(list, fmt.Sprintf(`{"timestamp":%d,"position.latitude":1,"position.longitude":2}`, at))
		}
		return providertest.Answer(`{"result":[` + strings.Join(list, ",") + `]}`)
	}
}

func TestFullAnswersGoOn(t *testing.T) {
	t.Parallel()
	var asked []int64
	from := now.Add(-time.Hour)
	p := newAdapter(t, messages(from.Unix(), 2500, &asked))
	page, err := p.Positions(t.Context(), provider.Query{From: from, To: now, Devices: []string{"1"}})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int64]bool{}
	for _, r := range page.Records {
		seen[r.Time.Unix()] = true
	}
	if len(seen) != 2500 || len(asked) != 3 {
		t.Errorf("%d positions in %d calls, want 2500 in 3", len(seen), len(asked))
	}
}

// TestClockBehind has a device whose clock is six hours behind: no window up to the present has
// what it reports, so it is read from where it is.
func TestClockBehind(t *testing.T) {
	t.Parallel()
	var asked []int64
	own := now.Add(-6 * time.Hour).Unix()
	read := messages(own, 61, &asked)
	p := newAdapter(t, func(req *http.Request) (*http.Response, error) {
		if !strings.Contains(req.URL.Path, "/telemetry/") {
			return read(req)
		}
		own += 60
		return providertest.Answer(fmt.Sprintf(
			`{"result":[{"id":1,"telemetry":{"server.timestamp":{"value":%d},"timestamp":{"value":%d}}}]}`, now.Unix(), own))
	})
	q, records := provider.Query{From: now, Devices: []string{"1"}}, 0
	for range 2 {
		page, err := p.Positions(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		q.Cursor, records = page.Cursor, records+len(page.Records)
	}
	if records != 61 {
		t.Errorf("%d positions, want 61; asked from %v", records, asked)
	}
}

func TestDeviceThatIsGone(t *testing.T) {
	t.Parallel()
	p := newAdapter(t, func(*http.Request) (*http.Response, error) {
		return providertest.Refuse(http.StatusNotFound)
	})
	page, err := p.Positions(t.Context(), provider.Query{From: now.Add(-time.Hour), Devices: []string{"1"}})
	if err != nil || len(page.Records) != 0 || page.More {
		t.Errorf("page %+v, %v; want an empty one", page, err)
	}
}

func TestTripsNeedACalculator(t *testing.T) {
	t.Parallel()
	p := newAdapter(t, func(*http.Request) (*http.Response, error) { return providertest.Answer(`{}`) })
	if _, err := p.Trips(t.Context(), provider.Query{From: now}); provider.KindOf(err) != provider.KindPermanent {
		t.Errorf("trips without a calculator: %v of kind %s", err, provider.KindOf(err))
	}
}

// TestCalculatorThatIsGone tells a wrong number, which a person must put right,
// from a device without a calculator.
func TestCalculatorThatIsGone(t *testing.T) {
	t.Parallel()
	for calculator, want := range map[string]bool{"8": true, "9": false} {
		p := newAdapterWith(t, provider.Credentials{"trips_calc_id": calculator}, func(req *http.Request) (*http.Response, error) {
			if req.URL.Path == "/gw/calcs/8" {
				return providertest.Answer(`{"result":[{"id":8}]}`)
			}
			return providertest.Refuse(http.StatusNotFound)
		})
		_, err := p.Trips(t.Context(), provider.Query{From: now.Add(-time.Hour), Devices: []string{"1"}})
		if (err == nil) != want || (err != nil && provider.KindOf(err) != provider.KindPermanent) {
			t.Errorf("calculator %s: %v", calculator, err)
		}
	}
}
