package contract_test

import "strings"

// The account of alpha, as its fixture makes it.
const alphaSummary = `{
	"tenant_id": "$alpha", "tenant_name": "alpha", "generated_at": "2024-05-02T10:15:30Z",
	"connections": {"total": 2, "active": 1, "failing": 0, "by_provider": {"traccar": 2}},
	"devices": {"total": 3, "active": 2, "reporting_24h": 2},
	"trips": {"total": 3, "valid": 2, "distance_metres": 15230.5, "driving_seconds": 3000, "idling_seconds": 500,
		"auxiliary_seconds": 100.001, "last_ended_at": "2024-05-02T09:15:30.001Z"},
	"milestones": {"trip_not_started": 2, "trip_in_progress": 1, "trip_ended": 1},
	"webhooks": {"total": 2, "enabled": 1, "failing": 1}}`

// An account with nothing in it has zeros, not gaps.
const gammaSummary = `{
	"tenant_id": "$gamma", "tenant_name": "gamma", "generated_at": "2024-05-02T10:15:30Z",
	"connections": {"total": 0, "active": 0, "failing": 0, "by_provider": {}},
	"devices": {"total": 0, "active": 0, "reporting_24h": 0},
	"trips": {"total": 0, "valid": 0, "distance_metres": 0, "driving_seconds": 0, "idling_seconds": 0, "auxiliary_seconds": 0, "last_ended_at": null},
	"milestones": {"trip_not_started": 1, "trip_in_progress": 0, "trip_ended": 0},
	"webhooks": {"total": 0, "enabled": 0, "failing": 0}}`

const (
	noTrips   = `"trips":0,"valid_trips":0,"distance_metres":0,"driving_seconds":0,"idling_seconds":0,"auxiliary_seconds":0`
	todayOnly = `"trips":2,"valid_trips":1,"distance_metres":15230.5,"driving_seconds":3000,"idling_seconds":500,"auxiliary_seconds":100.001`
	older     = `"trips":1,"valid_trips":1,"distance_metres":null,"driving_seconds":null,"idling_seconds":null,"auxiliary_seconds":null`
	haulage   = `{"connection_id":"$conn","business_name":"Alpha Haulage","integration_name":"traccar",` + todayOnly + `}`
	vans      = `{"connection_id":"$plain_conn","business_name":"Alpha Vans","integration_name":"traccar",` + older + `}`
	allTrips  = `"trips":3,"valid_trips":2,"distance_metres":15230.5,"driving_seconds":3000,"idling_seconds":500,"auxiliary_seconds":100.001`
	created   = `{"type":"connection.created","count":2}`
	followed  = `{"type":"milestone.started","count":1},{"type":"milestone.updated","count":1}`
)

func day(date, sums string) string { return `{"day":"` + date + `",` + sums + `}` }

// activityOfWeek is the last seven days, which the oldest trip is not in.
func activityOfWeek() string {
	return `{"days":7,"from":"2024-04-26T00:00:00Z","to":"2024-05-02T10:15:30Z","limit":10,"totals":{` + todayOnly +
		`,"events":4},"trips_by_day":[` +
		day("2024-04-26", noTrips) + `,` + day("2024-04-27", noTrips) + `,` + day("2024-04-28", noTrips) + `,` + day("2024-04-29", noTrips) +
		`,` +
		day("2024-04-30", noTrips) + `,` + day("2024-05-01", noTrips) + `,` + day("2024-05-02", todayOnly) +
		`],"trips_by_connection":[` + haulage + `],"events_by_type":[` + created + `,` + followed + `]}`
}

// activityOfFortnight is the default window.
func activityOfFortnight(limit, connections, events string) string {
	var days []string
	for _, date := range []string{"04-19", "04-20", "04-21", "04-22", "04-23"} {
		days = append(days, day("2024-"+date, noTrips))
	}
	days = append(days, day("2024-04-24", older))
	for _, date := range []string{"04-25", "04-26", "04-27", "04-28", "04-29", "04-30", "05-01"} {
		days = append(days, day("2024-"+date, noTrips))
	}
	days = append(days, day("2024-05-02", todayOnly))
	return `{"days":14,"from":"2024-04-19T00:00:00Z","to":"2024-05-02T10:15:30Z","limit":` + limit + `,"totals":{` + allTrips +
		`,"events":4},"trips_by_day":[` + strings.Join(days, ",") + `],"trips_by_connection":[` + connections + `],"events_by_type":[` +
		events + `]}`
}

