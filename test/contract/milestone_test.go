package contract_test

import "strings"

const (
	points = `"start_point":{"latitude":48.137154,"longitude":11.576124},"end_point":{"latitude":49.452103,"longitude":11.076665}`
	times  = `"start_time":"2024-05-02T08:15:30Z","created_at":"2024-05-02T07:15:30Z","updated_at":"2024-05-02T07:15:30Z"`
	nulls  = `"end_time":null,"webhook_url":null,"webhook_enabled":false,"webhook_error_count":0,"last_webhook_error":null,"last_webhook_error_at":null`

	milestoneFull = `{"id":"$milestone","tenant_id":"$alpha","device_id":"$device",` + points + `,` + times +
		`,"end_time":"2024-05-02T13:15:30Z","status":"trip_in_progress",
		"webhook_url":"https://hooks.example/m","webhook_enabled":true,"webhook_error_count":2,"last_webhook_error":"the target answered 503","last_webhook_error_at":"2024-05-02T10:14:30Z"}`
	milestoneSilent = `{"id":"$silent_milestone","tenant_id":"$alpha","device_id":"$bare_device",` + points + `,` + times +
		`,"status":"trip_not_started",` + nulls + `}`
	milestoneStale = `{"id":"$stale_milestone","tenant_id":"$alpha","device_id":"$private_device",` + points + `,` + times +
		`,"status":"trip_not_started",` + nulls + `}`
	milestoneEnded = `{"id":"$ended_milestone","tenant_id":"$alpha","device_id":"$device",` + points + `,` + times +
		`,"status":"trip_ended",` + nulls + `}`
	milestoneGamma = `{"id":"$gamma_milestone","tenant_id":"$gamma","device_id":"$device",` + points + `,` + times +
		`,"status":"trip_not_started",` + nulls + `}`
	newMilestone = `{"id":"$new_milestone","tenant_id":"$work","device_id":"$work_device",` + points + `,` + times +
		`,"end_time":"2024-05-02T11:15:30Z","status":"trip_not_started",
		"webhook_url":"` + publicURL + `","webhook_enabled":true,"webhook_error_count":0,"last_webhook_error":null,"last_webhook_error_at":null}`

	position = `{"timestamp":"2024-05-02T10:14:30.250Z","longitude":11.4,"latitude":48.9,"heading":352,"speed":{"speed_kph":71.5},"driver_id":{"format":"text","value":"D-17"}}`
)

// The two spellings of the interface.
const (
	noMilestone       = "Unknown milestone id %s"
	noMilestoneUpdate = "Unknown Milestone id %s"
)

