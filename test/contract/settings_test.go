package contract_test

// ruled are rules as they were set.
func ruled(stop, idle, gap, radius, least string) string {
	return ruledAt(stop, idle, gap, radius, least, "null")
}

// ruledAt are rules with a speed of movement.
func ruledAt(stop, idle, gap, radius, least, moving string) string {
	return `{"stop_seconds":` + stop + `,"idle_seconds":` + idle + `,"gap_seconds":` + gap + `,"radius_metres":` + radius +
		`,"min_distance_metres":` + least + `,"moving_kph":` + moving + `}`
}

// chosen is a value that holds, and who has set it.
func chosen(value, source string) string { return `{"value":` + value + `,"source":"` + source + `"}` }

// usual are the rules where no one has set any, with some replaced.
func usual(fields ...string) string {
	return with(ruledAt(chosen("300", "default"), chosen("1800", "default"), chosen("900", "default"), chosen("50", "default"),
		chosen("100", "default"), chosen("5", "default")), fields...)
}

var unset = ruled("null", "null", "null", "null", "null")

// settingRows are the settings of the account and of devices.
func settingRows() []row {
	const account, device = "/account/settings", "/device/$new_device/settings"
	ask := func(name, user, method, path, body string, status int, want string, then ...row) row {
		return row{name: name, as: user, method: method, path: path, body: body, status: status, want: want, then: then}
	}
	accountOf := func(own, holds string) string {
		return data(`{"time_zone":null,"trip_rules":` + own + `,"effective_trip_rules":` + holds + `}`)
	}
	deviceOf := func(id, own, holds string) string {
		return data(`{"device_id":"` + id + `","trips":"native","time_zone":{"value":"UTC","source":"default"},"trip_rules":` + own +
			`,"effective_trip_rules":` + holds + `}`)
	}
	connectionOf := func(id, own, holds string) string {
		return data(`{"connection_id":"` + id + `","trips":"native","time_zone":{"value":"UTC","source":"default"},"trip_rules":` + own +
			`,"effective_trip_rules":` + holds + `}`)
	}
	patch := func(name, body string, status int, want string, then ...row) row {
		return ask(name, wanda, "PATCH", device, body, status, want, then...)
	}
	rule := func(name, value string, typ, msg string) row {
		return patch("", `{"trip_rules":{"`+name+`":`+value+`}}`, 422, invalid(typ, msg, "body", "trip_rules", name))
	}
	edge := func(name, least, most, below, above string) []row {
		set := func(value string) row {
			return patch(name+" "+value, `{"trip_rules":{"`+name+`":`+value+`}}`, 200,
				deviceOf("$new_device", with(unset, name, value), usual(name, chosen(value, "device"))))
		}
		few := rule(name, below, "greater_than_equal", "Input should be greater than or equal to "+least)
		many := rule(name, above, "less_than_equal", "Input should be less than or equal to "+most)
		few.name, many.name = name+" "+below, name+" "+above
		return []row{set(least), set(most), few, many}
	}
	rows := []row{
		ask("Account", alice, "GET", account, "", 200, accountOf(unset, usual())),
		ask("AccountForViewer", vera, "GET", account, "", 200, accountOf(unset, usual())),
		ask("AccountSetNothing", bob, "PATCH", account, `{}`, 200, accountOf(unset, usual())),
		ask("AccountSetByViewer", vera, "PATCH", account, `{}`, 403, forbidden),
		ask("AccountSet", bob, "PATCH", account, `{"trip_rules":{"stop_seconds":600,"min_distance_metres":250.5}}`, 200,
			accountOf(ruled("600", "null", "null", "null", "250.5"),
				usual("stop_seconds", chosen("600", "tenant"), "min_distance_metres", chosen("250.5", "tenant"))),
			ask("", bob, "GET", "/device/$beta_device/settings", "", 200,
				deviceOf("$beta_device", unset, usual("stop_seconds", chosen("600", "tenant"), "min_distance_metres", chosen("250.5", "tenant")))),
			ask("", bob, "PATCH", "/connection/$beta_conn", `{"configuration":{"trip_rules":{"stop_seconds":700,"idle_seconds":900}}}`, 200,
				`{"data":"<any>"}`),
			ask("", bob, "GET", "/connection/$beta_conn/settings", "", 200,
				connectionOf("$beta_conn", ruled("700", "900", "null", "null", "null"),
					usual("stop_seconds", chosen("700", "connection"), "idle_seconds", chosen("900", "connection"), "min_distance_metres",
						chosen("250.5", "tenant")))),
			ask("", bob, "PATCH", "/device/$beta_device/settings", `{"trip_rules":{"idle_seconds":1000}}`, 200,
				deviceOf("$beta_device", ruled("null", "1000", "null", "null", "null"),
					usual("stop_seconds", chosen("700", "connection"), "idle_seconds", chosen("1000", "device"), "min_distance_metres",
						chosen("250.5", "tenant")))),
			ask("", bob, "PATCH", "/device/$beta_device/settings", `{"trip_rules":null}`, 200,
				deviceOf("$beta_device", unset, usual("stop_seconds", chosen("700", "connection"), "idle_seconds", chosen("900", "connection"),
					"min_distance_metres", chosen("250.5", "tenant")))),
			ask("", bob, "PATCH", "/connection/$beta_conn", `{"configuration":{"trip_rules":null}}`, 200, `{"data":"<any>"}`),
			ask("", bob, "PATCH", account, `{"trip_rules":{"stop_seconds":null}}`, 200,
				accountOf(ruled("null", "null", "null", "null", "250.5"), usual("min_distance_metres", chosen("250.5", "tenant")))),
			ask("", bob, "PATCH", account, `{"trip_rules":null}`, 200, accountOf(unset, usual()))),
		ask("AccountSetNoNumber", wanda, "PATCH", account, `{"trip_rules":{"gap_seconds":"x"}}`, 422,
			invalid("int_type", "Input should be a valid integer", "body", "trip_rules", "gap_seconds")),

		ask("ZoneOfNoOne", wanda, "PATCH", account, `{"time_zone":"Mars/Olympus"}`, 422,
			invalid("value_error", "Value error, time_zone must be an IANA name such as Europe/Berlin", "body", "time_zone")),
		ask("ZoneOf65", wanda, "PATCH", account, `{"time_zone":`+quote("a", 65)+`}`, 422,
			invalid("string_too_long", "String should have at most 64 characters", "body", "time_zone")),
		ask("ZoneNoText", wanda, "PATCH", account, `{"time_zone":1}`, 422,
			invalid("string_type", "Input should be a valid string", "body", "time_zone")),
		ask("Connection", alice, "GET", "/connection/$conn/settings", "", 200, connectionOf("$conn", unset, usual())),
		ask("ConnectionForViewer", vera, "GET", "/connection/$conn/settings", "", 200, connectionOf("$conn", unset, usual())),
		ask("ConnectionShared", carol, "GET", "/connection/$conn/settings", "", 200, connectionOf("$conn", unset, usual())),
		ask("ConnectionForeign", bob, "GET", "/connection/$conn/settings", "", 403, forbidden),
		ask("ConnectionUnknown", alice, "GET", "/connection/$unknown/settings", "", 404, notFound(noConnection, "$unknown")),
		ask("Device", alice, "GET", "/device/$device/settings", "", 200, deviceOf("$device", unset, usual())),
		ask("DeviceShared", carol, "GET", "/device/$device/settings", "", 200, deviceOf("$device", unset, usual())),
		ask("DeviceForeign", bob, "GET", "/device/$device/settings", "", 403, forbidden),
		ask("DeviceUnknown", alice, "GET", "/device/$unknown/settings", "", 404, notFound(noDevice, "$unknown")),
		ask("DeviceSetShared", carol, "PATCH", "/device/$device/settings", `{}`, 403, forbidden),
		ask("DeviceSetUnknown", wanda, "PATCH", "/device/$unknown/settings", `{}`, 404, notFound(noDevice, "$unknown")),
		ask("DeviceSetByViewer", vera, "PATCH", "/device/$device/settings", `{}`, 403, forbidden),
		patch("DeviceSetNothing", `{}`, 200, deviceOf("$new_device", unset, usual())),
		patch("DeviceSetNoObject", `{"trip_rules":1}`, 422,
			invalid("model_attributes_type", "Input should be a valid dictionary or object to extract fields from", "body", "trip_rules")),
	}
	rows = append(rows, edge("stop_seconds", "60", "3600", "59", "3601")...)
	rows = append(rows, edge("idle_seconds", "60", "21600", "59", "21601")...)
	rows = append(rows, edge("gap_seconds", "300", "10800", "299", "10801")...)
	rows = append(rows, edge("radius_metres", "10", "500", "9.9", "500.1")...)
	rows = append(rows, edge("min_distance_metres", "10", "10000", "9.9", "10000.1")...)
	return append(rows, edge("moving_kph", "1", "20", "0.9", "20.1")...)
}

