package contract_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
)

// The newest positions of alpha's devices, as its present sees them.
const (
	newestDevice = `{"device_id":"$device","connection_id":"$conn","description":"Truck 12","registration":"AB12 CDE",
		"state":"driving","state_since":"2024-05-02T10:14:30.250Z","position":{"timestamp":"2024-05-02T10:14:30.250Z","longitude":11.4,"latitude":48.9,"heading":352,
		"speed":{"speed_kph":71.5},"driver_id":{"format":"text","value":"D-17"},"ignition":null,"auxiliary":null,"odometer_metres":null}}`
	newestBare = `{"device_id":"$bare_device","connection_id":"$conn","description":null,"registration":null,
		"state":"silent","state_since":null,"position":null}`
	newestPrivate = `{"device_id":"$private_device","connection_id":"$plain_conn","description":null,"registration":null,
		"state":"stopped","state_since":"2024-05-02T10:00:30Z","position":{"timestamp":"2024-05-02T10:00:30Z","longitude":11.5,"latitude":48.5,"heading":null,
		"speed":null,"driver_id":null,"ignition":null,"auxiliary":null,"odometer_metres":null}}`
)

// newestRows are GET /position.
func newestRows() []row {
	read := func(name, user, query string, status int, want string) row {
		return row{name: name, as: user, method: "GET", path: "/position" + query, status: status, want: want}
	}
	later := func(name string, after time.Duration, want string) row {
		r := read(name, alice, "?device_id=$device", 200, want)
		r.after = after
		return r
	}
	silent := with(newestDevice, "state", `"silent"`)
	badBox := func(words string) string { return invalid("value_error", "Value error, "+words, "query", "bbox") }
	return []row{
		read("Own", alice, "", 200, list(newestDevice, newestBare, newestPrivate)),
		read("ForViewer", vera, "", 200, list(newestDevice, newestBare, newestPrivate)),
		read("Shared", carol, "", 200, list(newestDevice, newestBare)),
		read("OfOtherTenant", bob, "", 200, list(`{"device_id":"$beta_device","connection_id":"$beta_conn","description":null,"registration":null,"state":"silent","state_since":null,"position":null}`)),
		read("ByConnection", alice, "?connection_id=$plain_conn", 200, list(newestPrivate)),
		read("ByConnections", alice, "?connection_id=$plain_conn&connection_id=$conn", 200, list(newestDevice, newestBare, newestPrivate)),
		read("ByForeignConnection", alice, "?connection_id=$beta_conn", 200, list()),
		read("ByConnectionNoUUID", alice, "?connection_id=x", 200, list()),
		read("ByDevices", alice, "?device_id=$bare_device&device_id=$private_device", 200, list(newestBare, newestPrivate)),
		read("ByForeignDevice", alice, "?device_id=$beta_device", 200, list()),
		read("ByDeviceNotShared", carol, "?device_id=$private_device", 200, list()),
		read("ByConnectionAndDevice", alice, "?connection_id=$conn&device_id=$private_device", 200, list()),
		read("ByTag", alice, "?tag=Cold", 200, list(newestDevice)),
		read("ByTagOfConnection", alice, "?tag=south", 200, list(newestDevice, newestBare)),
		read("ByTags", alice, "?tag=cold&tag=none", 200, list(newestDevice)),
		read("ByWildcard", alice, "?tag=%25", 200, list()),
		read("ByState", alice, "?state=driving", 200, list(newestDevice)),
		read("ByStates", alice, "?state=silent&state=stopped", 200, list(newestBare, newestPrivate)),
		read("ByUnknownState", alice, "?state=flying", 422,
			invalid("enum", "Input should be 'driving', 'idling', 'stopped' or 'silent'", "query", "state")),
		read("ByBox", alice, "?bbox=11.3,48.8,11.4,48.9", 200, list(newestDevice)),
		read("ByBoxOfTheOtherSide", alice, "?bbox=11.45,48,11.39,49", 200, list(newestPrivate)),
		read("ByNoBox", alice, "?bbox=1,2,3", 422, badBox("bbox must be west,south,east,north")),
		read("ByBoxOfText", alice, "?bbox=a,2,3,4", 422, badBox("bbox must be four numbers")),
		read("ByBoxUpsideDown", alice, "?bbox=1,4,3,2", 422, badBox("bbox must lie within -180,-90,180,90, with south below north")),
		read("UpdatedSince", alice, "?updated_since=2024-05-02T10:14:30.25Z", 200, list(newestDevice)),
		read("UpdatedSinceLater", alice, "?updated_since=2024-05-02T10:14:30.251Z", 200, list()),
		read("UpdatedSinceNoTime", alice, "?updated_since=now", 422,
			invalid("datetime_parsing", "Input should be a valid datetime, invalid ISO 8601 date-time", "query", "updated_since")),
		read("Columns", alice, "?format=columns&device_id=$device&device_id=$bare_device", 200,
			data(`{"device_id":["$device","$bare_device"],"connection_id":["$conn","$conn"],
			"description":["Truck 12",null],"registration":["AB12 CDE",null],"state":["driving","silent"],"state_since":["2024-05-02T10:14:30.250Z",null],
			"timestamp":["2024-05-02T10:14:30.250Z",null],"longitude":[11.4,null],"latitude":[48.9,null],"heading":[352,null],"speed_kph":[71.5,null],
			"driver_id":["D-17",null],"ignition":[null,null],"auxiliary":[null,null],"odometer_metres":[null,null]}`)),
		read("ColumnsOfNothing", alice, "?format=columns&device_id=x", 200,
			data(`{"device_id":[],"connection_id":[],"description":[],"registration":[],"state":[],"state_since":[],
			"timestamp":[],"longitude":[],"latitude":[],"heading":[],"speed_kph":[],"driver_id":[],"ignition":[],"auxiliary":[],"odometer_metres":[]}`)),
		read("UnknownFormat", alice, "?format=gpx", 422, invalid("enum", "Input should be 'json', 'geojson' or 'columns'", "query", "format")),
		// It was last heard of 59.75 seconds ago.
		later("NotYetSilent", 15*time.Minute-60*time.Second, list(newestDevice)),
		later("Silent", 15*time.Minute-59*time.Second, list(silent)),
	}
}

