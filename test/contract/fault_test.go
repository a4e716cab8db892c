package contract_test

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// addFault stores a fault as the collection of them does.
func (w *world) addFault(tb testing.TB, tenant, name, device, connection string, f drover.Fault) string {
	tb.Helper()
	f.ID, f.DeviceID, f.ConnectionID = store.NewID(), w.ids[device], w.ids[connection]
	w.ids[name] = f.ID
	w.update(tb, func(tx *store.Tx) error {
		return tx.Vehicles.SetFaults(tb.Context(), w.ids[tenant], []store.Fault{{Fault: f, Key: string(f.Protocol) + " " + f.Code}})
	})
	return f.ID
}

// addFaults gives alpha's devices theirs: an open one with all that can be said of one, one
// that is over, and one of a device that is not shared.
func (w *world) addFaults(tb testing.TB) {
	tb.Helper()
	ago := func(d time.Duration) drover.Time { return drover.At(present.Add(-d)) }
	w.addFault(tb, "alpha", "fault", "device", "conn", drover.Fault{
		Protocol: drover.FaultJ1939, Code: "SPN 3031 FMI 9", SPN: new(int64(3031)), FMI: new(int64(9)), SourceAddress: new(int64(0)),
		Description: new("DEF tank temperature"), Severity: new(drover.FaultHigh), Lamps: []drover.Lamp{drover.LampAmber},
		Status: drover.FaultOpen, FirstSeenAt: ago(2 * time.Hour), LastSeenAt: ago(time.Hour), Occurrences: new(int64(47110815)),
	})
	w.addFault(tb, "alpha", "closed_fault", "device", "conn", drover.Fault{
		Protocol: drover.FaultOBD, Code: "P0420", Lamps: []drover.Lamp{}, Status: drover.FaultClosed, FirstSeenAt: ago(48 * time.Hour),
		LastSeenAt: ago(26 * time.Hour), ClosedAt: new(ago(25 * time.Hour)), ClosedBy: new(drover.ClosedByAbsence),
	})
	w.addFault(tb, "alpha", "private_fault", "private_device", "plain_conn", drover.Fault{
		Protocol: drover.FaultTellTale, Code: "BRAKE_MALFUNCTION", Lamps: []drover.Lamp{drover.LampRedStop}, Status: drover.FaultOpen,
		FirstSeenAt: ago(time.Hour), LastSeenAt: ago(time.Hour),
	})
}

