package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
)

// intake is a service that takes records, once each.
type intake struct {
	t       *testing.T
	url     string
	mu      sync.Mutex
	records []drover.Record
	known   map[string]bool
	batches int
	full    int // answers 429 so many times
}

func newIntake(t *testing.T) *intake {
	t.Helper()
	i := &intake{t: t, known: map[string]bool{}}
	s := httptest.NewServer(http.HandlerFunc(i.serve))
	t.Cleanup(s.Close)
	i.url = s.URL
	return i
}

func (i *intake) serve(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if r.URL.Path != "/connection/7/record" || r.Header.Get("Authorization") != "Bearer k" {
		i.t.Errorf("got %s", r.URL.Path)
	}
	if i.full > 0 {
		i.full--
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"error":{"code":429,"message":"Too many"}}`)
		return
	}
	var batch []json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&batch); err != nil || len(batch) > drover.MaxRecords {
		i.t.Errorf("a batch of %d: %v", len(batch), err)
	}
	i.batches++
	var outcomes []drover.RecordOutcome
	for _, raw := range batch {
		outcome := drover.RecordOutcome{Outcome: drover.RecordStored}
		var record drover.Record
		if err := json.Unmarshal(raw, &record); err != nil {
			i.t.Error(err)
		}
		if record.Latitude != nil && *record.Latitude > 90 {
			outcome = drover.Refused("latitude: too far north")
		}
		if outcome.Outcome == drover.RecordStored && i.known[string(raw)] {
			outcome.Outcome = drover.RecordKnown
		}
		if i.known[string(raw)] = true; outcome.Outcome == drover.RecordStored {
			i.records = append(i.records, record)
		}
		outcomes = append(outcomes, outcome)
	}
	if err := json.NewEncoder(w).Encode(map[string]any{"data": drover.NewRecordResult(outcomes)}); err != nil {
		i.t.Error(err)
	}
}

// file writes a file for a test.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func (i *intake) args(path string, more ...string) []string {
	return append([]string{"import", path, "--connection", "7", "--url", i.url, "--api-key", "k"}, more...)
}

// brief is a record in a line.
func brief(r drover.Record) string {
	text := fmt.Sprintf("%s %s %g %g", r.SystemDeviceID, r.Timestamp, *r.Latitude, *r.Longitude)
	if r.Speed != nil {
		text += fmt.Sprintf(" %.1f km/h", r.Speed.SpeedKPH)
	}
	if r.Heading != nil {
		text += fmt.Sprintf(" %g°", *r.Heading)
	}
	if r.OdometerMetres != nil {
		text += fmt.Sprintf(" %.0f m", *r.OdometerMetres)
	}
	if r.Ignition != nil {
		text += fmt.Sprint(" ", *r.Ignition)
	}
	if r.DriverID != nil {
		text += " by " + r.DriverID.Value
	}
	return text
}

// TestImportReads holds what is made of files of each kind, and what the preview says.
func TestImportReads(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		name, text string
		flags      []string
		shows      []string
		want       []string
	}{
		"CSV": {
			"trucks.csv", "IMEI,Time (UTC),Lat,Lng,Speed (mph),Course,Ignition,Odometer (km),Driver\n" +
				"t1,2024-05-02 10:00:00,53.9,27.5,50,90,on,12.5,D1\n", nil,
			[]string{`device     is in "IMEI"`, `timestamp  is in "Time (UTC)"`, `unit of "Speed (mph)": mph, by its name`, "UTC, by the name of the column"},
			[]string{"t1 2024-05-02T10:00:00Z 53.9 27.5 80.5 km/h 90° 12500 m true by D1"},
		},
		"German": {
			"trucks.csv", "\ufeffFahrzeug;Datum;lat;lon;speed\nt1;31.03.2024 12:00:00;53,9;27,5;36,5\n",
			[]string{"--column", "Fahrzeug=device", "--column", "Datum=timestamp", "--time-zone", "Europe/Berlin"},
			[]string{"decimal comma", "day.month.year", "time zone: Europe/Berlin, as you say", "taken for km/h, because nothing shows it"},
			[]string{"t1 2024-03-31T10:00:00Z 53.9 27.5 36.5 km/h"},
		},
		"DateAndTime": {
			"truck-7.csv", "date,time,latitude,longitude\n2024-05-02,10:00:00,53.9,27.5\n", nil,
			[]string{"device: truck-7, after the file", "taken for UTC, because the times name none"},
			[]string{"truck-7 2024-05-02T10:00:00Z 53.9 27.5"},
		},
		"Seconds": {
			"log", "timestamp,latitude,longitude,speed\n1714644000,53.9,27.5,1\n",
			[]string{"--device", "x", "--speed-unit", "m/s"},
			[]string{"is read as csv", "seconds since 1970", "m/s, as you say"},
			[]string{"x 2024-05-02T10:00:00Z 53.9 27.5 3.6 km/h"},
		},
		"GPX": {
			"tour.gpx", `<?xml version="1.0"?><gpx xmlns="http://www.topografix.com/GPX/1/1"><metadata><name>My tour</name></metadata><trk><name>truck-1</name><trkseg>
				<trkpt lat="53.9" lon="27.5"><time>2024-05-02T10:00:00Z</time><extensions><g:TrackPointExtension xmlns:g="x"><g:speed>10</g:speed></g:TrackPointExtension></extensions></trkpt>
				</trkseg></trk></gpx>`, nil,
			[]string{"is read as gpx"},
			[]string{"truck-1 2024-05-02T10:00:00Z 53.9 27.5 36.0 km/h"},
		},
		"GeoJSON": {
			"a.geojson", `{"type":"FeatureCollection","features":[
				{"type":"Feature","geometry":{"type":"Point","coordinates":[27.5,53.9]},"properties":{"device":"t1","timestamp":"2024-05-02T12:00:00+02:00","speed_kph":5}},
				{"type":"Feature","geometry":{"type":"LineString","coordinates":[[1,2],[1,3]]},"properties":{"device":"t2","coordTimes":["2024-05-02T10:00:00Z","2024-05-02T10:01:00Z"]}}]}`,
			nil,
			[]string{"is read as geojson"},
			[]string{"t1 2024-05-02T10:00:00Z 53.9 27.5 5.0 km/h", "t2 2024-05-02T10:00:00Z 2 1", "t2 2024-05-02T10:01:00Z 3 1"},
		},
		"Lines": {
			"a.ndjson", `{"device":"t1","position":{"lat":53.9,"lon":27.5},"time":1714644000000,"ignition":false}` + "\n\n" +
				`{"type":"position","system_device_id":"own","timestamp":"2024-05-02T10:00:00Z","latitude":1,"longitude":2}` + "\n", nil,
			[]string{"is read as ndjson", `latitude   is in "position.lat"`, "milliseconds since 1970"},
			[]string{"t1 2024-05-02T10:00:00Z 53.9 27.5 false", "own 2024-05-02T10:00:00Z 1 2"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newIntake(t)
			out := succeed(t, "y\n", i.args(file(t, tt.name, tt.text), tt.flags...)...)
			for _, words := range tt.shows {
				if !strings.Contains(out, words) {
					t.Errorf("the preview lacks %q: %s", words, out)
				}
			}
			var got []string
			for _, r := range i.records {
				got = append(got, brief(r))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
		})
	}
}

// TestImportGuessesUnits by how far the vehicle went.
func TestImportGuessesUnits(t *testing.T) {
	t.Parallel()
	begin := time.Date(2024, 5, 2, 10, 0, 0, 0, time.UTC)
	for unit, per := range map[string]struct{ speed, odometer float64 }{
		"km/h": {1, 1}, "mph": {1.609344, 1609.344}, "knots": {1.852, 1000}, "m/s": {3.6, 1},
	} {
		var text strings.Builder
		text.WriteString("device,time,lat,lon,speed,odometer\n")
		for i := range 20 { // 60 km/h to the north
			fmt.Fprintf(&text, "a,%s,%f,27,%f,%f\n", begin.Add(time.Duration(i)*time.Minute).Format(time.DateTime), 50+float64(i)/111.195,
				60/per.speed, (5e6+float64(i)*1000)/per.odometer)
		}
		i := newIntake(t)
		out := succeed(t, "", i.args(file(t, "a.csv", text.String()), "--yes")...)
		if !strings.Contains(out, "unit of the speed: "+unit+", by how far") {
			t.Errorf("%s is not found: %s", unit, out)
		}
		last := i.records[len(i.records)-1]
		if got := last.Speed.SpeedKPH; got < 59.9 || got > 60.1 {
			t.Errorf("in %s a speed becomes %g km/h", unit, got)
		}
		if got := *last.OdometerMetres; got < 5.018e6 || got > 5.02e6 {
			t.Errorf("in %s an odometer becomes %g m", unit, got)
		}
	}
}

// TestImportSendsAll holds that a long file goes in batches, that one without room is sent
// again, that bad rows are listed with their lines and harm no other, and that a second run
// changes nothing.
func TestImportSendsAll(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("device,timestamp,latitude,longitude\n")
	for i := range 1500 {
		fmt.Fprintf(&text, "a,%d,10,20\n", 1714644000+i)
	}
	text.WriteString("a,yesterday,10,20\na,1714640000,NaN,20\na,1714640000,95,20\n,1714640000,10,20\na,1714640000,10,20\n")
	i := newIntake(t)
	i.full = 1
	path := file(t, "a.csv", text.String())
	r := execute(t.Context(), "", i.args(path, "--yes")...)
	for _, line := range []string{
		`line 1502: "yesterday" is no time of the form seconds since 1970`, `line 1503: latitude: "NaN" is no number`,
		"line 1504: latitude: too far north", "line 1505: it names no device", "4 rows were refused; the others are stored",
	} {
		if !strings.Contains(r.err, line) {
			t.Errorf("the errors lack %q: %s", line, r.err)
		}
	}
	if r.code == 0 || len(i.records) != 1501 || i.batches != 2 || !strings.Contains(r.out, "1501 records stored, 0 known before, 4 not taken") {
		t.Errorf("exit code %d, %d records in %d batches: %s", r.code, len(i.records), i.batches, r.out)
	}
	if r := execute(t.Context(), "", i.args(path, "--yes")...); !strings.Contains(r.out, "0 records stored, 1501 known before") {
		t.Errorf("a second run: %s", r.out)
	}
}

// TestImportAsks holds that nothing is sent unless someone agrees, and that what cannot be
// guessed is asked for by name.
func TestImportAsks(t *testing.T) {
	t.Parallel()
	i := newIntake(t)
	path := file(t, "a.csv", "device,timestamp,latitude,longitude\na,1714644000,10,20\n")
	for input, want := range map[string]string{"n\n": "nothing was sent", "": "--yes"} { // after the preview
		if r := execute(t.Context(), input, i.args(path)...); r.code == 0 || !strings.Contains(r.err, want) {
			t.Errorf("after %q: exit code %d, %s", input, r.code, r.err)
		}
	}
	succeed(t, "", i.args(path, "--dry-run")...)
	refuse(t, "--column NAME=latitude", "", i.args(file(t, "b.csv", "device,timestamp,north,longitude\na,1714644000,10,20\n"), "--yes")...)
	refuse(t, "an unknown format", "", i.args(file(t, "c.csv", "device,timestamp,lat,lon\na,soon,10,20\n"), "--yes")...)
	refuse(t, "no valid rows", "", i.args(file(t, "d.csv", "device,timestamp,lat,lon\n"), "--yes")...)
	refuse(t, "is no XML", "", i.args(file(t, "e.gpx", "<gpx><trk"), "--yes")...)
	if i.batches > 0 {
		t.Errorf("%d batches were sent", i.batches)
	}
}
