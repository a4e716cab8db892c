package deliver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
)

// TestDriverOfSafetyEvent sends who drove only to a webhook that asks for it.
func TestDriverOfSafetyEvent(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(drover.SafetyEvent{ID: "1", DriverID: drover.NewDriverID(new("D-77"))})
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range []drover.EventType{drover.EventSafetyRecorded, drover.EventSafetyUpdated} {
		for _, asked := range []bool{false, true} {
			body, err := render(drover.Delivery{Type: typ, Options: drover.WebhookOptions{IncludeDriverID: asked}}, data)
			if err != nil || strings.Contains(string(body), "D-77") != asked || !strings.Contains(string(body), `"driver_id"`) {
				t.Errorf("%s, asked %t: %s, %v", typ, asked, body, err)
			}
		}
	}
	if _, err := render(drover.Delivery{Type: drover.EventSafetyRecorded}, []byte("?")); err == nil {
		t.Error("what is no event was sent")
	}
}
