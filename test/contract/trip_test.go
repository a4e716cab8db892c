package contract_test

import "strings"

// The trips of alpha.
const (
	trip = `{"id":"$trip","device_id":"$device","system_trip_id":"system-trip","start_latitude":48.1,"start_longitude":11.5,"end_latitude":48.2,
		"end_longitude":11.6,"start_time":"2024-05-02T08:15:30Z","end_time":"2024-05-02T09:15:30.001Z","distance_metres":15230.5,"duration_seconds":3600.001,
		"driving_seconds":3000,"idling_seconds":500,"auxiliary_seconds":100.001,"is_valid":true,"validation_comments":null}`
	bareTrip = `{"id":"$bare_trip","device_id":"$bare_device","system_trip_id":"system-bare_trip","start_latitude":null,"start_longitude":null,"end_latitude":null,
		"end_longitude":null,"start_time":"2024-05-02T06:15:30Z","end_time":"2024-05-02T06:15:30Z","distance_metres":null,"duration_seconds":0,
		"driving_seconds":null,"idling_seconds":null,"auxiliary_seconds":null,"is_valid":false,"validation_comments":"The trip has no duration."}`
	privateTrip = `{"id":"$private_trip","device_id":"$private_device","system_trip_id":"system-private_trip","start_latitude":null,"start_longitude":null,"end_latitude":null,
		"end_longitude":null,"start_time":"2024-04-24T10:15:30Z","end_time":"2024-04-24T10:16:30Z","distance_metres":null,"duration_seconds":60,
		"driving_seconds":null,"idling_seconds":null,"auxiliary_seconds":null,"is_valid":true,"validation_comments":null}`
)

const (
	tripSizes = `"distance_metres":15230.5,"driving_seconds":3000,"idling_seconds":500,"auxiliary_seconds":100.001`
	tripSums  = `{"trips":3,"valid_trips":2,` + tripSizes + `}`
)

const noTrip = "Trip with ID %s not found"

const (
	tripDriver      = `{"format":"text","value":"D-1"}`
	vendorDecision  = `{"cause":"vendor","rule":"the provider reported the trip","value":null,"unit":null,"positions":[]}`
	tripExplanation = `{"trip_id":"$trip","trips":"native","driver_id":` + tripDriver + `,"start":` + vendorDecision + `,"end":` +
		vendorDecision + `,"unseen":{"distance_metres":0,"seconds":0,"parts":[]},"working_seconds":0}`
	derivedTrip = `{"trip_id":"$beta_trip","trips":"derived","driver_id":null,
		"start":{"cause":"movement","rule":"the vehicle was seen to move at this speed, or outside of its place; the trip begins at the last position before","value":5,"unit":"km/h","positions":[
			{"timestamp":"2024-05-02T09:15:30Z","longitude":11.5,"latitude":48.5,"heading":null,"speed":{"speed_kph":60},"driver_id":null,"ignition":true,"auxiliary":null,"odometer_metres":null}]},
		"end":{"cause":"stop","rule":"the vehicle stood in one place for this time with nothing running; the trip ends at the first position of the stop","value":5,"unit":"minutes","positions":[
			{"timestamp":"2024-05-02T10:15:30Z","longitude":11.5,"latitude":48.5,"heading":null,"speed":null,"driver_id":null,"ignition":false,"auxiliary":null,"odometer_metres":null}]},
		"unseen":{"distance_metres":9000.5,"seconds":1200,"parts":[
			{"start_time":"2024-05-02T09:15:30Z","end_time":"2024-05-02T09:35:30Z","distance_metres":0,"known_by":"straight_line"},
			{"start_time":"2024-05-02T09:35:30Z","end_time":"2024-05-02T10:15:30Z","distance_metres":0,"known_by":"straight_line"}]},"working_seconds":0}`
)

