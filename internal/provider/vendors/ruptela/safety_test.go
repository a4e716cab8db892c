package ruptela

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
)

// TestDetectedEvents reads events in the vendor's shape.
func TestDetectedEvents(t *testing.T) {
	t.Parallel()
	const start = `"start":{"datetime":"2026-05-07T06:10:00.000Z","location":{"latitude":55.5,"longitude":12.5},"speed":71,"mileage":12.5}`
	for payload, want := range map[string]string{
		`{"name":"Harsh braking > 0.4g","description":"","driver_id":"d1","duration":3,` + start + `,
			"end":{"datetime":"2026-05-07T06:10:03.000Z","location":null}}`: "2026-05-07T06:10:00Z Harsh braking > 0.4g harsh_braking 3s 55.5 71",
		`{"name":"Overspeeding in town","start":{"datetime":"2026-05-07T06:10:00Z"},"end":null}`:    "2026-05-07T06:10:00Z Overspeeding in town speeding 0s - -",
		`{"name":" Rule 7 ","start":{"datetime":"2026-05-07T06:10:00Z","location":{"latitude":1}}}`: "2026-05-07T06:10:00Z Rule 7 other 0s - -",
		`{"name":"Idling over 5 min",` + start + `}`:                                                "",
		`{"name":"",` + start + `}`:           "",
		`{"name":"Harsh braking","start":{}}`: "",
	} {
		var e event
		if err := json.Unmarshal([]byte(payload), &e); err != nil {
			t.Fatal(err)
		}
		got := ""
		if r, ok := e.record("7"); ok {
			lasts, place, speed := time.Duration(0), "-", "-"
			if r.EndTime != nil {
				lasts = r.EndTime.Sub(r.StartTime.Time)
			}
			if r.Latitude != nil {
				place = fmt.Sprint(*r.Latitude)
			}
			if r.SpeedKPH != nil {
				speed = fmt.Sprint(*r.SpeedKPH)
			}
			got = fmt.Sprintf("%s %s %s %s %s", r.SystemEventID, r.Type, lasts, place, speed)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", payload, got, want)
		}
	}
}

// TestEventsOfManyObjects reads some objects at a time, a week at a time, all pages of each.
func TestEventsOfManyObjects(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)
	calls := map[string]int{}
	p := providertest.Adapter(t, Info, provider.Credentials{"api_key": "k"}, providertest.Doer(func(req *http.Request) (*http.Response, error) {
		query := req.URL.Query()
		id, from, token := query.Get("object_id"), query.Get("from_datetime"), query.Get("continuation_token")
		if id == "3" {
			return providertest.Refuse(http.StatusNotFound) // it is gone
		}
		calls[id]++
		if token == "" {
			return providertest.Answer(`{"events":[{"name":"Speeding","start":{"datetime":"` + from + `"}}],"continuation_token":"t"}`)
		}
		return providertest.Answer(`{"events":[{"name":"Harsh braking","start":{"datetime":"` + from + `"}}]}`)
	}), now).(provider.SafetyReader)
	q := provider.Query{From: now.Add(-10 * 24 * time.Hour)}
	for i := range 45 {
		q.Devices = append(q.Devices, fmt.Sprint(i))
	}
	pages := 0
	seen := map[string]bool{}
	for more := true; more; pages++ {
		page, err := p.SafetyEvents(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Records {
			seen[r.SystemDeviceID+r.SystemEventID] = true
		}
		q.Cursor, more = page.Cursor, page.More
	}
	if pages != 3 || len(seen) != 44*4 || calls["0"] != 4 {
		t.Errorf("%d pages, %d events, %d calls for one object", pages, len(seen), calls["0"])
	}
}