// faultRows are what vehicles report as broken.
func faultRows() []row {
	const (
		open = `{"id":"$fault","device_id":"$device","connection_id":"$conn","protocol":"j1939","code":"SPN 3031 FMI 9","spn":3031,"fmi":9,
			"source_address":0,"description":"DEF tank temperature","severity":"high","lamps":["amber"],"status":"open",
			"first_seen_at":"2024-05-02T08:15:30Z","last_seen_at":"2024-05-02T09:15:30Z","closed_at":null,"occurrences":47110815,"closed_by":null}`
		closed = `{"id":"$closed_fault","device_id":"$device","connection_id":"$conn","protocol":"obd","code":"P0420","spn":null,"fmi":null,
			"source_address":null,"description":null,"severity":null,"lamps":[],"status":"closed","first_seen_at":"2024-04-30T10:15:30Z",
			"last_seen_at":"2024-05-01T08:15:30Z","closed_at":"2024-05-01T09:15:30Z","occurrences":null,"closed_by":"absence"}`
		private = `{"id":"$private_fault","device_id":"$private_device","connection_id":"$plain_conn","protocol":"tell_tale",
			"code":"BRAKE_MALFUNCTION","spn":null,"fmi":null,"source_address":null,"description":null,"severity":null,"lamps":["red_stop"],
			"status":"open","first_seen_at":"2024-05-02T09:15:30Z","last_seen_at":"2024-05-02T09:15:30Z","closed_at":null,"occurrences":null,
			"closed_by":null}`
		noFault = "Fault with ID %s not found"
	)
	read := func(name, user, path string, status int, want string) row {
		return row{name: name, as: user, method: "GET", path: path, status: status, want: want}
	}
	return []row{
		read("List", alice, "/fault", 200, list(open, closed, private)),
		read("ListForViewer", vera, "/fault", 200, list(open, closed, private)),
		read("ListOfShared", carol, "/fault", 200, list(open, closed)),
		read("ListNewestFirst", alice, "/fault?order=desc", 200, list(private, closed, open)),
		read("ListNewestOfShared", carol, "/fault?order=desc", 200, list(closed, open)),
		read("ListOrderUnknown", alice, "/fault?order=newest", 422, invalid("enum", "Input should be 'asc' or 'desc'", "query", "order")),
		read("ListChangesNewestFirst", alice, "/fault?sort=updated_at&order=desc", 422,
			invalid("value_error", "Value error, a list of changes takes no other parameters than limit and cursor", "query", "sort")),
		read("ListOfOtherTenant", bob, "/fault", 200, list()),
		read("ListByDevice", alice, "/fault?device_id=$private_device&device_id=$bare_device", 200, list(private)),
		read("ListByForeignDevice", bob, "/fault?device_id=$device", 200, list()),
		read("ListByDeviceNoUUID", alice, "/fault?device_id=x", 200, list()),
		read("ListByConnection", alice, "/fault?connection_id=$plain_conn", 200, list(private)),
		read("ListByTag", alice, "/fault?tag=Cold", 200, list(open, closed)),
		read("ListByTagOfConnection", carol, "/fault?tag=south", 200, list(open, closed)),
		read("ListByStatus", alice, "/fault?status=closed&status=pending", 200, list(closed)),
		read("ListByUnknownStatus", alice, "/fault?status=broken", 422,
			invalid("enum", "Input should be 'open', 'pending' or 'closed'", "query", "status")),
		read("ListByProtocol", alice, "/fault?protocol=tell_tale", 200, list(private)),
		read("ListByUnknownProtocol", alice, "/fault?protocol=can", 422,
			invalid("enum", "Input should be 'obd', 'j1939', 'j1708', 'tell_tale', 'oem' or 'unknown'", "query", "protocol")),
		read("ListByCode", alice, "/fault?code=P0420&code=P0421", 200, list(closed)),
		read("ListFrom", alice, "/fault?from=2024-05-02T00:00:00Z", 200, list(open, private)),
		read("ListTo", alice, "/fault?to=2024-05-02T08:15:31Z", 200, list(open, closed)),
		read("ListToBeforeFrom", alice, "/fault?from=2024-05-02T00:00:00Z&to=2024-05-01T00:00:00Z", 422,
			invalid("value_error", "Value error, to must not be before from", "query", "to")),
		read("ListFromNoDateTime", alice, "/fault?from=x", 422, timeFault("query", "from")),
		read("ListSortUnknown", alice, "/fault?sort=code", 422, invalid("enum", "Input should be 'id' or 'updated_at'", "query", "sort")),
		read("ListChangesWithFilter", alice, "/fault?sort=updated_at&status=open", 422,
			invalid("value_error", "Value error, a list of changes takes no other parameters than limit and cursor", "query", "sort")),
		read("ListChangesOfAnotherDatabase", alice, "/fault?sort=updated_at&cursor="+cursorElsewhere("fault"), 410,
			refusal(410, "The changes since then are not known any more: take a new snapshot, from a first page without cursor and updated_after")),
		read("ListChanges", carol, "/fault?updated_after=2024-05-01T00:00:00Z", 200, "<any>"),

		read("Get", alice, "/fault/$fault", 200, data(open)),
		read("GetShared", carol, "/fault/$closed_fault", 200, data(closed)),
		read("GetOfUnshared", carol, "/fault/$private_fault", 403, forbidden),
		read("GetForeign", bob, "/fault/$fault", 403, forbidden),
		read("GetUnknown", alice, "/fault/$unknown", 404, notFound(noFault, "$unknown")),
		read("GetNoUUID", alice, "/fault/x", 404, notFound(noFault, "x")),
	}
}
