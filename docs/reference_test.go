package docs_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// document is as much of OpenAPI as the page tells.
type document struct {
	Tags       []struct{ Name string }
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]schema }
}

type operation struct {
	Summary, Description string
	Tags                 []string
	Security             []any
	Parameters           []parameter
	RequestBody          *struct {
		Required bool
		Content  map[string]struct{ Schema schema }
	}
	Responses map[string]struct {
		Content map[string]struct{ Schema schema }
	}

	method, path string
}

type parameter struct {
	Name, In, Description string
	Required              bool
	Schema                schema
}

type schema struct {
	Ref                  string `json:"$ref"`
	OneOf, AnyOf         []schema
	Type                 any
	Format               string
	Enum                 []any
	Default              any
	Minimum, Maximum     *float64
	MinLength, MaxLength *int
	MaxItems             *int
	Items                *schema
	Properties           map[string]schema
	Required             []string
	Description          string
	AdditionalProperties any
}

const referenceIntro = `<!-- Written by: make generate -->

# Reference of operations

Every operation with its parameters, its body and its statuses, from the same table that serves it. [interface.md](interface.md) has the rules
that they share; ` + "`GET /openapi.json`" + ` has this page for programs. [Records](#records) are at the end.

Every operation takes the header ` + "`x-api-version`" + `, every POST with a token ` + "`Idempotency-Key`" +
	`. Besides the statuses named, any operation may answer
406, 429, 500 and 503, and one with a body 413 and 415.
`

// shared are described once for all operations.
var (
	sharedParameters = []string{"x-api-version", "Idempotency-Key"}
	sharedStatuses   = []string{"406", "413", "415", "429", "500", "503"}
)

func reference(t *testing.T, text []byte) string {
	t.Helper()
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(referenceIntro)
	for _, tag := range d.Tags {
		fmt.Fprintf(&b, "\n## %s\n", tag.Name)
		for _, o := range d.tagged(tag.Name) {
			d.write(&b, o)
		}
	}
	d.writeSchemas(&b)
	return b.String()
}

// tagged are the operations of a group, by path and then as a record lives.
func (d *document) tagged(tag string) []operation {
	var out []operation
	for path, methods := range d.Paths {
		for method, o := range methods {
			if slices.Contains(o.Tags, tag) {
				o.method, o.path = strings.ToUpper(method), path
				out = append(out, o)
			}
		}
	}
	order := []string{"GET", "POST", "PUT", "PATCH", "DELETE"}
	slices.SortFunc(out, func(a, b operation) int {
		return cmp.Or(strings.Compare(a.path, b.path), slices.Index(order, a.method)-slices.Index(order, b.method))
	})
	return out
}

func (d *document) write(b *strings.Builder, o operation) {
	fmt.Fprintf(b, "\n### %s %s\n\n", o.method, o.path)
	if len(o.Security) == 0 {
		b.WriteString("Without a token. ")
	}
	b.WriteString(o.Description + "\n")
	d.writeInput(b, o)
	fmt.Fprintf(b, "\n%s\n", d.answers(o))
}

// writeInput tells parameters and the fields of the body in one table.
func (d *document) writeInput(b *strings.Builder, o operation) {
	var rows []string
	for _, p := range o.Parameters {
		if !slices.Contains(sharedParameters, p.Name) {
			rows = append(rows, fmt.Sprintf("| `%s` | %s | %s | %s | %s |\n", p.Name, p.In, d.typeOf(p.Schema), required(p.Required), p.Description))
		}
	}
	if o.RequestBody != nil {
		body := d.resolve(o.RequestBody.Content["application/json"].Schema)
		for _, name := range fieldOrder(body) {
			rows = append(rows, fmt.Sprintf("| `%s` | body | %s | %s | %s |\n", name, d.typeOf(body.Properties[name]),
				required(slices.Contains(body.Required, name)), body.Properties[name].Description))
		}
	}
	if len(rows) > 0 {
		b.WriteString("\n| name | in | type | required | |\n|---|---|---|---|---|\n" + strings.Join(rows, ""))
	}
}

// fieldOrder puts required fields first.
func fieldOrder(s schema) []string {
	return slices.SortedFunc(maps.Keys(s.Properties), func(a, b string) int {
		if x, y := slices.Contains(s.Required, a), slices.Contains(s.Required, b); x != y {
			return map[bool]int{true: -1, false: 1}[x]
		}
		return strings.Compare(a, b)
	})
}

