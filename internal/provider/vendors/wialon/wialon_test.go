package wialon

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/wialon/wialontest"
	"github.com/drover-fleet/drover/internal/sim"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Harness{
		Info:        Info,
		Credentials: map[string]string{"token": "5f1c7a90bd6e4f20a3c8", "operate_as": "depot north"},
		Vendor:      wialontest.New,
		Readings:    []drover.ReadingKind{drover.ReadingOdometer, drover.ReadingEngine, drover.ReadingSupply},
		ExpectTrip: func(truth sim.Trip, want *provider.Trip) {
			want.DrivingSeconds = new(truth.EndTime.Sub(truth.StartTime).Seconds())
		},
	})
}

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
		var found units
		err = read(payload, &found)
		for _, u := range found.Items {
			records = append(records, u.record())
		}
		return records, err
	})
	for file, formula := range map[string]string{"testdata/positions.json": "in1", "testdata/parameter.json": "io_239"} {
		providertest.Golden(t, file, func(payload []byte) ([]provider.Position, error) {
			var got messages
			err := read(payload, &got)
			return got.records("34868", newSensor(formula)), err
		})
	}
	for _, file := range []string{"testdata/trips.json", "testdata/trips-wrapped.json"} {
		providertest.Golden(t, file, func(payload []byte) ([]provider.Trip, error) {
			var got trips
			err := read(payload, &got)
			return got.records("34868"), err
		})
	}
}

func TestSensors(t *testing.T) {
	t.Parallel()
	tests := map[string]sensor{
		`{}`: {},
		`{"1":{"t":"engine operation","p":"in1"}}`:                                                 {bit: 1},
		`{"1":{"t":"engine operation","p":"in64"}}`:                                                {bit: 1 << 63},
		`{"1":{"t":"engine operation","p":"in65"}}`:                                                {parameter: "in65"},
		`{"1":{"t":"fuel level","p":"io_9"},"2":{"t":"Engine operation","p":"io_239"}}`:            {parameter: "io_239"},
		`{"10":{"t":"engine operation","p":"in2"},"9":{"t":"engine operation","p":"in3"}}`:         {bit: 4},
		`{"1":{"t":"engine operation","p":"pwr_ext-const13"}}`:                                     {},
		`{"1":{"t":"engine hours","p":"in1"},"2":{"t":"engine operation","p":"(in1+in2)/const2"}}`: {},
	}
	for text, want := range tests {
		var u unit
		if err := json.Unmarshal([]byte(`{"sens":`+text+`}`), &u); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got := u.ignition(); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

// doer answers without a network.
type doer func(form url.Values) string

func (d doer) Do(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, err
	}
	text := `{"eid":"s1","user":{"nm":"northern","id":7}}`
	if form.Get("svc") != loginService {
		text = d(form)
	}
	if status, refused := strings.CutPrefix(text, "403 "); refused {
		return nil, provider.Errorf(provider.KindPermanent, "no: %w", &provider.StatusError{Status: http.StatusForbidden, Body: status})
	}
	return providertest.Answer(text)
}

func newAdapter(t *testing.T, d doer) *Adapter {
	t.Helper()
	return providertest.Adapter(t, Info, provider.Credentials{"token": "t"}, d, time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)).(*Adapter)
}

func TestCodes(t *testing.T) {
	t.Parallel()
	tests := map[string]provider.Kind{
		`{"error":8}`:                          provider.KindCredentials,
		`{"error":7,"reason":"ACCESS_DENIED"}`: provider.KindPermanent,
		`{"error":14}`:                         provider.KindPermanent,
		`{"error":1003,"reason":"LIMIT api_concurrent"}`: provider.KindRateLimited,
		`{"error":10}`: provider.KindRateLimited,
		`{"error":5}`:  provider.KindTemporary,
		`{"error":1}`:  provider.KindTemporary,
		`403 {"error":1003,"reason":"one request at time"}`: provider.KindRateLimited,
		`403 <html>`: provider.KindPermanent,
	}
	for text, want := range tests {
		a := newAdapter(t, func(url.Values) string { return text })
		if err := a.Check(t.Context()); err == nil || provider.KindOf(err) != want {
			t.Errorf("%s: %v of kind %s, want %s", text, err, provider.KindOf(err), want)
		}
	}
}

func TestCheckReadsMessages(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]provider.Kind{
		`{"error":7}`: provider.KindPermanent, `{"error":1001}`: "", `{"count":0,"messages":[]}`: "",
	} {
		a := newAdapter(t, func(form url.Values) string {
			if form.Get("svc") == searchService {
				return `{"totalItemsCount":1,"items":[{"id":7}]}`
			}
			return text
		})
		if err := a.Check(t.Context()); (err == nil) != (want == "") || err != nil && provider.KindOf(err) != want {
			t.Errorf("%s: %v, want kind %q", text, err, want)
		}
	}
}