// milestoneRows are what is read and deleted of milestones.
func milestoneRows() []row {
	ask := func(name, user, method, path string, status int, want string) row {
		return row{name: name, as: user, method: method, path: path, status: status, want: want}
	}
	entry := func(id, connection, device, system, rest string) string {
		return `{"milestone_id":"` + id + `","connection_id":"` + connection + `","device_id":"` + device + `","system_device_id":"` + system +
			`",` + rest + `}`
	}
	progress := func(id, connection, device, system, rest string) string {
		return data(entry(id, connection, device, system, rest))
	}
	timeout := `"eta":null,"distance_to_destination_km":null,`
	rows := []row{
		ask("UpdateValid", alice, "GET", "/milestone/$milestone/update", 200, progress("$milestone", "$conn", "$device", "truck-12",
			`"eta":"2024-05-02T11:46:00Z","distance_to_destination_km":85.46,"current_position":`+position+
				`,"last_updated_at":"2024-05-02T10:14:30.250Z"`)),
		ask("UpdateAfterTheEndHasTheArrival", alice, "GET", "/milestone/$ended_milestone/update", 200,
			progress("$ended_milestone", "$conn", "$device", "truck-12",
				`"eta":"2024-05-02T09:15:30Z","distance_to_destination_km":85.46,"current_position":`+position+
					`,"last_updated_at":"2024-05-02T10:14:30.250Z"`)),
		ask("UpdateWithoutPosition", alice, "GET", "/milestone/$silent_milestone/update", 200,
			progress("$silent_milestone", "$conn", "$bare_device", "bare",
				timeout+`"current_position":null,"last_updated_at":null`)),
		ask("UpdateTimedOut", alice, "GET", "/milestone/$stale_milestone/update", 200,
			progress("$stale_milestone", "$plain_conn", "$private_device", "van-1",
				timeout+`"current_position":{"timestamp":"2024-05-02T10:00:30Z","longitude":11.5,"latitude":48.5,"heading":null,"speed":null,"driver_id":null},"last_updated_at":"2024-05-02T10:00:30Z"`)),
		{
			name: "UpdateTimesOutAfterFifteenMinutes", as: alice, method: "GET", path: "/milestone/$milestone/update", after: 14*60e9 + 250e6,
			status: 200,
			want: progress("$milestone", "$conn", "$device", "truck-12",
				timeout+`"current_position":`+position+`,"last_updated_at":"2024-05-02T10:14:30.250Z"`),
		},
		ask("UpdateOfASharedDevice", carol, "GET", "/milestone/$gamma_milestone/update", 200,
			progress("$gamma_milestone", "$conn", "$device", "truck-12",
				`"eta":"2024-05-02T11:47:00Z","distance_to_destination_km":85.46,"current_position":`+position+
					`,"last_updated_at":"2024-05-02T10:14:30.250Z"`)),

		ask("Get", alice, "GET", "/milestone/$milestone", 200, data(milestoneFull)),
		ask("GetNulls", vera, "GET", "/milestone/$silent_milestone", 200, data(milestoneSilent)),
		ask("ListOldestFirst", alice, "GET", "/milestone", 200, list(milestoneFull, milestoneSilent, milestoneStale, milestoneEnded)),
		ask("ListIsOwn", carol, "GET", "/milestone", 200, list(milestoneGamma)),
		ask("ListByStatus", alice, "GET", "/milestone?status=trip_ended", 200, list(milestoneEnded)),
		ask("ListByUnknownStatus", alice, "GET", "/milestone?status=ended", 422,
			invalid("enum", "Input should be 'trip_not_started', 'trip_in_progress' or 'trip_ended'", "query", "status")),
		ask("ListByDevice", alice, "GET", "/milestone?device_id=$bare_device", 200, list(milestoneSilent)),
		ask("ListByConnection", alice, "GET", "/milestone?connection_id=$plain_conn", 200, list(milestoneStale)),
		ask("ListByConnectionNoUUID", alice, "GET", "/milestone?connection_id=x", 200, list()),
		ask("ListFromIsInclusive", alice, "GET", "/milestone?from=2024-05-02T08:15:30Z&device_id=$bare_device", 200, list(milestoneSilent)),
		ask("ListToIsExclusive", alice, "GET", "/milestone?to=2024-05-02T08:15:30Z", 200, list()),
		ask("ListByReferenceTooLong", alice, "GET", "/milestone?reference="+strings.Repeat("x", 256), 422,
			invalid("string_too_long", "String should have at most 255 characters", "query", "reference")),
		ask("ListByMetadataNoEntry", alice, "GET", "/milestone?metadata=customer", 422,
			invalid("value_error", "Value error, an entry is written as key=value", "query", "metadata")),
		ask("ListByMetadataNoText", alice, "GET", "/milestone?metadata=a=%00", 422,
			invalid("value_error", "Value error, an entry is written as key=value", "query", "metadata")),
		ask("UpdatesByReference", alice, "GET", "/milestone/update?reference=nothing&metadata=a=b", 200, list()),
		ask("ListFromNoDateTime", alice, "GET", "/milestone?from=x", 422, timeFault("query", "from")),

		ask("ListByEndTime", alice, "GET", "/milestone?sort=end_time", 200, list(milestoneFull, milestoneSilent, milestoneStale, milestoneEnded)),
		ask("ListByEndTimeDescending", alice, "GET", "/milestone?sort=end_time&order=desc", 200,
			list(milestoneFull, milestoneEnded, milestoneStale, milestoneSilent)),
		ask("ListByStartTime", alice, "GET", "/milestone?sort=start_time", 200,
			list(milestoneFull, milestoneSilent, milestoneStale, milestoneEnded)),
		ask("ListNewestFirst", alice, "GET", "/milestone?order=desc", 200, list(milestoneEnded, milestoneStale, milestoneSilent, milestoneFull)),
		ask("ListChangesOfAnotherDatabase", alice, "GET", "/milestone?sort=updated_at&cursor="+cursorElsewhere("milestone"), 410,
			refusal(410, "The changes since then are not known any more: take a new snapshot, from a first page without cursor and updated_after")),
		ask("ListChangesByACursorOfAnotherList", alice, "GET", "/milestone?sort=updated_at&cursor="+cursorElsewhere("trip"), 422,
			invalid("value_error", "Value error, cursor is not one that this list returned", "query", "cursor")),
		ask("ListChangesAfterNoTime", alice, "GET", "/milestone?updated_after=today", 422, timeFault("query", "updated_after")),
		ask("ListChangesWithAFilter", alice, "GET", "/milestone?updated_after=2024-05-02T00:00:00Z&device_id=$device", 422, noFilterOfChanges),
		ask("ListByUpdatedAt", alice, "GET", "/milestone?sort=updated_at&order=desc", 200,
			list(milestoneEnded, milestoneStale, milestoneSilent, milestoneFull)),
		ask("ListByAnything", alice, "GET", "/milestone?sort=eta", 422,
			invalid("enum", "Input should be 'id', 'start_time', 'end_time' or 'updated_at'", "query", "sort")),
		ask("ListInAnyDirection", alice, "GET", "/milestone?order=up", 422, invalid("enum", "Input should be 'asc' or 'desc'", "query", "order")),

		ask("UpdatesOfOpen", alice, "GET", "/milestone/update?status=trip_in_progress", 200,
			list(entry("$milestone", "$conn", "$device", "truck-12",
				`"eta":"2024-05-02T11:46:00Z","distance_to_destination_km":85.46,"current_position":`+position+
					`,"last_updated_at":"2024-05-02T10:14:30.250Z",
			"status":"trip_in_progress","late_by_seconds":-5370,"progress":0.564`))),
		ask("UpdatesWithoutPosition", alice, "GET", "/milestone/update?device_id=$bare_device", 200,
			list(entry("$silent_milestone", "$conn", "$bare_device", "bare",
				timeout+`"current_position":null,"last_updated_at":null,"status":"trip_not_started","late_by_seconds":null,"progress":0`))),
		ask("UpdatesOfASharedDevice", carol, "GET", "/milestone/update", 200, list(entry("$gamma_milestone", "$conn", "$device", "truck-12",
			`"eta":"2024-05-02T11:47:00Z","distance_to_destination_km":85.46,"current_position":`+position+
				`,"last_updated_at":"2024-05-02T10:14:30.250Z",
			"status":"trip_not_started","late_by_seconds":null,"progress":0`))),
		ask("UpdatesByUnknownStatus", alice, "GET", "/milestone/update?status=ended", 422,
			invalid("enum", "Input should be 'trip_not_started', 'trip_in_progress' or 'trip_ended'", "query", "status")),

		{name: "Delete", as: wanda, method: "DELETE", path: "/milestone/$new_milestone", status: 204, then: []row{
			ask("", wanda, "DELETE", "/milestone/$new_milestone", 404, notFound(noMilestone, "$new_milestone")),
			ask("", wanda, "GET", "/milestone/$new_milestone/update", 404, notFound(noMilestoneUpdate, "$new_milestone")),
			{as: wanda, method: "PATCH", path: "/milestone/$new_milestone", body: `{}`, status: 404, want: notFound(noMilestone, "$new_milestone")},
		}},
		ask("DeleteForMember", will, "DELETE", "/milestone/$new_milestone", 204, ""),
	}
	return append(rows, milestoneAccessRows(ask)...)
}

