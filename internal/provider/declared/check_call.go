package declared

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
)

// texts are those of a request that have names in them, by their keys.
func (r *Request) texts() map[string]string {
	all := map[string]string{"get": r.Get, "post": r.Post}
	for name, text := range r.Query {
		all["query."+name] = text
	}
	for name, text := range r.Body {
		all["body."+name] = text
	}
	return all
}

// uses reports whether a request has a name in it.
func (r *Request) uses(name string) bool {
	for _, text := range r.texts() {
		if slices.ContainsFunc(names(text), func(n string) bool { before, _, _ := strings.Cut(n, ":"); return before == name }) {
			return true
		}
	}
	return false
}

// request checks a call, which is made with the names that are asked for.
func (c *checker) request(key string, r *Request, asked ...string) {
	if (r.Get == "") == (r.Post == "") {
		c.add(key, "such as get: /vehicles", "it has no call, or two")
	} else if path := r.Get + r.Post; !strings.HasPrefix(path, "/") {
		c.add(key+"."+map[bool]string{true: "get", false: "post"}[r.Post == ""], "write the host into address, and the path here", "a path begins with a slash")
	}
	for part, text := range r.texts() {
		if _, name, ok := strings.Cut(part, "."); ok {
			c.literal(key+"."+part, name, text)
		}
		if c.closed(key+"."+part, text) {
			for _, name := range names(text) {
				c.name(key+"."+part, name, asked)
			}
		}
	}
	for part, path := range map[string]string{"records": r.Records, "record": r.Record, "within": r.Within} {
		c.answerPath(key+"."+part, path)
	}
	for part, rows := range map[string]map[string][]string{"where": r.Where, "unless": r.Unless} {
		for path := range rows {
			c.answerPath(key+"."+part, strings.TrimPrefix(path, "/"))
		}
	}
	if r.Device != nil {
		c.value(key+".device", field{r.Device, text}, []string{"device"})
	}
	if p := r.Pages; p != nil {
		c.pages(key+".pages", p, r)
	}
	for name, d := range map[string]time.Duration{"before": r.Before, "after": r.After, "overlap": r.Overlap} {
		if d < 0 {
			c.add(key+"."+name, "such as 12h, or leave it out", "it is below zero")
		}
	}
}

// name checks a name in a request.
func (c *checker) name(key, name string, asked []string) {
	name, form, formed := strings.Cut(name, ":")
	var there strings.Builder
	for _, a := range asked {
		there.WriteString("{" + a + "}, ")
	}
	fix := "there are " + there.String() + "and credentials that are not secret"
	if len(asked) == 0 {
		fix = "there are credentials that are not secret"
	}
	i := slices.IndexFunc(c.file.Credentials, func(k Credential) bool { return k.Name == name })
	switch instant := name == "from" || name == "to"; {
	case slices.Contains(asked, name) && instant:
		if _, ok := forms[form]; !ok {
			c.add(key, "it is one of iso, iso_milli, date, seconds, millis", "%q is no form of a time", form)
		}
	case formed && !instant:
		c.add(key, "write {"+name+"}", "only {from} and {to} have a form")
	case slices.Contains(asked, name):
	case slices.Contains(taken, name):
		c.add(key, fix, "{%s} is not there in this call", name)
	case i < 0:
		c.add(key, fix, "{%s} is not known", name)
	case c.file.Credentials[i].Secret:
		c.add(key, "a secret stands in login alone", "{%s} is secret", name)
	}
}

func (c *checker) pages(key string, p *Pages, r *Request) {
	for part, path := range map[string]string{"total": p.Total, "next": p.Next, "more": p.More} {
		c.answerPath(key+"."+part, path)
	}
	ways := 0
	for _, parameter := range []string{p.Number, p.Skip, p.Cursor} {
		if parameter != "" {
			ways++
		}
	}
	switch {
	case ways != 1:
		c.add(key, "it is the name of a parameter", "say exactly one of number, skip and cursor")
	case p.Cursor != "" && p.Next == "":
		c.add(key, "such as next: pagination.next", "where the next cursor lies is missing")
	case p.Number != "" && p.Total != "" && p.Size <= 0:
		c.add(key, "add size", "a total is of no use without the size of a page")
	case p.Skip != "" && r.Device == nil:
		c.add(key, "add device", "pages that are skipped need the id of each record")
	}
}

