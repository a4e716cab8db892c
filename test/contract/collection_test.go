package contract_test

import "time"

// idle is the health of a connection that nothing has been collected of.
func idle(connection, state string) string {
	acts := `"drover"`
	if state != "pending" {
		acts = "null"
	}
	return `{"connection_id":"` + connection + `","state":"` + state + `","message":null,"acts":` + acts +
		`,"last_success_at":null,"next_run_at":null,"jobs":[],"streams":[]}`
}

// job is a backfill job of the time two minutes from now that has not begun.
func job(kind, from, to string) string {
	window := `{"from":"` + from + `","to":"` + to + `","started_at":"2024-05-02T10:17:30Z","remaining_to":"` + to + `","done_percent":0}`
	return `{"id":"<uuid>","kind":"` + kind + `","state":"active","last_run_at":null,"last_success_at":null,"next_run_at":"2024-05-02T10:17:30Z","lag_seconds":null,
		"records":0,"consecutive_errors":0,"last_error":null,"last_error_kind":null,"last_error_at":null,
		"backfill":` + window + `,"history":` + window + `}`
}

// collectionRows are the health of a connection and what is asked of its
// collection.
func collectionRows() []row {
	const noJob = "Backfill job with ID %s not found"
	ask := func(name, user, method, path, body string, status int, want string) row {
		return row{name: name, as: user, method: method, path: path, body: body, status: status, want: want}
	}
	sync := func(name, body string, status int, want string) row {
		return ask(name, wanda, "POST", "/connection/$new_conn/sync", body, status, want)
	}
	const from, to = "2024-05-02T10:15:30Z", "2024-05-02T10:16:30Z"
	window := func(from, to string) string { return `{"from":"` + from + `","to":"` + to + `"}` }
	jobs := job("positions", from, to) + `,` + job("trips", from, to)
	const closed = `{"state":"closed","since":null,"message":null}` // TestPushIsShown sees one that is open
	rows := []row{
		ask("HealthOfOwn", alice, "GET", "/connection/$conn/health", "", 200,
			data(with(idle("$conn", "pending"), "runs", "[]", "inbound", "null", "push", closed, "quality", "null"))),
		ask("HealthOfInactive", vera, "GET", "/connection/$plain_conn/health", "", 200,
			data(with(idle("$plain_conn", "disabled"), "runs", "[]", "inbound", "null", "push", closed, "quality", "null"))),
		ask("HealthOfShared", carol, "GET", "/connection/$conn/health", "", 200,
			data(with(idle("$conn", "pending"), "runs", "[]", "inbound", "null", "quality", "null"))),
		ask("HealthOfForeign", bob, "GET", "/connection/$conn/health", "", 403, forbidden),
		ask("HealthOfUnknown", alice, "GET", "/connection/$unknown/health", "", 404, notFound(noConnection, "$unknown")),

		sync("WithoutBody", "", 200, data(idle("$new_conn", "pending"))),
		sync("EmptyBody", `{}`, 200, data(idle("$new_conn", "pending"))),
		{
			name: "Window", as: will, method: "POST", path: "/connection/$new_conn/sync", body: window(from, to), after: 2 * time.Minute,
			status: 200,
			want: data(`{"connection_id":"$new_conn","state":"pending","message":null,"acts":"drover","last_success_at":null,"next_run_at":"2024-05-02T10:17:30Z","jobs":[` +
				jobs + `],"streams":[` + jobs + `]}`),
		},
		sync("WindowWithoutFrom", `{"to":"`+to+`"}`, 422, invalid("missing", "Field required", "body", "from")),
		sync("WindowWithoutTo", `{"from":"`+from+`"}`, 422, invalid("missing", "Field required", "body", "to")),
		sync("WindowEmpty", window(to, to), 422, invalid("value_error", "Value error, to must be after from", "body", "to")),
		sync("WindowBeforeTheConnection", window("2024-05-02T10:15:29Z", to), 422,
			invalid("value_error", "Value error, from must not be before the connection's collection_start_time", "body", "from")),
		sync("FromNoDateTime", window("x", to), 422, timeFault("body", "from")),
		ask("SyncUnknown", wanda, "POST", "/connection/$unknown/sync", "", 404, notFound(noConnection, "$unknown")),
		ask("SyncForeign", bob, "POST", "/connection/$conn/sync", "", 403, forbidden),
		ask("SyncShared", carol, "POST", "/connection/$conn/sync", "", 403, forbidden),

		ask("CancelJob", wanda, "DELETE", "/connection/$work_conn/sync/$new_job", "", 204, ""),
		ask("CancelUnknownJob", wanda, "DELETE", "/connection/$work_conn/sync/$unknown", "", 404, notFound(noJob, "$unknown")),
		ask("CancelJobNoUUID", wanda, "DELETE", "/connection/$work_conn/sync/x", "", 404, notFound(noJob, "x")),
		ask("CancelForeign", bob, "DELETE", "/connection/$conn/sync/$unknown", "", 403, forbidden),
	}
	return append(rows, positionRows(ask)...)
}