// milestoneAccessRows send the same ids to every operation on a milestone.
func milestoneAccessRows(ask func(name, user, method, path string, status int, want string) row) []row {
	var rows []row
	for _, o := range []struct{ name, method, suffix, body, unknown string }{
		{"Update", "GET", "/update", "", noMilestoneUpdate},
		{"Get", "GET", "", "", noMilestone},
		{"Patch", "PATCH", "", `{}`, noMilestone},
		{"Delete", "DELETE", "", "", noMilestone},
	} {
		add := func(name, user, id string, status int, want string) {
			r := ask(o.name+name, user, o.method, "/milestone/"+id+o.suffix, status, want)
			r.body = o.body
			rows = append(rows, r)
		}
		add("Foreign", bob, "$milestone", 403, forbidden)
		add("SharingAConnectionSharesNoMilestone", carol, "$milestone", 403, forbidden)
		add("OfThoseSharedWith", alice, "$gamma_milestone", 403, forbidden)
		add("Unknown", alice, "$unknown", 404, notFound(o.unknown, "$unknown"))
		add("NoUUID", alice, "next", 404, notFound(o.unknown, "next"))
		if o.method != "GET" {
			add("ForViewer", vera, "$milestone", 403, forbidden)
			add("UnknownForViewer", vera, "$unknown", 403, forbidden)
		}
	}
	return rows
}

