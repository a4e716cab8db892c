package scania

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/rfms/rfmstest"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/scania/scaniatest"
	"github.com/drover-fleet/drover/internal/sim"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Harness{
		Info:        Info,
		Credentials: map[string]string{"client_id": "client-1", "client_secret": scaniatest.SecretKey},
		Readings: []drover.ReadingKind{
			drover.ReadingOdometer, drover.ReadingEngine, drover.ReadingFuelPercent, drover.ReadingFuelUsed,
			drover.ReadingDEF, drover.ReadingAmbient,
		},
		Vendor: scaniatest.New,
		ID:     func(v sim.Vehicle) string { return v.VIN },
		ExpectPosition: func(s sim.Sample, want *provider.Position, _ bool) {
			if !rfmstest.HasStatus(s) {
				want.DriverID, want.Ignition, want.OdometerMetres = nil, nil, nil
			}
			if want.DriverID != nil {
				want.DriverID = new("S" + *want.DriverID)
			}
		},
	})
}

// canned answers every call of a login, and every other with one payload.
type canned struct{ payload []byte }

func (c canned) Do(req *http.Request) (*http.Response, error) {
	body := string(c.payload)
	switch {
	case strings.HasSuffix(req.URL.Path, "/clientid2challenge"):
		body = `{"challenge":"Y2hhbGxlbmdl"}`
	case strings.HasSuffix(req.URL.Path, "/response2token"):
		body = `{"token":"t","refreshToken":"r"}`
	case strings.HasSuffix(req.URL.Path, "/vehiclepositions") && strings.Contains(body, "vehicleStatuses"):
		body = `{"moreDataAvailable":false}`
	case strings.HasSuffix(req.URL.Path, "/vehiclestatuses") && strings.Contains(body, "vehiclePositions"):
		body = `{"moreDataAvailable":false}`
	}
	return providertest.Answer(body)
}

func cannedAdapter(t *testing.T, payload []byte) provider.Provider {
	t.Helper()
	return providertest.Adapter(t, Info, provider.Credentials{"client_id": "c", "client_secret": scaniatest.SecretKey}, canned{payload},
		time.Date(2024, 5, 2, 14, 0, 0, 0, time.UTC))
}

func TestGolden(t *testing.T) {
	t.Parallel()
	live := provider.Query{From: time.Date(2024, 5, 2, 6, 0, 0, 0, time.UTC)}
	providertest.GoldenCalls(t, live, func(payload []byte) provider.Provider { return cannedAdapter(t, payload) },
		"devices.json", "positions.json", "statuses.json", "trips.json")
}

func TestSign(t *testing.T) {
	t.Parallel()
	const (
		key       = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"
		challenge = "Y2hhbGxlbmdlLWJ5dGVzLWZvci11bml0LXRlc3RzLTE"
		want      = "eNgD3P9X3hGaKwPI3aeQO-sqJJMZzjKqkt1htKBDA1o"
	)
	for _, padding := range []string{"", "="} {
		if got, err := sign(key+padding, challenge+padding); err != nil || got != want {
			t.Errorf("sign with padding %q: %q, %v, want %q", padding, got, err, want)
		}
	}
	if _, err := sign("no base64!", challenge); provider.KindOf(err) != provider.KindCredentials {
		t.Errorf("sign with a bad key: %v of kind %s", err, provider.KindOf(err))
	}
	if _, err := sign(key, "?"); err == nil || provider.KindOf(err) != provider.KindTemporary {
		t.Errorf("sign of a bad challenge: %v of kind %s", err, provider.KindOf(err))
	}
}

func TestAcceptHasTheExtension(t *testing.T) {
	t.Parallel()
	for resource, want := range map[string]string{
		"vehicles":         "application/json; rfms=vehicles.v4.0; scania=vehicles.v1",
		"vehiclepositions": "application/json; rfms=vehiclepositions.v4.0",
		"vehiclestatuses":  "application/json; rfms=vehiclestatuses.v4.0; scania=vehiclestatuses.v1",
	} {
		if got := accept(resource); got != want {
			t.Errorf("accept(%s) = %q, want %q", resource, got, want)
		}
	}
}
