package contract_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// countedAfter are the lists that are counted once repetitions are left out, which the
// document cannot say: how many they may hold.
var countedAfter = map[string]int{"tags": 10, "add": 10, "remove": 10}

// open are the objects that hold what a person likes, or what another operation says.
// Their rules have rows of their own.
var open = []string{"preferences", "filters"}

// checkBounds wants a bound of every text, list and object of every body, and sends one
// past each of them.
func checkBounds(t *testing.T, s *service) {
	t.Helper()
	for _, o := range s.doc().operations() {
		if o.RequestBody == nil || o.Responses["422"].Description == "" {
			continue
		}
		content, ok := o.RequestBody.Content["application/json"]
		if !ok {
			continue // a provider's own
		}
		if strings.HasPrefix(o.example(), "[") {
			continue // its records are refused one by one: TestPush sees them
		}
		var body map[string]any
		if err := json.Unmarshal([]byte(o.example()), &body); err != nil {
			t.Errorf("%s: the example is no object: %v", o, err)
			continue
		}
		b := bounds{t: t, s: s, o: o, body: body}
		b.object(s.doc().resolve(content.Schema), nil)
	}
}

// bounds looks through one body.
type bounds struct {
	t    *testing.T
	s    *service
	o    operation
	body map[string]any
}

// resolve follows a reference, and takes of alternatives the one that is not null.
func (d *document) resolve(schema any) map[string]any {
	m, _ := schema.(map[string]any)
	if ref, ok := m["$ref"].(string); ok {
		return d.resolve(d.Components.Schemas[ref[strings.LastIndex(ref, "/")+1:]])
	}
	if options, ok := m["anyOf"].([]any); ok {
		return d.resolve(options[0])
	}
	return m
}

// object looks at the properties of an object that stands at a place of the body.
func (b bounds) object(schema map[string]any, at []any) {
	properties, _ := schema["properties"].(map[string]any)
	if len(at) == 1 && b.body[at[0].(string)] == nil { // what the example leaves out has what it needs
		needed := map[string]any{}
		required, _ := schema["required"].([]any)
		for _, field := range required {
			needed[field.(string)] = "x"
		}
		b.body = maps.Clone(b.body)
		b.body[at[0].(string)] = needed
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		b.value(b.s.doc().resolve(properties[name]), append(slices.Clone(at), name), name)
	}
}

func (b bounds) value(schema map[string]any, at []any, name string) {
	b.t.Helper()
	switch kind := kindOf(schema); {
	case kind == "string" && schema["enum"] == nil && schema["format"] != "date-time":
		if n, ok := b.bound(schema, "maxLength", at); ok {
			b.refused(at, strings.Repeat("é", n+1), "string_too_long")
		}
	case kind == "array":
		b.list(schema, at, name)
	case kind == "object" && schema["properties"] != nil:
		b.object(schema, at)
	case kind == "object" && !slices.Contains(open, name):
		if n, ok := b.bound(schema, "maxProperties", at); ok {
			b.refused(at, numberedObject(n+1), "too_long")
		}
		values, _ := schema["additionalProperties"].(map[string]any)
		b.value(values, append(slices.Clone(at), "token"), "token")
	}
}

func (b bounds) list(schema map[string]any, at []any, name string) {
	b.t.Helper()
	items := b.s.doc().resolve(schema["items"])
	n, counted := countedAfter[name]
	if _, has := schema["maxItems"]; has || !counted {
		var ok bool
		if n, ok = b.bound(schema, "maxItems", at); !ok {
			return
		}
	}
	var many []any
	for i := range n + 1 {
		switch options, _ := items["enum"].([]any); {
		case kindOf(items) == "object":
			many = append(many, map[string]any{})
		case len(options) > 0:
			many = append(many, options[0])
		default:
			many = append(many, "x"+strconv.Itoa(i))
		}
	}
	b.refused(at, many, "too_long")
	b.value(items, append(slices.Clone(at), 0), "")
}

// bound is a number of a schema, which must be there.
func (b bounds) bound(schema map[string]any, name string, at []any) (int, bool) {
	b.t.Helper()
	n, ok := schema[name].(float64)
	if !ok {
		b.t.Errorf("%s: %v has no %s", b.o, at, name)
	}
	return int(n), ok
}

// refused sends the example with a value at a place, which must be what is refused.
func (b bounds) refused(at []any, value any, typ string) {
	b.t.Helper()
	b.t.Run(fmt.Sprint(b.o.OperationID, at), func(t *testing.T) {
		var body map[string]any
		if err := json.Unmarshal([]byte(jsonText(b.body)), &body); err != nil {
			t.Fatal(err)
		}
		if b.o.method == "PATCH" { // which needs nothing else
			maps.DeleteFunc(body, func(name string, _ any) bool { return name != at[0] })
		}
		names := &names{t: t, world: b.s.world, fresh: map[string]string{}}
		q := request{method: b.o.method, path: names.resolve(pathOf(t, b.o)), body: jsonText(placed(body, at, value))}
		if !b.o.public() {
			q.header = b.s.authorized(t, readerOf(b.o.path))
		}
		resp := b.s.send(t, q)
		var answer struct {
			Error struct {
				Type string
				Loc  []any
			}
		}
		if err := json.Unmarshal([]byte(resp.body), &answer); err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprint(append([]any{"body"}, at...)); resp.status != 422 || answer.Error.Type != typ ||
			fmt.Sprint(answer.Error.Loc) != want {
			t.Errorf("%d %s, want 422 %s at %s", resp.status, cut(resp.body), typ, want)
		}
	})
}

// placed returns a tree with a value at a place; what is missing on the way is made.
func placed(tree any, at []any, value any) any {
	if len(at) == 0 {
		return value
	}
	if name, ok := at[0].(string); ok {
		object, _ := tree.(map[string]any)
		if object == nil {
			object = map[string]any{}
		}
		object[name] = placed(object[name], at[1:], value)
		return object
	}
	list, _ := tree.([]any)
	var first any
	if len(list) > 0 {
		first = list[0]
	}
	return []any{placed(first, at[1:], value)}
}

// kindOf is the type of a schema, without null.
func kindOf(schema map[string]any) string {
	switch t := schema["type"].(type) {
	case string:
		return t
	case []any:
		for _, one := range t {
			if one != "null" {
				return fmt.Sprint(one)
			}
		}
	}
	return ""
}

func numberedObject(n int) map[string]string {
	out := map[string]string{}
	for i := range n {
		out["field_"+strconv.Itoa(i)] = "x"
	}
	return out
}
