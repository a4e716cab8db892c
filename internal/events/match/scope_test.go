package match_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/match"
)

// TestScopesOfEvents holds what each type of event shows with each set of scopes, and
// once the share has ended. A type that is not known here fails it: anyone who adds one says
// whether it says where a device was.
func TestScopesOfEvents(t *testing.T) {
	t.Parallel()
	const place, driver = "48.4375", "driver-7"
	p := drover.CurrentPosition{Timestamp: noon, Latitude: 48.4375, DriverID: drover.NewDriverID(new(driver))}
	batch := drover.PositionBatch{ConnectionID: conn, Positions: []drover.DevicePosition{{DeviceID: "north", CurrentPosition: p}}}
	step := drover.MilestoneStep{Milestone: drover.Milestone{ID: "m"}, OccurredAt: noon, Position: &p}
	type kind struct {
		data   any
		places bool // it says where a device was
		gone   bool // it cannot be read without
		// readings says that it cannot be read without what instruments say.
		readings bool
		safety   bool // the same for safety events, which need not say where they were
		own      bool // it is the reader's own, whatever becomes of the share
		// noDriver says that it never says who drove.
		noDriver bool
		// driver says that it is about a driver.
		driver bool
	}
	record := kind{data: map[string]string{"id": "1"}}
	broken := kind{data: map[string]string{"id": "1"}, readings: true}
	danger := kind{data: drover.SafetyEvent{ID: "1", Latitude: new(48.4375), DriverID: drover.NewDriverID(new(driver))}, places: true, safety: true}
	own := kind{data: map[string]string{"id": "1"}, own: true}
	step4 := kind{data: step, places: true, own: true}
	// A prediction says where a device is as well as its place does.
	late := kind{data: drover.MilestoneLateness{Milestone: drover.Milestone{ID: "m"}, LateBySeconds: new(48.4375)}, places: true, own: true, noDriver: true}
	kinds := map[drover.EventType]kind{
		drover.EventPositionUpdated:     {data: batch, places: true, gone: true},
		drover.EventMilestoneStarted:    step4,
		drover.EventMilestoneEntered:    step4,
		drover.EventMilestoneEnded:      step4,
		drover.EventMilestoneTimedOut:   step4,
		drover.EventMilestoneLate:       late,
		drover.EventMilestoneOnTime:     late,
		drover.EventMilestoneCreated:    own,
		drover.EventMilestoneUpdated:    own,
		drover.EventMilestoneDeleted:    own,
		drover.EventWebhookDisabled:     own,
		drover.EventDeviceCreated:       record,
		drover.EventDeviceUpdated:       record,
		drover.EventDeviceStateChanged:  record,
		drover.EventReadingUpdated:      broken,
		drover.EventFaultOpened:         broken,
		drover.EventFaultClosed:         broken,
		drover.EventCoverageLost:        broken,
		drover.EventSafetyRecorded:      danger,
		drover.EventSafetyUpdated:       danger,
		drover.EventTripCompleted:       record,
		drover.EventTripUpdated:         record,
		drover.EventDriverCreated:       {data: map[string]string{"id": "1"}, driver: true},
		drover.EventDriverUpdated:       {data: map[string]string{"id": "1"}, driver: true},
		drover.EventConnectionCreated:   record,
		drover.EventConnectionUpdated:   record,
		drover.EventConnectionDeleted:   record,
		drover.EventConnectionFailing:   record,
		drover.EventConnectionRecovered: record,
		drover.EventConnectionDoubtful:  record,
		drover.EventConnectionTrusted:   record,
	}
	for _, typ := range drover.EventTypes {
		k, known := kinds[typ]
		if !known {
			t.Errorf("%s: say what it shows of what is shared", typ)
			continue
		}
		data, err := json.Marshal(k.data)
		if err != nil {
			t.Fatal(err)
		}
		for g := range drover.FullGrant + 1 {
			e, readable := match.Readable(drover.Event{Type: typ, Data: data}, g)
			if want := k.own || g.Records() && (!k.gone || g.Positions()) && (!k.readings || g.Readings()) &&
				(!k.driver || g.Drivers()) && (!k.safety || g.Safety()); readable != want {
				t.Errorf("%s is readable with %d: %t, want %t", typ, g, readable, want)
			}
			text := string(e.Data)
			if !readable {
				text = ""
			}
			if got, want := strings.Contains(text, place), k.places && g.Positions() && (!k.safety || g.Safety()); got != want {
				t.Errorf("%s says with %d where a device was: %t, want %t", typ, g, got, want)
			}
			may := k.safety && g.Safety() || !k.safety && g.Positions()
			if got, want := strings.Contains(text, driver), k.places && !k.noDriver && may && g.Drivers(); got != want {
				t.Errorf("%s says with %d who drove: %t, want %t", typ, g, got, want)
			}
		}
	}
}