func tripRows() []row {
	read := func(name, user, path string, status int, want string) row {
		return row{name: name, as: user, method: "GET", path: path, status: status, want: want}
	}
	oneDevice := invalid("value_error", "Value error, readings are included for the trips of one device_id, by start_time", "query", "include")
	return []row{
		read("GetOwn", alice, "/trip/$trip", 200, data(trip)),
		read("GetForViewer", vera, "/trip/$trip", 200, data(trip)),
		read("UnknownIsNull", alice, "/trip/$bare_trip", 200, data(bareTrip)),
		read("GetShared", carol, "/trip/$trip", 200, data(trip)),
		read("GetNotShared", carol, "/trip/$private_trip", 403, forbidden),
		read("GetForeign", bob, "/trip/$trip", 403, forbidden),
		read("GetUnknown", alice, "/trip/$unknown", 404, notFound(noTrip, "$unknown")),
		read("GetNoUUID", alice, "/trip/1", 404, notFound(noTrip, "1")),

		read("ExplainVendors", alice, "/trip/$trip/explanation", 200, data(tripExplanation)),
		read("ExplainDerived", bob, "/trip/$beta_trip/explanation", 200, data(derivedTrip)),
		read("ExplainForViewer", vera, "/trip/$trip/explanation", 200, data(tripExplanation)),
		read("ExplainShared", carol, "/trip/$trip/explanation", 200, data(tripExplanation)),
		read("ExplainNotShared", carol, "/trip/$private_trip/explanation", 403, forbidden),
		read("ExplainForeign", bob, "/trip/$trip/explanation", 403, forbidden),
		read("ExplainUnknown", alice, "/trip/$unknown/explanation", 404, notFound(noTrip, "$unknown")),
		read("ExplainNoUUID", alice, "/trip/1/explanation", 404, notFound(noTrip, "1")),

		read("Totals", alice, "/trip/totals", 200, data(tripSums)),
		read("TotalsOfDevice", alice, "/trip/totals?device_id=$device", 200, data(`{"trips":1,"valid_trips":1,`+tripSizes+`}`)),
		read("TotalsShared", carol, "/trip/totals", 200, data(`{"trips":2,"valid_trips":1,`+tripSizes+`}`)),
		read("TotalsOfOthers", bob, "/trip/totals?device_id=$device", 200,
			data(`{"trips":0,"valid_trips":0,"distance_metres":0,"driving_seconds":0,"idling_seconds":0,"auxiliary_seconds":0}`)),
		read("TotalsOfWholeDays", alice, "/trip/totals?from=2024-05-02T00:00:00Z&to=2024-05-03T00:00:00Z", 200,
			data(`{"trips":2,"valid_trips":1,`+tripSizes+`}`)),
		read("TotalsFromAnHour", alice, "/trip/totals?from=2024-05-02T08:00:00Z&order=desc", 200,
			data(`{"trips":1,"valid_trips":1,`+tripSizes+`}`)),
		read("TotalsByTag", alice, "/trip/totals?tag=%20Cold", 200, data(`{"trips":1,"valid_trips":1,`+tripSizes+`}`)),
		read("TotalsByDriver", alice, "/trip/totals?driver_id=D-1", 200, data(`{"trips":1,"valid_trips":1,`+tripSizes+`}`)),
		read("TotalsByNoOne", alice, "/trip/totals?driver_id=D-2", 200,
			data(`{"trips":0,"valid_trips":0,"distance_metres":0,"driving_seconds":0,"idling_seconds":0,"auxiliary_seconds":0}`)),
		read("TotalsNotKnown", alice, "/trip/totals?connection_id=$plain_conn", 200,
			data(`{"trips":1,"valid_trips":1,"distance_metres":null,"driving_seconds":null,"idling_seconds":null,"auxiliary_seconds":null}`)),
		read("TotalsInPages", alice, "/trip/totals?limit=10", 422,
			invalid("extra_forbidden", "Extra inputs are not permitted", "query", "limit")),
		read("TotalsFromNoDateTime", alice, "/trip/totals?from=today", 422, timeFault("query", "from")),

		read("ListByStartTime", alice, "/trip", 200, list(privateTrip, bareTrip, trip)),
		read("ListShared", carol, "/trip", 200, list(bareTrip, trip)),
		read("ListByDevice", alice, "/trip?device_id=$device", 200, list(trip)),
		read("ListChangesOfAnotherDatabase", alice, "/trip?sort=updated_at&cursor="+cursorElsewhere("trip"), 410,
			refusal(410, "The changes since then are not known any more: take a new snapshot, from a first page without cursor and updated_after")),
		read("ListChangesByACursorOfAnotherList", alice, "/trip?sort=updated_at&cursor="+cursorElsewhere("stop"), 422,
			invalid("value_error", "Value error, cursor is not one that this list returned", "query", "cursor")),
		read("ListChangesAfterNoTime", alice, "/trip?updated_after=today", 422, timeFault("query", "updated_after")),
		read("ListChangesWithAFilter", alice, "/trip?updated_after=2024-05-02T00:00:00Z&device_id=$device", 422, noFilterOfChanges),
		read("ListWithReadings", alice, "/trip?device_id=$device&include=readings", 200,
			list(with(trip, "fuel_used_litres", "null", "engine_seconds", "null", "odometer_start_metres", "null", "odometer_end_metres", "null"))),
		read("ListWithReadingsOfForeign", bob, "/trip?device_id=$device&include=readings", 200, list()),
		read("ListWithReadingsOfAll", alice, "/trip?include=readings", 422, oneDevice),
		read("ListChangesWithReadings", alice, "/trip?sort=updated_at&include=readings", 422, oneDevice),
		read("ListByForeignDevice", bob, "/trip?device_id=$device", 200, list()),
		read("ListByConnection", alice, "/trip?connection_id=$plain_conn", 200, list(privateTrip)),
		read("ListFromIsInclusive", alice, "/trip?from=2024-05-02T06:15:30Z", 200, list(bareTrip, trip)),
		read("ListFromJustAfter", alice, "/trip?from=2024-05-02T06:15:30.001Z", 200, list(trip)),
		read("ListToIsExclusive", alice, "/trip?to=2024-05-02T06:15:30Z", 200, list(privateTrip)),
		read("ListWithOffset", alice, "/trip?from=2024-05-02T08:15:30%2B02:00&to=2024-05-02T08:15:30", 200, list(bareTrip)),
		read("ListFromNoDateTime", alice, "/trip?from=today", 422, timeFault("query", "from")),
		read("ListToNoDateTime", alice, "/trip?to=2024-05-02", 422, timeFault("query", "to")),
		read("ListNewestFirst", alice, "/trip?order=desc", 200, list(trip, bareTrip, privateTrip)),
		read("ListByTag", alice, "/trip?tag=%20Cold", 200, list(trip)),
		read("ListByTagOfOthers", bob, "/trip?tag=cold", 200, list()),
		read("ListByDriver", alice, "/trip?driver_id=D-1", 200, list(trip)),
		read("ListByDriverOfDevice", alice, "/trip?driver_id=D-1&device_id=$bare_device", 200, list()),
		read("ListByDriverInOtherCase", alice, "/trip?driver_id=d-1", 200, list()),
		read("ListByDriverShared", carol, "/trip?driver_id=D-1&order=desc", 200, list(trip)),
		read("ListByDriverOfOthers", bob, "/trip?driver_id=D-1", 200, list()),
		read("ListByDriverTooLong", alice, "/trip?driver_id="+strings.Repeat("d", 256), 422,
			invalid("string_too_long", "String should have at most 255 characters", "query", "driver_id")),
		read("ListWithDrivers", alice, "/trip?include=driver", 200,
			list(with(privateTrip, "driver_id", "null"), with(bareTrip, "driver_id", "null"), with(trip, "driver_id", tripDriver))),
		read("ListWithDriversShared", carol, "/trip?include=driver", 200,
			list(with(bareTrip, "driver_id", "null"), with(trip, "driver_id", tripDriver))),
		read("ListWithMore", alice, "/trip?include=all", 422, invalid("enum", "Input should be 'driver' or 'readings'", "query", "include")),
		read("ListOtherOrder", alice, "/trip?order=up", 422, invalid("enum", "Input should be 'asc' or 'desc'", "query", "order")),
		read("ListValid", alice, "/trip?is_valid=true", 200, list(privateTrip, trip)),
		read("ListInvalid", alice, "/trip?is_valid=false", 200, list(bareTrip)),
		read("ListValidNoBoolean", alice, "/trip?is_valid=2", 422,
			invalid("bool_parsing", "Input should be a valid boolean, unable to interpret input", "query", "is_valid")),
	}
}