// positionRows are the operations on a device's positions.
func positionRows(ask func(name, user, method, path, body string, status int, want string) row) []row {
	read := func(name, user, path string, status int, want string) row {
		return ask(name, user, "GET", path, "", status, want)
	}
	history := with(position, "ignition", "null", "auxiliary", "null", "odometer_metres", "null", "suspect", "null")
	earlier := `{"timestamp":"2024-05-02T09:15:30Z","longitude":11.5,"latitude":48.5,"heading":null,"speed":null,"driver_id":null,
		"ignition":true,"auxiliary":false,"odometer_metres":1000.5,"suspect":null}`
	const positions = "/device/$device/positions"
	return []row{
		read("Newest", alice, "/device/$device/position", 200, data(position)),
		read("NewestOfShared", carol, "/device/$device/position", 200, data(position)),
		read("NewestOfNone", alice, "/device/$bare_device/position", 404, refusal(404, "Device with ID $bare_device has no position")),
		read("NewestOfForeign", bob, "/device/$device/position", 403, forbidden),
		read("NewestOfUnknown", alice, "/device/$unknown/position", 404, notFound(noDevice, "$unknown")),

		read("History", alice, positions+"?from=2024-05-02T00:00:00Z", 200, list(earlier, history)),
		read("HistoryOfShared", carol, positions+"?from=2024-05-02T00:00:00Z", 200, list(earlier, history)),
		read("HistoryFromIsInclusive", alice, positions+"?from=2024-05-02T10:14:30.250Z", 200, list(history)),
		read("HistoryToIsExclusive", alice, positions+"?from=2024-05-02T09:15:30Z&to=2024-05-02T10:14:30.250Z", 200, list(earlier)),
		read("HistoryOfNone", alice, "/device/$bare_device/positions?from=2024-05-02T00:00:00Z", 200, list()),
		read("HistoryWithoutFrom", alice, positions, 422, invalid("missing", "Field required", "query", "from")),
		read("HistoryFromNoDateTime", alice, positions+"?from=x", 422, timeFault("query", "from")),
		read("HistoryToBeforeFrom", alice, positions+"?from=2024-05-02T00:00:01Z&to=2024-05-02T00:00:00Z", 422,
			invalid("value_error", "Value error, to must not be before from", "query", "to")),
		read("HistoryInUnknownFormat", alice, positions+"?from=2024-05-02T00:00:00Z&format=kml", 422,
			invalid("enum", "Input should be 'json', 'geojson' or 'gpx'", "query", "format")),
		read("PositionWithDetail", alice, "/device/$device/position?include=detail", 200,
			data(with(position, "ignition", "null", "auxiliary", "null", "odometer_metres", "null"))),
		read("PositionWithAnything", alice, "/device/$device/position?include=all", 422,
			invalid("enum", "Input should be 'detail'", "query", "include")),
		read("HistorySuspectNoBoolean", alice, positions+"?from=2024-05-02T00:00:00Z&include_suspect=x", 422,
			invalid("bool_parsing", "Input should be a valid boolean, unable to interpret input", "query", "include_suspect")),
		read("HistoryOfForeign", bob, positions+"?from=2024-05-02T00:00:00Z", 403, forbidden),
		read("HistoryOfUnknown", alice, "/device/$unknown/positions?from=2024-05-02T00:00:00Z", 404, notFound(noDevice, "$unknown")),
	}
}
