package declared

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// document is an OpenAPI document.
type document struct{ root map[string]any }

// deref follows references within the document.
func (d *document) deref(v any) map[string]any {
	object, _ := v.(map[string]any)
	for range 8 {
		ref, ok := object["$ref"].(string)
		if !ok {
			return object
		}
		object, _ = follow(d.root, strings.ReplaceAll(strings.TrimPrefix(ref, "#/"), "/", ".")).(map[string]any)
	}
	return nil
}

// sampleDepth is how far objects lie within each other in a sample.
const sampleDepth = 6

// sample makes an answer of a schema.
func (d *document) sample(schema any, depth int) any {
	s := d.deref(schema)
	if s == nil || depth > sampleDepth {
		return nil
	}
	if example, ok := s["example"]; ok && isScalar(example) {
		return example
	}
	for _, several := range []string{"allOf", "oneOf", "anyOf"} {
		parts, _ := s[several].([]any)
		merged := map[string]any{}
		for i, part := range parts {
			if object, ok := d.sample(part, depth).(map[string]any); ok && (several == "allOf" || i == 0) {
				maps.Copy(merged, object)
			}
		}
		if len(merged) > 0 {
			return merged
		}
	}
	properties, _ := s["properties"].(map[string]any)
	switch kind, _ := s["type"].(string); {
	case kind == "array":
		return []any{d.sample(s["items"], depth+1)}
	case len(properties) > 0:
		object := map[string]any{}
		for name, inner := range properties {
			object[name] = d.sample(inner, depth+1)
		}
		return object
	case kind == "integer", kind == "number":
		return 1
	case kind == "boolean":
		return true
	case s["format"] == "date-time":
		return "2026-01-02T03:04:05Z"
	case kind == "string":
		return "text"
	}
	return nil
}

// answer is that of an operation: its example or one of its schema.
func (d *document) answer(operation map[string]any) any {
	response := d.deref(follow(operation, "responses.200"))
	if schema, ok := response["schema"]; ok { // version 2
		return d.sample(schema, 0)
	}
	content, _ := follow(response, "content").(map[string]any)
	media, _ := content["application/json"].(map[string]any)
	if example, ok := media["example"]; ok {
		return example
	}
	examples, _ := media["examples"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(examples)) {
		if value, ok := d.deref(examples[name])["value"]; ok {
			return value
		}
	}
	return d.sample(media["schema"], 0)
}

var (
	fleetPath = regexp.MustCompile(`(?i)(vehicle|device|unit|asset|object|tracker)s?(/list)?(\.json)?$`)
	pageParam = map[string]*regexp.Regexp{
		"number": regexp.MustCompile(`(?i)^page(_?(no|number))?$`), "skip": regexp.MustCompile(`(?i)^(skip|offset)$`),
		"cursor": regexp.MustCompile(`(?i)^(cursor|after|next_?(page_?)?token|continuation_?token)$`),
	}
	sizeParam = regexp.MustCompile(`(?i)^(limit|per_?page|page_?size)$`)
)

// call describes the call of a path, and how its pages are asked for.
func (d *document) call(path string, operation map[string]any) call {
	c := call{path: path, answer: d.answer(operation)}
	parameters, _ := operation["parameters"].([]any)
	for _, one := range parameters {
		p := d.deref(one)
		name, _ := p["name"].(string)
		if p["in"] != "query" {
			continue
		}
		if sizeParam.MatchString(name) {
			c.query = append(c.query, name+`: "100"`)
		}
		for way, names := range pageParam {
			if !names.MatchString(name) || c.pages != "" {
				continue
			}
			if c.pages = way + ": " + name; way == "number" {
				c.pages += ", size: 100"
			}
			if way == "cursor" {
				values := map[string]any{}
				leaves(c.answer, "", values)
				c.pages += ", next: " + orTodo(named(regexp.QuoteMeta(name)+`|next\w*|cursor`, func(any) bool { return true }).find(values), "the path of the next cursor")
			}
		}
	}
	return c
}

