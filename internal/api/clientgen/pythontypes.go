package clientgen

import (
	"fmt"
	"slices"
	"strings"
)

const pythonTypesHeader = `"""The records of the service, as dicts whose keys and values type checkers know.

Written from the OpenAPI document by: make generate
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict
`

// PythonTypes is the module with the records and closed sets, in Python.
func PythonTypes(text []byte) ([]byte, error) {
	d, err := parse(text)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString(pythonTypesHeader)
	for _, name := range d.schemaNames() {
		s := d.Components.Schemas[name]
		if len(s.Enum) > 0 {
			fmt.Fprintf(&b, "\n\n# %s\n%s = Literal[%s]\n", sentence(s.Description), name, pythonValues(s.Enum))
			continue
		}
		writePythonRecord(&b, name, d.merged(s))
	}
	return []byte(b.String()), nil
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
	open, line, end := fmt.Sprintf("class %s(%s%s):\n    \"\"\"%s\"\"\"\n\n", name, base, total, sentence(s.Description)), "    %s: %s  # %s\n", ""
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
