package declared_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/declared"
)

// openAPI is a document of a vendor.
const openAPI = `
openapi: 3.0.0
info: {title: Acme Fleet API}
servers: [{url: https://api.acme.example/v1/}]
components:
  securitySchemes: {key: {type: apiKey, in: header, name: X-Acme-Key}}
  schemas:
    Text: {type: string}
    Number: {type: number}
    Vehicle:
      type: object
      properties:
        vehicleId: {$ref: '#/components/schemas/Text'}
        label: {type: string}
        plate_number: {type: string}
        owner: {$ref: '#/components/schemas/Loop'}
    Vehicles: {type: object, properties: {items: {type: array, items: {$ref: '#/components/schemas/Vehicle'}}}}
    Loop: {type: object, properties: {again: {$ref: '#/components/schemas/Loop'}}}
    Place: {type: object, properties: {lat: {type: number}, lng: {type: number}, speed_mph: {$ref: '#/components/schemas/Number'}}}
    Fix:
      type: object
      properties:
        vehicleId: {type: string}
        gps: {$ref: '#/components/schemas/Place'}
        recorded_at: {type: string, format: date-time}
        odometer: {type: number, example: 123456}
    Fixes: {type: object, properties: {data: {type: array, items: {$ref: '#/components/schemas/Fix'}}, next_cursor: {type: string}}}
paths:
  /vehicles:
    get:
      parameters: [{name: page, in: query}, {name: per_page, in: query}]
      responses: {'200': {content: {application/json: {schema: {$ref: '#/components/schemas/Vehicles'}}}}}
  /positions/latest:
    get:
      parameters: [{name: cursor, in: query}]
      responses: {'200': {content: {application/json: {schema: {$ref: '#/components/schemas/Fixes'}}}}}
  /vehicles/{id}: {get: {responses: {}}}
`

// TestDraft holds that a first file has what the source says, that all the rest is said to be
// open with its line, and that it is a file once that is written.
func TestDraft(t *testing.T) {
	t.Parallel()
	text, guessed, err := declared.Draft("acme", []byte(openAPI))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"address: https://api.acme.example/v1\n", `header: {X-Acme-Key: "{api_key}"}`, "get: /vehicles\n", "get: /positions/latest\n", "records: data\n",
		"device: vehicleId\n", "pages: {number: page, size: 100}", "pages: {cursor: cursor, next: next_cursor}", "time: recorded_at\n",
		"latitude: gps.lat\n", "speed: {path: gps.speed_mph, unit: mph}", "odometer: {path: odometer, unit: km}", "registration: plate_number",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it has no %q:\n%s", want, text)
		}
	}
	if said := strings.Join(guessed, "\n"); !strings.Contains(said, "its name says the unit") || !strings.Contains(said, "odometer: odometer in km") {
		t.Error(said)
	}
	_, mistakes := declared.Parse([]byte(text))
	if len(mistakes) != 1 || mistakes[0].Line != 5 || !strings.Contains(mistakes[0].String(), "credentials.help: this is still to be written; where one gets it") {
		t.Errorf("what is open: %v", mistakes)
	}
	file, mistakes := declared.Parse([]byte(strings.Replace(text, `"TODO where one gets it"`, "From Acme.", 1)))
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	for _, p := range file.Suite(t.Context(), nil) {
		if p.Error != "" {
			t.Errorf("%s: %s", p.Name, p.Error)
		}
	}
}

// TestDraftOfAnswers makes first files of the answers that were recorded of shipped vendors: id,
// time and place are found in each.
func TestDraftOfAnswers(t *testing.T) {
	t.Parallel()
	for vendor, want := range map[string]string{
		"mapon":        "device: unit_id|time: last_update|latitude: lat|longitude: lng|odometer: {path: mileage, unit: m}",
		"gps_insight":  "device: id|time: fix_time_gmt|latitude: latitude|longitude: longitude|speed: {path: inst_speed",
		"abax":         "records: items|device: id|time: location.timestamp|latitude: location.latitude",
		"one_step_gps": "records: result_list|device: device_id|time: latest_device_point.dt_tracker|latitude: latest_device_point.lat",
		"carrier_lynx": "device: assetInfo.assetId|time: eventDateTimeUTC|latitude: positionInfo.lat|longitude: positionInfo.long",
	} {
		answer, err := os.ReadFile(shipped + "/recorded/" + vendor + "/positions.newest.json")
		if err != nil {
			t.Fatal(err)
		}
		text, _, err := declared.Draft("acme", answer)
		if err != nil {
			t.Error(err)
		}
		for part := range strings.SplitSeq(want, "|") {
			if !strings.Contains(text, part) {
				t.Errorf("%s: it has no %q:\n%s", vendor, part, text)
			}
		}
	}
}

