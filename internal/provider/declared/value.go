package declared

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// Value says where a value lies in a record, and in which unit it is. In a file it is a path,
// a text with paths in braces, an object with more, or a list of which the first value that is
// known counts.
type Value struct {
	Path string
	Text string // with paths in braces
	// Minus is what is taken away from the number: of a counter at the end, that at the start.
	Minus string
	Unit  string
	// Factor makes the right unit of another one; zero is 1.
	Factor float64
	// Words are those that stand for true and false, and Else what any other means.
	Words map[string]bool
	Else  *bool
	// ZeroUnknown says that 0 stands for what is not known.
	ZeroUnknown bool
	// Printable leaves out what is no text: readers fill ids up with zeros.
	Printable bool

	first []*Value
	line  int
	fault string
}

// valueKeys are the keys of an object.
var valueKeys = []string{"path", "text", "minus", "unit", "factor", "words", "else", "zero_is_unknown", "printable"}

// UnmarshalYAML reads any of the forms. What is wrong is kept for the check, which has better
// words for it than the decoder.
func (v *Value) UnmarshalYAML(node *yaml.Node) error {
	v.line = node.Line
	switch node.Kind {
	case yaml.ScalarNode:
		if strings.Contains(node.Value, "{") {
			v.Text = node.Value
		} else {
			v.Path = node.Value
		}
	case yaml.SequenceNode:
		for _, item := range node.Content {
			one := &Value{}
			if err := one.UnmarshalYAML(item); err != nil {
				return err
			}
			v.first = append(v.first, one)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			if key := node.Content[i].Value; !slices.Contains(valueKeys, key) {
				v.line, v.fault = node.Content[i].Line, fmt.Sprintf("a value has no %q; it has %s", key, strings.Join(valueKeys, ", "))
				return nil
			}
		}
		var plain struct {
			Path, Text, Minus, Unit string
			Factor                  float64
			Words                   map[string]bool
			Else                    *bool
			ZeroUnknown             bool `yaml:"zero_is_unknown"`
			Printable               bool
		}
		if err := node.Decode(&plain); err != nil {
			v.fault = "it cannot be read: " + plainWords(err.Error())
			return nil
		}
		v.Path, v.Text, v.Minus, v.Unit, v.Factor = plain.Path, plain.Text, plain.Minus, plain.Unit, plain.Factor
		v.Words, v.Else, v.ZeroUnknown, v.Printable = plain.Words, plain.Else, plain.ZeroUnknown, plain.Printable
	default:
		v.fault = "it is no value"
	}
	return nil
}

// scope is what values of one record are taken from.
type scope struct {
	row    any // the record
	within any // the object in which fields lie
	vars   map[string]string
}

// at returns what a path leads to; nil where there is nothing.
func (s scope) at(path string) any {
	if name, ok := strings.CutPrefix(path, "$"); ok {
		if text, known := s.vars[name]; known {
			return text
		}
		return nil
	}
	if rest, ok := strings.CutPrefix(path, "/"); ok {
		return follow(s.row, rest)
	}
	return follow(s.within, path)
}

