// Package clientgen generates the typed layers of the Go and Python clients from the OpenAPI
// document: the records, and a method for each operation. Tokens, retries, pages and streams are
// written by hand beside them. A test of package docs compares the committed files with what this
// package generates.
package clientgen

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// document is as much of OpenAPI as a client needs.
type document struct {
	Paths      map[string]map[string]*operation
	Webhooks   map[string]struct{ Post *operation }
	Components struct{ Schemas map[string]*schema }

	// deliveries is what the data of a delivery is, by its type.
	deliveries map[string]string
}

type operation struct {
	OperationID, Summary, Description string
	Tags                              []string
	Parameters                        []parameter
	RequestBody                       *struct {
		Required bool
		Content  map[string]struct{ Schema *schema }
	}
	Responses map[string]struct {
		Headers map[string]any
		Content map[string]struct{ Schema *schema }
	}

	method, path string
}

type parameter struct {
	Name, In, Description string
	Required              bool
	Schema                *schema
}

type schema struct {
	Ref                  string `json:"$ref"`
	OneOf, AnyOf         []*schema
	Type                 any
	Format               string
	Enum                 []any
	Minimum              *float64
	Items                *schema
	Properties           map[string]*schema
	Required             []string
	Description          string
	AdditionalProperties any
	Discriminator        struct{ Mapping map[string]string }
}

// kind is how an operation answers.
type kind int

const (
	answersNothing kind = iota // 204
	answersRecord
	answersList // all of it at once
	answersPages
	answersStream
	answersFile
)

func parse(text []byte) (*document, error) {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	d.deliveries = map[string]string{}
	for typ, hook := range d.Webhooks {
		data := hook.Post.body().Properties["data"]
		name := data.reference()
		if name == "" && len(data.Properties) == 0 {
			continue
		}
		if name == "" {
			// What webhooks alone receive stands in the document where it is used.
			name = goName(typ) + "Data"
			d.lift(name, data)
		}
		d.deliveries[typ] = name
	}
	return &d, nil
}

// lift names a schema that has no name, and those of the lists in it.
func (d *document) lift(name string, s *schema) {
	for _, property := range s.Properties {
		if property.Items != nil && len(property.Items.Properties) > 0 {
			item := name + "Item"
			d.lift(item, property.Items)
			property.Items = &schema{Ref: "#/" + item}
		}
	}
	d.Components.Schemas[name] = s
}

// events is what the data of an event is, by its type.
func (d *document) events() map[string]string {
	out := map[string]string{}
	for typ, ref := range d.Components.Schemas["Event"].Discriminator.Mapping {
		one := d.Components.Schemas[ref[strings.LastIndex(ref, "/")+1:]]
		if name := one.Properties["data"].reference(); name != "" {
			out[typ] = name
		}
	}
	return out
}

// operations are those of the document, by path and then as a record lives.
func (d *document) operations() []*operation {
	var out []*operation
	for path, methods := range d.Paths {
		for method, o := range methods {
			o.method, o.path = strings.ToUpper(method), path
			out = append(out, o)
		}
	}
	order := []string{"GET", "POST", "PUT", "PATCH", "DELETE"}
	slices.SortFunc(out, func(a, b *operation) int {
		return cmp.Or(strings.Compare(a.path, b.path), slices.Index(order, a.method)-slices.Index(order, b.method))
	})
	return out
}

// Operations are the ids of all operations.
func Operations(text []byte) ([]string, error) {
	d, err := parse(text)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, o := range d.operations() {
		ids = append(ids, o.OperationID)
	}
	return ids, nil
}

// body is the schema of what is sent, nil where nothing is.
func (o *operation) body() *schema {
	if o.RequestBody == nil {
		return nil
	}
	return o.RequestBody.Content["application/json"].Schema
}

// answer is the schema of data, and how it comes.
func (o *operation) answer() (*schema, kind) {
	ok, found := o.Responses["200"]
	if !found {
		return nil, answersNothing
	}
	if _, streams := ok.Content["text/event-stream"]; streams {
		return nil, answersStream
	}
	content, found := ok.Content["application/json"]
	if !found {
		return nil, answersFile
	}
	data := content.Schema.Properties["data"]
	if len(data.AnyOf) > 0 && !data.AnyOf[len(data.AnyOf)-1].null() {
		data = data.AnyOf[0] // the others are for those who ask for another format
	}
	switch {
	case !data.is("array"):
		return data, answersRecord
	case ok.Headers["x-next-cursor"] != nil:
		return data.Items, answersPages
	}
	return data.Items, answersList
}

// formats reports whether the operation also answers in formats that are no records.
func (o *operation) formats() bool {
	return slices.ContainsFunc(o.Parameters, func(p parameter) bool { return p.Name == "format" && p.In == "query" })
}

