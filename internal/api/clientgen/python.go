package clientgen

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

const pythonHeader = `"""A method for each operation of the service.

Written from the OpenAPI document by: make generate
"""

from __future__ import annotations

import datetime
from typing import Any, Dict, Iterator, List, Literal, Mapping, Optional, Sequence, Union
from urllib.parse import quote

from . import types

#: A time: a datetime with a zone, or a text of RFC 3339.
Time = Union[str, datetime.datetime]
#: Headers of a request.
Headers = Optional[Mapping[str, str]]
#: Takes the headers of the answer, with names in lower case.
Answer = Optional[Dict[str, str]]


class Operations:
    """The operations, named as in the document. Parameters that are left out are not
    sent; bodies and answers are dicts, whose keys are in types. Lists that come in pages are
    generators, which fetch the next page when it is needed; a cursor is where they begin."""

    def call(self, method: str, path: str, query: Optional[Mapping[str, Any]] = None, body: Any = None, headers: Headers = None, answer: Answer = None) -> Any:
        raise NotImplementedError

    def list(self, path: str, query: Optional[Mapping[str, Any]] = None, headers: Headers = None, answer: Answer = None) -> Iterator[Any]:
        raise NotImplementedError
`

// PythonOperations is the module with a method for each operation, in Python. Those
// that answer with a stream or a file are written by hand.
func PythonOperations(text []byte) ([]byte, error) {
	d, err := parse(text)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString(pythonHeader)
	for _, o := range d.operations() {
		if _, how := o.answer(); how != answersStream && how != answersFile {
			writePython(&b, o, how)
		}
	}
	return []byte(b.String()), nil
}

func writePython(b *strings.Builder, o *operation, how kind) {
	args, query := []string{"self"}, []string{}
	for _, p := range o.in("path") {
		args = append(args, p.Name+": str")
	}
	sent := ""
	if s := o.body(); s != nil {
		sent = ", body=body"
		if o.RequestBody.Required {
			args = append(args, "body: "+pythonRecord(s))
		} else {
			args = append(args, "body: Optional["+pythonRecord(s)+"] = None")
		}
	}
	var required, optional []string
	for _, p := range o.in("query") {
		query = append(query, fmt.Sprintf("%q: %s", p.Name, pythonParam(p.Name)))
		if p.Required {
			required = append(required, pythonParam(p.Name)+": "+pythonGiven(p.Name, p.Schema))
		} else {
			optional = append(optional, pythonParam(p.Name)+": Optional["+pythonGiven(p.Name, p.Schema)+"] = None")
		}
	}
	args = slices.Concat(args, []string{"*"}, required, optional, []string{"headers: Headers = None", "answer: Answer = None"})
	fmt.Fprintf(b, "\n    def %s(%s) -> %s:\n        \"\"\"%s %s: %s\"\"\"\n", PythonName(o.OperationID), strings.Join(args, ", "),
		pythonAnswer(o), o.method, o.path, sentence(o.Description))
	given := "None"
	if len(query) > 0 {
		given = "{" + strings.Join(query, ", ") + "}"
	}
	if how == answersPages {
		fmt.Fprintf(b, "        return self.list(%s, %s, headers=headers, answer=answer)\n", pythonPath(o.path), given)
		return
	}
	fmt.Fprintf(b, "        return self.call(%q, %s, %s%s, headers=headers, answer=answer)\n", o.method, pythonPath(o.path), given, sent)
}

// pythonAnswer is the type of what a method returns.
func pythonAnswer(o *operation) string {
	s, how := o.answer()
	switch how {
	case answersPages:
		return "Iterator[" + pythonRecord(s) + "]"
	case answersList:
		return "List[" + pythonRecord(s) + "]"
	case answersRecord:
		return pythonRecord(s)
	case answersNothing, answersStream, answersFile:
	}
	return "None"
}

// pythonGiven is the type of a parameter, which may be given in more ways than it is sent.
// That of a feed begins with a time, or now.
func pythonGiven(name string, s *schema) string {
	switch {
	case s.is("string") && (s.Format == "date-time" || name == "from"):
		return "Time"
	case s.is("array"):
		return "Sequence[" + pythonRecord(s.Items) + "]"
	}
	return pythonRecord(s)
}

// pythonRecord is the type of a value, outside of the module that has the types.
func pythonRecord(s *schema) string {
	typ, of := pythonType(s), s
	if s.is("array") {
		of = s.Items
	}
	if name := of.reference(); name != "" {
		return strings.Replace(typ, name, "types."+name, 1)
	}
	return typ
}

// pythonPath is the expression of a path with its parameters in it.
func pythonPath(path string) string {
	parts := fmt.Sprintf("%q", path)
	for _, m := range placeholder.FindAllStringSubmatch(path, -1) {
		parts = strings.ReplaceAll(parts, m[0], `" + quote(`+m[1]+`, safe="") + "`)
	}
	return strings.TrimSuffix(parts, ` + ""`)
}

// pythonParam is a parameter's name, with a line behind it where Python has a word of
// its own.
func pythonParam(name string) string {
	if name == "from" {
		return "from_"
	}
	return name
}

// PythonName is the name of an operation's method.
func PythonName(id string) string {
	var b strings.Builder
	runes := []rune(id)
	for i, r := range runes {
		if unicode.IsUpper(r) {
			before, after := i > 0 && !unicode.IsUpper(runes[i-1]), i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1])
			plural := after && runes[i+1] == 's' && i+2 == len(runes)
			// A capital begins a word, but for those of an initialism and its plural.
			if before || after && !plural {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
