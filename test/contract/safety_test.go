package contract_test

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// addSafetyEvent stores a safety event as the collection of them does.
func (w *world) addSafetyEvent(tb testing.TB, tenant, name, device, connection string, e drover.SafetyEvent) string {
	tb.Helper()
	e.ID, e.DeviceID, e.ConnectionID = store.NewID(), w.ids[device], w.ids[connection]
	w.ids[name] = e.ID
	w.update(tb, func(tx *store.Tx) error {
		return tx.Vehicles.SetSafetyEvents(tb.Context(), w.ids[tenant], []drover.SafetyEvent{e})
	})
	return e.ID
}

// addDangers gives alpha's devices safety events: one with all that can be said of one, and one
// of a device that is not shared, of which little is known.
func (w *world) addDangers(tb testing.TB) {
	tb.Helper()
	at := drover.At(present.Add(-2 * time.Hour))
	w.addSafetyEvent(tb, "alpha", "safety_event", "device", "conn", drover.SafetyEvent{
		SystemEventID: "ev-47", Type: drover.SafetyBraking, NativeType: "hard_brake", DriverID: drover.NewDriverID(new("D-17")), StartTime: at,
		EndTime: new(drover.At(at.Add(3 * time.Second))), Latitude: new(48.9), Longitude: new(11.25), Heading: new(90.0), SpeedKPH: new(62.5),
		MaxSpeedKPH: new(63.0), SpeedLimitKPH: new(50.0), AccelerationG: new(-0.47), LateralG: new(0.1), Severity: new(drover.SafetyHigh),
		Status: drover.SafetyReviewed, Method: new(drover.SafetyByCamera), MediaAvailable: new(true),
	})
	w.addSafetyEvent(tb, "alpha", "private_safety_event", "private_device", "plain_conn", drover.SafetyEvent{
		SystemEventID: "ev-48", Type: drover.SafetyOther, NativeType: "Rule 7", StartTime: drover.At(present.Add(-time.Hour)), Status: drover.SafetyOpen,
	})
}

// safetyRows are what providers report as dangerous driving.
func safetyRows() []row {
	const (
		braking = `{"id":"$safety_event","device_id":"$device","connection_id":"$conn","system_event_id":"ev-47","type":"harsh_braking",
			"native_type":"hard_brake","driver_id":{"format":"text","value":"D-17"},"start_time":"2024-05-02T08:15:30Z",
			"end_time":"2024-05-02T08:15:33Z","latitude":48.9,"longitude":11.25,"heading":90,"speed_kph":62.5,"max_speed_kph":63,
			"speed_limit_kph":50,"acceleration_g":-0.47,"lateral_g":0.1,"severity":"high","status":"reviewed","method":"camera",
			"media_available":true}`
		private = `{"id":"$private_safety_event","device_id":"$private_device","connection_id":"$plain_conn","system_event_id":"ev-48",
			"type":"other","native_type":"Rule 7","driver_id":null,"start_time":"2024-05-02T09:15:30Z","end_time":null,"latitude":null,
			"longitude":null,"heading":null,"speed_kph":null,"max_speed_kph":null,"speed_limit_kph":null,"acceleration_g":null,"lateral_g":null,
			"severity":null,"status":"open","method":null,"media_available":null}`
		noEvent = "Safety event with ID %s not found"
	)
	read := func(name, user, path string, status int, want string) row {
		return row{name: name, as: user, method: "GET", path: path, status: status, want: want}
	}
	patch := func(name, body string, status int, want string) row {
		return row{name: name, as: wanda, method: "PATCH", path: "/connection/$new_conn", body: body, status: status, want: want}
	}
	const types = "Input should be 'harsh_braking', 'harsh_acceleration', 'harsh_cornering', 'speeding', 'crash', 'drowsiness', 'distraction', " +
		"'tailgating', 'seat_belt', 'forward_collision', 'lane_departure', 'camera_obstruction', 'phone' or 'other'"
	return []row{
		read("List", alice, "/safety-event", 200, list(braking, private)),
		read("ListForViewer", vera, "/safety-event", 200, list(braking, private)),
		read("ListOfShared", carol, "/safety-event", 200, list(braking)),
		read("ListNewestFirst", alice, "/safety-event?order=desc", 200, list(private, braking)),
		read("ListOfOtherTenant", bob, "/safety-event", 200, list()),
		read("ListByDevice", alice, "/safety-event?device_id=$private_device", 200, list(private)),
		read("ListByForeignDevice", bob, "/safety-event?device_id=$device", 200, list()),
		read("ListByConnection", alice, "/safety-event?connection_id=$plain_conn", 200, list(private)),
		read("ListByTag", alice, "/safety-event?tag=Cold", 200, list(braking)),
		read("ListByDriver", alice, "/safety-event?driver_id=D-17", 200, list(braking)),
		read("ListByDriverOfShared", carol, "/safety-event?driver_id=D-17", 200, list(braking)),
		read("ListByType", alice, "/safety-event?type=other&type=crash", 200, list(private)),
		read("ListByUnknownType", alice, "/safety-event?type=idling", 422, invalid("enum", types, "query", "type")),
		read("ListFrom", alice, "/safety-event?from=2024-05-02T09:00:00Z", 200, list(private)),
		read("ListTo", alice, "/safety-event?to=2024-05-02T09:00:00Z", 200, list(braking)),
		read("ListToBeforeFrom", alice, "/safety-event?from=2024-05-02T00:00:00Z&to=2024-05-01T00:00:00Z", 422,
			invalid("value_error", "Value error, to must not be before from", "query", "to")),
		read("ListChangesWithFilter", alice, "/safety-event?sort=updated_at&type=crash", 422,
			invalid("value_error", "Value error, a list of changes takes no other parameters than limit and cursor", "query", "sort")),
		read("ListChangesOfAnotherDatabase", alice, "/safety-event?sort=updated_at&cursor="+cursorElsewhere("safety_event"), 410,
			refusal(410, "The changes since then are not known any more: take a new snapshot, from a first page without cursor and updated_after")),
		read("ListChanges", carol, "/safety-event?updated_after=2024-05-01T00:00:00Z", 200, "<any>"),

		read("Get", alice, "/safety-event/$safety_event", 200, data(braking)),
		read("GetShared", carol, "/safety-event/$safety_event", 200, data(braking)),
		read("GetOfUnshared", carol, "/safety-event/$private_safety_event", 403, forbidden),
		read("GetForeign", bob, "/safety-event/$safety_event", 403, forbidden),
		read("GetUnknown", alice, "/safety-event/$unknown", 404, notFound(noEvent, "$unknown")),
		read("GetNoUUID", alice, "/safety-event/x", 404, notFound(noEvent, "x")),

		patch("MapTypes", `{"configuration":{"safety_types":{"Harsh brake XL":"harsh_braking"}}}`, 200, "<any>"),
		patch("MapNoTypes", `{"configuration":{"safety_types":null}}`, 200, "<any>"),
		patch("MapUnknownType", `{"configuration":{"safety_types":{"x":"smoke"}}}`, 422,
			invalid("value_error", "Value error, there is no such type of safety events", "body", "configuration", "safety_types", "x")),
	}
}