func required(yes bool) string {
	if yes {
		return "yes"
	}
	return ""
}

func (d *document) answers(o operation) string {
	var good, bad []string
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		switch {
		case slices.Contains(sharedStatuses, status):
		case status < "300":
			good = append(good, status+d.answer(o, status))
		default:
			bad = append(bad, status)
		}
	}
	return "Answers " + strings.Join(good, ", ") + "; errors " + strings.Join(bad, ", ") + "."
}

// answer names what a success holds.
func (d *document) answer(o operation, status string) string {
	content := o.Responses[status].Content
	if len(content) == 0 {
		return " without a body"
	}
	body, ok := content["application/json"]
	if !ok {
		return " with " + strings.Join(slices.Sorted(maps.Keys(content)), ", ")
	}
	return " with " + d.typeOf(body.Schema.Properties["data"])
}

func (d *document) resolve(s schema) schema {
	if s.Ref == "" {
		return s
	}
	return d.Components.Schemas[refName(s.Ref)]
}

func refName(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// typeOf tells a type and its bounds in words.
func (d *document) typeOf(s schema) string {
	if s.Ref != "" {
		name := refName(s.Ref)
		return "[" + name + "](#" + strings.ToLower(name) + ")"
	}
	if choices := slices.Concat(s.OneOf, s.AnyOf); len(choices) > 0 {
		names := make([]string, len(choices))
		for i, choice := range choices {
			names[i] = d.typeOf(choice)
		}
		return strings.Join(names, ", or ")
	}
	name, nullable := typeName(s)
	out := []string{name}
	switch {
	case s.Items != nil:
		out[0] = "list of " + d.typeOf(*s.Items)
	case len(s.Enum) > 12:
		out[0] = "one of a closed set"
	case len(s.Enum) > 0:
		out[0] = "one of " + codes(s.Enum)
	}
	out = append(out, bounds(s)...)
	if s.Default != nil {
		out = append(out, fmt.Sprintf("default `%v`", s.Default))
	}
	if nullable {
		out = append(out, "or null")
	}
	return strings.Join(out, ", ")
}

// writeSchemas tells every record with its fields, and every closed set.
func (d *document) writeSchemas(b *strings.Builder) {
	b.WriteString("\n## Records\n\nWhat operations take and answer. Every field of an answer is always there, unless it says otherwise.\n")
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		s := d.Components.Schemas[name]
		fmt.Fprintf(b, "\n### %s\n\n%s\n", name, s.Description)
		switch {
		case len(s.OneOf)+len(s.AnyOf) > 0:
			fmt.Fprintf(b, "\nOne of %s.\n", d.typeOf(schema{OneOf: s.OneOf, AnyOf: s.AnyOf}))
		case len(s.Enum) > 0:
			fmt.Fprintf(b, "\n%s.\n", codes(s.Enum))
		case len(s.Properties) > 0:
			b.WriteString("\n| field | type | |\n|---|---|---|\n")
			for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
				fmt.Fprintf(b, "| `%s` | %s | %s |\n", key, d.typeOf(s.Properties[key]), s.Properties[key].Description)
			}
		}
	}
}

func bounds(s schema) []string {
	var out []string
	if s.Minimum != nil && s.Maximum != nil {
		out = append(out, fmt.Sprintf("%g…%g", *s.Minimum, *s.Maximum))
	}
	switch {
	case s.MinLength != nil && s.MaxLength != nil:
		out = append(out, fmt.Sprintf("%d…%d characters", *s.MinLength, *s.MaxLength))
	case s.MinLength != nil && *s.MinLength == 1:
		out = append(out, "not empty")
	case s.MaxLength != nil:
		out = append(out, fmt.Sprintf("at most %d characters", *s.MaxLength))
	}
	if s.MaxItems != nil {
		out = append(out, fmt.Sprintf("at most %d items", *s.MaxItems))
	}
	return out
}

// typeName is the JSON type, by the name of its format where that says more.
func typeName(s schema) (name string, nullable bool) {
	switch t := s.Type.(type) {
	case string:
		name = t
	case []any:
		for _, one := range t {
			if one == "null" {
				nullable = true
			} else {
				name, _ = one.(string)
			}
		}
	}
	switch s.Format {
	case "date-time":
		name = "timestamp"
	case "date":
		name = "date"
	}
	return name, nullable
}

func codes(values []any) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = fmt.Sprintf("`%v`", v)
	}
	return strings.Join(out, ", ")
}
