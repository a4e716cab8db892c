package declared

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// largestSource is how long a document may be of which a first file is made.
const largestSource = 8 << 20

// draft is a first file that is being written.
type draft struct {
	name, title, address string
	credentials, login   []string
	devices, newest      call
	guessed              []string
}

// call is one that lists something, with an answer of it.
type call struct {
	path   string
	query  []string // as they stand in the file
	pages  string
	answer any
}

// Draft writes a first file from an OpenAPI document, or from an answer that was recorded. It
// returns what was guessed, and why. What is not known says TODO, which a check reports.
func Draft(name string, source []byte) (text string, guessed []string, err error) {
	if len(source) > largestSource {
		return "", nil, fmt.Errorf("it is larger than %d MiB", largestSource>>20)
	}
	var root any
	if err := yaml.Unmarshal(source, &root); err != nil {
		return "", nil, errors.New("it is neither JSON nor YAML")
	}
	d := &draft{name: name, title: todo("the vendor's name as it writes it itself"), address: todo("what stands before every path, such as https://api.example.com/v1")}
	d.login = []string{`  header: {Authorization: "Bearer {api_key}"} # ` + todoWords + " how calls are authenticated: basic, header, query or token"}
	d.key()
	if object, ok := root.(map[string]any); ok && (object["openapi"] != nil || object["swagger"] != nil) {
		if err := d.fromOpenAPI(&document{root: object}); err != nil {
			return "", nil, err
		}
	} else {
		d.newest = call{path: todo("the path of the call that gave this answer"), answer: root}
		d.devices = d.newest
	}
	text, err = d.write()
	return text, d.guessed, err
}

const todoWords = "TODO"

func todo(words string) string { return strconv.Quote(todoWords + " " + words) }

func (d *draft) guess(format string, args ...any) {
	d.guessed = append(d.guessed, fmt.Sprintf(format, args...))
}

func (d *draft) key() {
	d.credentials = []string{"  - {name: api_key, title: API key, required: true, secret: true, help: " + todo("where one gets it") + "}"}
}

// rows finds the list of records in an answer: the one with the most objects, and of those the
// nearest.
func rows(answer any) (path string, list []any) {
	type place struct {
		path string
		v    any
	}
	for queue := []place{{"", answer}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		switch v := at.v.(type) {
		case []any:
			objects := slices.ContainsFunc(v, func(one any) bool { _, ok := one.(map[string]any); return ok })
			if objects && len(v) > len(list) {
				path, list = at.path, v
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if goodPath.MatchString(name) && strings.Count(at.path, ".") < 3 {
					queue = append(queue, place{strings.TrimPrefix(at.path+"."+name, "."), v[name]})
				}
			}
		}
	}
	return path, list
}

// leaves are the values of a record by their paths.
func leaves(v any, path string, into map[string]any) {
	object, ok := v.(map[string]any)
	if !ok {
		if path != "" {
			into[path] = v
		}
		return
	}
	for name, inner := range object {
		if goodPath.MatchString(name) && strings.Count(path, ".") < 4 {
			leaves(inner, strings.TrimPrefix(path+"."+name, "."), into)
		}
	}
}

// kinds of values that fields have.
func isNumber(v any) bool { return number(v) != nil }

func number(v any) *float64 { return wire.Gauge(strings.TrimSpace(fmt.Sprint(v))).Ptr() }

func within(most float64) func(any) bool {
	return func(v any) bool { n := number(v); return n != nil && *n >= -most && *n <= most }
}

func isTime(v any) bool {
	if _, ok := v.(time.Time); ok {
		return true
	}
	t, err := wire.ParseTimeIn(fmt.Sprint(v), time.UTC)
	return err == nil && t.Year() > 2000 && t.Year() < 2100
}

func isScalar(v any) bool {
	switch v.(type) {
	case map[string]any, []any, nil:
		return false
	default:
		return true
	}
}

// wanted is how a field is recognised: by the last name of its path, in the order in which names
// are likely, and by its value.
type wanted struct {
	names *regexp.Regexp
	is    func(any) bool
}

func named(names string, is func(any) bool) wanted {
	return wanted{regexp.MustCompile(`(?i)^(` + names + `)$`), is}
}

var (
	wantID        = named(`device_?id|vehicle_?id|unit_?id|asset_?id|tracker_?id|object_?id|imei|id|uuid|serial_?number`, isScalar)
	wantTime      = named(`(gps_?|fix_?|event_?|device_?)?(timestamp|time|date_?time)(_?(gmt|utc))?|\w+_?at|last_?updated?|dt_?tracker`, isTime)
	wantLatitude  = named(`lat|latitude`, within(90))
	wantLongitude = named(`lon|lng|long|longitude`, within(180))
	wantSpeed     = named(`(gps_?|inst_?|position_?)?(speed|velocity)(_?(kmh|kph|km_h|mph|knots|kn|mps|ms))?`, isNumber)
	wantHeading   = named(`heading|course|bearing|direction|angle|azimuth`, within(360))
	wantOdometer  = named(`(total_?)?(odometer|mileage)(_?(m|km|mi|miles|metres|meters))?`, isNumber)
	wantIgnition  = named(`ignition(_?(on|status|state))?|engine_?on|is_?running|acc`, isScalar)
	wantDriver    = named(`driver_?id`, isScalar)
	wantName      = named(`display_?name|label|alias|name|nick_?name|description`, isScalar)
	wantPlate     = named(`(license_?|licence_?|number_?)?plate(_?number)?|registration(_?number)?`, isScalar)
	wantMake      = named(`make|manufacturer`, isScalar)
	wantModel     = named(`model`, isScalar)
	wantYear      = named(`(model_?)?year`, isNumber)
)