// TestDraftBombs holds that no source takes the program down.
func TestDraftBombs(t *testing.T) {
	t.Parallel()
	var laughs strings.Builder
	laughs.WriteString("a: &a [x, x, x, x, x, x, x, x, x]\n")
	for i := 'b'; i < 'k'; i++ {
		fmt.Fprintf(&laughs, "%c: &%c [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*%c, ", i-1), 9))
	}
	for name, source := range map[string]string{
		"laughs": laughs.String(), "nothing": "", "a number": "7", "no list": `{"a":{"b":1}}`, "texts": `["a","b"]`, "large": strings.Repeat(" ", 9<<20),
		"depth": strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000), "no paths": "openapi: 3.0.0",
		"broken": `{"openapi": "3.0.0", "paths": {"/x": {"get": {"responses": {"200": 7}, "parameters": [1]}}, "/y": 7}}`,
	} {
		if text, _, err := declared.Draft("acme", []byte(source)); err == nil {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestMixedTypes holds that a field may be a number in one record and a text in the next, or
// missing, and that what is no value of its field is not known rather than wrong.
func TestMixedTypes(t *testing.T) {
	t.Parallel()
	rows := []string{
		`{"id":7,"at":1782907200,"lat":"1","lon":2,"speed":10,"state":"on","driver":12}`,
		`{"id":"7 ","at":"1782907260","lat":1,"lon":"2.0","speed":"10.0","state":true,"driver":"12"}`,
		`{"id":7.0,"at":1782907320000,"lat":1.0,"lon":2,"speed":null,"state":1,"driver":""}`,
		`{"id":"7","at":"2026-07-01T12:03:00Z","lat":" 1 ","lon":2,"speed":"fast","state":null,"driver":{"id":1}}`,
		`{"id":true,"at":"2026-07-01T12:04:00Z","lat":1,"lon":2,"speed":[1],"driver":[]}`,
	}
	p := connect(t, acme, answers(func(*http.Request) string {
		return `200 {"next":"c","more":false,"data":[` + strings.Join(rows, ",") + `]}`
	}))
	page, err := p.Positions(t.Context(), provider.Query{From: now})
	if err != nil || len(page.Records) != len(rows) {
		t.Fatalf("%+v, %v", page, err)
	}
	for i, r := range page.Records {
		if at := now.Add(time.Duration(i) * time.Minute); !r.Time.Equal(at) || r.Latitude != 1 || r.Longitude != 2 {
			t.Errorf("record %d: %+v, want %s", i, r.Position, at)
		}
		if known := i < 2; known != (r.SpeedKPH != nil) || known != (r.DriverID != nil) || known && (*r.SpeedKPH != 18.52 || *r.DriverID != "12") {
			t.Errorf("record %d: %v %v", i, r.SpeedKPH, r.DriverID)
		}
	}
	if a, b := page.Records[0].SystemDeviceID, page.Records[1].SystemDeviceID; a != b {
		t.Errorf("one device has the ids %q and %q", a, b)
	}
}

// TestTexts holds that any value may be a text with paths in braces, and is unknown where a
// record has none of its parts.
func TestTexts(t *testing.T) {
	t.Parallel()
	text := acme
	for from, to := range map[string]string{
		"time: at": `time: "{day} {clock}"`, "latitude: lat": `latitude: "{degrees}.{rest}"`, "{path: speed, unit": `{text: "{knots}.{tenths}", unit`,
		"{path: state, words": `{text: "{engine}-{key}", words`, "{on: true, off: false}": "{1-1: true, 0-0: false}",
	} {
		text = strings.Replace(text, from, to, 1)
	}
	p := connect(t, text, answers(func(*http.Request) string {
		return `200 {"next":"c","more":false,"data":[
			{"id":"a","day":"2026-07-01","clock":"13:00:00","degrees":52,"rest":"5","lon":13.4,"knots":10,"tenths":0,"engine":0,"key":0},
			{"id":"b","day":"2026-07-01","clock":"13:00:00","degrees":52,"rest":"5","lon":13.4},
			{"id":"c","lon":13.4}]}`
	}))
	page, err := p.Positions(t.Context(), provider.Query{From: now})
	if err != nil || len(page.Records) != 2 {
		t.Fatalf("%+v, %v", page.Records, err)
	}
	a, b := page.Records[0], page.Records[1]
	if a.Time.String() != "2026-07-01T11:00:00Z" || a.Latitude != 52.5 || a.SpeedKPH == nil || *a.SpeedKPH != 18.52 || a.Ignition == nil || *a.Ignition {
		t.Errorf("%+v", a.Position)
	}
	if b.SpeedKPH != nil || b.Ignition != nil {
		t.Errorf("what is not there is known: %+v", b.Position)
	}
}

// TestTimesWithoutZone holds that a time without a zone is of the file's zone, or of UTC, and
// that one with a zone is of its own.
func TestTimesWithoutZone(t *testing.T) {
	t.Parallel()
	at := map[string]map[string]string{
		"Europe/Berlin": {
			"2026-07-01 13:00:00": "2026-07-01T11:00:00Z", "2026-01-01T13:00:00": "2026-01-01T12:00:00Z", "2026-07-01T13:00:00+05:00": "2026-07-01T08:00:00Z",
			"2026-07-01T13:00:00Z": "2026-07-01T13:00:00Z", "1782907200": "2026-07-01T12:00:00Z",
		},
		`""`: {"2026-07-01 13:00:00": "2026-07-01T13:00:00Z", "2026-07-01T13:00:00+05:00": "2026-07-01T08:00:00Z"},
	}
	for zone, times := range at {
		for text, want := range times {
			p := connect(t, strings.Replace(acme, "ZONE", zone, 1), answers(func(*http.Request) string {
				return fmt.Sprintf(`200 {"next":"c","more":false,"data":[{"id":"a","at":%q,"lat":1,"lon":2}]}`, text)
			}))
			page, err := p.Positions(t.Context(), provider.Query{From: now})
			if err != nil || len(page.Records) != 1 || page.Records[0].Time.String() != want {
				t.Errorf("%s in %s: %+v, %v; want %s", text, zone, page.Records, err, want)
			}
		}
	}
}
