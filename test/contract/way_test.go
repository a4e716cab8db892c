package contract_test

import (
	"net/http"
	"strings"
	"testing"
)

// wayRows are the tracks of devices and the paths of trips.
func wayRows() []row {
	read := func(name, user, path string, status int, want string) row {
		return row{name: name, as: user, method: "GET", path: path, status: status, want: want}
	}
	const track = "/device/$device/track?from=2024-05-02T00:00:00Z&to=2024-05-03T00:00:00Z"
	way := `{"device_id":"$device","from":"2024-05-02T00:00:00Z","to":"2024-05-03T00:00:00Z","tolerance_metres":10,
		"points":{"timestamp":["2024-05-02T09:15:30Z","2024-05-02T10:14:30.250Z"],"longitude":[11.5,11.4],"latitude":[48.5,48.9],"heading":[null,352],"speed_kph":[null,71.5]},
		"segments":[{"kind":"hole","first":0,"last":1,"start_time":"2024-05-02T09:15:30Z","end_time":"2024-05-02T10:14:30.250Z",
			"unseen":{"start_time":"2024-05-02T09:15:30Z","end_time":"2024-05-02T10:14:30.250Z","distance_metres":45079.4,"known_by":"straight_line"}}]}`
	empty := `{"timestamp":[],"longitude":[],"latitude":[],"heading":[],"speed_kph":[]}`
	path := `{"device_id":"$device","from":"2024-05-02T08:15:30Z","to":"2024-05-02T09:15:30.001Z","tolerance_metres":10,
		"points":{"timestamp":["2024-05-02T09:15:30Z"],"longitude":[11.5],"latitude":[48.5],"heading":[null],"speed_kph":[null]},"segments":[]}`
	tolerance := func(typ, msg string) string { return invalid(typ, msg, "query", "tolerance") }
	return []row{
		read("Track", alice, track, 200, data(way)),
		read("TrackForViewer", vera, track, 200, data(way)),
		read("TrackShared", carol, track, 200, data(way)),
		read("TrackWithTolerance", alice, track+"&tolerance=0", 200, data(with(way, "tolerance_metres", "0"))),
		read("TrackOfNothing", alice, "/device/$device/track?from=2024-04-02T00:00:00Z&to=2024-05-02T00:00:00Z", 200,
			data(with(way, "from", `"2024-04-02T00:00:00Z"`, "to", `"2024-05-02T00:00:00Z"`, "points", empty, "segments", "[]"))),
		read("TrackToNow", alice, "/device/$device/track?from=2024-05-02T10:15:30Z", 200,
			data(with(way, "from", `"2024-05-02T10:15:30Z"`, "to", `"2024-05-02T10:15:30Z"`, "points", empty, "segments", "[]"))),
		read("TrackOf31Days", alice, "/device/$device/track?from=2024-04-02T00:00:00Z&to=2024-05-03T00:00:00Z", 200,
			data(with(way, "from", `"2024-04-02T00:00:00Z"`))),
		read("TrackOfMore", alice, "/device/$device/track?from=2024-04-02T00:00:00Z&to=2024-05-03T00:00:00.001Z", 422,
			invalid("value_error", "Value error, to must not be more than 31 days after from", "query", "to")),
		read("TrackBackwards", alice, "/device/$device/track?from=2024-05-02T00:00:00Z&to=2024-05-01T00:00:00Z", 422,
			invalid("value_error", "Value error, to must not be before from", "query", "to")),
		read("TrackFromNowhere", alice, "/device/$device/track", 422, invalid("missing", "Field required", "query", "from")),
		read("TrackTolerance10000", alice, track+"&tolerance=10000", 200, data(with(way, "tolerance_metres", "10000"))),
		read("TrackTooTolerant", alice, track+"&tolerance=10000.1", 422,
			tolerance("less_than_equal", "Input should be less than or equal to 10000")),
		read("TrackToleranceNegative", alice, track+"&tolerance=-0.1", 422,
			tolerance("greater_than_equal", "Input should be greater than or equal to 0")),
		read("TrackToleranceNoNumber", alice, track+"&tolerance=far", 422,
			tolerance("float_parsing", "Input should be a valid number, unable to parse string as a number")),
		read("TrackNotShared", carol, strings.Replace(track, "$device", "$private_device", 1), 403, forbidden),
		read("TrackForeign", bob, track, 403, forbidden),
		read("TrackUnknown", alice, strings.Replace(track, "$device", "$unknown", 1), 404, notFound(noDevice, "$unknown")),
		read("TrackOtherFormat", alice, track+"&format=columns", 422,
			invalid("enum", "Input should be 'json', 'geojson' or 'gpx'", "query", "format")),

		read("Path", alice, "/trip/$trip/path", 200, data(path)),
		read("PathShared", carol, "/trip/$trip/path?tolerance=5", 200, data(with(path, "tolerance_metres", "5"))),
		read("PathForeign", bob, "/trip/$trip/path", 403, forbidden),
		read("PathNotShared", carol, "/trip/$private_trip/path", 403, forbidden),
		read("PathUnknown", alice, "/trip/$unknown/path", 404, notFound("Trip with ID %s not found", "$unknown")),
	}
}

// TestWayFormats reads a way as GeoJSON and as GPX.
func TestWayFormats(t *testing.T) {
	t.Parallel()
	s := newService(t, defaults(t.TempDir()))
	names := &names{t: t, world: s.world, fresh: map[string]string{}}
	for format, want := range map[string]struct{ contentType, part string }{
		"geojson": {"application/geo+json", `"geometry":{"type":"LineString","coordinates":[[11.5,48.5],[11.4,48.9]]},"properties":{"kind":"hole"`},
		"gpx":     {"application/gpx+xml", `<gpx xmlns="http://www.topografix.com/GPX/1/1" version="1.1" creator="drover">`},
	} {
		path := names.resolve("/device/$device/track?from=2024-05-02T00:00:00Z&format=" + format)
		resp := s.send(t, request{method: http.MethodGet, path: path, header: s.authorized(t, alice)})
		if resp.status != http.StatusOK || resp.header.Get("Content-Type") != want.contentType || !strings.Contains(resp.body, want.part) {
			t.Errorf("%s: status %d, %s: %s", format, resp.status, resp.header.Get("Content-Type"), resp.body)
		}
	}
}

// TestPositionFiles reads positions as files, whole and in parts: one that does not hold
// all says in itself where it goes on.
func TestPositionFiles(t *testing.T) {
	t.Parallel()
	s := newService(t, defaults(t.TempDir()))
	names := &names{t: t, world: s.world, fresh: map[string]string{}}
	for format, link := range map[string]string{
		"geojson": `"links":[{"rel":"next","href":"/device/`,
		"gpx":     `<metadata><link href="/device/`,
	} {
		path := names.resolve("/device/$device/positions?from=2024-05-02T00:00:00Z&format=" + format)
		whole := s.send(t, request{method: http.MethodGet, path: path, header: s.authorized(t, alice)})
		if whole.status != http.StatusOK || strings.Contains(whole.body, link) || whole.header.Get("Link") != "" {
			t.Errorf("%s: status %d, Link %q: %s", format, whole.status, whole.header.Get("Link"), whole.body)
		}
		part := s.send(t, request{method: http.MethodGet, path: path + "&limit=1", header: s.authorized(t, alice)})
		if part.status != http.StatusOK || !strings.Contains(part.body, link) || part.header.Get("X-Next-Cursor") == "" {
			t.Errorf("%s: status %d, a part of it says %s", format, part.status, part.body)
		}
	}
}
