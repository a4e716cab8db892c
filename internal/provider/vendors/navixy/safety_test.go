package navixy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
)

// TestEntries reads events in the platform's shape.
func TestEntries(t *testing.T) {
	t.Parallel()
	const rest = `"id":1,"time":"2026-05-07T06:10:00+05:00","tracker_id":5550001`
	for payload, want := range map[string]string{
		`{` + rest + `,"event":"harsh_driving","message":"Truck 7: harsh braking","location":{"lat":50.5,"lng":60.5},"extra":{"employee_id":4563,
			"last_known_location":false}}`: "5550001 2026-05-07T01:10:00Z harsh_braking harsh_driving 4563 50.5",
		`{` + rest + `,"event":"harsh_driving","message":"Frenado"}`:                                               "5550001 2026-05-07T01:10:00Z other harsh_driving - -",
		`{` + rest + `,"event":"speedup","location":{"lat":50.5,"lng":60.5},"extra":{"last_known_location":true}}`: "5550001 2026-05-07T01:10:00Z speeding speedup - - platform",
		`{` + rest + `,"event":"crash_alarm","location":null,"extra":{"employee_id":null}}`:                        "5550001 2026-05-07T01:10:00Z crash crash_alarm - - device",
		`{` + rest + `,"event":"headway_warning","location":{"lat":0,"lng":null}}`:                                 "5550001 2026-05-07T01:10:00Z tailgating headway_warning - -",
		`{` + rest + `,"event":"something_new"}`:                                                                   "5550001 2026-05-07T01:10:00Z other something_new - -",
		`{"id":1,"event":"speedup","tracker_id":7}`:                                                                "",
		`{"id":1,"event":"speedup","time":"2026-05-07T06:10:00Z"}`:                                                 "",
		`{` + rest + `}`: "",
	} {
		var e entry
		if err := json.Unmarshal([]byte(payload), &e); err != nil {
			t.Fatal(err)
		}
		got := ""
		if r, ok := e.record(); ok {
			driver, place := "-", "-"
			if r.DriverID != nil {
				driver = r.DriverID.Value
			}
			if r.Latitude != nil {
				place = fmt.Sprint(*r.Latitude)
			}
			got = fmt.Sprintf("%s %s %s %s %s %s", r.SystemDeviceID, r.StartTime.UTC().Format(time.RFC3339), r.Type, r.NativeType, driver, place)
			if r.Method != nil {
				got += " " + string(*r.Method)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", payload, got, want)
		}
	}
}

// TestMoreEventsThanAnAnswerHolds asks on from the time of the last one, and past a second that
// has more than an answer holds.
func TestMoreEventsThanAnAnswerHolds(t *testing.T) {
	t.Parallel()
	from := now.Add(-30 * time.Hour)
	var rows []string // 2,500 events, half of them within one second
	add := func(n int, at time.Time, step time.Duration) {
		for range n {
			rows = append(rows, fmt.Sprintf(`%s {"id":%d,"event":"speedup","tracker_id":7,"time":%q}`,
				at.Format(time.RFC3339), len(rows)+1, at.Format(time.RFC3339)))
			at = at.Add(step)
		}
	}
	add(1250, from.Add(time.Hour), time.Second)
	add(1250, from.Add(3*time.Hour), 0)
	add(5, now.Add(-time.Minute), time.Second)
	calls := 0
	p := providertest.Adapter(t, Info, provider.Credentials{"api_key": "k"}, providertest.Doer(func(req *http.Request) (*http.Response, error) {
		calls++
		var body struct {
			From, To time.Time
			Limit    int
		}
		if err := json.NewDecoder(req.Body).Decode(&body); err != nil {
			return nil, err
		}
		if body.To.Sub(body.From) > eventSpan {
			t.Errorf("asked for %s", body.To.Sub(body.From))
		}
		var list []string
		for _, row := range rows {
			stamp, entry, _ := strings.Cut(row, " ")
			at, err := time.Parse(time.RFC3339, stamp)
			if err == nil && !at.Before(body.From) && !at.After(body.To) && len(list) < body.Limit {
				list = append(list, entry)
			}
		}
		return providertest.Answer(`{"success":true,"limit_exceeded":false,"list":[` + strings.Join(list, ",") + `]}`)
	}), now)
	seen := map[string]bool{}
	q := provider.Query{From: from}
	for more := true; more; {
		page, err := p.(provider.SafetyReader).SafetyEvents(t.Context(), q)
		if err != nil || calls > 20 {
			t.Fatal(calls, err)
		}
		for _, r := range page.Records {
			seen[r.SystemEventID] = true
		}
		q.Cursor, more = page.Cursor, page.More
	}
	// Of the second with 1,250, those that one answer holds are read.
	if len(seen) != 1250+1000+5 {
		t.Errorf("%d events in %d calls", len(seen), calls)
	}
	q.Cursor = "?"
	if _, err := p.(provider.SafetyReader).SafetyEvents(t.Context(), q); err == nil {
		t.Error("an unreadable cursor was read")
	}
}
