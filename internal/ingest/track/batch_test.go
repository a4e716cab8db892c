package track_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/track"
)

// TestStoredBatch holds the form in which a batch waits for another tenant: processes
// of the version before and after this one read it.
func TestStoredBatch(t *testing.T) {
	t.Parallel()
	at := drover.At(time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC))
	b := track.Batch{
		TenantID: "owner", Silent: true,
		Positions: map[string][]drover.Position{"a": {{Time: at, Latitude: -37.5, Longitude: 145.25, SpeedKPH: new(50.0)}}},
		Withdrawn: map[string][]drover.Time{"b": {at}},
		Before:    map[string]drover.Time{"a": drover.Milli(1000)},
	}
	text, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"tenant_id":"owner","positions":{"a":[{"Time":"2026-03-10T12:00:00Z","Latitude":-37.5,"Longitude":145.25,"Heading":null,"SpeedKPH":50,` +
		`"DriverID":null,"Ignition":null,"Auxiliary":null,"OdometerMetres":null}]},"withdrawn":{"b":["2026-03-10T12:00:00Z"]},"before":{"a":"1970-01-01T00:00:01Z"},"silent":true}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var read track.Batch
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b, read); diff != "" {
		t.Errorf("as it is read (-want +got):\n%s", diff)
	}
}
