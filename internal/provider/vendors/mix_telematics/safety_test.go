package mixtelematics

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/vendors/mix_telematics/mixtelematicstest"
)

// TestEvents reads events in the vendor's shape, by the names of a library.
func TestEvents(t *testing.T) {
	t.Parallel()
	names := map[string]string{"-31": "Harsh Braking XL", "32": "Over speeding", "33": " ", "34": "Excessive idling"}
	const rest = `"EventId":-4901975580225830911,"AssetId":1860530836328153089,"StartDateTime":"2026-09-16T11:14:30Z"`
	for payload, want := range map[string]string{
		`{` + rest + `,"EventTypeId":-31,"EventCategory":"Detail","DriverId":-1438422961500454911,"EndDateTime":"2026-09-16T11:14:33Z",
			"StartPosition":{"Latitude":-26.1,"Longitude":28,"SpeedKilometresPerHour":61,"Heading":220},"Value":9.5,"ValueUnits":"km/h/s"}`: "1860530836328153089 harsh_braking Harsh Braking XL -1438422961500454911 3s 61 0 0",
		`{` + rest + `,"EventTypeId":32,"EventCategory":"Notify","Value":94,"ValueType":"Maximum","ValueUnits":"km/h","SpeedLimit":80,
			"EndDateTime":null,"StartPosition":null,"MediaUrls":{"1":"https://vendor.test/1"}}`: "1860530836328153089 speeding Over speeding - 0s 0 94 80 with pictures",
		`{` + rest + `,"EventTypeId":32,"Value":58,"ValueType":"Maximum","ValueUnits":"mph","MediaUrls":{}}`: "1860530836328153089 speeding Over speeding - 0s 0 0 0",
		`{` + rest + `,"EventTypeId":33}`:                            "1860530836328153089 other 33 - 0s 0 0 0",
		`{` + rest + `,"EventTypeId":99}`:                            "1860530836328153089 other 99 - 0s 0 0 0",
		`{` + rest + `,"EventTypeId":-31,"EventCategory":"Summary"}`: "",
		`{` + rest + `,"EventTypeId":34}`:                            "",
		`{"EventId":1,"AssetId":1,"EventTypeId":32}`:                 "",
		`{"EventId":1,"StartDateTime":"2026-09-16T11:14:30Z"}`:       "",
	} {
		var e event
		if err := json.Unmarshal([]byte(payload), &e); err != nil {
			t.Fatal(err)
		}
		got := ""
		if r, ok := e.record(names); ok {
			driver, lasts := "-", time.Duration(0)
			if r.DriverID != nil {
				driver = r.DriverID.Value
			}
			if r.EndTime != nil {
				lasts = r.EndTime.Sub(r.StartTime.Time)
			}
			got = fmt.Sprintf("%s %s %s %s %s", r.SystemDeviceID, r.Type, r.NativeType, driver, lasts)
			for _, n := range []*float64{r.SpeedKPH, r.MaxSpeedKPH, r.SpeedLimitKPH} {
				if n == nil {
					n = new(0.0)
				}
				got += fmt.Sprintf(" %g", *n)
			}
			if r.MediaAvailable != nil && *r.MediaAvailable {
				got += " with pictures"
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", payload, got, want)
		}
	}
}

// TestEventsOfLongAgo begins a month ago: what the feeds no longer have is read from the history,
// once for each span and organisation, and then the feeds are followed from now on.
func TestEventsOfLongAgo(t *testing.T) {
	t.Parallel()
	from := time.Date(2024, 5, 6, 6, 0, 0, 0, time.UTC)
	a := newAccount(from.Add(30 * 24 * time.Hour))
	reader := a.adapter(t, nil).(provider.SafetyReader)
	q := provider.Query{From: from}
	seen := map[string]int{}
	pages := 0
	for more := true; more; pages++ {
		page, err := reader.SafetyEvents(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Records {
			seen[e.SystemDeviceID]++
		}
		q.Cursor, more = page.Cursor, page.More
	}
	want := map[string]int{}
	for _, v := range a.Vehicles() {
		if n := len(a.Brakings(v, from, a.now)); n > 0 {
			want[mixtelematicstest.AssetID(v)] = n
		}
	}
	if diff := cmp.Diff(want, seen); diff != "" || len(want) == 0 {
		t.Errorf("events of vehicles (-want +got):\n%s", diff)
	}
	// A day before, 30 days and the second before them, by 6 hours, of two organisations; and both feeds.
	if pages != (31*4+1)*2+2 {
		t.Errorf("%d pages", pages)
	}
}
