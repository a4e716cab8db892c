package mixtelematics

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/vendors/mix_telematics/mixtelematicstest"
)

// TestFaultStatus reads how faults stand, in the vendor's shape.
func TestFaultStatus(t *testing.T) {
	t.Parallel()
	const rest = `"AssetId":1860530836328153089,"Timestamp":"2026-09-16T11:00:00"`
	for payload, want := range map[string]string{
		`{` + rest + `,"FaultCode":"p0420","Description":"Catalyst","Severity":"High","IsFaulted":true,"FirstSeen":"2026-09-01T08:00:00Z",
			"LastSeen":"2026-09-16T10:00:00Z","Count":3,"Symptom":"","Action":"","DateCleared":null}`: "obd P0420  high 01T08 16T10 - 3",
		`{` + rest + `,"FaultCode":"100-3","Severity":3,"IsFaulted":false,"DateCleared":"2026-09-16T09:00:00Z"}`: "unknown 100-3 closed - - 16T11 16T09 0",
		`{` + rest + `,"FaultCode":"P0420","FirstSeen":"0001-01-01T00:00:00"}`:                                   "obd P0420  - - 16T11 - 0",
	} {
		var f faultStatus
		if err := json.Unmarshal([]byte(payload), &f); err != nil {
			t.Fatal(err)
		}
		said := f.said()
		severity, count := "-", int64(0)
		if said.Severity != nil {
			severity = string(*said.Severity)
		}
		if said.Occurrences != nil {
			count = *said.Occurrences
		}
		at := func(t time.Time) string {
			if t.IsZero() {
				return "-"
			}
			return t.Format("02T15")
		}
		got := fmt.Sprintf("%s %s %s %s %s %s %s %d", said.Protocol, said.Code, said.Status, severity,
			at(said.First.Time), at(said.Last.Time), at(said.Closed.Time), count)
		if got != want {
			t.Errorf("%s: %q, want %q", payload, got, want)
		}
	}
}

// TestFaultsOfAssets asks for all assets, by organisation and in parts, and passes over those that
// the account no longer has.
func TestFaultsOfAssets(t *testing.T) {
	t.Parallel()
	a := newAccount(time.Date(2024, 5, 6, 12, 0, 0, 0, time.UTC))
	reader := a.adapter(t, nil).(provider.FaultReader)
	var q provider.Query
	want := 0
	for _, v := range a.Vehicles() {
		q.Devices = append(q.Devices, mixtelematicstest.AssetID(v))
		if v.Broken() {
			want++
		}
	}
	for i := range faultBatch {
		q.Devices = append(q.Devices, fmt.Sprint(i+1))
	}
	pages, got := 0, 0
	for more := true; more; pages++ {
		page, err := reader.Faults(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		got += len(page.Records)
		q.Cursor, more = page.Cursor, page.More
	}
	if pages != 2 || got != want || want == 0 {
		t.Errorf("%d pages, %d assets with faults, want %d", pages, got, want)
	}
	if page, err := reader.Faults(t.Context(), provider.Query{}); err != nil || page.More || len(page.Records) != 0 {
		t.Errorf("of no assets: %+v, %v", page, err)
	}
}
