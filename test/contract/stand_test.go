package contract_test

// The stands of alpha.
const (
	stand = `{"id":"$stand","device_id":"$device","latitude":48.2,"longitude":11.6,"start_time":"2024-05-02T05:15:30Z","end_time":"2024-05-02T08:15:30.500Z",
		"duration_seconds":10800.5,"engine_on_seconds":1200.5,"auxiliary_seconds":60}`
	bareStand = `{"id":"$bare_stand","device_id":"$bare_device","latitude":null,"longitude":null,"start_time":"2024-05-01T10:15:30Z","end_time":"2024-05-01T10:16:30Z",
		"duration_seconds":60,"engine_on_seconds":null,"auxiliary_seconds":null}`
	privateStand = `{"id":"$private_stand","device_id":"$private_device","latitude":48.2,"longitude":11.6,"start_time":"2024-04-24T10:16:30Z","end_time":"2024-04-24T11:16:30Z",
		"duration_seconds":3600,"engine_on_seconds":0,"auxiliary_seconds":null}`
	openStand = `{"id":"$open_stand","device_id":"$device","latitude":48.3,"longitude":11.7,"start_time":"2024-05-02T09:15:30Z","end_time":null,
		"duration_seconds":3600,"engine_on_seconds":null,"auxiliary_seconds":null}`
	endedStand = `{"id":"$ended_stand","device_id":"$private_device","latitude":null,"longitude":null,"start_time":"2024-04-24T10:15:30Z","end_time":"2024-04-24T10:16:30Z",
		"duration_seconds":60,"engine_on_seconds":null,"auxiliary_seconds":null}`
)

func standRows() []row {
	read := func(name, user, path string, status int, want string) row {
		return row{name: name, as: user, method: "GET", path: path, status: status, want: want}
	}
	return []row{
		read("ListByStartTime", alice, "/stand", 200, list(endedStand, privateStand, bareStand, stand, openStand)),
		read("ListForViewer", vera, "/stand", 200, list(endedStand, privateStand, bareStand, stand, openStand)),
		read("ListShared", carol, "/stand", 200, list(bareStand, stand, openStand)),
		read("ListForeign", bob, "/stand", 200, list()),
		read("ListByDevice", alice, "/stand?device_id=$device", 200, list(stand, openStand)),
		read("ListByForeignDevice", bob, "/stand?device_id=$device", 200, list()),
		read("ListByConnection", alice, "/stand?connection_id=$plain_conn", 200, list(endedStand, privateStand)),
		read("ListByNoID", alice, "/stand?connection_id=1", 200, list()),
		read("ListFromIsInclusive", alice, "/stand?from=2024-05-01T10:15:30Z", 200, list(bareStand, stand, openStand)),
		read("ListFromJustAfter", alice, "/stand?from=2024-05-01T10:15:30.001Z", 200, list(stand, openStand)),
		read("ListToIsExclusive", alice, "/stand?to=2024-05-01T10:15:30Z", 200, list(endedStand, privateStand)),
		read("ListFromNoDateTime", alice, "/stand?from=today", 422, timeFault("query", "from")),
		read("ListToNoDateTime", alice, "/stand?to=2024-05-02", 422, timeFault("query", "to")),
		read("ListEngineOn", alice, "/stand?engine_on=true", 200, list(stand)),
		read("ListEngineOff", alice, "/stand?engine_on=false", 200, list(privateStand, bareStand)),
		read("ListOpen", alice, "/stand?open=true", 200, list(openStand)),
		read("ListOpenForeign", bob, "/stand?open=true", 200, list()),
		read("ListOver", alice, "/stand?open=false", 200, list(endedStand, privateStand, bareStand, stand)),
		read("ListOpenEngineOn", alice, "/stand?open=true&engine_on=true", 200, list()),
		read("ListOpenNoBoolean", alice, "/stand?open=2", 422,
			invalid("bool_parsing", "Input should be a valid boolean, unable to interpret input", "query", "open")),
		read("ListEngineOnNoBoolean", alice, "/stand?engine_on=2", 422,
			invalid("bool_parsing", "Input should be a valid boolean, unable to interpret input", "query", "engine_on")),
	}
}
