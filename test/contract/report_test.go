package contract_test

import (
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

func reportRows() []row {
	read := func(name, user, path string, status int, want string) row {
		return row{name: name, as: user, method: "GET", path: path, status: status, want: want}
	}
	const (
		sums    = `"trips":1,"driving_seconds":3000,"idling_seconds":500,"auxiliary_seconds":100.001,"unknown_trips":0`
		vehicle = `{"abn":"51824753556","business_name":"Alpha Haulage","connection_id":"$conn","device_id":"$device","registration":"AB12 CDE","description":"Truck 12",` + sums + `}`
		none    = `{"trips":0,"driving_seconds":null,"idling_seconds":null,"auxiliary_seconds":null,"unknown_trips":0}`
		leftOut = `{"trip_id":"$bare_trip","device_id":"$bare_device","abn":"51824753556","registration":null,"start_time":"2024-05-02T06:15:30Z","end_time":"2024-05-02T06:15:30Z",
			"duration_seconds":0,"reason":"The trip has no duration."}`
		may = `{"month":"2024-05","time_zone":"UTC","from":"2024-05-01T00:00:00Z","to":"2024-06-01T00:00:00Z","vehicles":[` + vehicle +
			`],"left_out":[` + leftOut + `],"totals":{` + sums + `}}`
		april = `{"month":"2024-04","time_zone":"UTC","from":"2024-04-01T00:00:00Z","to":"2024-05-01T00:00:00Z","vehicles":[
			{"abn":null,"business_name":"Alpha Vans","connection_id":"$plain_conn","device_id":"$private_device","registration":null,"description":null,
			"trips":1,"driving_seconds":null,"idling_seconds":null,"auxiliary_seconds":null,"unknown_trips":1}],"left_out":[],
			"totals":{"trips":1,"driving_seconds":null,"idling_seconds":null,"auxiliary_seconds":null,"unknown_trips":1}}`
	)
	const (
		regions = "/report/distance-by-region?from=2024-05-01T00:00:00Z&to=2024-06-01T00:00:00Z"
		germany = `{"country":"DE","region":"DE","name":"Germany","distance_metres":15230.5,"unseen_metres":0}`
		driven  = `{"device_id":"$device","connection_id":"$conn","registration":"AB12 CDE","description":"Truck 12","trips":1,"distance_metres":15230.5,"regions":[` + germany + `]}`
		parked  = `{"device_id":"$private_device","connection_id":"$plain_conn","registration":null,"description":null,"trips":0,"distance_metres":0,"regions":[]}`
	)
	bad := invalid("value_error", "Value error, month must be a year and a month such as 2024-05", "query", "month")
	return []row{
		read("Regions", alice, regions+"&device_id=$device", 200, list(driven)),
		read("RegionsWithoutTrips", vera, regions+"&connection_id=$plain_conn", 200, list(parked)),
		read("RegionsOfATripWithoutDistance", alice, "/report/distance-by-region?from=2024-04-01T00:00:00Z&to=2024-05-01T00:00:00Z&connection_id=$plain_conn", 200,
			list(with(parked, "trips", "1"))),
		read("RegionsShared", carol, regions+"&device_id=$device", 200, list(driven)),
		read("RegionsForeign", bob, regions+"&device_id=$device", 200, list()),
		read("RegionsOfNoDevice", alice, regions+"&device_id=x", 200, list()),
		read("RegionsOfNoTag", alice, regions+"&tag=none", 200, list()),
		read("RegionsNoTime", alice, "/report/distance-by-region?to=2024-05-01T00:00:00Z", 422, invalid("missing", "Field required", "query", "from")),
		read("RegionsBackwards", alice, "/report/distance-by-region?from=2024-05-02T00:00:00Z&to=2024-05-01T00:00:00Z", 422,
			invalid("value_error", "Value error, to must not be before from", "query", "to")),
		read("RegionsTooLong", alice, "/report/distance-by-region?from=2024-01-01T00:00:00Z&to=2024-05-01T00:00:00Z", 422,
			invalid("value_error", "Value error, to must not be more than 100 days after from", "query", "to")),
		read("RegionsManyAPage", alice, regions+"&limit=51", 422, invalid("less_than_equal", "Input should be less than or equal to 50", "query", "limit")),
		read("TimeUse", alice, "/report/time-use?month=2024-05", 200, data(may)),
		read("TimeUseOfPresentMonth", vera, "/report/time-use", 200, data(may)),
		read("TimeUseOfTimesNotKnown", alice, "/report/time-use?month=2024-04", 200, data(april)),
		read("TimeUseShared", carol, "/report/time-use?month=2024-05", 200, data(may)),
		read("TimeUseSharedOnly", carol, "/report/time-use?month=2024-04", 200, data(with(april, "vehicles", "[]", "totals", none))),
		read("TimeUseForeign", bob, "/report/time-use?month=2024-04", 200, data(with(april, "vehicles", "[]", "totals", none))),
		read("TimeUseNoMonth", alice, "/report/time-use?month=may", 422, bad),
		read("TimeUseThirteenthMonth", alice, "/report/time-use?month=2024-13", 422, bad),
		read("TimeUseBadFormat", alice, "/report/time-use?format=xml", 422,
			invalid("enum", "Input should be 'json', 'csv' or 'html'", "query", "format")),
	}
}

// TestTimeUseFormats reads the report as rows and as a page, which show what the JSON
// does and nothing that a vendor could have slipped in.
func TestTimeUseFormats(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		get := func(path, accept string) response {
			header := s.authorized(t, alice)
			header["Accept"] = accept
			return s.send(t, request{method: "GET", path: path, header: header})
		}
		rows := get("/report/time-use?month=2024-05", "text/csv")
		lines := strings.Split(strings.TrimSpace(rows.body), "\n")
		if rows.header.Get("Content-Type") != "text/csv; charset=utf-8" || len(lines) != 3 ||
			!strings.HasPrefix(lines[1], "vehicle,2024-05,51824753556,Alpha Haulage,"+s.ids["device"]+",AB12 CDE,Truck 12,1,3000,500,100.001,0,") ||
			!strings.HasSuffix(lines[2], s.ids["bare_trip"]+",2024-05-02T06:15:30Z,2024-05-02T06:15:30Z,The trip has no duration.") {
			t.Errorf("%s: %s", rows.header.Get("Content-Type"), rows.body)
		}
		s.update(t, func(tx *store.Tx) error {
			return tx.Accounts.SetSettings(t.Context(), s.ids["alpha"], s.ids["alpha"], drover.Settings{TimeZone: "Pacific/Auckland"})
		})
		if local := get("/report/time-use?month=2024-05", "application/json"); !strings.Contains(local.body,
			`"time_zone":"Pacific/Auckland","from":"2024-04-30T12:00:00Z","to":"2024-05-31T12:00:00Z"`) {
			t.Errorf("the month of another zone is %.200s", local.body)
		}
		page := get("/report/time-use?month=2024-05&format=html", "*/*")
		for _, want := range []string{"<h1>Time use 2024-05</h1>", "51824753556", "AB12 CDE", "0:50", "The trip has no duration."} {
			if !strings.Contains(page.body, want) {
				t.Errorf("the page lacks %q", want)
			}
		}
		if page.header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("content type %q", page.header.Get("Content-Type"))
		}
	})
}

// TestReportPageRunsNothing holds that the page of a report may load and run nothing.
func TestReportPageRunsNothing(t *testing.T) {
	t.Parallel()
	s := newService(t, settings(t, "sqlite"))
	got := s.send(t, request{method: "GET", path: "/report/time-use?format=html", header: s.authorized(t, alice)})
	if policy := got.header.Get("Content-Security-Policy"); got.status != 200 ||
		!strings.HasPrefix(policy, "default-src 'none'; style-src 'unsafe-inline';") {
		t.Errorf("status %d, policy %q", got.status, policy)
	}
}
