package contract_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// addDriver stores a driver as the collection of them does.
func (w *world) addDriver(tb testing.TB, tenant, name, connection string, d drover.Driver) {
	tb.Helper()
	d.ID, d.ConnectionID = store.NewID(), w.ids[connection]
	w.ids[name] = d.ID
	w.update(tb, func(tx *store.Tx) error {
		return tx.Drivers.AddDrivers(tb.Context(), w.ids[tenant], []drover.Driver{d}, drover.At(present))
	})
}

// addDrivers gives alpha the driver of its trip, and one of a connection that is not shared.
func (w *world) addDrivers(tb testing.TB) {
	tb.Helper()
	w.addDriver(tb, "alpha", "driver", "conn", drover.Driver{
		SystemDriverID: "D-1", Name: new("Ann Lee"), FirstName: new("Ann"), LastName: new("Lee"), EmployeeNumber: new("E-17"),
		Email: new("ann@alpha.example"), Phone: new("+441632960001"), LicenceNumber: new("LEE706"), LicenceRegion: new("GB"),
		Keys: []drover.DriverKey{{Type: drover.KeyTachograph, Value: "GB123"}}, Active: true, Tags: []string{"night", "north"},
	})
	w.addDriver(tb, "alpha", "private_driver", "plain_conn", drover.Driver{SystemDriverID: "D-9"})
}