// stopsOfWeek adds the stops of the last seven days to a summary.
func stopsOfWeek(summary string) string {
	sums := func(stops, duration, engine, auxiliary string) string {
		return `"stops":` + stops + `,"duration_seconds":` + duration + `,"engine_on_seconds":` + engine + `,"auxiliary_seconds":` + auxiliary
	}
	var days []string
	for _, date := range []string{"04-26", "04-27", "04-28", "04-29", "04-30"} {
		days = append(days, day("2024-"+date, sums("0", "0", "0", "0")))
	}
	days = append(days, day("2024-05-01", sums("1", "60", "0", "0")), day("2024-05-02", sums("1", "10800.5", "1200.5", "60")))
	return strings.TrimSuffix(summary, "}") + `,"stops":{` + sums("2", "10860.5", "1200.5", "60") + `,"by_day":[` + strings.Join(days, ",") +
		`]}}`
}

const activity = "/account/activity-summary"

func accountRows() []row {
	daysFault := invalid("enum", "Input should be 7, 14, 30 or 90", "query", "days")
	notInteger := "Input should be a valid integer, unable to parse string as an integer"
	tooSmall := invalid("greater_than_equal", "Input should be greater than or equal to 1", "query", "limit")
	tooLarge := invalid("less_than_equal", "Input should be less than or equal to 100", "query", "limit")
	read := func(name, path string, status int, want string) row {
		return row{name: name, as: alice, method: "GET", path: path, status: status, want: want}
	}
	return []row{
		read("Summary", "/account/summary", 200, data(alphaSummary)),
		{name: "SummaryForViewer", as: vera, method: "GET", path: "/account/summary", status: 200, want: data(alphaSummary)},
		{name: "SummaryCountsOwnRecordsOnly", as: carol, method: "GET", path: "/account/summary", status: 200, want: data(gammaSummary)},

		read("ActivityOfFourteenDaysByDefault", activity, 200, data(activityOfFortnight("10", haulage+","+vans, created+","+followed))),
		read("ActivityOfSevenDays", activity+"?days=7", 200, data(activityOfWeek())),
		read("ActivityWithStops", activity+"?days=7&stops=true", 200, data(stopsOfWeek(activityOfWeek()))),
		read("ActivityWithoutStops", activity+"?days=7&stops=false", 200, data(activityOfWeek())),
		read("StopsNoBoolean", activity+"?stops=2", 422, invalid("bool_parsing", "Input should be a valid boolean, unable to interpret input",
			"query", "stops")),
		read("LimitOneCapsLists", activity+"?days=14&limit=1", 200, data(activityOfFortnight("1", haulage, created))),
		read("LimitHundred", activity+"?limit=100", 200, data(activityOfFortnight("100", haulage+","+vans, created+","+followed))),
		read("LimitZero", activity+"?limit=0", 422, tooSmall),
		read("LimitHundredAndOne", activity+"?limit=101", 422, tooLarge),
		read("LimitNegative", activity+"?limit=-1", 422, tooSmall),
		read("LimitBeyondAllNumbers", activity+"?limit=99999999999999999999", 422, tooLarge),
		read("LimitNoInteger", activity+"?limit=ten", 422, invalid("int_parsing", notInteger, "query", "limit")),
		read("LimitEmpty", activity+"?limit=", 422, invalid("int_parsing", notInteger, "query", "limit")),
		read("LimitWithFraction", activity+"?limit=1.5", 422, invalid("int_parsing", notInteger, "query", "limit")),
		read("DaysZero", activity+"?days=0", 422, daysFault),
		read("DaysSix", activity+"?days=6", 422, daysFault),
		read("DaysEight", activity+"?days=8", 422, daysFault),
		read("DaysNinetyOne", activity+"?days=91", 422, daysFault),
		read("DaysNoInteger", activity+"?days=week", 422, invalid("int_parsing", notInteger, "query", "days")),
		read("DaysBeforeLimit", activity+"?days=1&limit=0", 422, daysFault),
	}
}