func (c *checker) required(key string, v *Value, fix string) {
	if v == nil {
		c.add(key, fix, "it is missing")
	}
}

func (c *checker) every(key string, d time.Duration) {
	if d != 0 && d < 5*time.Second {
		c.add(key, "such as 1m", "more often than every 5 seconds is no one served")
	}
}

func (c *checker) positions() {
	p := &c.file.Positions
	f := p.Fields
	c.every("positions.every", p.Every)
	c.every("devices.every", c.file.Devices.Every)
	switch {
	case p.Newest == nil && p.Past == nil && p.Feed == nil:
		c.add("positions", "say newest, backfill or feed", "there is no call for positions")
	case p.Feed != nil && (p.Newest != nil || p.News != nil), p.Newest != nil && p.News != nil:
		c.add("positions", "leave one out", "only one of newest, updates and feed says what is new")
	case p.News != nil && p.Past == nil:
		c.add("positions.updates", "add backfill", "updates say of which devices the positions since then are read")
	}
	if p.Newest != nil {
		c.request("positions.newest", p.Newest)
		c.required("positions.newest.device", p.Newest.Device, "the path of the device's id")
	}
	if p.Feed != nil {
		c.request("positions.feed", &p.Feed.Request, "from", "cursor")
		c.answerPath("positions.feed.next", p.Feed.Next)
		c.answerPath("positions.feed.more", p.Feed.More)
		if p.Feed.Pages != nil {
			c.add("positions.feed.pages", "leave it out", "a feed has its cursor, and no pages beside it")
		}
		c.required("positions.feed.device", p.Feed.Device, "the path of the device's id")
		if p.Feed.Next == "" || !p.Feed.uses("cursor") {
			c.add("positions.feed", `such as query: {cursor: "{cursor}"} and next: cursor`, "a feed has {cursor} in its call and next in its answer")
		}
	}
	if p.News != nil {
		c.request("positions.updates", &p.News.Request, "from", "to")
		c.required("positions.updates.device", p.News.Device, "the path of the device's id")
		c.required("positions.updates.time", p.News.Time, "the path of the time at which the vendor heard of it")
	}
	if p.Past != nil {
		c.windowed("positions.backfill", p.Past)
	}
	c.required("positions.fields.time", f.Time, "the path of the time")
	c.required("positions.fields.latitude", f.Latitude, "the path of the latitude")
	c.required("positions.fields.longitude", f.Longitude, "the path of the longitude")
	c.values("positions.fields", map[string]field{
		"time": {f.Time, text}, "latitude": {f.Latitude, angle}, "longitude": {f.Longitude, angle}, "heading": {f.Heading, angle},
		"speed": {f.Speed, speed}, "driver": {f.Driver, text}, "ignition": {f.Ignition, text}, "auxiliary": {f.Auxiliary, text},
		"odometer": {f.Odometer, distance},
	}, []string{"device"})
	for i, r := range p.Readings {
		key := fmt.Sprintf("positions.readings.%d", i)
		if !slices.Contains(drover.ReadingKinds, r.Kind) {
			c.add(key, "docs/readings.md has the kinds", "%q is no kind of reading", r.Kind)
		}
		if sources := []drover.ReadingSource{"", drover.SourceVehicle, drover.SourceTracker, drover.SourcePlatform, drover.SourceSensor}; !slices.Contains(sources, r.Source) {
			c.add(key, "it is vehicle, tracker, platform or sensor", "%q is no source", r.Source)
		}
		c.required(key+".value", r.Value, "the path of the value")
		c.value(key+".value", field{r.Value, anything}, []string{"device"})
	}
}

