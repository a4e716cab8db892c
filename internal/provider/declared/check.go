package declared

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
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
	goodName = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	// soundsSecret are names of credentials that are to be marked as secrets.
	soundsSecret = regexp.MustCompile(`password|passwd|pwd|secret|token|api_?key|(^|_)(key|pin)$|_code$`)
	goodPath     = regexp.MustCompile(`^/?(\.|[^\s.\[\]{}$/]+(\[-?\d+\])*(\.[^\s.\[\]{}$/]+(\[-?\d+\])*)*|(\[-?\d+\])+)$`)
)

// holdsSecret are names of headers and parameters whose value is a secret.
var holdsSecret = regexp.MustCompile(`(?i:authorization|password|passwd|pwd|secret|token|api[_-]?key)$|(?i:(^|[^a-z])(key|pin))$|[a-z](Key|Pin)$`)

// taken are names in requests that no credential may have.
var taken = []string{"token", "device", "from", "to", "cursor", provider.BaseURLField}

// add notes a mistake at a key, given by its path; of a key that is not there, the line is
// that of the part in which it is missing.
func (c *checker) add(key, fix, format string, args ...any) {
	c.mistakes = append(c.mistakes, Mistake{c.line(key), strings.TrimPrefix(key+": ", ": ") + fmt.Sprintf(format, args...), fix})
}

// line is where a key stands.
func (c *checker) line(key string) int {
	line, _ := c.find(key)
	return line
}

// span is from where to where a part goes.
func (c *checker) span(key string) (from, to int) {
	from, node := c.find(key)
	var last func(n *yaml.Node) int
	last = func(n *yaml.Node) int {
		line := n.Line
		for _, part := range n.Content {
			line = max(line, last(part))
		}
		return line
	}
	return from, max(from, last(node))
}

// find returns the line of a key and its value, or those of the part in which it is missing.
func (c *checker) find(key string) (int, *yaml.Node) {
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
	return line, node
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
	if l.Basic != nil && len(l.Basic) != 2 {
		c.add("login.basic", `such as ["{username}", "{password}"]`, "it is a list of a name and a password")
	}
	if t := l.Token; t != nil {
		if u, err := url.Parse(t.Post); err != nil || t.Post == "" || u.Scheme != "https" && !strings.HasPrefix(t.Post, "/") {
			c.add("login.token.post", "such as /oauth/token", "it must be a path or an https address")
		}
		c.answerPath("login.token.at", t.At)
		if u, err := url.Parse(t.Post); err == nil {
			for name := range u.Query() {
				c.literal("login.token.post", name, u.Query().Get(name))
			}
		}
		if t.Form != nil && t.JSON != nil {
			c.add("login.token", "leave one of them out", "it is sent as a form or as JSON")
		}
	}
	for key, text := range l.sent() {
		key = "login." + key
		if !c.closed(key, text) {
			continue
		}
		name := key[strings.LastIndex(key, ".")+1:]
		if strings.HasSuffix(strings.TrimSuffix(key, "."+name), "basic") {
			name = "password"
		}
		c.literal(key, name, text)
		for _, name := range names(text) {
			known := slices.ContainsFunc(c.file.Credentials, func(k Credential) bool { return k.Name == name })
			if !known && (name != "token" || l.Token == nil || strings.HasPrefix(key, "login.token.")) {
				c.add(key, "add it to credentials", "{%s} is no credential", name)
			}
		}
	}
}

// sent are the texts of a login by their keys.
func (l *Login) sent() map[string]string {
	all := map[string]string{}
	put := func(part string, texts map[string]string) {
		for name, text := range texts {
			all[part+"."+name] = text
		}
	}
	pair := func(part string, texts []string) {
		for i, text := range texts {
			all[part+"."+strconv.Itoa(i)] = text
		}
	}
	pair("basic", l.Basic)
	put("header", l.Header)
	put("query", l.Query)
	if t := l.Token; t != nil {
		put("token.form", t.Form)
		put("token.json", t.JSON)
		pair("token.basic", t.Basic)
	}
	return all
}

// literal refuses a secret that is written out: tenants can read the file of their connection,
// and have it sent to a server of their own.
func (c *checker) literal(key, name, text string) {
	if holdsSecret.MatchString(name) && len(text) > 1 && !strings.Contains(text, "{") {
		c.add(key, "write a credential in braces into login, such as {api_key}", "a secret is written out, and tenants can read the file")
	}
}

// closed reports whether the braces of a text are, and notes those that are not.
func (c *checker) closed(key, text string) bool {
	ok := strings.Count(text, "{") == strings.Count(text, "}")
	if !ok {
		c.add(key, "write {name}", "a brace of %q is not closed", text)
	}
	return ok
}

// answerPath checks a path that goes from the beginning of an answer.
func (c *checker) answerPath(key, path string) {
	if path != "" && (!goodPath.MatchString(path) || path[0] == '/') {
		c.add(key, "such as data.items or position.points[0]", "%q is no path", path)
	}
}

// longestTimeout is how long a call may take.
const longestTimeout = 5 * time.Minute

// rest checks times, limits and errors.
func (c *checker) rest() {
	f := c.file
	if _, err := wire.Zone(f.Zone); f.Zone != "" && err != nil {
		c.add("zone", "such as Europe/Berlin, or UTC", "%s", err)
	}
	if f.Layout != "" && !goodLayout(f.Layout) {
		c.add("layout", "write how the vendor would write 15:04:05 on 2 January 2006, such as 02.01.2006 15:04:05", "times cannot be read by %q", f.Layout)
	}
	if f.Timeout != 0 && (f.Timeout < time.Second || f.Timeout > longestTimeout) {
		c.add("timeout", "such as 60s", "a call may take from 1 second to 5 minutes")
	}
	for i, l := range f.Limits {
		if (l.Requests > 0) != (l.Per > 0) || l.Requests <= 0 && l.Concurrent <= 0 {
			c.add(fmt.Sprintf("limits.%d", i), "such as {requests: 60, per: 1m, concurrent: 2}", "it bounds nothing, or has only half a rate")
		}
	}
	kinds := []string{"credentials", "rate_limited", "temporary", "permanent"} // those of package provider
	for i, e := range f.Errors {
		key := fmt.Sprintf("errors.%d", i)
		c.answerPath(key+".path", e.Path)
		if !slices.Contains(kinds, e.Means) {
			c.add(key, "it is one of "+strings.Join(kinds, ", "), "means is %q", e.Means)
		}
		if e.Path != "" && len(e.Is) == 0 || e.Path == "" && e.Status < 400 && e.Contains == "" {
			c.add(key, "say status or contains, or path and is", "nothing says which answer is meant")
		}
	}
}

// goodLayout reports whether a time that is written in a layout is the same when it is read, to
// the minute at least.
func goodLayout(layout string) bool {
	at := time.Date(2026, 11, 23, 17, 48, 0, 0, time.UTC)
	read, err := time.ParseInLocation(layout, at.Format(layout), time.UTC)
	return err == nil && read.Equal(at)
}
