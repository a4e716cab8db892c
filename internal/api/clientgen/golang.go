package clientgen

import (
	"fmt"
	"go/format"
	"maps"
	"slices"
	"strings"
	"unicode"
)

const goHeader = `// Code generated from the OpenAPI document by make generate. DO NOT EDIT.

package client

`

// GoTypes is the file with the records and closed sets, in Go.
func GoTypes(text []byte) ([]byte, error) {
	d, err := parse(text)
	if err != nil {
		return nil, err
	}
	g := golang{document: d, sent: d.sent()}
	for _, name := range d.schemaNames() {
		g.schema(name, d.Components.Schemas[name])
	}
	g.eventData()
	return g.file("encoding/json", "time")
}

// GoOperations is the file with a method for each operation, in Go. Those that answer
// with a stream or a file are written by hand.
func GoOperations(text []byte) ([]byte, error) {
	d, err := parse(text)
	if err != nil {
		return nil, err
	}
	g := golang{document: d}
	for _, o := range d.operations() {
		g.query(o)
		if _, how := o.answer(); how != answersStream && how != answersFile {
			g.operation(o)
		}
	}
	return g.file("context", "iter", "net/http", "net/url", "time")
}

// golang writes Go.
type golang struct {
	*document
	strings.Builder
	sent map[string]bool
}

func (g *golang) file(packages ...string) ([]byte, error) {
	code := g.String()
	var b strings.Builder
	b.WriteString(goHeader + "import (\n")
	for _, p := range packages {
		if strings.Contains(code, p[strings.LastIndex(p, "/")+1:]+".") {
			fmt.Fprintf(&b, "\t%q\n", p)
		}
	}
	b.WriteString(")\n" + code)
	out, err := format.Source([]byte(b.String()))
	if err != nil {
		return nil, fmt.Errorf("format the client: %w", err)
	}
	return out, nil
}

// printf writes code.
func (g *golang) printf(format string, args ...any) { fmt.Fprintf(&g.Builder, format, args...) }

// comment says what something is, with its name in front.
func (g *golang) comment(name, words string) {
	g.printf("\n// %s: %s\n", name, sentence(words))
}

func (g *golang) schema(name string, s *schema) {
	if len(s.Enum) > 0 {
		g.set(name, s)
		return
	}
	s = g.merged(s)
	g.comment(name, s.Description)
	g.printf("type %s struct {\n", name)
	for _, field := range s.fields() {
		property, tag := s.Properties[field], field
		typ := g.typeOf(property)
		switch {
		case slices.Contains(s.Required, field):
		case g.sent[name]:
			typ, tag = "Optional["+strings.TrimPrefix(typ, "*")+"]", tag+",omitzero"
		default:
			typ, tag = pointer(typ), tag+",omitempty"
		}
		g.printf("\t%s %s `json:%q` // %s\n", goName(field), typ, tag, sentence(property.Description))
	}
	g.WriteString("}\n")
}

// eventData writes what the data of an event and of a delivery can be, and how it is read.
func (g *golang) eventData() {
	events := g.events()
	records := slices.Concat(slices.Collect(maps.Values(events)), slices.Collect(maps.Values(g.deliveries)))
	slices.Sort(records)
	g.WriteString("\n// EventData is what an event or a delivery says: one of the records below, or UnknownData.\ntype EventData interface{ eventData() }\n\n")
	for _, name := range slices.Compact(records) {
		g.printf("func (*%s) eventData() {}\n", name)
	}
	for _, of := range []struct {
		name, words string
		types       map[string]string
	}{
		{"eventRecord", "the data of an event", events},
		{"deliveryRecord", "the data of a delivery", g.deliveries},
	} {
		g.printf("\n// %s is an empty record for %s, nil where the type is not known.\nfunc %s(typ EventType) EventData {\n\tswitch typ {\n", of.name, of.words, of.name)
		for _, record := range slices.Compact(slices.Sorted(maps.Values(of.types))) {
			var types []string
			for typ, name := range of.types {
				if name == record {
					types = append(types, fmt.Sprintf("%q", typ))
				}
			}
			slices.Sort(types)
			g.printf("\tcase %s:\n\t\treturn &%s{}\n", strings.Join(types, ", "), record)
		}
		g.WriteString("\t}\n\treturn nil\n}\n")
	}
}

// set writes a closed set of texts.
func (g *golang) set(name string, s *schema) {
	g.comment(name, s.Description)
	g.printf("type %s string\n\n// The values of %s.\nconst (\n", name, name)
	for _, value := range s.Enum {
		g.printf("\t%s%s %s = %q\n", name, goName(fmt.Sprint(value)), name, value)
	}
	g.WriteString(")\n")
}

// pointer lets a value be absent. What can be nil already stays as it is.
func pointer(typ string) string {
	if strings.HasPrefix(typ, "*") || strings.HasPrefix(typ, "[]") || strings.HasPrefix(typ, "map[") || typ == "json.RawMessage" {
		return typ
	}
	return "*" + typ
}

