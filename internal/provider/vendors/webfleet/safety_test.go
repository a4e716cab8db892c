package webfleet

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
)

// TestDrivingEvents reads rows of both reports.
func TestDrivingEvents(t *testing.T) {
	t.Parallel()
	const rest = `"objectuid":"1-83646-1","start_time":"2026-05-07T08:10:00+02:00"`
	for _, test := range []struct{ action, payload, want string }{
		{
			accelerations, `{` + rest + `,"driveruid":"1-9","accel_type":1,"latitude":52520000,"longitude":13400000,"start_speed":61,
				"end_time":"2026-05-07T08:10:03+02:00","postext":"somewhere"}`,
			"2026-05-07T06:10:00Z accel_type 1 harsh_braking 1-9 52.52 61 - - 3s",
		},
		{accelerations, `{` + rest + `,"accel_type":"0"}`, "2026-05-07T06:10:00Z accel_type 0 harsh_acceleration - - - - - 0s"},
		{accelerations, `{` + rest + `,"accel_type":2}`, "2026-05-07T06:10:00Z accel_type 2 harsh_cornering - - - - - 0s"},
		{accelerations, `{` + rest + `,"accel_type":3}`, "2026-05-07T06:10:00Z accel_type 3 harsh_cornering - - - - - 0s"},
		{accelerations, `{` + rest + `,"accel_type":7}`, "2026-05-07T06:10:00Z accel_type 7 other - - - - - 0s"},
		{accelerations, `{` + rest + `}`, "2026-05-07T06:10:00Z showAccelerationEvents other - - - - - 0s"},
		{
			speedings, `{` + rest + `,"start_latitude":52.52,"start_longitude":13.4,"max_speed":71,"road_speedlimit":50}`,
			"2026-05-07T06:10:00Z showSpeedingEvents speeding - 52.52 - 71 50 0s",
		},
		{speedings, `{"objectuid":"1"}`, ""},
		{speedings, `{"start_time":"2026-05-07T08:10:00+02:00"}`, ""},
	} {
		var d driving
		if err := json.Unmarshal([]byte(test.payload), &d); err != nil {
			t.Fatal(err)
		}
		got := ""
		if r, ok := d.record(test.action); ok {
			driver, lasts := "-", time.Duration(0)
			if r.DriverID != nil {
				driver = r.DriverID.Value
			}
			if r.EndTime != nil {
				lasts = r.EndTime.Sub(r.StartTime.Time)
			}
			got = fmt.Sprintf("%s %s %s", r.SystemEventID, r.Type, driver)
			for _, n := range []*float64{r.Latitude, r.SpeedKPH, r.MaxSpeedKPH, r.SpeedLimitKPH} {
				if n == nil {
					got += " -"
				} else {
					got += fmt.Sprintf(" %g", *n)
				}
			}
			got += " " + lasts.String()
		}
		if got != test.want {
			t.Errorf("%s %s: %q, want %q", test.action, test.payload, got, test.want)
		}
	}
}

// TestReportsOfDriving asks for two days at a time, in halves where a report is full, and does with
// one report where the other is refused.
func TestReportsOfDriving(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		refused map[string]bool
		want    int // two days and 32 hours, and of speeding both halves of the first
		fails   bool
	}{
		"both":     {nil, 2 + 3, false},
		"speeding": {map[string]bool{accelerations: true}, 3, false},
		"none":     {map[string]bool{accelerations: true, speedings: true}, 0, true},
	} {
		full := true
		p := providertest.Adapter(t, Info, provider.Credentials{"account": "a", "username": "u"}, providertest.Doer(
			func(req *http.Request) (*http.Response, error) {
				query := req.URL.Query()
				if test.refused[query.Get("action")] {
					return providertest.Answer(`{"errorCode":8,"errorMsg":"action not allowed"}`)
				}
				from, errFrom := time.Parse(time.RFC3339, query.Get("rangefrom_string"))
				to, errTo := time.Parse(time.RFC3339, query.Get("rangeto_string"))
				if errFrom != nil || errTo != nil || to.Sub(from) > eventSpan {
					t.Errorf("%s: asked for %s", name, req.URL.RawQuery)
				}
				row := `{"objectuid":"1","start_time":"` + from.Format(time.RFC3339) + `"}`
				if full && query.Get("action") == speedings { // the first report is cut
					full = false
					rows := make([]json.RawMessage, tripCap)
					for i := range rows {
						rows[i] = json.RawMessage(row)
					}
					text, err := json.Marshal(rows)
					if err != nil {
						return nil, err
					}
					return providertest.Answer(string(text))
				}
				return providertest.Answer("[" + row + "]")
			}), now).(provider.SafetyReader)
		q := provider.Query{From: now.Add(-80 * time.Hour)}
		seen := map[string]bool{}
		var failed error
		for more := true; more && failed == nil; {
			var page provider.Page[provider.SafetyEvent]
			page, failed = p.SafetyEvents(t.Context(), q)
			for _, r := range page.Records {
				seen[r.SystemEventID] = true
			}
			q.Cursor, more = page.Cursor, page.More
		}
		if test.fails != (provider.KindOf(failed) == provider.KindPermanent) || !test.fails && failed != nil {
			t.Errorf("%s: %v", name, failed)
		}
		if len(seen) != test.want {
			t.Errorf("%s: %d events, want %d: %v", name, len(seen), test.want, seen)
		}
	}
}