// in are the parameters of a place. Those of a query leave out what the client sets itself.
func (o *operation) in(place string) []parameter {
	var out []parameter
	for _, p := range o.Parameters {
		switch {
		case p.In != place:
		case place == "query" && (p.Name == "format" || p.Name == "last_event_id"):
		default:
			out = append(out, p)
		}
	}
	return out
}

// is reports whether a schema is of a type, or may be besides null.
func (s *schema) is(name string) bool {
	switch t := s.Type.(type) {
	case string:
		return t == name
	case []any:
		return slices.Contains(t, any(name))
	}
	return false
}

// null reports whether a schema allows null alone.
func (s *schema) null() bool { return s.Type == "null" }

// nullable reports whether null is among a schema's values.
func (s *schema) nullable() bool {
	list, _ := s.Type.([]any)
	return slices.Contains(list, any("null")) || slices.ContainsFunc(s.AnyOf, (*schema).null)
}

// reference is the name of the schema that this one refers to, besides null.
func (s *schema) reference() string {
	if s.Ref != "" {
		return s.Ref[strings.LastIndex(s.Ref, "/")+1:]
	}
	for _, part := range s.AnyOf {
		if part.Ref != "" {
			return part.reference()
		}
	}
	return ""
}

// values is what the values of an object are, whatever their keys; nil where that is not
// said.
func (s *schema) values() *schema {
	values, ok := s.AdditionalProperties.(map[string]any)
	if !ok {
		return nil
	}
	one := &schema{Type: values["type"]}
	one.Format, _ = values["format"].(string)
	one.Ref, _ = values["$ref"].(string)
	return one
}

// choice is the schemas that a record is one of.
func (s *schema) choice() []*schema { return slices.Concat(s.OneOf, s.AnyOf) }

// merged is one record with the fields of all that a record may be. A field that
// differs between them has no type.
func (d *document) merged(s *schema) *schema {
	parts := s.choice()
	if len(parts) == 0 {
		return s
	}
	out := &schema{Type: "object", Description: s.Description, Properties: map[string]*schema{}}
	for i, part := range parts {
		one := d.Components.Schemas[part.reference()]
		if i == 0 {
			out.Required = one.Required
		}
		for name, property := range one.Properties {
			out.Properties[name] = common(out.Properties[name], property)
		}
	}
	for name, property := range out.Properties {
		if set := d.set(property.Enum); set != "" {
			out.Properties[name] = &schema{Ref: "#/" + set, Description: property.Description}
		}
	}
	return out
}

// set is the name of the closed set that has all of some values.
func (d *document) set(values []any) string {
	for _, name := range d.schemaNames() {
		have := d.Components.Schemas[name].Enum
		if len(values) > 0 && !slices.ContainsFunc(values, func(v any) bool { return !slices.Contains(have, v) }) {
			return name
		}
	}
	return ""
}

// common is what two schemas of a field have in common.
func common(a, b *schema) *schema {
	switch {
	case a == nil:
		return b
	case a.reference() != b.reference():
		return &schema{Description: a.Description}
	case len(a.Enum) > 0 && len(b.Enum) > 0:
		return &schema{Type: a.Type, Enum: slices.Concat(a.Enum, b.Enum), Description: a.Description}
	case b.nullable() && !a.nullable():
		nullable := *a
		nullable.Type = []any{a.Type, "null"}
		return &nullable
	}
	return a
}

// sent are the names of the schemas that requests have, directly or within others.
func (d *document) sent() map[string]bool {
	names := map[string]bool{}
	var visit func(s *schema)
	visit = func(s *schema) {
		if s == nil {
			return
		}
		if name := s.reference(); name != "" && !names[name] {
			names[name] = true
			visit(d.Components.Schemas[name])
		}
		visit(s.Items)
		for _, property := range s.Properties {
			visit(property)
		}
	}
	for _, o := range d.operations() {
		visit(o.body())
	}
	return names
}

// errorSchemas are what every client has in a type of its own.
var errorSchemas = []string{"Error", "ErrorDetail", "ValidationError", "ValidationDetail"}

// schemaNames are the records and sets, by name, without what another is a choice of:
// that one has the fields of all.
func (d *document) schemaNames() []string {
	left := slices.Clone(errorSchemas)
	for _, s := range d.Components.Schemas {
		for _, part := range s.choice() {
			left = append(left, part.reference())
		}
	}
	names := slices.Sorted(maps.Keys(d.Components.Schemas))
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(left, name) })
}

// fields are the names of a record's fields.
func (s *schema) fields() []string { return slices.Sorted(maps.Keys(s.Properties)) }

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// sentence ends words with a full stop, in one line.
func sentence(words string) string {
	words = strings.Join(strings.Fields(words), " ")
	if words != "" && !strings.HasSuffix(words, ".") {
		words += "."
	}
	return words
}