// driverRows are the persons who drive.
func driverRows() []row {
	const (
		ann = `{"id":"$driver","connection_id":"$conn","system_driver_id":"D-1","name":"Ann Lee","first_name":"Ann","last_name":"Lee","employee_number":"E-17",
			"email":"ann@alpha.example","phone":"+441632960001","licence_number":"LEE706","licence_region":"GB",
			"keys":[{"type":"tachograph_card","value":"GB123"}],"active":true,"tags":["night","north"]}`
		private = `{"id":"$private_driver","connection_id":"$plain_conn","system_driver_id":"D-9","name":null,"first_name":null,"last_name":null,
			"employee_number":null,"email":null,"phone":null,"licence_number":null,"licence_region":null,"keys":[],"active":false,"tags":[]}`
		fresh = `{"id":"$new_driver","connection_id":"$work_conn","system_driver_id":"<any>","name":"Bo","first_name":null,"last_name":null,
			"employee_number":null,"email":null,"phone":null,"licence_number":null,"licence_region":null,"keys":[],"active":true,"tags":[]}`
		noDriver = "Driver with ID %s not found"
	)
	read := func(name, user, path string, status int, want string) row {
		return row{name: name, as: user, method: "GET", path: path, status: status, want: want}
	}
	patch := func(name, user, id, body string, status int, want string) row {
		return row{name: name, as: user, method: "PATCH", path: "/driver/" + id, body: body, status: status, want: want}
	}
	set := patch("Set", will, "$new_driver", `{"active":false,"tags":[" North ","night"]}`, 200, data(with(fresh, "active", "false", "tags", `["north","night"]`)))
	set.then = []row{read("", will, "/driver/$new_driver", 200, data(with(fresh, "active", "false", "tags", `["north","night"]`)))}
	erased := row{name: "EraseByRecord", as: wanda, method: "DELETE", path: "/driver/$new_driver", status: 200, want: data(queuedErasure)}
	return append([]row{
		read("List", alice, "/driver", 200, list(ann, private)),
		read("ListForViewer", vera, "/driver", 200, list(ann, private)),
		read("ListShared", carol, "/driver", 200, list(ann)),
		read("ListOfOtherTenant", bob, "/driver", 200, list()),
		read("ListByConnection", alice, "/driver?connection_id=$plain_conn", 200, list(private)),
		read("ListByForeignConnection", bob, "/driver?connection_id=$conn", 200, list()),
		read("ListByConnectionNoUUID", alice, "/driver?connection_id=x", 200, list()),
		read("ListBySystemID", carol, "/driver?system_driver_id=D-1", 200, list(ann)),
		read("ListBySystemIDOfForeign", bob, "/driver?system_driver_id=D-1", 200, list()),
		read("ListByTag", alice, "/driver?tag=NIGHT", 200, list(ann)),
		read("ListByTagOfNone", alice, "/driver?tag=nigh", 200, list()),
		read("ListActive", alice, "/driver?active=true", 200, list(ann)),
		read("ListInactive", alice, "/driver?active=false", 200, list(private)),
		read("ListActiveNoBoolean", alice, "/driver?active=x", 422,
			invalid("bool_parsing", "Input should be a valid boolean, unable to interpret input", "query", "active")),
		read("Search", alice, "/driver?q=NN%20L", 200, list(ann)),
		read("SearchEmployee", alice, "/driver?q=e-17", 200, list(ann)),
		read("SearchSystemID", alice, "/driver?q=d-9", 200, list(private)),
		read("SearchID", alice, "/driver?q=$driver", 200, list(ann)),
		read("SearchOfForeign", bob, "/driver?q=ann", 200, list()),
		read("SearchNoPattern", alice, "/driver?q=%25", 200, list()),
		read("ListByTooLongText", alice, "/driver?q="+strings.Repeat("x", 256), 422,
			invalid("string_too_long", "String should have at most 255 characters", "query", "q")),
		read("ListInUnknownOrder", alice, "/driver?sort=name", 422, invalid("enum", "Input should be 'id' or 'updated_at'", "query", "sort")),
		read("ListChanges", carol, "/driver?sort=updated_at", 200, list(ann)),
		read("ListChangesWithFilter", alice, "/driver?sort=updated_at&active=true", 422,
			invalid("value_error", "Value error, a list of changes takes no other parameters than limit and cursor", "query", "sort")),
		read("ListChangesAfter", carol, "/driver?updated_after=2020-01-01T00:00:00Z", 200, list(ann)),
		read("ListChangesOfAnotherDatabase", alice, "/driver?sort=updated_at&cursor="+cursorElsewhere("driver"), 410,
			refusal(410, "The changes since then are not known any more: take a new snapshot, from a first page without cursor and updated_after")),
		read("Get", alice, "/driver/$driver", 200, data(ann)),
		read("GetForViewer", vera, "/driver/$private_driver", 200, data(private)),
		read("GetShared", carol, "/driver/$driver", 200, data(ann)),
		read("GetNotShared", carol, "/driver/$private_driver", 403, forbidden),
		read("GetForeign", bob, "/driver/$driver", 403, forbidden),
		read("GetUnknown", alice, "/driver/$unknown", 404, notFound(noDriver, "$unknown")),
		read("GetBySystemID", alice, "/driver/D-1", 404, notFound(noDriver, "D-1")),
		set, erased,
		patch("SetNothing", will, "$new_driver", `{}`, 200, data(fresh)),
		patch("SetNoTags", will, "$new_driver", `{"tags":null}`, 200, data(fresh)),
		patch("SetActiveNull", will, "$new_driver", `{"active":null}`, 422, invalid("bool_type", "Input should be a valid boolean", "body", "active")),
		patch("SetManyTags", will, "$new_driver", `{"tags":["1","2","3","4","5","6","7","8","9","10","11"]}`, 422, "<any>"),
		patch("SetByViewer", vera, "$driver", `{"active":false}`, 403, forbidden),
		patch("SetShared", carol, "$driver", `{"active":false}`, 403, forbidden),
		patch("SetForeign", bob, "$driver", `{"active":false}`, 403, forbidden),
		patch("SetUnknown", will, "$unknown", `{"active":false}`, 404, notFound(noDriver, "$unknown")),
		patch("SetNoObject", will, "$new_driver", `[]`, 422, "<any>"),
	}, slices.Concat(assignmentRows(), erasureRows())...)
}