// windowed checks a call that is made for a span of time.
func (c *checker) windowed(key string, r *Request) {
	c.request(key, r, "from", "to", "device")
	if r.Window < time.Minute {
		c.add(key+".window", "such as 24h", "the longest span of one call is missing, or shorter than a minute")
	}
	if !r.uses("from") || !r.uses("to") {
		c.add(key, `such as query: {start: "{from}", end: "{to}"}`, "the call does not say {from} and {to}")
	}
	if r.Device == nil && !r.uses("device") {
		c.add(key+".device", "the path of the device's id, or {device} in the call", "nothing says of which device a record is")
	}
}

func (c *checker) trips() {
	t := c.file.Trips
	if t == nil {
		return
	}
	c.every("trips.every", t.Every)
	c.windowed("trips", &t.Request)
	f := t.Fields
	c.required("trips.fields.id", f.ID, `a path, or a text such as "{$device}/{$start}"`)
	c.required("trips.fields.start", f.Start, "the path of the time at which it began")
	c.required("trips.fields.end", f.End, "the path of the time at which it ended")
	c.values("trips.fields", map[string]field{
		"id": {f.ID, text}, "start": {f.Start, text}, "end": {f.End, text}, "driver": {f.Driver, text},
		"start_latitude": {f.StartLatitude, angle}, "start_longitude": {f.StartLongitude, angle},
		"end_latitude": {f.EndLatitude, angle}, "end_longitude": {f.EndLongitude, angle},
		"distance": {f.Distance, distance}, "driving": {f.Driving, duration}, "idling": {f.Idling, duration}, "auxiliary": {f.Auxiliary, duration},
	}, []string{"device", "start", "elapsed"})
}

// The units that a field may have.
var (
	text     = []string{""}
	plain    = []string{""}
	angle    = []string{"", "degrees", "microdegrees"}
	speed    = []string{"", "kmh", "mph", "knots", "ms"}
	distance = []string{"", "m", "km", "miles"}
	duration = []string{"", "s", "milliseconds", "minutes", "hours"}
	anything = slices.Sorted(maps.Keys(units))
)

// field is a value with the units that it may have.
type field struct {
	value *Value
	units []string
}

func (c *checker) values(key string, fields map[string]field, vars []string) {
	for name, f := range fields {
		c.value(key+"."+name, f, vars)
	}
}

func (c *checker) value(key string, f field, vars []string) {
	v := f.value
	if v == nil {
		return
	}
	wrong := func(fix, format string, args ...any) {
		c.mistakes = append(c.mistakes, Mistake{v.line, key + ": " + fmt.Sprintf(format, args...), fix})
	}
	switch {
	case v.fault != "":
		wrong("", "%s", v.fault)
		return
	case v.Path == "" && v.Text == "" && len(v.first) == 0:
		wrong("write a path such as position.lat", "it is empty")
	case v.Path != "" && v.Text != "":
		wrong("leave one of them out", "it has a path and a text")
	case !slices.Contains(f.units, v.Unit):
		wrong("it is one of "+strings.TrimPrefix(strings.Join(f.units, ", "), ", "), "it cannot have the unit %q", v.Unit)
	case strings.Count(v.Text, "{") != strings.Count(v.Text, "}"):
		wrong("", "a brace of %q is not closed", v.Text)
	}
	for _, path := range slices.Concat([]string{v.Path, v.Minus}, names(v.Text)) {
		if name, ok := strings.CutPrefix(path, "$"); ok {
			if !slices.Contains(vars, name) {
				wrong("here there are $"+strings.Join(vars, ", $"), "%s is not known", path)
			}
		} else if path != "" && !goodPath.MatchString(path) {
			wrong("names with dots between them, and numbers of a list in brackets: data.points[0].lat", "%q is no path", path)
		}
	}
	for _, one := range v.first {
		c.value(key, field{one, f.units}, vars)
	}
}