func TestOneUnitDoesNotHoldUpOthers(t *testing.T) {
	t.Parallel()
	a := newAdapter(t, func(form url.Values) string {
		switch {
		case form.Get("svc") == searchService:
			return `{"totalItemsCount":0,"items":[]}`
		case strings.Contains(form.Get("params"), `"itemId":2`):
			return `{"count":1,"messages":[{"t":1714557600,"pos":{"y":1,"x":2}}]}`
		default:
			return `{"error":7}`
		}
	})
	q := provider.Query{From: a.cfg.Now().Add(-time.Hour), Devices: []string{"1", "2", "3"}}
	page, err := a.Positions(t.Context(), q)
	if err != nil || len(page.Records) != 1 || page.More {
		t.Errorf("%d records, more %t, %v", len(page.Records), page.More, err)
	}
}

// TestServerFailsOverOneUnit has a server that answers error 6, or 5, for a unit
// and serves the others.
func TestServerFailsOverOneUnit(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"5", "6"} {
		a := newAdapter(t, func(form url.Values) string {
			switch {
			case form.Get("svc") == searchService:
				return `{"totalItemsCount":0,"items":[]}`
			case strings.Contains(form.Get("params"), `"itemId":1,`):
				return `{"error":` + code + `}`
			default:
				return `{"count":1,"messages":[{"t":1714563000,"pos":{"y":1,"x":2}}]}`
			}
		})
		q := provider.Query{From: a.cfg.Now().Add(-time.Hour), Devices: []string{"1", "2", "3"}}
		page, err := a.Positions(t.Context(), q)
		if err != nil || len(page.Records) != 2 || page.More {
			t.Errorf("error %s: %d records, more %t, %v", code, len(page.Records), page.More, err)
		}
		// The past of a unit is given up after some attempts, as no one comes back.
		q.To = a.cfg.Now()
		for range attempts - 1 {
			if _, err := a.Positions(t.Context(), q); err == nil {
				t.Errorf("error %s: the past of a unit was passed over at once", code)
			}
		}
		if page, err := a.Positions(t.Context(), q); err != nil || len(page.Records) != 2 {
			t.Errorf("error %s: %d past records, %v", code, len(page.Records), err)
		}
	}
}

func TestServerFailsOverAllUnits(t *testing.T) {
	t.Parallel()
	a := newAdapter(t, func(form url.Values) string {
		if form.Get("svc") == searchService {
			return `{"totalItemsCount":0,"items":[]}`
		}
		return `{"error":6}`
	})
	now := a.cfg.Now()
	a.cfg.Now = func() time.Time { return now }
	q := provider.Query{From: now.Add(-time.Hour), Devices: []string{"1"}}
	for poll := range inARow + 1 {
		now = now.Add(2 * time.Minute)
		page, err := a.Positions(t.Context(), q)
		if err == nil && page.More { // what was read of all is kept first
			q.Cursor = page.Cursor
			page, err = a.Positions(t.Context(), q)
		}
		if failed := err != nil; failed != (poll == inARow) {
			t.Errorf("poll %d: %v", poll, err)
		}
		q.Cursor = page.Cursor
	}
}

func TestTooManyMessagesAreReadInHalves(t *testing.T) {
	t.Parallel()
	var asked []string
	a := newAdapter(t, func(form url.Values) string {
		if form.Get("svc") == searchService {
			return `{"totalItemsCount":0,"items":[]}`
		}
		var p struct{ TimeFrom, TimeTo int64 }
		if err := json.Unmarshal([]byte(form.Get("params")), &p); err != nil {
			t.Error(err)
		}
		asked = append(asked, time.Duration(p.TimeTo-p.TimeFrom+1).String())
		if p.TimeTo-p.TimeFrom > 3600 {
			return `{"error":1004}`
		}
		return `{"error":1001}`
	})
	now := a.cfg.Now()
	q := provider.Query{From: now.Add(-2 * time.Hour), To: now, Devices: []string{"1"}}
	if _, err := a.Positions(t.Context(), q); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"7.2µs", "3.6µs", "3.6µs"}, asked); diff != "" {
		t.Error(diff)
	}
}

// TestAccountIsNamed holds that the user whom the vendor names at the login is the account.
func TestAccountIsNamed(t *testing.T) {
	t.Parallel()
	a := newAdapter(t, func(url.Values) string { return `{"totalItemsCount":0,"items":[]}` })
	var account string
	a.cfg.Named = func(name string) { account = name }
	if err := a.Check(t.Context()); err != nil || account != "northern" {
		t.Errorf("the account is %q: %v", account, err)
	}
}