// follow goes along a path: names with dots between them, and numbers of a list in brackets,
// of which negative ones count from its end. A dot alone is the value itself.
func follow(v any, path string) any {
	for step := range steps(path) {
		switch at := v.(type) {
		case map[string]any:
			v = at[step]
		case []any:
			i, err := strconv.Atoi(step)
			if i < 0 {
				i += len(at)
			}
			if err != nil || i < 0 || i >= len(at) {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

// steps are those of a path. Each value of each record asks for them, so none are kept.
func steps(path string) iter.Seq[string] {
	return strings.FieldsFuncSeq(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
}

// scalar returns the text of a value as it was written; "" where it is none.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	default:
		return ""
	}
}

// said is what a record has for the value alone, not for those of its list: its text with
// what lies at the paths, or what lies at its path; "" where the record has none of it.
func (v *Value) said(s scope) string {
	switch {
	case v.Text != "":
		known := !strings.Contains(v.Text, "{")
		t := fill(v.Text, func(path string) string {
			part := scalar(s.at(path))
			known = known || part != ""
			return part
		})
		if known {
			return t
		}
	case v.Path != "":
		return scalar(s.at(v.Path))
	}
	return ""
}

// text returns the value as a text without blanks around it; nil where nothing is left.
func (v *Value) text(s scope) *string {
	if v == nil {
		return nil
	}
	for _, one := range v.first {
		if t := one.text(s); t != nil {
			return t
		}
	}
	t := v.said(s)
	if v.ZeroUnknown && t == "0" {
		return nil
	}
	if v.Printable {
		t = strings.Map(func(r rune) rune {
			if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
				return -1
			}
			return r
		}, t)
	}
	return wire.Text(t).Ptr()
}

// number returns the value as a number in the unit of the file; nil where it is none. Numbers
// that are written as texts are numbers.
func (v *Value) number(s scope) *float64 {
	if v == nil {
		return nil
	}
	for _, one := range v.first {
		if n := one.number(s); n != nil {
			return n
		}
	}
	n := wire.Gauge(strings.TrimSpace(v.said(s))).Ptr()
	if v.Words != nil {
		n = wire.Map(v.boolean(s), func(on bool) float64 { return map[bool]float64{true: 1}[on] })
	}
	if n == nil || v.ZeroUnknown && *n == 0 {
		return nil
	}
	if v.Minus != "" {
		m := wire.Gauge(strings.TrimSpace(scalar(s.at(v.Minus)))).Ptr()
		if v.Path == "$elapsed" {
			return wire.Without(m, *n)
		}
		if n = wire.Difference(m, n); n == nil {
			return nil
		}
	}
	return new(v.convert(*n))
}

// units are those of a file, and what makes the interface's of them.
var units = map[string]func(float64) float64{
	"": same, "kmh": same, "m": same, "s": same, "degrees": same, "percent": same, "litres": same,
	"mph": wire.KPHFromMPH, "knots": wire.KPHFromKnots, "ms": func(v float64) float64 { return v * 3.6 },
	"km": wire.MetresFromKM, "miles": wire.MetresFromMiles,
	"milliseconds": func(v float64) float64 { return v / 1000 }, "minutes": func(v float64) float64 { return v * 60 },
	"hours": func(v float64) float64 { return v * 3600 }, "microdegrees": wire.Degrees,
}

func same(v float64) float64 { return v }

func (v *Value) convert(n float64) float64 {
	if v.Factor != 0 {
		n *= v.Factor
	}
	if to, ok := units[v.Unit]; ok {
		return to(n)
	}
	return n
}

// boolean returns the value as true or false; nil where it is neither.
func (v *Value) boolean(s scope) *bool {
	if v == nil {
		return nil
	}
	for _, one := range v.first {
		if b := one.boolean(s); b != nil {
			return b
		}
	}
	t := v.said(s)
	if v.Words != nil {
		if b, ok := v.Words[t]; ok {
			return &b
		}
		return v.Else
	}
	var b wire.Bool
	quoted, err := json.Marshal(t)
	if err != nil || b.UnmarshalJSON(quoted) != nil || b.Ptr() == nil {
		return v.Else
	}
	return b.Ptr()
}

// time returns the value as an instant; zero where it is not known.
func (v *Value) time(s scope, clock clock) (wire.Time, error) {
	if v == nil {
		return wire.Time{}, nil
	}
	for _, one := range v.first {
		if t, err := one.time(s, clock); err != nil || !t.IsZero() {
			return t, err
		}
	}
	return clock.read(v.said(s))
}

// clock is how a file's times are written.
type clock struct {
	zone   *time.Location
	layout string
}

func (c clock) read(text string) (wire.Time, error) {
	if c.layout == "" || text == "" {
		return wire.ParseTimeIn(text, c.zone)
	}
	t, err := time.ParseInLocation(c.layout, strings.TrimSpace(text), c.zone)
	return wire.TimeOf(t), err
}

// fill puts values into the braces of a text.
func fill(text string, value func(name string) string) string {
	var b strings.Builder
	for {
		before, rest, open := strings.Cut(text, "{")
		b.WriteString(before)
		if !open {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return b.String() + "{" + rest
		}
		b.WriteString(value(name))
		text = after
	}
}

// names are those in the braces of a text.
func names(text string) (list []string) {
	fill(text, func(name string) string { list = append(list, name); return "" })
	return list
}

// tree reads a JSON text with its numbers as they were written: an id of 19 digits does not
// fit a float64.
func tree(raw []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
