package clientgen

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const pythonTypesHeader = `"""The records of the service, as dicts whose keys and values type checkers know.

Written from the OpenAPI document by: make generate
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union
`

// PythonTypes is the module with the records and closed sets, in Python.
func PythonTypes(text []byte) ([]byte, error) {
	d, err := parse(text)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString(pythonTypesHeader)
	var choices []choice
	for _, name := range d.schemaNames() {
		s := d.Components.Schemas[name]
		if len(s.Enum) > 0 {
			fmt.Fprintf(&b, "\n\n# %s\n%s = Literal[%s]\n", sentence(s.Description), name, pythonValues(s.Enum))
			continue
		}
		if len(s.Discriminator.Mapping) == 0 {
			writePythonRecord(&b, name, d.merged(s))
			continue
		}
		var parts []string
		for _, part := range s.choice() {
			parts = append(parts, part.reference())
			writePythonRecord(&b, part.reference(), d.Components.Schemas[part.reference()])
		}
		choices = append(choices, choice{name, s.Description, parts})
	}
	choices = append(choices, writePythonDeliveries(&b, d))
	// A choice names classes, which must be there by then.
	for _, c := range choices {
		fmt.Fprintf(&b, "\n\n# %s\n%s = Union[%s]\n", sentence(c.words), c.name, strings.Join(c.parts, ", "))
	}
	return []byte(b.String()), nil
}

// choice is a record that is one of several, by its type.
type choice struct {
	name, words string
	parts       []string
}

// writePythonDeliveries writes what a webhook receives, a class for each kind of data.
func writePythonDeliveries(b *strings.Builder, d *document) choice {
	all := choice{"Delivery", "What a webhook receives; type says what data is", nil}
	for _, record := range slices.Compact(slices.Sorted(maps.Values(d.deliveries))) {
		var types []any
		for _, typ := range slices.Sorted(maps.Keys(d.deliveries)) {
			if d.deliveries[typ] == record {
				types = append(types, typ)
			}
		}
		body := d.Webhooks[types[0].(string)].Post.body()
		s := *body
		s.Properties, s.Required = maps.Clone(body.Properties), append(slices.Clone(body.Required), "id")
		s.Properties["type"] = &schema{Type: "string", Enum: types, Description: body.Properties["type"].Description}
		s.Properties["data"] = &schema{Ref: "#/" + record, Description: body.Properties["data"].Description}
		s.Properties["id"] = &schema{Type: "string", Description: "webhook-id of its headers, which is the same for every attempt"}
		name := strings.TrimSuffix(record, "Data") + "Delivery"
		all.parts = append(all.parts, name)
		writePythonRecord(b, name, &s)
	}
	return all
}

func pythonValues(values []any) string {
	var out []string
	for _, v := range values {
		out = append(out, fmt.Sprintf("%q", v))
	}
	return strings.Join(out, ", ")
}

// writePythonRecord writes a record. Where some keys may be absent and others not, there
// is a class of either, of which one goes on from the other: Python 3.9 knows no other way
// to say so.
func writePythonRecord(b *strings.Builder, name string, s *schema) {
	always, maybe := pythonKeys{total: true}, pythonKeys{}
	for _, field := range s.fields() {
		if slices.Contains(s.Required, field) {
			always.fields = append(always.fields, field)
		} else {
			maybe.fields = append(maybe.fields, field)
		}
	}
	first, second := always, maybe
	if maybe.words() {
		first, second = maybe, always
	}
	switch {
	case len(second.fields) == 0:
		first.write(b, name, "TypedDict", s)
	case len(first.fields) == 0:
		second.write(b, name, "TypedDict", s)
	default:
		first.write(b, "_"+name, "TypedDict", s)
		second.write(b, name, "_"+name, s)
	}
}

// pythonKeys are keys of a record that are all there, or may all be absent.
type pythonKeys struct {
	fields []string
	total  bool
}

// words reports whether a key is a word of Python's own, which no class can have.
func (k pythonKeys) words() bool {
	return slices.ContainsFunc(k.fields, func(f string) bool { return pythonParam(f) != f })
}

func (k pythonKeys) write(b *strings.Builder, name, base string, s *schema) {
	total := ""
	if !k.total {
		total = ", total=False"
	}
	open, line, end := fmt.Sprintf("class %s(%s%s):\n    \"\"\"%s\"\"\"\n\n", name, base, total, sentence(s.Description)),
		"    %s: %s  # %s\n", ""
	if k.words() {
		open, line, end = fmt.Sprintf("# %s\n%s = TypedDict(%q, {\n", sentence(s.Description), name, name), "    %q: %q,  # %s\n", "}"+total+")\n"
	}
	b.WriteString("\n\n" + open)
	for _, field := range k.fields {
		fmt.Fprintf(b, line, field, pythonType(s.Properties[field]), sentence(s.Properties[field].Description))
	}
	b.WriteString(end)
}

// pythonType is the type of a value. Times stay texts, as they are sent.
func pythonType(s *schema) string {
	typ := pythonValueType(s)
	if s.nullable() && typ != "Any" {
		return "Optional[" + typ + "]"
	}
	return typ
}

func pythonValueType(s *schema) string {
	if len(s.AnyOf) > 1 && !s.nullable() {
		return "str" // of a set and more texts
	}
	if name := s.reference(); name != "" {
		return name
	}
	switch {
	case s.is("string") && len(s.Enum) > 0:
		return "Literal[" + strings.ReplaceAll(pythonValues(s.Enum), `"`, "'") + "]"
	case s.is("string"):
		return "str"
	case s.is("integer"):
		return "int"
	case s.is("number"):
		return "float"
	case s.is("boolean"):
		return "bool"
	case s.null():
		return "None"
	case s.is("array"):
		return "List[" + pythonType(s.Items) + "]"
	case s.is("object"):
		if one := s.values(); one != nil {
			return "Dict[str, " + pythonType(one) + "]"
		}
		return "Dict[str, Any]"
	}
	return "Any"
}