// assignmentRows are who drove what when, by alpha's trips and newest position.
func assignmentRows() []row {
	const (
		drove = `{"id":"<uuid>","device_id":"$device","connection_id":"$conn","driver_id":"$driver","system_driver_id":"D-1",
			"start_time":"2024-05-02T08:15:30Z","end_time":"2024-05-02T09:15:30.001Z","method":"unknown"}`
		drives = `{"id":"<uuid>","device_id":"$device","connection_id":"$conn","driver_id":null,"system_driver_id":"D-17",
			"start_time":"2024-05-02T10:14:30.250Z","end_time":null,"method":"derived"}`
		of = "/driver-assignment?from=2024-05-02T00:00:00Z"
	)
	read := func(name, user, path string, status int, want string) row {
		return row{name: "Assignments" + name, as: user, method: "GET", path: path, status: status, want: want}
	}
	return []row{
		read("OfDevice", alice, of+"&device_id=$device", 200, list(drove)),
		read("OfDriver", vera, of+"&driver_id=$driver", 200, list(drove)),
		read("OfBoth", alice, of+"&device_id=$device&driver_id=$driver", 200, list(drove)),
		read("OfDriverWhoDroveAnother", alice, of+"&device_id=$device&driver_id=$private_driver", 200, list()),
		read("OfDriverWithoutTrips", alice, of+"&driver_id=$private_driver", 200, list()),
		read("OfDeviceWithoutTrips", alice, of+"&device_id=$bare_device", 200, list()),
		read("OverlapTheStart", alice, "/driver-assignment?device_id=$device&from=2024-05-02T09:15:30Z", 200, list(drove)),
		read("AfterTheEnd", alice, "/driver-assignment?device_id=$device&from=2024-05-02T09:15:30.001Z", 200, list()),
		read("BeforeTheStart", alice, of+"&device_id=$device&to=2024-05-02T08:15:30Z", 200, list()),
		read("OverlapTheEnd", alice, of+"&device_id=$device&to=2024-05-02T08:15:30.001Z", 200, list(drove)),
		read("Shared", carol, of+"&device_id=$device", 200, list(drove)),
		read("OfSharedDriver", carol, of+"&driver_id=$driver", 200, list(drove)),
		read("OfForeign", bob, of+"&device_id=$device", 403, forbidden),
		read("OfForeignDriver", bob, of+"&driver_id=$driver", 403, forbidden),
		read("OfUnknown", alice, of+"&device_id=$unknown", 404, notFound(noDevice, "$unknown")),
		read("OfUnknownDriver", alice, of+"&driver_id=$unknown", 404, notFound("Driver with ID %s not found", "$unknown")),
		read("OfNothing", alice, of, 422, invalid("value_error", "Value error, device_id or driver_id is needed", "query", "device_id")),
		read("WithoutFrom", alice, "/driver-assignment?device_id=$device", 422, invalid("missing", "Field required", "query", "from")),
		read("ToBeforeFrom", alice, of+"&device_id=$device&to=2024-05-01T00:00:00Z", 422,
			invalid("value_error", "Value error, to must not be before from", "query", "to")),
		read("OfAMonth", alice, of+"&device_id=$device&to=2024-06-02T00:00:00Z", 200, list(drove)),
		read("OfMore", alice, of+"&device_id=$device&to=2024-06-02T00:00:00.001Z", 422,
			invalid("value_error", "Value error, to is at most 31 days after from", "query", "to")),
		read("Now", alice, "/device/$device/driver", 200, list(drives)),
		read("NowShared", carol, "/device/$device/driver", 200, list(drives)),
		read("NowOfNoOne", alice, "/device/$private_device/driver", 200, list()),
		read("NowWithoutPosition", alice, "/device/$bare_device/driver", 200, list()),
		read("NowForeign", bob, "/device/$device/driver", 403, forbidden),
		read("NowUnknown", alice, "/device/$unknown/driver", 404, notFound(noDevice, "$unknown")),
	}
}

// queuedErasure is an erasure that has not begun.
const queuedErasure = `{"id":"<uuid>","pseudonym":"<any>","state":"queued","trips":0,"positions":0,"events":0,"requested_at":"2024-05-02T10:15:30Z","finished_at":null}`

// erasureRows are drivers who are erased.
func erasureRows() []row {
	ask := func(name, user, method, path string, status int, want string) row {
		return row{name: name, as: user, method: method, path: path, status: status, want: want}
	}
	const noErasure = "Erasure with ID %s not found"
	erased := ask("Erase", wanda, "DELETE", "/driver/D%2F17", 200, data(queuedErasure))
	erased.then = []row{{as: wanda, method: "GET", path: "/audit?action=driver.delete&limit=1", status: 200, want: list(
		`{"id":"<uuid>","time":"2024-05-02T10:15:30Z","actor_type":"user","actor_id":"$wanda_sub","actor_name":"wanda","action":"driver.delete","record_type":"driver","record_id":"<any>","address":"<any>","request_id":"<any>","outcome":"done","count":1,"last_at":null}`,
	)}}
	return []row{
		erased,
		ask("EraseByMember", will, "DELETE", "/driver/D-17", 403, forbidden),
		ask("EraseTooLong", wanda, "DELETE", "/driver/"+strings.Repeat("d", 256), 422,
			invalid("value_error", "Value error, a driver id must have 1 to 255 bytes", "path", "driver_id")),
		ask("Get", alice, "GET", "/driver-erasure/$erasure", 200, data(queuedErasure)),
		ask("GetByMember", mark, "GET", "/driver-erasure/$erasure", 403, forbidden),
		ask("GetUnknown", alice, "GET", "/driver-erasure/$unknown", 404, notFound(noErasure, "$unknown")),
		ask("GetNoUUID", alice, "GET", "/driver-erasure/x", 404, notFound(noErasure, "x")),
	}
}
