package contract_test

// The stops of alpha.
const (
	stop = `{"id":"$stop","device_id":"$device","latitude":48.2,"longitude":11.6,"start_time":"2024-05-02T05:15:30Z","end_time":"2024-05-02T08:15:30.500Z",
		"duration_seconds":10800.5,"engine_on_seconds":1200.5,"auxiliary_seconds":60,
		"unseen":{"start_time":"2024-05-02T08:15:30.500Z","end_time":"2024-05-02T09:00:00Z","distance_metres":9600.5,"known_by":"odometer"}}`
	bareStop = `{"id":"$bare_stop","device_id":"$bare_device","latitude":null,"longitude":null,"start_time":"2024-05-01T10:15:30Z","end_time":"2024-05-01T10:16:30Z",
		"duration_seconds":60,"engine_on_seconds":null,"auxiliary_seconds":null,"unseen":null}`
	privateStop = `{"id":"$private_stop","device_id":"$private_device","latitude":48.2,"longitude":11.6,"start_time":"2024-04-24T10:16:30Z","end_time":"2024-04-24T11:16:30Z",
		"duration_seconds":3600,"engine_on_seconds":0,"auxiliary_seconds":null,"unseen":null}`
	openStop = `{"id":"$open_stop","device_id":"$device","latitude":48.3,"longitude":11.7,"start_time":"2024-05-02T09:15:30Z","end_time":null,
		"duration_seconds":3600,"engine_on_seconds":null,"auxiliary_seconds":null,"unseen":null}`
	endedStop = `{"id":"$ended_stop","device_id":"$private_device","latitude":null,"longitude":null,"start_time":"2024-04-24T10:15:30Z","end_time":"2024-04-24T10:16:30Z",
		"duration_seconds":60,"engine_on_seconds":null,"auxiliary_seconds":null,"unseen":null}`
)

func stopRows() []row {
	read := func(name, user, path string, status int, want string) row {
		return row{name: name, as: user, method: "GET", path: path, status: status, want: want}
	}
	return []row{
		read("ListByStartTime", alice, "/stop", 200, list(endedStop, privateStop, bareStop, stop, openStop)),
		read("ListForViewer", vera, "/stop", 200, list(endedStop, privateStop, bareStop, stop, openStop)),
		read("ListShared", carol, "/stop", 200, list(bareStop, stop, openStop)),
		read("ListChangesOfAnotherDatabase", alice, "/stop?sort=updated_at&cursor="+cursorElsewhere("stop"), 410,
			refusal(410, "The changes since then are not known any more: take a new snapshot, from a first page without cursor and updated_after")),
		read("ListChangesByACursorOfAnotherList", alice, "/stop?sort=updated_at&cursor="+cursorElsewhere("trip"), 422,
			invalid("value_error", "Value error, cursor is not one that this list returned", "query", "cursor")),
		read("ListChangesAfterNoTime", alice, "/stop?updated_after=today", 422, timeFault("query", "updated_after")),
		read("ListChangesWithAFilter", alice, "/stop?updated_after=2024-05-02T00:00:00Z&device_id=$device", 422, noFilterOfChanges),
		read("ListForeign", bob, "/stop", 200, list()),
		read("ListByDevice", alice, "/stop?device_id=$device", 200, list(stop, openStop)),
		read("ListByForeignDevice", bob, "/stop?device_id=$device", 200, list()),
		read("ListByConnection", alice, "/stop?connection_id=$plain_conn", 200, list(endedStop, privateStop)),
		read("ListByNoID", alice, "/stop?connection_id=1", 200, list()),
		read("ListFromIsInclusive", alice, "/stop?from=2024-05-01T10:15:30Z", 200, list(bareStop, stop, openStop)),
		read("ListFromJustAfter", alice, "/stop?from=2024-05-01T10:15:30.001Z", 200, list(stop, openStop)),
		read("ListToIsExclusive", alice, "/stop?to=2024-05-01T10:15:30Z", 200, list(endedStop, privateStop)),
		read("ListFromNoDateTime", alice, "/stop?from=today", 422, timeFault("query", "from")),
		read("ListToNoDateTime", alice, "/stop?to=2024-05-02", 422, timeFault("query", "to")),
		read("ListEngineOn", alice, "/stop?engine_on=true", 200, list(stop)),
		read("ListEngineOff", alice, "/stop?engine_on=false", 200, list(privateStop, bareStop)),
		read("ListOpen", alice, "/stop?open=true", 200, list(openStop)),
		read("ListOpenForeign", bob, "/stop?open=true", 200, list()),
		read("ListOver", alice, "/stop?open=false", 200, list(endedStop, privateStop, bareStop, stop)),
		read("ListOpenEngineOn", alice, "/stop?open=true&engine_on=true", 200, list()),
		read("ListOpenNoBoolean", alice, "/stop?open=2", 422,
			invalid("bool_parsing", "Input should be a valid boolean, unable to interpret input", "query", "open")),
		read("ListEngineOnNoBoolean", alice, "/stop?engine_on=2", 422,
			invalid("bool_parsing", "Input should be a valid boolean, unable to interpret input", "query", "engine_on")),
	}
}
