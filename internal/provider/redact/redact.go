// Package redact describes the answers of a vendor without their values: the calls, the fields and
// their formats. Its output can be shared.
package redact

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fields are the forms of values by the path of their field: vehicles[].id is text.
type Fields map[string]map[string]bool

const (
	// maxFields bounds the fields of one description.
	maxFields = 300
	// hidden stands for what may be someone's: an id, a plate, a name.
	hidden = "{…}"
	// manyKeys is where an object is taken for a list by key rather than a record.
	manyKeys = 60
)

// Read adds the fields of an answer. Text that is neither JSON nor XML is one of the
// form "text".
func (f Fields) Read(body []byte) {
	body = bytes.TrimSpace(body)
	switch {
	case len(body) == 0:
		f.add("", "empty")
	case body[0] == '<':
		f.readXML(body)
	default:
		var value any
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.UseNumber()
		if decoder.Decode(&value) != nil {
			f.add("", "text that is no JSON")
			return
		}
		f.walk("", value)
	}
}

func (f Fields) walk(path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if len(v) > manyKeys {
				key = hidden
			}
			f.walk(join(path, safeKey(key)), inner)
		}
	case []any:
		if len(v) == 0 {
			f.add(path+"[]", "none")
		}
		for _, inner := range v {
			f.walk(path+"[]", inner)
		}
	default:
		f.add(path, form(value))
	}
}

func (f Fields) readXML(body []byte) {
	decoder := xml.NewDecoder(bytes.NewReader(body))
	var path []string
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			f.add("", "text that is no XML")
			return
		}
		switch t := token.(type) {
		case xml.StartElement:
			path = append(path, safeKey(t.Name.Local))
			for _, a := range t.Attr {
				f.add(strings.Join(path, ".")+"@"+safeKey(a.Name.Local), form(a.Value))
			}
		case xml.EndElement:
			path = path[:max(0, len(path)-1)]
		case xml.CharData:
			if text := strings.TrimSpace(string(t)); text != "" {
				f.add(strings.Join(path, "."), form(text))
			}
		}
	}
}

func (f Fields) add(path, form string) {
	if f[path] == nil {
		if len(f) >= maxFields {
			return
		}
		f[path] = map[string]bool{}
	}
	f[path][form] = true
}

// List returns each field with its forms, by path.
func (f Fields) List() []string {
	var out []string
	for _, path := range slices.Sorted(maps.Keys(f)) {
		forms := strings.Join(slices.Sorted(maps.Keys(f[path])), ", ")
		if path == "" {
			path = "(whole)"
		}
		out = append(out, path+": "+forms)
	}
	return out
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// word is what a programmer calls a field. Keys that are data, such as ids and
// plates, mostly are none: they have more digits, spaces or other signs.
var word = regexp.MustCompile(`^[A-Za-z_$@][A-Za-z_$@.:-]*[0-9]{0,2}[A-Za-z_.-]*$`)

func safeKey(key string) string {
	if len(key) <= 40 && word.MatchString(key) {
		return key
	}
	return hidden
}

// form names how a value is written, never what it is.
func form(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "decimal"
		}
		return "integer"
	case string:
		return textForm(v)
	}
	return "?"
}

// times are the layouts of times in texts, with a name for each.
var times = [][2]string{
	{"time with zone", time.RFC3339},
	{"time with zone, no colon", "2006-01-02T15:04:05Z0700"},
	{"time without zone", "2006-01-02T15:04:05"},
	{"time with a blank, no zone", "2006-01-02 15:04:05"},
	{"time with a blank and a zone", "2006-01-02 15:04:05Z07"},
	{"date", time.DateOnly},
}

func textForm(text string) string {
	switch text {
	case "":
		return "empty text"
	case "true", "false":
		return "true or false as text"
	}
	for _, t := range times {
		if _, err := time.Parse(t[1], text); err == nil {
			return t[0]
		}
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return "number as text"
	}
	return "text"
}

// segment is a part of a path that is the vendor's own word.
var segment = regexp.MustCompile(`^([a-z][a-z_.-]*|v[0-9.]+|[A-Z][A-Za-z]*[a-z][A-Za-z]*)$`)

// Path returns the path of a call without what may be an id or a plate. Known are
// words that are: ids, plates and names of this account.
func Path(path string, known func(string) bool) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if part != "" && (!segment.MatchString(part) || known(part)) {
			parts[i] = hidden
		}
	}
	return strings.Join(parts, "/")
}