// milestonePatchRows are PATCH /milestone/{milestone_id}.
func milestonePatchRows() []row {
	patch := func(name, body string, status int, want string) row {
		return row{name: name, as: wanda, method: "PATCH", path: "/milestone/$new_milestone", body: body, after: 60e9, status: status, want: want}
	}
	// A change that counts is seen in updated_at.
	changed := func(fields ...string) string {
		return data(with(with(newMilestone, "updated_at", `"2024-05-02T10:16:30Z"`), fields...))
	}
	named := func() string {
		return changed("reference", `"Order 4711"`, "metadata", `{"customer":"Acme","lane":"a=b"}`)
	}
	bare := func(answer string) string { return strings.TrimSuffix(strings.TrimPrefix(answer, `{"data":`), `}`) }
	fault := func(typ, msg string, loc ...any) string { return invalid(typ, msg, append([]any{"body"}, loc...)...) }
	const notObject, notNumber = "Input should be a valid dictionary or object to extract fields from", "Input should be a valid number"
	url := func(n int) string { return publicURL + strings.Repeat("x", n-len(publicURL)) }
	point := func(latitude, longitude string) string {
		return `{"latitude":` + latitude + `,"longitude":` + longitude + `}`
	}
	return []row{
		patch("EmptyChangesNothing", `{}`, 200, data(newMilestone)),
		patch("SameValuesChangeNothing", `{"webhook_enabled":true,"end_time":"2024-05-02T13:15:30+02:00"}`, 200, data(newMilestone)),
		patch("ARecordSentBack", newMilestone, 200, data(newMilestone)),
		patch("OtherFieldsIgnored", `{"id":"x","tenant_id":"y","status":"trip_ended","created_at":5,"colour":"red"}`, 200, data(newMilestone)),
		patch("EveryField", `{"device_id":"$new_device","start_point":`+point("1.5", "-2")+`,"end_point":`+point("-90", "180")+
			`,"start_time":"2024-05-03T00:00:00.5Z",
			"end_time":"2024-05-04T00:00:00","webhook_url":"http://93.184.216.34/h","webhook_enabled":false}`, 200,
			changed("device_id", `"$new_device"`, "start_point", point("1.5", "-2"), "end_point", point("-90", "180"), "start_time",
				`"2024-05-03T00:00:00.500Z"`,
				"end_time", `"2024-05-04T00:00:00Z"`, "webhook_url", `"http://93.184.216.34/h"`, "webhook_enabled", "false")),
		{
			name: "ChangeStays", as: will, method: "PATCH", path: "/milestone/$new_milestone", body: `{"webhook_enabled":false}`, after: 60e9,
			status: 200, want: changed("webhook_enabled", "false"), then: []row{
				{as: wanda, method: "GET", path: "/milestone/$new_milestone", status: 200, want: changed("webhook_enabled", "false")},
			},
		},
		patch("NullClearsTheEnd", `{"end_time":null}`, 200, changed("end_time", "null")),
		{
			name: "RadiusIsSetAndCleared", as: will, method: "PATCH", path: "/milestone/$new_milestone", body: `{"radius_metres":750}`,
			after: 60e9, status: 200, want: changed("radius_metres", "750"), then: []row{
				{
					as: wanda, method: "PATCH", path: "/milestone/$new_milestone", body: `{"radius_metres":null}`, after: 60e9, status: 200,
					want: changed(),
				},
			},
		},
		patch("ReferenceIsSetFoundAndCleared", `{"reference":"Order 4711","metadata":{"customer":"Acme","lane":"a=b"}}`, 200, named()).next(
			row{as: wanda, method: "GET", path: "/milestone?reference=Order%204711", status: 200, want: list(bare(named()))},
			row{as: wanda, method: "GET", path: "/milestone?reference=order%204711", status: 200, want: list()},
			row{as: wanda, method: "GET", path: "/milestone?metadata=customer=Acme&metadata=lane=a=b", status: 200, want: list(bare(named()))},
			row{as: wanda, method: "GET", path: "/milestone?metadata=customer=Acme&metadata=lane=c", status: 200, want: list()},
			row{as: alice, method: "GET", path: "/milestone?reference=Order%204711", status: 200, want: list()},
			row{
				as: wanda, method: "GET", path: "/search?q=oRDER", status: 200,
				want: list(`{"kind":"milestone","id":"$new_milestone","name":"Order 4711","detail":"$work_device"}`),
			},
			row{as: alice, method: "GET", path: "/search?q=order", status: 200, want: list()},
			patch("", `{"metadata":{"customer":"Acme","lane":"a=b"}}`, 200, named()),
			patch("", `{"metadata":{"lane":"2"}}`, 200, changed("reference", `"Order 4711"`, "metadata", `{"lane":"2"}`)),
			patch("", `{"reference":null,"metadata":null}`, 200, changed())),
		patch("ReferenceTooLong", `{"reference":"`+strings.Repeat("x", 256)+`"}`, 422,
			fault("string_too_long", "String should have at most 255 characters", "reference")),
		patch("MetadataTooLong", `{"metadata":`+entries(1, 4097)+`}`, 422,
			fault("value_error", "Value error, metadata must not hold more than 4096 bytes", "metadata")),
		patch("MetadataOfTooManyEntries", `{"metadata":`+entries(17, 1000)+`}`, 422,
			fault("too_long", "Dictionary should have at most 16 items after validation, not 17", "metadata")),
		patch("RadiusTooSmall", `{"radius_metres":49}`, 422,
			fault("greater_than_equal", "Input should be greater than or equal to 50", "radius_metres")),
		patch("RadiusTooLarge", `{"radius_metres":20001}`, 422,
			fault("less_than_equal", "Input should be less than or equal to 20000", "radius_metres")),
		patch("NullClearsTheURLAndSwitchesOff", `{"webhook_url":null}`, 200, changed("webhook_url", "null", "webhook_enabled", "false")),
		patch("EnabledWithoutURL", `{"webhook_url":null,"webhook_enabled":true}`, 422,
			fault("value_error", "Value error, webhook_enabled needs a webhook_url", "webhook_enabled")),
		patch("DeviceCannotBeEmpty", `{"device_id":null}`, 422, fault("string_type", "Input should be a valid string", "device_id")),
		patch("StartPointCannotBeEmpty", `{"start_point":null}`, 422, fault("model_attributes_type", notObject, "start_point")),
		patch("EndPointCannotBeEmpty", `{"end_point":null}`, 422, fault("model_attributes_type", notObject, "end_point")),
		patch("StartTimeCannotBeEmpty", `{"start_time":null}`, 422, fault("datetime_type", "Input should be a valid datetime", "start_time")),
		patch("EnabledCannotBeEmpty", `{"webhook_enabled":null}`, 422, fault("bool_type", "Input should be a valid boolean", "webhook_enabled")),

		patch("UnknownDevice", `{"device_id":"$unknown"}`, 422,
			fault("value_error", "Value error, Device with ID $unknown not found", "device_id")),
		patch("DeviceNoUUID", `{"device_id":"x"}`, 422, fault("value_error", "Value error, Device with ID x not found", "device_id")),
		patch("ForeignDevice", `{"device_id":"$device"}`, 403, forbidden),
		patch("PointNoObject", `{"start_point":[48,11]}`, 422, fault("model_attributes_type", notObject, "start_point")),
		patch("PointWithoutLongitude", `{"start_point":{"latitude":1}}`, 422, fault("missing", "Field required", "start_point", "longitude")),
		patch("LatitudeNoNumber", `{"end_point":`+point(`"1"`, "1")+`}`, 422, fault("float_type", notNumber, "end_point", "latitude")),
		patch("LatitudeTooSmall", `{"end_point":`+point("-90.0001", "1")+`}`, 422,
			fault("greater_than_equal", "Input should be greater than or equal to -90", "end_point", "latitude")),
		patch("LatitudeTooLarge", `{"start_point":`+point("90.0001", "1")+`}`, 422,
			fault("less_than_equal", "Input should be less than or equal to 90", "start_point", "latitude")),
		patch("LongitudeTooSmall", `{"start_point":`+point("1", "-180.01")+`}`, 422,
			fault("greater_than_equal", "Input should be greater than or equal to -180", "start_point", "longitude")),
		patch("LongitudeTooLarge", `{"end_point":`+point("1", "180.01")+`}`, 422,
			fault("less_than_equal", "Input should be less than or equal to 180", "end_point", "longitude")),
		patch("StartNoDateTime", `{"start_time":"soon"}`, 422, timeFault("body", "start_time")),
		patch("EndNoDateTime", `{"end_time":"2024-13-01T00:00:00Z"}`, 422, timeFault("body", "end_time")),
		patch("EndAtStart", `{"end_time":"2024-05-02T08:15:30Z"}`, 200, changed("end_time", `"2024-05-02T08:15:30Z"`)),
		patch("EndBeforeStart", `{"end_time":"2024-05-02T08:15:29.999Z"}`, 422,
			fault("value_error", "Value error, end_time must not be before start_time", "end_time")),

		patch("URLEmpty", `{"webhook_url":""}`, 422, fault("string_too_short", "String should have at least 1 character", "webhook_url")),
		patch("URLOfOne", `{"webhook_url":"x"}`, 422, fault("value_error", "Value error, the URL must start with http:// or https://",
			"webhook_url")),
		patch("URLOf2083", `{"webhook_url":"`+url(2083)+`"}`, 200, changed("webhook_url", `"`+url(2083)+`"`)),
		patch("URLOf2084", `{"webhook_url":"`+url(2084)+`"}`, 422,
			fault("string_too_long", "String should have at most 2083 characters", "webhook_url")),
		patch("URLNoString", `{"webhook_url":5}`, 422, fault("string_type", "Input should be a valid string", "webhook_url")),
		patch("URLNoHTTP", `{"webhook_url":"ftp://93.184.216.34"}`, 422,
			fault("value_error", "Value error, the URL must start with http:// or https://", "webhook_url")),
		patch("URLPrivate", `{"webhook_url":"http://169.254.169.254/latest"}`, 422,
			fault("value_error", "Value error, the address is in a private network (link-local); the operator can open it with --allow-network",
				"webhook_url")),
		patch("EnabledNoBoolean", `{"webhook_enabled":1}`, 422, fault("bool_type", "Input should be a valid boolean", "webhook_enabled")),
		patch("FirstFaultInOrderOfFields", `{"webhook_enabled":5,"end_point":5,"start_point":5}`, 422,
			fault("model_attributes_type", notObject, "start_point")),
		patch("NullFaultInOrderOfFields", `{"webhook_url":5,"device_id":null}`, 422,
			fault("string_type", "Input should be a valid string", "device_id")),
		patch("DeviceBeforeURL", `{"webhook_url":"ftp://x","device_id":"x"}`, 422,
			fault("value_error", "Value error, Device with ID x not found", "device_id")),
		patch("EndBeforeURL", `{"webhook_url":"ftp://x","end_time":"2024-01-01T00:00:00Z"}`, 422,
			fault("value_error", "Value error, end_time must not be before start_time", "end_time")),
		patch("NoBody", "", 422, fault("missing", "Field required")),
	}
}