func (g *golang) typeOf(s *schema) string {
	typ := g.valueType(s)
	if s.nullable() {
		return pointer(typ)
	}
	return typ
}

func (g *golang) valueType(s *schema) string {
	if len(s.AnyOf) > 1 && !s.nullable() {
		return "string" // of a set and more texts
	}
	if name := s.reference(); name != "" {
		return name
	}
	switch {
	case s.is("string") && s.Format == "date-time":
		return "time.Time"
	case s.is("string"):
		return "string"
	case s.is("integer") && s.Format == "int64":
		return "int64"
	case s.is("integer"):
		return "int"
	case s.is("number"):
		return "float64"
	case s.is("boolean"):
		return "bool"
	case s.is("array"):
		return "[]" + g.typeOf(s.Items)
	case s.is("object"):
		return g.objectType(s)
	}
	return "json.RawMessage"
}

// objectType is a map of what the values of an object are.
func (g *golang) objectType(s *schema) string {
	one := s.values()
	if one == nil {
		return "json.RawMessage"
	}
	return "map[string]" + g.typeOf(one)
}

// query writes the parameters of an operation as a struct.
func (g *golang) query(o *operation) {
	params := o.in("query")
	if len(params) == 0 {
		return
	}
	name := goName(o.OperationID) + "Query"
	g.printf("\n// %s is what %s can be asked for. What is zero is not sent.\ntype %s struct {\n", name, goName(o.OperationID), name)
	for _, p := range params {
		typ := g.typeOf(p.Schema)
		// Zero and false say something of their own.
		if !p.Required && (typ == "bool" || typ == "float64" || strings.HasPrefix(typ, "int") && (p.Schema.Minimum == nil || *p.Schema.Minimum <= 0)) {
			typ = "Optional[" + typ + "]"
		}
		g.printf("\t%s %s `query:%q` // %s\n", goName(p.Name), typ, p.Name, sentence(p.Description))
	}
	g.WriteString("}\n")
}

func (g *golang) operation(o *operation) {
	name, args, query, body := goName(o.OperationID), "ctx context.Context", "nil", "nil"
	for _, p := range o.in("path") {
		args += ", " + goParam(p.Name) + " string"
	}
	if len(o.in("query")) > 0 {
		args, query = args+", query "+name+"Query", "query"
	}
	if s := o.body(); s != nil {
		args, body = args+", body "+g.typeOf(s), "body"
	}
	args += ", options ...CallOption"
	words := o.Description
	if o.formats() {
		words += " For other formats than JSON use Call."
	}
	g.printf("\n// %s is %s %s. %s\n", name, o.method, o.path, sentence(words))
	call := fmt.Sprintf("ctx, c, http.Method%s, %s, %s", strings.ToUpper(o.method[:1])+strings.ToLower(o.method[1:]), goPath(o.path), query)
	s, how := o.answer()
	switch how {
	case answersNothing:
		g.printf("func (c *Client) %s(%s) error {\n\t_, err := one[struct{}](%s, %s, options)\n\treturn err\n}\n", name, args, call, body)
	case answersPages:
		g.printf("func (c *Client) %s(%s) iter.Seq2[%s, error] {\n\treturn pages[%s](ctx, c, %s, %s, options)\n}\n", name, args, g.typeOf(s), g.typeOf(s), goPath(o.path), query)
	case answersList:
		g.printf("func (c *Client) %s(%s) ([]%s, error) {\n\treturn one[[]%s](%s, %s, options)\n}\n", name, args, g.typeOf(s), g.typeOf(s), call, body)
	default:
		g.printf("func (c *Client) %s(%s) (%s, error) {\n\treturn one[%s](%s, %s, options)\n}\n", name, args, g.typeOf(s), g.typeOf(s), call, body)
	}
}

// goPath is the expression of a path with its parameters in it.
func goPath(path string) string {
	parts := fmt.Sprintf("%q", placeholder.ReplaceAllStringFunc(path, func(p string) string {
		return "\x00" + p + "\x00"
	}))
	for _, m := range placeholder.FindAllStringSubmatch(path, -1) {
		parts = strings.ReplaceAll(parts, `\x00`+m[0]+`\x00`, `" + url.PathEscape(`+goParam(m[1])+`) + "`)
	}
	return strings.TrimSuffix(parts, ` + ""`)
}

// initialisms are written in capitals.
var initialisms = []string{"abn", "api", "csv", "eta", "html", "http", "id", "json", "jsonl", "km", "kph", "ms", "url", "utc", "vin"}

// goName is an exported name for a name of the document.
func goName(name string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		plural := strings.TrimSuffix(word, "s")
		switch {
		case slices.Contains(initialisms, word):
			b.WriteString(strings.ToUpper(word))
		case plural != word && slices.Contains(initialisms, plural):
			b.WriteString(strings.ToUpper(plural) + "s")
		default:
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// goParam is the name of a parameter that is a path's.
func goParam(name string) string {
	exported := goName(name)
	return strings.ToLower(exported[:1]) + exported[1:]
}
