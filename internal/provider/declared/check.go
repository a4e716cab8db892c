package declared

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// checker finds the mistakes of a file.
type checker struct {
	file     *File
	root     *yaml.Node
	mistakes []Mistake
}

var (
	goodName     = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	soundsSecret = regexp.MustCompile(`password|secret|token|api_key|_code$`)
	goodPath     = regexp.MustCompile(`^/?(\.|[^\s.\[\]{}$/]+(\[-?\d+\])*(\.[^\s.\[\]{}$/]+(\[-?\d+\])*)*|(\[-?\d+\])+)$`)
)

// taken are names in requests that no credential may have.
var taken = []string{"token", "device", "from", "to", "cursor", provider.BaseURLField}

// add notes a mistake at a key, given by its path; of a key that is not there, the line is
// that of the part in which it is missing.
func (c *checker) add(key, fix, format string, args ...any) {
	c.mistakes = append(c.mistakes, Mistake{c.line(key), strings.TrimPrefix(key+": ", ": ") + fmt.Sprintf(format, args...), fix})
}

// line is where a key stands.
func (c *checker) line(key string) int {
	node, line := c.root, 0
	for step := range strings.SplitSeq(key, ".") {
		found := false
		for i := 0; node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == step {
				line, node, found = node.Content[i].Line, node.Content[i+1], true
				break
			}
		}
		var n int
		if _, err := fmt.Sscanf(step, "%d", &n); err == nil && node.Kind == yaml.SequenceNode && n < len(node.Content) {
			node, found = node.Content[n], true
			line = node.Line
		}
		if !found {
			break
		}
	}
	return line
}

func (c *checker) check() {
	f := c.file
	switch known := slices.Concat(drover.ProviderNames, drover.ExtraProviderNames); {
	case !goodName.MatchString(f.Name) || len(f.Name) > 40:
		c.add("name", "such as gps_insight", "it must be small letters, digits and underscores, at most 40")
	case slices.Contains(known, drover.ProviderName(f.Name)):
		c.add("name", "choose another", "%s is built in", f.Name)
	}
	if f.Title == "" {
		c.add("title", "write the vendor's name as it writes it itself", "it is missing")
	}
	c.address()
	c.credentials()
	c.login()
	c.rest()
	if f.Check.Get != "" || f.Check.Post != "" {
		c.request("check", &f.Check)
	}
	c.required("devices.device", f.Devices.Device, "the path of a device's id")
	c.request("devices", &f.Devices.Request)
	c.values("devices.fields", map[string]field{
		"description": {f.Devices.Fields.Description, text}, "registration": {f.Devices.Fields.Registration, text},
		"make": {f.Devices.Fields.Make, text}, "model": {f.Devices.Fields.Model, text}, "year": {f.Devices.Fields.Year, plain},
		"active": {f.Devices.Fields.Active, text},
	}, nil)
	c.positions()
	c.trips()
}

func (c *checker) address() {
	f := c.file
	if f.Address == "" {
		return // each connection names one
	}
	bare := fill(f.Address, func(string) string { return "x" })
	if u, err := url.Parse(bare); err != nil || u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.User != nil {
		c.add("address", "such as https://api.example.com/v1", "it must be an https address without a query")
	}
	for _, name := range names(f.Address) {
		i := slices.IndexFunc(f.Credentials, func(k Credential) bool { return k.Name == name })
		if i < 0 || len(f.Credentials[i].Options) == 0 || f.Credentials[i].Secret {
			c.add("address", "give that credential its options", "{%s} is no credential with a closed set of values", name)
		}
	}
}

func (c *checker) credentials() {
	seen := map[string]bool{}
	for i, k := range c.file.Credentials {
		key := fmt.Sprintf("credentials.%d", i)
		switch {
		case !goodName.MatchString(k.Name):
			c.add(key, "such as api_key", "the name %q must be small letters, digits and underscores", k.Name)
		case seen[k.Name] || slices.Contains(taken, k.Name):
			c.add(key, "choose another name", "the name %s is taken", k.Name)
		case k.Title == "" || k.Help == "":
			c.add(key, "write title and help: they are the form that people fill in", "%s has no title or no help", k.Name)
		case soundsSecret.MatchString(k.Name) && !k.Secret:
			c.add(key, "add secret: true", "%s sounds like a secret and is not marked so", k.Name)
		case k.Required && k.Default != "":
			c.add(key, "leave one of them out", "%s is required and has a default", k.Name)
		case len(k.Options) > 0 && k.Default != "" && !slices.Contains(k.Options, k.Default):
			c.add(key, "", "the default of %s is none of its options", k.Name)
		}
		seen[k.Name] = true
	}
}

func (c *checker) login() {
	l := c.file.Login
	if l.Basic == nil && l.Header == nil && l.Query == nil && l.Token == nil {
		c.add("login", "say one of basic, header, query and token", "nothing authenticates the calls")
	}
	sent := map[string][]string{"login.basic": l.Basic, "login.header": slices.Collect(maps.Values(l.Header)), "login.query": slices.Collect(maps.Values(l.Query))}
	if l.Basic != nil && len(l.Basic) != 2 {
		c.add("login.basic", `such as ["{username}", "{password}"]`, "it is a list of a name and a password")
	}
	if t := l.Token; t != nil {
		sent["login.token"] = slices.Concat(slices.Collect(maps.Values(t.Form)), slices.Collect(maps.Values(t.JSON)), t.Basic)
		if u, err := url.Parse(t.Post); err != nil || t.Post == "" || u.Scheme != "https" && !strings.HasPrefix(t.Post, "/") {
			c.add("login.token.post", "such as /oauth/token", "it must be a path or an https address")
		}
		if t.Form != nil && t.JSON != nil {
			c.add("login.token", "leave one of them out", "it is sent as a form or as JSON")
		}
	}
	for key, texts := range sent {
		for _, text := range texts {
			for _, name := range names(text) {
				known := slices.ContainsFunc(c.file.Credentials, func(k Credential) bool { return k.Name == name })
				if !known && (name != "token" || l.Token == nil || key == "login.token") {
					c.add(key, "add it to credentials", "{%s} is no credential", name)
				}
			}
		}
	}
}

