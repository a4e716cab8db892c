package declared

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/drover-fleet/drover/internal/order"
)

const (
	// largest is how long a file may be: fifty lines have some two KiB.
	largest = 64 << 10
	// deepest is how far its parts may lie within each other.
	deepest = 20
)

// Mistake is what is wrong in a file.
type Mistake struct {
	Line int // 0: of the file as a whole
	What string
	Fix  string
}

func (m Mistake) String() string {
	text := m.What
	if m.Line > 0 {
		text = fmt.Sprintf("line %d: %s", m.Line, m.What)
	}
	if m.Fix != "" {
		text += "; " + m.Fix
	}
	return text
}

// Parse reads a file and says all that is wrong with it.
func Parse(text []byte) (*File, []Mistake) {
	if len(text) > largest {
		return nil, []Mistake{{What: fmt.Sprintf("the file is larger than %d KiB", largest>>10), Fix: "a vendor takes some fifty lines"}}
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, []Mistake{syntax(err)}
	}
	if len(root.Content) == 0 {
		return nil, []Mistake{{What: "the file is empty", Fix: "begin with name, title and address"}}
	}
	if m := shape(&root, 0); m != nil {
		return nil, []Mistake{*m}
	}
	if left := unwritten(root.Content[0], ""); len(left) > 0 {
		return nil, left
	}
	var file File
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, decoding(err)
	}
	c := checker{file: &file, root: root.Content[0]}
	c.check()
	for key, r := range file.requests() {
		r.part = key
		r.from, r.to = c.span(key)
	}
	order.By(c.mistakes, func(a, b Mistake) int { return a.Line - b.Line })
	return &file, c.mistakes
}

// shape refuses what lets a short file become a long one, and what no file needs.
func shape(node *yaml.Node, depth int) *Mistake {
	switch {
	case node.Kind == yaml.AliasNode || node.Anchor != "":
		return &Mistake{node.Line, "anchors and aliases are not read", "write the part out"}
	case depth > deepest:
		return &Mistake{node.Line, "the parts of the file lie too deep within each other", "a file has at most four levels"}
	}
	for _, part := range node.Content {
		if m := shape(part, depth+1); m != nil {
			return m
		}
	}
	return nil
}

// unwritten are the places at which a first draft says TODO.
func unwritten(node *yaml.Node, key string) (left []Mistake) {
	if words, ok := strings.CutPrefix(node.Value, "TODO"); ok && node.Kind == yaml.ScalarNode {
		return []Mistake{{node.Line, strings.TrimPrefix(key, ".") + ": this is still to be written", strings.TrimLeft(words, ": ")}}
	}
	for i, part := range node.Content {
		inner := key
		if node.Kind == yaml.MappingNode && i%2 == 1 {
			inner += "." + node.Content[i-1].Value
		}
		left = append(left, unwritten(part, inner)...)
	}
	return left
}

var lineNumber = regexp.MustCompile(`line (\d+): `)

// syntax is a text that is no YAML.
func syntax(err error) Mistake {
	words := strings.TrimPrefix(err.Error(), "yaml: ")
	m := Mistake{What: "this is no YAML: " + lineNumber.ReplaceAllString(words, ""), Fix: "look at the blanks at the beginning of the line, and at quotes"}
	if found := lineNumber.FindStringSubmatch(words); found != nil {
		m.Line, _ = strconv.Atoi(found[1])
	}
	return m
}

var (
	unknownKey = regexp.MustCompile(`^line (\d+): field (\S+) not found in type \S+\.(\w+)$`)
	otherFault = regexp.MustCompile(`^line (\d+): (.*)$`)
)

// decoding are values that do not have the form expected.
func decoding(err error) []Mistake {
	faults, ok := errors.AsType[*yaml.TypeError](err)
	if !ok {
		return []Mistake{syntax(err)}
	}
	var mistakes []Mistake
	for _, text := range faults.Errors {
		if found := unknownKey.FindStringSubmatch(text); found != nil {
			line, _ := strconv.Atoi(found[1])
			mistakes = append(mistakes, Mistake{line, fmt.Sprintf("there is no key %q here", found[2]), suggestion(found[2], found[3])})
			continue
		}
		m := Mistake{What: plainWords(text)}
		if found := otherFault.FindStringSubmatch(text); found != nil {
			m.Line, _ = strconv.Atoi(found[1])
			m.What = plainWords(found[2])
		}
		mistakes = append(mistakes, m)
	}
	return mistakes
}

// plainWords are those of the decoder without the names of its types.
func plainWords(text string) string {
	for from, to := range map[string]string{
		"into time.Duration": "as a time such as 30s, 5m or 24h", "into int": "as a whole number", "into bool": "as true or false",
		"into float64": "as a number", "into string": "as a text", "into []string": "as a list of texts", "cannot unmarshal": "cannot read",
		"into map[string]string": "as names with texts", "into map[string][]string": "as names with lists of texts",
		"!!str ": "", "!!int ": "", "!!seq": "a list", "!!map": "an object", "!!bool ": "",
	} {
		text = strings.ReplaceAll(text, from, to)
	}
	return text
}

// find looks for a type among the fields of another.
func find(t reflect.Type, name string, seen map[reflect.Type]bool) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return nil
	}
	seen[t] = true
	if t.Name() == name {
		return t
	}
	for field := range t.Fields() {
		if found := find(field.Type, name, seen); found != nil {
			return found
		}
	}
	return nil
}

// keys are those of a section.
func keys(t reflect.Type) (list []string) {
	for field := range t.Fields() {
		tag, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if options == "inline" {
			list = append(list, keys(field.Type)...)
		} else if tag != "" {
			list = append(list, tag)
		}
	}
	return list
}

// suggestion names the key that was meant, or those that there are.
func suggestion(key, section string) string {
	t := find(reflect.TypeFor[File](), section, map[reflect.Type]bool{})
	if t == nil {
		return ""
	}
	all := keys(t)
	best, distance := "", 3
	for _, other := range all {
		if d := edits(key, other); d < distance {
			best, distance = other, d
		}
	}
	if best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "there are " + strings.Join(all, ", ")
}

// edits counts the letters to change in order to make one word of another.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
