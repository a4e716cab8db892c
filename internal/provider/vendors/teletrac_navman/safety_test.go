package teletracnavman

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
)

// TestCameraEvents reads events in the shape that clients show.
func TestCameraEvents(t *testing.T) {
	t.Parallel()
	const rest = `"id":49795859,"vehicleId":2456291,"timeAt":1730394473000`
	for payload, want := range map[string]string{
		`{` + rest + `,"type":"CAMERA","action":"FOLLOWING_DISTANCE","GPS":{"Lat":-36.7,"Lng":174.5,"Spd":61,"Dir":90},
			"attributes":{"context":"{}"}}`: "2456291 49795859 tailgating FOLLOWING_DISTANCE -36.7 61",
		`{` + rest + `,"type":"camera","action":"fatigue","GPS":{"Lat":-36.7,"Lng":174.5,"valid":false}}`: "2456291 49795859 drowsiness fatigue - -",
		`{` + rest + `,"type":"camera","action":"TRAFFIC_LIGHT_VIOLATION"}`:                               "2456291 49795859 other TRAFFIC_LIGHT_VIOLATION - -",
		`{` + rest + `,"type":"speed","action":"START"}`:                                                  "",
		`{` + rest + `,"type":"camera"}`:                                                                  "",
		`{"id":1,"type":"camera","action":"FATIGUE","vehicleId":1}`:                                       "",
		`{"id":1,"type":"camera","action":"FATIGUE","timeAt":1730394473000}`:                              "",
	} {
		var e event
		if err := json.Unmarshal([]byte(payload), &e); err != nil {
			t.Fatal(err)
		}
		got := ""
		if r, ok := e.danger(); ok {
			place, speed := "-", "-"
			if r.Latitude != nil {
				place = fmt.Sprint(*r.Latitude)
			}
			if r.SpeedKPH != nil {
				speed = fmt.Sprint(*r.SpeedKPH)
			}
			got = fmt.Sprintf("%s %s %s %s %s %s", r.SystemDeviceID, r.SystemEventID, r.Type, r.NativeType, place, speed)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", payload, got, want)
		}
	}
}

// TestCameraEventsOfAMonth asks for less than a week at a time, without a gap.
func TestCameraEventsOfAMonth(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)
	last := now.Add(-30 * 24 * time.Hour)
	p := providertest.Adapter(t, Info, provider.Credentials{"api_key": "k"}, providertest.Doer(func(req *http.Request) (*http.Response, error) {
		from, errFrom := time.Parse(time.RFC3339, req.URL.Query().Get("from"))
		to, errTo := time.Parse(time.RFC3339, req.URL.Query().Get("to"))
		if errFrom != nil || errTo != nil || !from.Equal(last) || to.Sub(from) > cameraSpan {
			t.Errorf("asked for %s, after %s", req.URL.RawQuery, last)
		}
		last = to
		return providertest.Answer(`[]`)
	}), now).(provider.SafetyReader)
	q := provider.Query{From: last}
	pages := 0
	for more := true; more; pages++ {
		page, err := p.SafetyEvents(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		q.Cursor, more = page.Cursor, page.More
	}
	if pages != 5 || !last.Equal(now) {
		t.Errorf("%d pages, up to %s", pages, last)
	}
	q.Cursor = "?"
	if _, err := p.SafetyEvents(t.Context(), q); err == nil {
		t.Error("an unreadable cursor was read")
	}
}