// tripPatchRows are what a person says of a trip.
func tripPatchRows() []row {
	patch := func(name, user, id, body string, status int, want string) row {
		return row{name: name, as: user, method: "PATCH", path: "/trip/" + id, body: body, status: status, want: want}
	}
	newTrip := `{"id":"$new_trip","device_id":"$new_trip_device","system_trip_id":"<any>","start_latitude":48.1,"start_longitude":11.5,"end_latitude":48.2,
		"end_longitude":11.6,"start_time":"2024-05-02T08:15:30Z","end_time":"2024-05-02T09:15:30Z","distance_metres":15230.5,"duration_seconds":3600,
		"driving_seconds":3000,"idling_seconds":500,"auxiliary_seconds":100,"is_valid":true,"validation_comments":null}`
	private := with(newTrip, "is_valid", "false", "validation_comments", `"A private trip."`)
	return []row{
		patch("Nothing", will, "$new_trip", `{}`, 200, data(newTrip)),
		patch("Invalid", will, "$new_trip", `{"is_valid":false,"comment":"A private trip."}`, 200, data(private)).next(
			row{as: wanda, method: "GET", path: "/trip/$new_trip", status: 200, want: data(private)},
			row{as: wanda, method: "GET", path: "/trip?device_id=$new_trip_device&is_valid=false", status: 200, want: list(private)},
			row{
				as: wanda, method: "GET", path: "/event?type=trip.updated&device_id=$new_trip_device&order=desc&limit=1", status: 200,
				want: "<any>",
			},
			patch("", will, "$new_trip", `{"comment":"Another reason."}`, 200, data(with(private, "validation_comments", `"Another reason."`))),
			patch("", will, "$new_trip", `{"is_valid":null}`, 200, data(newTrip))),
		patch("CommentAlone", will, "$new_trip", `{"comment":"x"}`, 422, invalid("missing", "Field required", "body", "is_valid")),
		patch("CommentOf1001", will, "$new_trip", `{"is_valid":false,"comment":`+quote("é", 1001)+`}`, 422,
			invalid("string_too_long", "String should have at most 1000 characters", "body", "comment")),
		patch("CommentOf1000", will, "$new_trip", `{"is_valid":false,"comment":`+quote("é", 1000)+`}`, 200,
			data(with(private, "validation_comments", quote("é", 1000)))),
		patch("NoBoolean", will, "$new_trip", `{"is_valid":"no"}`, 422,
			invalid("bool_type", "Input should be a valid boolean", "body", "is_valid")),
		patch("ForViewer", vera, "$trip", `{"is_valid":false}`, 403, forbidden),
		patch("Shared", carol, "$trip", `{"is_valid":false}`, 403, forbidden),
		patch("Foreign", bob, "$trip", `{"is_valid":false}`, 403, forbidden),
		patch("Unknown", will, "$unknown", `{"is_valid":false}`, 404, notFound(noTrip, "$unknown")),
		patch("NoUUID", will, "x", `{"is_valid":false}`, 404, notFound(noTrip, "x")),
	}
}
