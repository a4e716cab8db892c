package contract_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
)

// document is the served description of the interface, as far as tests read it.
type document struct {
	OpenAPI string `json:"openapi"`
	Info    struct {
		Title, Version, Description string
	} `json:"info"`
	Servers    []struct{ URL string }             `json:"servers"`
	Tags       []struct{ Name string }            `json:"tags"`
	Paths      map[string]map[string]docOperation `json:"paths"`
	Webhooks   map[string]any                     `json:"webhooks"`
	Components struct {
		Schemas         map[string]any `json:"schemas"`
		SecuritySchemes map[string]struct {
			Type, Scheme string
			BearerFormat string `json:"bearerFormat"`
		} `json:"securitySchemes"`
	} `json:"components"`
}

type docOperation struct {
	OperationID string                 `json:"operationId"`
	Summary     string                 `json:"summary"`
	Description string                 `json:"description"`
	Tags        []string               `json:"tags"`
	Scopes      []drover.Permission    `json:"x-required-scopes"`
	Security    []map[string][]string  `json:"security"`
	Parameters  []docParameter         `json:"parameters"`
	RequestBody *docBody               `json:"requestBody"`
	Responses   map[string]docResponse `json:"responses"`
}

type docParameter struct {
	Name, In, Description string
	Required              bool
	Schema                map[string]any
}

type docBody struct {
	Required bool
	Content  map[string]docContent
}

type docResponse struct {
	Description string
	Headers     map[string]any
	Content     map[string]docContent
}

type docContent struct {
	Schema  any
	Example any
}

// operation is one operation of the document.
type operation struct {
	method, path string
	docOperation
}

func (o operation) String() string { return o.method + " " + o.path }
func (o operation) public() bool   { return len(o.Security) == 0 }

// operator reports whether it is one of the operator's.
func (o operation) operator() bool { return ofOperator(o.path) }

func ofOperator(path string) bool { return strings.HasPrefix(path, "/operator/") }

// readerOf is who may read what is at a path: alpha's admin, or the operator.
func readerOf(path string) string {
	if ofOperator(path) {
		return operator
	}
	return alice
}

// streams reports whether a success has no end, so that it cannot be read whole.
func (o operation) streams() bool {
	_, ok := o.Responses["200"].Content["text/event-stream"]
	return ok
}

// feed reports whether a list has a cursor at its end too, to go on later.
func (o operation) feed() bool { return slices.Contains(o.parameters("query"), "wait") }

// parameters are the names of the operation's parameters of one kind.
func (o operation) parameters(in string) []string {
	var names []string
	for _, p := range o.Parameters {
		if p.In == in {
			names = append(names, p.Name)
		}
	}
	return names
}

// required are those of them that must be given.
func (o operation) required(in string) []string {
	var names []string
	for _, p := range o.Parameters {
		if p.In == in && p.Required {
			names = append(names, p.Name)
		}
	}
	return names
}

// most is the largest limit of a list.
func (o operation) most() string {
	for _, p := range o.Parameters {
		if most, ok := p.Schema["maximum"].(float64); ok && p.Name == "limit" {
			return strconv.Itoa(int(most))
		}
	}
	return ""
}

// values are those that a parameter of the query may have, where they are few.
func (o operation) values(name string) []string {
	var values []string
	for _, p := range o.Parameters {
		if p.In != "query" || p.Name != name {
			continue
		}
		choices, _ := p.Schema["enum"].([]any)
		for _, choice := range choices {
			value, _ := choice.(string)
			values = append(values, value)
		}
	}
	return values
}

// example is a body that the operation takes, empty where it takes none.
func (o operation) example() string {
	if o.RequestBody == nil {
		return ""
	}
	return jsonText(o.RequestBody.Content["application/json"].Example)
}

func (s *service) readDocument(tb testing.TB) *document {
	tb.Helper()
	resp := s.send(tb, request{method: http.MethodGet, path: "/openapi.json"})
	if resp.status != http.StatusOK {
		tb.Fatalf("GET /openapi.json: status %d", resp.status)
	}
	var d document
	if err := json.Unmarshal([]byte(resp.body), &d); err != nil {
		tb.Fatal(err)
	}
	return &d
}

// operations are all of them, in a fixed order.
func (d *document) operations() []operation {
	var all []operation
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			all = append(all, operation{strings.ToUpper(method), path, d.Paths[path][method]})
		}
	}
	return all
}

// find returns the operation that a request is for.
func (d *document) find(method, path string) (operation, bool) {
	path, _, _ = strings.Cut(path, "?")
	for _, o := range d.operations() {
		if o.method == method && pathFits(o.path, path) {
			return o, true
		}
	}
	return operation{}, false
}

// pathFits reports whether a path is one of a template.
func pathFits(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, got, func(w, g string) bool { return w == g || strings.HasPrefix(w, "{") && g != "" })
}