// dayRows are the days of devices.
func dayRows() []row {
	read := func(name, user, path string, status int, want string) row {
		return row{name: name, as: user, method: "GET", path: path, status: status, want: want}
	}
	patch := func(user, path, body string) row {
		return row{as: user, method: "PATCH", path: path, body: body, status: 200, want: `{"data":"<any>"}`}
	}
	day := func(date, zone, start, end string, fields ...string) string {
		return with(`{"day":"`+date+`","time_zone":"`+zone+`","start_time":"`+start+`","end_time":"`+end+
			`","trips":0,"valid_trips":0,"distance_metres":0,"driving_seconds":0,
			"idling_seconds":0,"auxiliary_seconds":0,"stops":0,"standing_seconds":0,"stop_engine_on_seconds":0,"stop_auxiliary_seconds":0,"unseen_metres":0,"first_start_time":null,"last_end_time":null}`, fields...)
	}
	const path = "/device/$device/day"
	utc := list(day("2024-05-01", "UTC", "2024-05-01T00:00:00Z", "2024-05-02T00:00:00Z"),
		day("2024-05-02", "UTC", "2024-05-02T00:00:00Z", "2024-05-03T00:00:00Z"))
	counted := list(
		day("2024-05-01", "UTC", "2024-05-01T00:00:00Z", "2024-05-02T00:00:00Z", "fuel_used_litres", "null", "engine_seconds", "null",
			"odometer_start_metres", "null", "odometer_end_metres", "null"),
		day("2024-05-02", "UTC", "2024-05-02T00:00:00Z", "2024-05-03T00:00:00Z", "fuel_used_litres", "null", "engine_seconds", "null",
			"odometer_start_metres", "47110815", "odometer_end_metres", "47111815"))
	noDate := func(name string) string {
		return invalid("date_parsing", "Input should be a valid date in the format YYYY-MM-DD", "query", name)
	}
	inZone := patch(bob, "/account/settings", `{"time_zone":"Europe/Berlin"}`)
	inZone.name, inZone.want = "InItsZone", data(`{"time_zone":"Europe/Berlin","trip_rules":`+unset+`,"effective_trip_rules":`+usual()+`}`)
	berlin := func(path, want string) row { return read("", bob, "/device/$beta_device"+path, 200, want) }
	inZone.then = []row{
		berlin("/day?from=2024-03-31&to=2024-03-31", list(day("2024-03-31", "Europe/Berlin", "2024-03-30T23:00:00Z", "2024-03-31T22:00:00Z"))),
		berlin("/day?from=2024-10-27&to=2024-10-27", list(day("2024-10-27", "Europe/Berlin", "2024-10-26T22:00:00Z", "2024-10-27T23:00:00Z"))),
		berlin("/day?from=2024-05-02", list(day("2024-05-02", "Europe/Berlin", "2024-05-01T22:00:00Z", "2024-05-02T22:00:00Z", "trips", "1",
			"valid_trips", "1",
			"first_start_time", `"2024-05-02T09:15:30Z"`, "last_end_time", `"2024-05-02T10:15:30Z"`))),
		patch(bob, "/connection/$beta_conn", `{"configuration":{"time_zone":"Pacific/Apia"}}`),
		berlin("/day?from=2011-12-29&to=2011-12-31", list(day("2011-12-29", "Pacific/Apia", "2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z"),
			day("2011-12-31", "Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"))),
		{
			as: bob, method: "PATCH", path: "/connection/$beta_conn", body: `{"configuration":{"time_zone":"Apia"}}`, status: 422,
			want: invalid("value_error", "Value error, time_zone must be an IANA name such as Europe/Berlin", "body", "configuration", "time_zone"),
		},
		patch(bob, "/connection/$beta_conn", `{"configuration":{"time_zone":null}}`),
		patch(bob, "/account/settings", `{"time_zone":null}`),
	}
	return []row{
		read("Days", alice, path+"?from=2024-05-01&to=2024-05-02", 200, utc),
		read("UpToToday", vera, path+"?from=2024-05-01", 200, utc),
		read("OfShared", carol, path+"?from=2024-05-01", 200, utc),
		read("WithReadings", alice, path+"?from=2024-05-01&include=readings", 200, counted),
		read("WithReadingsOfShared", carol, path+"?from=2024-05-01&include=readings", 200, counted),
		read("WithReadingsOfForeign", bob, path+"?include=readings", 403, forbidden),
		read("WithAnything", alice, path+"?include=all", 422, invalid("enum", "Input should be 'readings'", "query", "include")),
		read("OfForeign", bob, path, 403, forbidden),
		read("OfUnknown", alice, "/device/$unknown/day", 404, notFound(noDevice, "$unknown")),
		read("FromNoDate", alice, path+"?from=today", 422, noDate("from")),
		read("ToNoDate", alice, path+"?to=2024-02-30", 422, noDate("to")),
		read("ToBeforeFrom", alice, path+"?from=2024-05-02&to=2024-05-01", 422,
			invalid("value_error", "Value error, to must not be before from", "query", "to")),
		read("Of400Days", alice, path+"?from=2023-01-01&to=2024-02-04", 200, `{"data":"<any>"}`),
		read("Of401Days", alice, path+"?from=2023-01-01&to=2024-02-05", 422,
			invalid("value_error", "Value error, at most 400 days can be asked for", "query", "from")),
		inZone,
	}
}

