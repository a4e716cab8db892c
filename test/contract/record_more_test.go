package contract_test

import (
	"testing"

	"github.com/drover-fleet/drover"
)

// TestPushOfInstruments sends drivers, faults and safety events, well and badly made, twice, and
// then what has changed of them.
func TestPushOfInstruments(t *testing.T) {
	t.Parallel()
	onBothPushed(t, `{}`, func(t *testing.T, p pushed) {
		t.Helper()
		const batch = `[
			{"type":"driver","system_driver_id":"D1","first_name":"Ann","last_name":"Lee","keys":[{"type":"rfid","value":"77"}]},
			{"type":"driver","system_driver_id":"D1","first_name":"Ann","last_name":"Lee","keys":[{"type":"rfid","value":"77"}]},
			{"type":"fault","system_device_id":"t1","protocol":"obd","code":"P0420","last_seen_at":"2024-05-02T10:00:00Z","severity":"critical","lamps":["amber"]},
			{"type":"fault","system_device_id":"t1","code":"P0300","first_seen_at":"2024-04-01T10:00:00Z","last_seen_at":"2024-04-02T10:00:00Z"},
			{"type":"safety_event","system_device_id":"t1","system_event_id":"e1","safety_type":"harsh_braking","native_type":"brake","start_time":"2024-05-02T10:00:00Z",
				"driver_id":{"format":"text","value":"D1"},"latitude":48.5,"longitude":11.5,"acceleration_g":-0.4,"severity":"high"},
			{"type":"safety_event","system_device_id":"t1","safety_type":"speeding","start_time":"2024-05-02T09:00:00Z"},
			{"type":"driver","system_driver_id":"0"},
			{"type":"driver","system_device_id":"t1","system_driver_id":"D2"},
			{"type":"driver","name":"No one"},
			{"type":"fault","code":"P0420","last_seen_at":"2024-05-02T10:00:00Z"},
			{"type":"fault","system_device_id":"t2","code":"P0420"},
			{"type":"fault","system_device_id":"t2","code":"P0420","last_seen_at":"2024-05-02T11:00:00Z"},
			{"type":"fault","system_device_id":"t2","code":"P0420","last_seen_at":"2024-05-02T10:00:00Z","status":"reviewed"},
			{"type":"fault","system_device_id":"t2","code":"P0420","last_seen_at":"2024-05-02T10:00:00Z","closed_at":"2024-05-02T10:00:00Z"},
			{"type":"fault","system_device_id":"t2","code":"P0420","last_seen_at":"2024-05-02T10:00:00Z","lamps":["blue"]},
			{"type":"safety_event","system_device_id":"t2","safety_type":"loud","start_time":"2024-05-02T10:00:00Z"},
			{"type":"safety_event","system_device_id":"t2","safety_type":"crash","start_time":"2024-05-02T10:00:00Z","severity":"critical"},
			{"type":"safety_event","system_device_id":"t2","safety_type":"crash","start_time":"2024-05-02T10:00:00Z","latitude":48.5},
			{"type":"safety_event","system_device_id":"t2","safety_type":"crash","start_time":"1999-05-02T10:00:00Z"}]`
		refused := []string{
			"refused: system_driver_id: it names no one",
			"refused: system_device_id: Extra inputs are not permitted",
			"refused: system_driver_id: Field required",
			"refused: system_device_id: Field required",
			"refused: last_seen_at: Field required",
			"refused: it is in the future: the sender's clock or time zone is wrong",
			"refused: status: Value error, the status of a fault is open, pending or closed",
			"refused: closed_at: Value error, only a closed fault has a closed_at",
			"refused: lamps.0: Input should be 'malfunction', 'amber', 'red_stop' or 'protect'",
			"refused: safety_type: Input should be 'harsh_braking', 'harsh_acceleration', 'harsh_cornering', 'speeding', 'crash', 'drowsiness', 'distraction', 'tailgating', 'seat_belt', 'forward_collision', 'lane_departur…",
			"refused: severity: Value error, the severity of a safety event is low, medium or high",
			"refused: latitude: Value error, latitude and longitude belong together",
			"refused: it is before the year 2000: the sender's clock is wrong",
		}
		wantSummary(t, p.records(t, batch), append([]string{
			"19 received, 5 stored, 1 known, 13 refused", "stored", "known", "stored", "stored", "stored", "stored",
		}, refused...)...)
		wantSummary(t, p.records(t, batch), append([]string{
			"19 received, 0 stored, 6 known, 13 refused", "known", "known", "known", "known", "known", "known",
		}, refused...)...)
		wantSummary(t, p.records(t, `[
			{"type":"driver","system_driver_id":"D1","first_name":"Ann","last_name":"Low"},
			{"type":"fault","system_device_id":"t1","protocol":"obd","code":"P0420","last_seen_at":"2024-05-02T10:01:00Z","status":"closed","closed_at":"2024-05-02T10:02:00Z"},
			{"type":"safety_event","system_device_id":"t1","system_event_id":"e1","safety_type":"harsh_braking","native_type":"brake","start_time":"2024-05-02T10:00:00Z","status":"dismissed"}]`),
			"3 received, 3 stored, 0 known, 0 refused", "stored", "stored", "stored")

		drivers, _ := get[[]drover.Driver](t, p.service, alice, "/driver?connection_id="+p.conn.ID)
		if len(drivers) != 1 || *drivers[0].Name != "Ann Low" || !drivers[0].Active || len(drivers[0].Keys) != 0 {
			t.Errorf("the drivers are %+v", drivers)
		}
		faults, _ := get[[]drover.Fault](t, p.service, alice, "/fault?connection_id="+p.conn.ID)
		if len(faults) != 2 {
			t.Fatalf("the faults are %+v", faults)
		}
		for _, f := range faults {
			if closed := f.Code == "P0420"; closed != (f.ClosedBy != nil && *f.ClosedBy == drover.ClosedByVendor) || closed != (f.Status == drover.FaultClosed) {
				t.Errorf("a fault is %+v", f)
			}
		}
		dangers, _ := get[[]drover.SafetyEvent](t, p.service, alice, "/safety-event?connection_id="+p.conn.ID)
		if len(dangers) != 2 || dangers[1].Status != drover.SafetyDismissed && dangers[0].Status != drover.SafetyDismissed {
			t.Errorf("the safety events are %+v", dangers)
		}
		events, _ := get[[]drover.Event](t, p.service, alice, "/event?limit=1000&connection_id="+p.conn.ID)
		said := map[drover.EventType]int{}
		for _, e := range events {
			said[e.Type]++
		}
		// The fault and whatever else is of long ago is history.
		for typ, want := range map[drover.EventType]int{
			drover.EventDriverCreated: 1, drover.EventDriverUpdated: 1, drover.EventFaultOpened: 1, drover.EventFaultClosed: 1,
			drover.EventSafetyRecorded: 2, drover.EventSafetyUpdated: 1,
		} {
			if said[typ] != want {
				t.Errorf("%d events %s, want %d", said[typ], typ, want)
			}
		}
	})
}
