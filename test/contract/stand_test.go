package contract_test

// The stands of alpha.
const (
	stand = `{"id":"$stand","device_id":"$device","latitude":48.2,"longitude":11.6,"start_time":"2024-05-02T05:15:30Z","end_time":"2024-05-02T08:15:30.500Z",
		"duration_seconds":10800.5,"engine_on_seconds":1200.5,"auxiliary_seconds":60}`
	bareStand = `{"id":"$bare_stand","device_id":"$bare_device","latitude":null,"longitude":null,"start_time":"2024-05-01T10:15:30Z","end_time":"2024-05-01T10:16:30Z",
		"duration_seconds":60,"engine_on_seconds":null,"auxiliary_seconds":null}`
	privateStand = `{"id":"$private_stand","device_id":"$private_device","latitude":48.2,"longitude":11.6,"start_time":"2024-04-24T10:16:30Z","end_time":"2024-04-24T11:16:30Z",
		"duration_seconds":3600,"engine_on_seconds":0,"auxiliary_seconds":null}`
)

func standRows() []row {
	read := func(name, user, path string, status int, want string) row {
		return row{name: name, as: user, method: "GET", path: path, status: status, want: want}
	}
	return []row{
		read("ListByStartTime", alice, "/stand", 200, list(privateStand, bareStand, stand)),
		read("ListForViewer", vera, "/stand", 200, list(privateStand, bareStand, stand)),
		read("ListShared", carol, "/stand", 200, list(bareStand, stand)),
		read("ListForeign", bob, "/stand", 200, list()),
		read("ListByDevice", alice, "/stand?device_id=$device", 200, list(stand)),
		read("ListByForeignDevice", bob, "/stand?device_id=$device", 200, list()),
		read("ListByConnection", alice, "/stand?connection_id=$plain_conn", 200, list(privateStand)),
		read("ListByNoID", alice, "/stand?connection_id=1", 200, list()),
		read("ListFromIsInclusive", alice, "/stand?from=2024-05-01T10:15:30Z", 200, list(bareStand, stand)),
		read("ListFromJustAfter", alice, "/stand?from=2024-05-01T10:15:30.001Z", 200, list(stand)),
		read("ListToIsExclusive", alice, "/stand?to=2024-05-01T10:15:30Z", 200, list(privateStand)),
		read("ListFromNoDateTime", alice, "/stand?from=today", 422, timeFault("query", "from")),
		read("ListToNoDateTime", alice, "/stand?to=2024-05-02", 422, timeFault("query", "to")),
		read("ListEngineOn", alice, "/stand?engine_on=true", 200, list(stand)),
		read("ListEngineOff", alice, "/stand?engine_on=false", 200, list(privateStand, bareStand)),
		read("ListEngineOnNoBoolean", alice, "/stand?engine_on=2", 422,
			invalid("bool_parsing", "Input should be a valid boolean, unable to interpret input", "query", "engine_on")),
	}
}