// find returns the path of a field; the likeliest name first, then the shortest path.
func (w wanted) find(values map[string]any) string {
	var found []string
	for path, v := range values {
		last := path[strings.LastIndex(path, ".")+1:]
		if w.names.MatchString(last) && w.is(v) {
			found = append(found, path)
		}
	}
	slices.SortFunc(found, func(a, b string) int {
		if n := strings.Count(a, ".") - strings.Count(b, "."); n != 0 {
			return n
		}
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// speedUnits are those that the end of a name says.
var speedUnits = map[string]string{"kmh": "kmh", "kph": "kmh", "km_h": "kmh", "mph": "mph", "knots": "knots", "kn": "knots", "mps": "ms", "ms": "ms"}

// write makes the file.
func (d *draft) write() (string, error) {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("name: %s\ntitle: %s\naddress: %s", d.name, d.title, d.address)
	line("credentials:\n%s\nlogin:\n%s", strings.Join(d.credentials, "\n"), strings.Join(d.login, "\n"))
	line("limits: [{requests: 1, per: 1s, concurrent: 1}] # what the vendor's documentation says")
	list := func(name, indent string, c call) (map[string]any, error) {
		at, found := rows(c.answer)
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: the answer has no list of objects", name)
		}
		line("%sget: %s", indent, c.path)
		if len(c.query) > 0 {
			line("%squery: {%s}", indent, strings.Join(c.query, ", "))
		}
		if c.pages != "" {
			line("%spages: {%s}", indent, c.pages)
		}
		if at != "" {
			line("%srecords: %s", indent, at)
		}
		values := map[string]any{}
		for _, row := range found { // a field may be missing in the first
			leaves(row, "", values)
		}
		id := wantID.find(values)
		d.guess("%s: records lie at %q, their id is %q", name, at, id)
		line("%sdevice: %s", indent, orTodo(id, "the path of a device's id in a record"))
		return values, nil
	}
	line("devices:")
	values, err := list("devices", "  ", d.devices)
	if err != nil {
		return "", err
	}
	d.fields(line, values, map[string]wanted{"description": wantName, "registration": wantPlate, "make": wantMake, "model": wantModel, "year": wantYear}, "  ")
	line("positions:\n  every: 1m\n  newest:")
	if values, err = list("positions", "    ", d.newest); err != nil {
		return "", err
	}
	line("  fields:")
	line("    time: %s", d.field("time", wantTime, values, "the path of the time"))
	line("    latitude: %s", d.field("latitude", wantLatitude, values, "the path of the latitude"))
	line("    longitude: %s", d.field("longitude", wantLongitude, values, "the path of the longitude"))
	d.measured(line, values)
	return b.String(), nil
}

func orTodo(path, words string) string {
	if path == "" {
		return todo(words)
	}
	return path
}

func (d *draft) field(name string, w wanted, values map[string]any, words string) string {
	path := w.find(values)
	if path != "" {
		d.guess("%s: %s, such as %v", name, path, values[path])
	}
	return orTodo(path, words)
}

// fields writes those that are found, and leaves the others out.
func (d *draft) fields(line func(string, ...any), values map[string]any, all map[string]wanted, indent string) {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if path := all[name].find(values); path != "" {
			found = append(found, name+": "+path)
		}
	}
	if len(found) > 0 {
		d.guess("devices: %s", strings.Join(found, ", "))
		line("%sfields: {%s}", indent, strings.Join(found, ", "))
	}
}

// measured writes the optional fields of positions with their units.
func (d *draft) measured(line func(string, ...any), values map[string]any) {
	if path := wantSpeed.find(values); path != "" {
		unit, why := "kmh", "nothing says its unit: km/h is assumed, and a trial judges that"
		for end, means := range speedUnits {
			if strings.HasSuffix(strings.ToLower(path), end) {
				unit, why = means, "its name says the unit"
			}
		}
		d.guess("speed: %s in %s; %s", path, unit, why)
		line("    speed: {path: %s, unit: %s}", path, unit)
	} else {
		line("    # speed: {path: the path of the speed, unit: kmh}")
	}
	if path := wantOdometer.find(values); path != "" {
		unit, why := "km", "nothing says its unit: it is assumed from its size, and a trial judges that"
		if n := number(values[path]); n != nil && *n > 3e6 {
			unit = "m"
		}
		for end, means := range map[string]string{"km": "km", "mi": "miles", "miles": "miles", "metres": "m", "meters": "m", "_m": "m"} {
			if strings.HasSuffix(strings.ToLower(path), end) {
				unit, why = means, "its name says the unit"
			}
		}
		d.guess("odometer: %s in %s; %s", path, unit, why)
		line("    odometer: {path: %s, unit: %s}", path, unit)
	}
	for _, f := range []struct {
		name string
		wanted
	}{{"heading", wantHeading}, {"driver", wantDriver}} {
		if path := f.find(values); path != "" {
			d.guess("%s: %s", f.name, path)
			line("    %s: %s", f.name, path)
		}
	}
	if path := wantIgnition.find(values); path != "" {
		d.guess("ignition: %s, such as %v", path, values[path])
		if word, text := values[path].(string); text && !isNumber(word) {
			line(`    ignition: {path: %s, words: {"on": true, "off": false}} # the words that the vendor has`, path)
		} else {
			line("    ignition: %s", path)
		}
	}
}