// TestNewestSnapshot holds that the newest positions name the end of the feed, and
// that they come as GeoJSON too.
func TestNewestSnapshot(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		events, _ := get[[]drover.Event](t, s, alice, "/event?limit=1000")
		_, header := get[any](t, s, alice, "/position")
		if got, want := header.Get("X-Event-Sequence"), strconv.FormatInt(events[len(events)-1].Sequence, 10); got != want {
			t.Errorf("x-event-sequence is %s, want %s", got, want)
		}
		for name, change := range map[string]func(*request){
			"Format": func(q *request) { q.path += "?format=geojson" },
			"Accept": func(q *request) { q.header["Accept"] = "application/geo+json" },
		} {
			q := request{method: http.MethodGet, path: "/position", header: s.authorized(t, alice)}
			change(&q)
			resp := s.send(t, q)
			var got struct {
				Type     string
				Features []struct {
					Geometry   struct{ Coordinates []float64 }
					Properties drover.NewestPosition
				}
			}
			if err := json.Unmarshal([]byte(resp.body), &got); err != nil {
				t.Fatalf("%s: %v: %s", name, err, resp.body)
			}
			if !strings.HasPrefix(resp.header.Get("Content-Type"), "application/geo+json") || got.Type != "FeatureCollection" ||
				len(got.Features) != 2 {
				t.Fatalf("%s: %s %s", name, resp.header.Get("Content-Type"), resp.body)
			}
			if f := got.Features[0]; f.Geometry.Coordinates[0] != 11.4 || f.Geometry.Coordinates[1] != 48.9 ||
				f.Properties.State != drover.DeviceDriving {
				t.Errorf("%s: the first feature is %+v", name, f)
			}
		}
	})
}