// fromOpenAPI finds the calls that list devices and positions.
func (d *draft) fromOpenAPI(doc *document) error {
	if title, ok := follow(doc.root, "info.title").(string); ok {
		d.title = fmt.Sprintf("%q", title)
		d.guess("title: %s", title)
	}
	if address, ok := follow(doc.root, "servers[0].url").(string); ok && strings.HasPrefix(address, "https://") {
		d.address = strings.TrimSuffix(address, "/")
	} else if host, ok := doc.root["host"].(string); ok {
		base, _ := doc.root["basePath"].(string)
		d.address = "https://" + host + strings.TrimSuffix(base, "/")
	}
	d.authenticate(doc)
	paths, _ := doc.root["paths"].(map[string]any)
	best, most := -1, -1
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		operation, ok := follow(paths[path], "get").(map[string]any)
		if !ok || strings.Contains(path, "{") {
			continue
		}
		c := doc.call(path, operation)
		_, list := rows(c.answer)
		values := map[string]any{}
		if len(list) > 0 {
			leaves(list[0], "", values)
		}
		found := 0
		for _, w := range []wanted{wantLatitude, wantLongitude, wantTime, wantID, wantSpeed} {
			if w.find(values) != "" {
				found++
			}
		}
		if found > best && wantLatitude.find(values) != "" {
			best, d.newest = found, c
		}
		score := 0
		for _, w := range []wanted{wantID, wantName, wantPlate} {
			if w.find(values) != "" {
				score++
			}
		}
		if fleetPath.MatchString(path) {
			score += 2
		}
		if len(list) > 0 && score > most {
			most, d.devices = score, c
		}
	}
	if best < 0 {
		return errors.New("none of the document's calls gives a list with latitudes: record an answer, and make the file of that")
	}
	d.guess("devices are listed by GET %s, and their newest positions by GET %s", d.devices.path, d.newest.path)
	return nil
}

// authenticate takes the first way that the document names and a file knows.
func (d *draft) authenticate(doc *document) {
	schemes, ok := follow(doc.root, "components.securitySchemes").(map[string]any)
	if !ok {
		schemes, _ = doc.root["securityDefinitions"].(map[string]any)
	}
	for _, name := range slices.Sorted(maps.Keys(schemes)) {
		s := doc.deref(schemes[name])
		parameter, _ := s["name"].(string)
		token, _ := follow(s, "flows.clientCredentials.tokenUrl").(string)
		switch {
		case s["type"] == "apiKey" && s["in"] == "header":
			d.login = []string{fmt.Sprintf(`  header: {%s: "{api_key}"}`, parameter)}
		case s["type"] == "apiKey" && s["in"] == "query":
			d.login = []string{fmt.Sprintf(`  query: {%s: "{api_key}"}`, parameter)}
		case s["type"] == "http" && s["scheme"] == "bearer":
			d.login = []string{`  header: {Authorization: "Bearer {api_key}"}`}
		case s["type"] == "http" || s["type"] == "basic":
			d.login = []string{`  basic: ["{username}", "{password}"]`}
			d.credentials = []string{
				"  - {name: username, title: User name, required: true, help: " + todo("which user") + "}",
				"  - {name: password, title: Password, required: true, secret: true, help: Of the same user.}",
			}
		case token != "":
			d.login = []string{
				`  header: {Authorization: "Bearer {token}"}`,
				fmt.Sprintf(`  token: {post: %q, form: {grant_type: client_credentials, client_id: "{client_id}", client_secret: "{client_secret}"}}`, token),
			}
			d.credentials = []string{
				"  - {name: client_id, title: Client id, required: true, help: " + todo("where one gets it") + "}",
				"  - {name: client_secret, title: Client secret, required: true, secret: true, help: Of the same application.}",
			}
		default:
			continue
		}
		d.guess("login: as the document's %s says", name)
		return
	}
}