const noRecompute = "Recompute job with ID %s not found"

// recomputeRows are the jobs that derive trips again.
func recomputeRows() []row {
	ask := func(name, user, method, path, body string, status int, want string, then ...row) row {
		return row{name: name, as: user, method: method, path: path, body: body, status: status, want: want, then: then}
	}
	job := func(id, state, devices, created string, fields ...string) string {
		return with(`{"id":"`+id+`","state":"`+state+`","from":"2024-04-30T10:15:30Z","to":"2024-05-02T10:15:30Z","connection_id":null,"device_id":null,"notify":true,
			"devices_total":`+devices+`,"devices_done":0,"done_percent":0,"trips_added":0,"trips_changed":0,"trips_removed":0,"error":null,
			"created_at":"`+created+`","started_at":null,"finished_at":null}`, fields...)
	}
	const now = "2024-05-02T10:15:30Z"
	waiting, done := job("$recompute", "queued", "4", now),
		job("$other_recompute", "done", "4", now, "devices_done", "4", "done_percent", "100")
	window := func(more string) string { return `{"from":"2024-04-30T10:15:30Z","to":"` + now + `"` + more + `}` }
	post := func(name, body string, status int, want string, then ...row) row {
		return ask(name, wanda, "POST", "/trip-recompute", body, status, want, then...)
	}
	return []row{
		ask("List", alice, "GET", "/trip-recompute", "", 200, list(waiting, done)),
		ask("ListForViewer", vera, "GET", "/trip-recompute", "", 200, list(waiting, done)),
		ask("ListForeign", bob, "GET", "/trip-recompute", "", 200, list()),
		ask("Get", mark, "GET", "/trip-recompute/$recompute", "", 200, data(waiting)),
		ask("GetForeign", carol, "GET", "/trip-recompute/$recompute", "", 403, forbidden),
		ask("GetUnknown", alice, "GET", "/trip-recompute/$unknown", "", 404, notFound(noRecompute, "$unknown")),
		ask("GetNoUUID", alice, "GET", "/trip-recompute/x", "", 404, notFound(noRecompute, "x")),

		post("OfAllDevices", window(""), 200, data(job("<uuid>", "queued", `"<any>"`, now))),
		post("OfConnection", window(`,"connection_id":"$new_conn","notify":false`), 200,
			data(job("<uuid>", "queued", "0", now, "connection_id", `"$new_conn"`, "notify", "false"))),
		post("OfDevice", window(`,"device_id":"$work_device","connection_id":"$work_conn"`), 200,
			data(job("<uuid>", "queued", "1", now, "device_id", `"$work_device"`, "connection_id", `"$work_conn"`))),
		post("WithoutFrom", `{"to":"`+now+`"}`, 422, invalid("missing", "Field required", "body", "from")),
		post("WithoutTo", `{"from":"`+now+`"}`, 422, invalid("missing", "Field required", "body", "to")),
		post("Empty", `{"from":"`+now+`","to":"`+now+`"}`, 422, invalid("value_error", "Value error, to must be after from", "body", "to")),
		post("FromNoDateTime", `{"from":"x","to":"`+now+`"}`, 422, timeFault("body", "from")),
		post("UnknownConnection", window(`,"connection_id":"$unknown"`), 422,
			invalid("value_error", "Value error, Connection with ID 01900000-0000-7000-8000-000000000000 not found", "body", "connection_id")),
		post("UnknownDevice", window(`,"device_id":"x"`), 422,
			invalid("value_error", "Value error, Device with ID x not found", "body", "device_id")),
		post("DeviceOfAnother", window(`,"device_id":"$work_device","connection_id":"$new_conn"`), 422,
			invalid("value_error", "Value error, the device is of another connection", "body", "device_id")),
		post("ForeignConnection", window(`,"connection_id":"$conn"`), 403, forbidden),
		ask("SharedDevice", carol, "POST", "/trip-recompute", window(`,"device_id":"$device"`), 403, forbidden),
		ask("ByViewer", vera, "POST", "/trip-recompute", window(""), 403, forbidden),

		ask("Cancel", will, "DELETE", "/trip-recompute/$new_recompute", "", 204, "",
			ask("", will, "GET", "/trip-recompute/$new_recompute", "", 200,
				data(job("$new_recompute", "cancelled", "4", now, "finished_at", `"`+now+`"`))),
			ask("", will, "DELETE", "/trip-recompute/$new_recompute", "", 204, "")),
		ask("CancelUnknown", wanda, "DELETE", "/trip-recompute/$unknown", "", 404, notFound(noRecompute, "$unknown")),
		ask("CancelForeign", bob, "DELETE", "/trip-recompute/$recompute", "", 403, forbidden),
		ask("CancelByViewer", vera, "DELETE", "/trip-recompute/$recompute", "", 403, forbidden),
	}
}
