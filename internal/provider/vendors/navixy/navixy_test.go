package navixy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/navixy/navixytest"
	"github.com/drover-fleet/drover/internal/sim"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Harness{
		Info:        Info,
		Credentials: map[string]string{"api_key": "22eac1c27af4be7b9d04da2ce1af111b"},
		Readings: []drover.ReadingKind{
			drover.ReadingOdometer, drover.ReadingEngine, drover.ReadingFuelLitres, drover.ReadingProbe,
		},
		PolledReadings: true,
		Vendor:         navixytest.New,
		BasePath:       "/v2",
		// Speeds are whole numbers, lengths of tracks are in hundredths of a kilometre.
		Tolerance: providertest.Tolerance{SpeedKPH: 0.5, TripMetres: 5},
		ExpectDevice: func(v sim.Vehicle, want *provider.Device) {
			want.Make, want.Model = nil, new(v.Make+" "+v.Model)
		},
		ExpectTrip: func(truth sim.Trip, want *provider.Trip) {
			want.DrivingSeconds = new(truth.EndTime.Sub(truth.StartTime).Seconds())
		},
	})
}

// read reads an answer as the client does.
func read(payload []byte, into any) error {
	inner, err := new(Adapter).open(payload)
	if err != nil {
		return err
	}
	return json.Unmarshal(inner, into)
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, "testdata/devices.json", func(payload []byte) (records []provider.Device, err error) {
		var pair struct {
			Trackers list[tracker]
			Vehicles list[vehicle]
		}
		err = json.Unmarshal(payload, &pair)
		for i, tracker := range pair.Trackers.List {
			records = append(records, tracker.record(pair.Vehicles.List[i]))
		}
		return records, err
	})
	providertest.Golden(t, "testdata/positions.json", func(payload []byte) (records []provider.Position, err error) {
		var points list[point]
		err = read(payload, &points)
		return wire.Records(points.List, func(p point) (provider.Position, bool) { return p.record("1683258") }), err
	})
	providertest.Golden(t, "testdata/trips.json", func(payload []byte) (records []provider.Trip, err error) {
		var tracks list[track]
		err = read(payload, &tracks)
		return wire.Records(tracks.List, func(t track) (provider.Trip, bool) { return t.record("1683258") }), err
	})
}

// doer answers without a network: with status 200, or an error of the status that
// stands before the text.
type doer func(path string) string

func (d doer) Do(req *http.Request) (*http.Response, error) {
	text, status := d(req.URL.Path), 0
	if n, _ := fmt.Sscanf(text, "%d", &status); n == 1 {
		_, body, _ := strings.Cut(text, " ")
		kind := provider.KindPermanent
		if status == http.StatusTooManyRequests {
			kind = provider.KindRateLimited
		}
		return nil, &provider.Error{Kind: kind, Until: now, Err: &provider.StatusError{Status: status, Body: body}}
	}
	return providertest.Answer(text)
}

var now = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

func newAdapter(t *testing.T, credentials provider.Credentials, d doer) *Adapter {
	t.Helper()
	return providertest.Adapter(t, Info, credentials, d, now).(*Adapter)
}

func TestRegions(t *testing.T) {
	t.Parallel()
	for region, want := range map[string]string{"": "https://api.eu.navixy.com/v2", "us": "https://api.us.navixy.com/v2"} {
		if got := newAdapter(t, provider.Credentials{"region": region}, nil).api.Base; got != want {
			t.Errorf("region %q is at %s, want %s", region, got, want)
		}
	}
}

func failing(status string, code int) string {
	return fmt.Sprintf(`%s{"success":false,"status":{"code":%d,"description":"no, nvx-secret-key"}}`, status, code)
}

func TestCodes(t *testing.T) {
	t.Parallel()
	tests := map[string]provider.Kind{
		failing("400 ", 3):  provider.KindCredentials,
		failing("403 ", 4):  provider.KindCredentials,
		failing("", 4):      provider.KindCredentials,
		failing("429 ", 15): provider.KindRateLimited,
		failing("400 ", 14): provider.KindTemporary,
		failing("403 ", 13): provider.KindPermanent,
		`403 <html>`:        provider.KindPermanent,
		`{}`:                provider.KindTemporary,
	}
	for text, want := range tests {
		a := newAdapter(t, provider.Credentials{"api_key": "nvx-secret-key"}, func(string) string { return text })
		err := a.Check(t.Context())
		if err == nil || provider.KindOf(err) != want {
			t.Errorf("%s: %v of kind %s, want %s", text, err, provider.KindOf(err), want)
		} else if strings.Contains(err.Error(), "nvx-secret-key") {
			t.Errorf("the key is in %v", err)
		}
		if want == provider.KindRateLimited && !provider.RetryAt(err).Equal(now) {
			t.Errorf("come back at %v", provider.RetryAt(err))
		}
	}
}

// TestSpanTooLongForTheTariff has an account that is answered for five hours.
func TestSpanTooLongForTheTariff(t *testing.T) {
	t.Parallel()
	p := providertest.Adapter(t, Info, provider.Credentials{"api_key": "k"},
		providertest.Doer(func(req *http.Request) (*http.Response, error) {
			var body struct{ From, To time.Time }
			if err := json.NewDecoder(req.Body).Decode(&body); err != nil {
				return nil, err
			}
			if body.To.Sub(body.From) > 5*time.Hour {
				return doer(func(string) string { return failing("400 ", 211) }).Do(req)
			}
			var rows []string
			for at := body.From.Truncate(time.Hour); !at.After(body.To); at = at.Add(time.Hour) {
				rows = append(rows, fmt.Sprintf(`{"get_time":%q,"lat":1,"lng":2,"id":1,"start_date":%q,"end_date":%q}`,
					at.Format(time.RFC3339), at.Format(time.RFC3339), at.Add(20*time.Minute).Format(time.RFC3339)))
			}
			return providertest.Answer(`{"success":true,"list":[` + strings.Join(rows, ",") + `]}`)
		}), now)
	q := provider.Query{From: now.Add(-12 * time.Hour), To: now, Devices: []string{"7"}}
	page, err := p.Positions(t.Context(), q)
	if err != nil || len(page.Records) < 12 {
		t.Errorf("%d positions, %v", len(page.Records), err)
	}
	for attempt := 0; ; attempt++ {
		trips, err := p.Trips(t.Context(), q)
		if err == nil && len(trips.Records) > 0 {
			break
		}
		if provider.KindOf(err) != provider.KindTemporary || attempt == 5 {
			t.Fatalf("attempt %d: %d trips, %v", attempt, len(trips.Records), err)
		}
	}
}

func TestVehiclesThatMayNotBeSeen(t *testing.T) {
	t.Parallel()
	a := newAdapter(t, nil, func(path string) string {
		if strings.HasSuffix(path, "/vehicle/list") {
			return failing("403 ", 13)
		}
		return `{"success":true,"list":[{"id":7,"label":"Truck 7"}]}`
	})
	page, err := a.Devices(t.Context(), "")
	if err != nil || len(page.Records) != 1 {
		t.Errorf("%d devices, %v", len(page.Records), err)
	}
}
