package contract_test

// searchRows are GET /search, bulk tags and the runs of a connection.
func searchRows() []row {
	find := func(name, user, q string, want string) row {
		return row{name: name, as: user, method: "GET", path: "/search?q=" + q, status: 200, want: want}
	}
	truck := `{"kind":"device","id":"$device","name":"Truck 12","detail":"AB12 CDE"}`
	conn := `{"kind":"connection","id":"$conn","name":"Alpha Haulage","detail":"traccar"}`
	ann := `{"kind":"driver","id":"$driver","name":"Ann Lee","detail":"D-1"}`
	broken := `{"kind":"fault","id":"$fault","name":"SPN 3031 FMI 9","detail":"$device"}`
	braking := `{"kind":"safety_event","id":"$safety_event","name":"harsh_braking","detail":"$device"}`
	tag := func(name, user, body string, status int, want string) row {
		return row{name: name, as: user, method: "POST", path: "/device/tag", body: body, status: status, want: want}
	}
	fault := func(typ, msg string, loc ...any) string { return invalid(typ, msg, append([]any{"body"}, loc...)...) }
	tagged := `{"id":"$new_device","system_device_id":"<any>","connection_id":"$work_conn","description":"Fresh","registration":"FR 1","make":"MAN","model":"TGX","year":2020,"active":true,"tags":["cold","north"]}`
	return []row{
		find("ByName", alice, "tRUCK", list(truck)),
		find("ByPlate", vera, "ab12", list(truck)),
		find("ByProvidersID", alice, "TRUCK-1", list(truck)),
		find("ByConnection", alice, "haul", list(conn)),
		find("ByDeviceID", alice, "$device", list(truck)),
		find("ByConnectionID", alice, "$conn", list(conn)),
		find("ByTripID", alice, "$trip", list(`{"kind":"trip","id":"$trip","name":null,"detail":"$device"}`)),
		find("ByMilestoneID", alice, "$milestone", list(`{"kind":"milestone","id":"$milestone","name":null,"detail":"$device"}`)),
		find("ByDriver", alice, "aNN", list(ann)),
		find("ByDriverID", alice, "$driver", list(ann)),
		find("ByCode", vera, "p04", list(`{"kind":"fault","id":"$closed_fault","name":"P0420","detail":"$device"}`)),
		find("ByFaultID", alice, "$fault", list(broken)),
		find("BySafetyEventID", alice, "$safety_event", list(braking)),
		find("SharedDriver", carol, "ann", list(ann)),
		find("SharedFault", carol, "spn+3031", list(broken)),
		find("SharedSafetyEvent", carol, "$safety_event", list(braking)),
		find("NotSharedFault", carol, "brake", list()),
		find("NotSharedDriver", carol, "D-9", list()),
		find("ForeignDriver", bob, "ann", list()),
		find("ForeignFault", bob, "$fault", list()),
		find("ForeignSafetyEvent", bob, "$safety_event", list()),
		find("Shared", carol, "truck", list(truck)),
		find("SharedByID", carol, "$trip", list(`{"kind":"trip","id":"$trip","name":null,"detail":"$device"}`)),
		find("NotShared", carol, "van-1", list()),
		find("Foreign", bob, "truck", list()),
		find("ForeignID", bob, "$trip", list()),
		find("ForeignMilestone", bob, "$milestone", list()),
		find("Nothing", alice, "zzz", list()),
		find("Percent", alice, "%25", list()),
		find("Blank", alice, "%20", list()),
		{name: "NoText", as: alice, method: "GET", path: "/search", status: 422, want: invalid("missing", "Field required", "query", "q")},
		{
			name: "Limit", as: alice, method: "GET", path: "/search?q=a&limit=101", status: 422,
			want: invalid("less_than_equal", "Input should be less than or equal to 100", "query", "limit"),
		},

		tag("Tag", will, `{"device_ids":["$new_device"],"add":["North"],"remove":["old"]}`, 200, data(`{"changed":1}`)).next(
			tag("", will, `{"device_ids":["$new_device"],"add":["north"]}`, 200, data(`{"changed":0}`)),
			tag("", will, `{"device_ids":["$new_device","$new_device"],"add":["cold"],"remove":["north"]}`, 200, data(`{"changed":1}`)),
			tag("", will, `{"device_ids":["$new_device"],"add":["north"]}`, 200, data(`{"changed":1}`)),
			row{as: will, method: "GET", path: "/device/$new_device", status: 200, want: data(tagged)}),
		tag("TooMany", will, `{"device_ids":["$new_device"],"add":["1","2","3","4","5","6","7","8","9","10"]}`, 422,
			fault("value_error", "Value error, device $new_device would have more than 10 tags", "add")),
		tag("BlankTag", will, `{"device_ids":["$new_device"],"add":[" "]}`, 422,
			fault("string_too_short", "String should have at least 1 character", "add", 0)),
		tag("NoDevices", will, `{"device_ids":[]}`, 422, fault("too_short", "List should have at least 1 item after validation, not 0",
			"device_ids")),
		tag("UnknownDevice", will, `{"device_ids":["$new_device","$unknown"],"add":["x"]}`, 422,
			fault("value_error", "Value error, Device with ID $unknown not found", "device_ids", 1)),
		tag("ForeignDevice", will, `{"device_ids":["$device"],"add":["x"]}`, 403, forbidden),
		tag("SharedDevice", carol, `{"device_ids":["$device"],"add":["x"]}`, 403, forbidden),
		tag("ForViewer", vera, `{"device_ids":["$device"],"add":["x"]}`, 403, forbidden),

		{name: "Runs", as: vera, method: "GET", path: "/connection/$conn/run", status: 200, want: list()},
		{name: "RunsOfOthers", as: bob, method: "GET", path: "/connection/$conn/run", status: 403, want: forbidden},
		{
			name: "RunsOfUnknown", as: alice, method: "GET", path: "/connection/$unknown/run", status: 404,
			want: notFound(noConnection, "$unknown"),
		},
	}
}
