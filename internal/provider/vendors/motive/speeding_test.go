package motive

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
)

// TestSpeedingEvents reads events in the vendor's shape.
func TestSpeedingEvents(t *testing.T) {
	t.Parallel()
	const rest = `"id":32878,"vehicle":{"id":9021,"metric_units":false},"start_time":"2023-03-08T16:28:17Z","type":"posted"`
	for payload, want := range map[string]string{
		`{` + rest + `,"end_time":"2023-03-08T16:29:26Z","max_over_speed_in_kph":52,"min_posted_speed_limit_in_kph":90,"duration":69,
			"max_posted_speed_limit_in_kph":98,"avg_vehicle_speed":140,"max_vehicle_speed":150,"start_lat":43.1,"start_lon":-78.7,
			"coaching_status":"coachable","status":"valid","driver":{"id":30762},"metadata":{"severity":"critical"}}`: "speeding-32878 150 98 open 30762 high 1m9s",
		`{` + rest + `,"status":"invalid","coaching_status":"coached","driver":null,"min_posted_speed_limit_in_kph":90}`: "speeding-32878 0 90 invalid - - 0s",
		`{` + rest + `,"coaching_status":"dismissed","metadata":{"severity":"odd"}}`:                                     "speeding-32878 0 0 dismissed - - 0s",
		`{"id":1,"vehicle":{"id":9021}}`:                            "",
		`{"id":1,"vehicle":{},"start_time":"2023-03-08T16:28:17Z"}`: "",
	} {
		var e speedingEvent
		if err := json.Unmarshal([]byte(payload), &e); err != nil {
			t.Fatal(err)
		}
		got := ""
		if r, ok := e.record(); ok {
			speed, limit, driver, severity, lasts := 0.0, 0.0, "-", "-", time.Duration(0)
			if r.MaxSpeedKPH != nil {
				speed = *r.MaxSpeedKPH
			}
			if r.SpeedLimitKPH != nil {
				limit = *r.SpeedLimitKPH
			}
			if r.DriverID != nil {
				driver = r.DriverID.Value
			}
			if r.Severity != nil {
				severity = string(*r.Severity)
			}
			if r.EndTime != nil {
				lasts = r.EndTime.Sub(r.StartTime.Time)
			}
			got = fmt.Sprintf("%s %g %g %s %s %s %s", r.SystemEventID, speed, limit, r.Status, driver, severity, lasts)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", payload, got, want)
		}
	}
}

// TestBothListsOfSafetyEvents goes through all pages of both lists, and leaves out what the dates
// should have. A key that may not read speeding has the others.
func TestBothListsOfSafetyEvents(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		refused string
		want    []string
	}{
		"both":        {"", []string{"/v2/driver_performance_events 1", "/v2/driver_performance_events 2", "/v1/speeding_events 1", "/v1/speeding_events 2"}},
		"no speeding": {"/v1/speeding_events", []string{"/v2/driver_performance_events 1", "/v2/driver_performance_events 2", "/v1/speeding_events 1"}},
		"neither":     {"/v2/driver_performance_events", []string{"/v2/driver_performance_events 1"}},
	} {
		var asked []string
		p := providertest.Adapter(t, Info, provider.Credentials{"api_key": "k"}, providertest.Doer(func(req *http.Request) (*http.Response, error) {
			number := req.URL.Query().Get("page_no")
			asked = append(asked, req.URL.Path+" "+number)
			if req.URL.Path == test.refused {
				return providertest.Refuse(http.StatusForbidden)
			}
			const ends = `"vehicle":{"id":7},"start_time":"2026-05-10T08:00:00Z"`
			if req.URL.Path == "/v1/speeding_events" {
				return providertest.Answer(`{"speeding_events":[{"speeding_event":{"id":` + number + `,` + ends + `}},
					{"speeding_event":{"id":9,"vehicle":{"id":7},"start_time":"2025-01-01T00:00:00Z"}}],"per_page":2,"page_no":1,"total":4}`)
			}
			return providertest.Answer(`{"driver_performance_events":[{"driver_performance_event":{"id":` + number + `,"type":"crash",` + ends + `}}],
				"pagination":{"per_page":1,"page_no":1,"total":2}}`)
		}), now).(provider.SafetyReader)
		said := map[string]string{}
		p.(*Adapter).cfg.Observed = func(field, need string) { said[field] = need }
		q := provider.Query{From: now.Add(-24 * time.Hour)}
		var failed error
		events := 0
		for more := true; more && failed == nil; {
			var page provider.Page[provider.SafetyEvent]
			page, failed = p.SafetyEvents(t.Context(), q)
			q.Cursor, more = page.Cursor, page.More
			events += len(page.Records)
		}
		if diff := cmp.Diff(test.want, asked); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		const speeding, need = "withheld safety_event.speeding", "an API key that may read speeding events"
		if diff := cmp.Diff(map[string]map[string]string{"both": {speeding: ""}, "no speeding": {speeding: need}, "neither": {}}[name], said); diff != "" {
			t.Errorf("%s: what the key may not read (-want +got):\n%s", name, diff)
		}
		if want := map[string]int{"both": 4, "no speeding": 2}[name]; events != want || (failed != nil) != (name == "neither") {
			t.Errorf("%s: %d events, want %d; %v", name, events, want, failed)
		}
	}
}