// rest checks zone, limits and errors.
func (c *checker) rest() {
	f := c.file
	if _, err := wire.Zone(f.Zone); f.Zone != "" && err != nil {
		c.add("zone", "such as Europe/Berlin, or UTC", "%s", err)
	}
	for i, l := range f.Limits {
		if (l.Requests > 0) != (l.Per > 0) || l.Requests <= 0 && l.Concurrent <= 0 {
			c.add(fmt.Sprintf("limits.%d", i), "such as {requests: 60, per: 1m, concurrent: 2}", "it bounds nothing, or has only half a rate")
		}
	}
	kinds := []string{"credentials", "rate_limited", "temporary", "permanent"} // those of package provider
	for i, e := range f.Errors {
		key := fmt.Sprintf("errors.%d", i)
		if !slices.Contains(kinds, e.Means) {
			c.add(key, "it is one of "+strings.Join(kinds, ", "), "means is %q", e.Means)
		}
		if e.Path != "" && len(e.Is) == 0 || e.Path == "" && e.Status < 400 && e.Contains == "" {
			c.add(key, "say status or contains, or path and is", "nothing says which answer is meant")
		}
	}
}

// texts are those of a request that have names in them.
func (r *Request) texts() []string {
	return slices.Concat([]string{r.Get, r.Post}, slices.Collect(maps.Values(r.Query)), slices.Collect(maps.Values(r.Body)))
}

// uses reports whether a request has a name in it.
func (r *Request) uses(name string) bool {
	return slices.ContainsFunc(r.texts(), func(text string) bool {
		return slices.ContainsFunc(names(text), func(n string) bool { before, _, _ := strings.Cut(n, ":"); return before == name })
	})
}

func (c *checker) request(key string, r *Request) {
	if (r.Get == "") == (r.Post == "") {
		c.add(key, "such as get: /vehicles", "it has no call, or two")
	} else if path := r.Get + r.Post; !strings.HasPrefix(path, "/") {
		c.add(key+".get", "write the host into address, and the path here", "a path begins with a slash")
	}
	for _, text := range r.texts() {
		if strings.Count(text, "{") != strings.Count(text, "}") {
			c.add(key, "write {from} or {to:date}", "a brace of %q is not closed", text)
			continue
		}
		for _, name := range names(text) {
			c.name(key, name)
		}
	}
	chosen := slices.AppendSeq(slices.Collect(maps.Keys(r.Where)), maps.Keys(r.Unless))
	for _, path := range append(chosen, r.Records, r.Record, r.Within) {
		if path != "" && !goodPath.MatchString(path) {
			c.add(key, "such as data.items or position.points[0]", "%q is no path", path)
		}
	}
	if r.Device != nil {
		c.value(key+".device", field{r.Device, text}, []string{"device"})
	}
	if p := r.Pages; p != nil {
		c.pages(key+".pages", p, r)
	}
	for name, d := range map[string]time.Duration{"window": r.Window, "before": r.Before, "after": r.After, "overlap": r.Overlap} {
		if d < 0 {
			c.add(key+"."+name, "", "it is below zero")
		}
	}
}

// name checks a name in a request.
func (c *checker) name(key, name string) {
	name, form, _ := strings.Cut(name, ":")
	i := slices.IndexFunc(c.file.Credentials, func(k Credential) bool { return k.Name == name })
	switch {
	case name == "from" || name == "to":
		if _, ok := forms[form]; !ok {
			c.add(key, "it is one of iso, iso_milli, date, seconds, millis", "%q is no form of a time", form)
		}
	case name == "device" || name == "cursor":
	case i < 0:
		c.add(key, "there are {from}, {to}, {device}, {cursor} and credentials that are not secret", "{%s} is not known", name)
	case c.file.Credentials[i].Secret:
		c.add(key, "a secret stands in login alone", "{%s} is secret", name)
	}
}

func (c *checker) pages(key string, p *Pages, r *Request) {
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
		c.add("positions", "say newest, history or feed", "there is no call for positions")
	case p.Feed != nil && (p.Newest != nil || p.News != nil), p.Newest != nil && p.News != nil:
		c.add("positions", "leave one out", "only one of newest, updates and feed says what is new")
	case p.News != nil && p.Past == nil:
		c.add("positions.updates", "add history", "updates say of which devices the history is read")
	}
	if p.Newest != nil {
		c.request("positions.newest", p.Newest)
		c.required("positions.newest.device", p.Newest.Device, "the path of the device's id")
	}
	if p.Feed != nil {
		c.request("positions.feed", &p.Feed.Request)
		c.required("positions.feed.device", p.Feed.Device, "the path of the device's id")
		if p.Feed.Next == "" || !p.Feed.uses("cursor") {
			c.add("positions.feed", `such as query: {cursor: "{cursor}"} and next: cursor`, "a feed has {cursor} in its call and next in its answer")
		}
	}
	if p.News != nil {
		c.request("positions.updates", &p.News.Request)
		c.required("positions.updates.device", p.News.Device, "the path of the device's id")
		c.required("positions.updates.time", p.News.Time, "the path of the time at which the vendor heard of it")
	}
	if p.Past != nil {
		c.windowed("positions.history", p.Past)
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
	c.request(key, r)
	if r.Window <= 0 {
		c.add(key+".window", "such as 24h", "the longest span of one call is missing")
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
