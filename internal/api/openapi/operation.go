package openapi

import (
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/drover-fleet/drover"
)

// The types of answers that are no JSON envelope, and of bodies that are no JSON.
const (
	NDJSON      = "application/x-ndjson"
	EventStream = "text/event-stream"
	GeoJSON     = "application/geo+json"
	GPX         = "application/gpx+xml"
	CSV         = "text/csv"
	HTML        = "text/html"
)

// versionField is the header that names the interface's version.
const versionField = "x-api-version"

// Operation is what is said of one operation.
type Operation struct {
	Method, Path string
	ID           string // operationId
	Tag          string
	Summary      string
	Description  string
	Public       bool
	Needs        []drover.Permission // the scopes that it asks for, in the order in which it does
	Person       bool                // keys are refused
	Fresh        bool                // a second factor must have been shown a moment ago
	// Operator are the scopes that a key of the operator needs; none where it is an operation of tenants.
	Operator []drover.OperatorScope
	OfShare  drover.ShareScope   // what a share must give, where it is about one record of another tenant
	Shows    []drover.ShareScope // by which a share shows more
	Params   []*huma.Param       // those of headers
	Query    reflect.Type        // nil where there are none
	Body     reflect.Type
	Also     []string     // what the body may be besides JSON
	Result   reflect.Type // of data; nil where there is no body
	List     bool
	Statuses []int // the errors that the operation can answer
	NotFound string
	Optional bool         // the body may be left out
	Formats  []string     // what it answers besides JSON
	Other    reflect.Type // what data may be instead of a result
	Headers  []Header     // what it answers besides those of all
	Streams  bool         // it answers with server-sent events
	Conflict string       // the words of a 409
	File     bool         // it answers with a file in one of Formats
}

// Header is a header of an operation's answer.
type Header struct{ Name, Description string }

var pathParam = regexp.MustCompile(`\{(\w+)\}`)

func (i Interface) operation(r Operation, registry huma.Registry) (*huma.Operation, error) {
	o := &huma.Operation{
		Method: r.Method, Path: r.Path, OperationID: r.ID, Tags: []string{r.Tag}, Summary: r.Summary, Description: r.Description + r.rights(),
		Parameters: i.parameters(r, registry), Responses: map[string]*huma.Response{}, Security: []map[string][]string{{securityScheme: {}}},
	}
	switch {
	case r.Public:
		o.Security = []map[string][]string{}
	case len(r.Operator) > 0:
		o.Security = []map[string][]string{{operatorScheme: {}}}
		o.Extensions = map[string]any{scopesKey: r.Operator}
	default:
		o.Extensions = map[string]any{scopesKey: r.Needs}
	}
	if r.Body != nil {
		example, err := i.exampleOf(r.Body)
		if err != nil {
			return nil, err
		}
		schema := registry.Schema(r.Body, true, r.ID+"Body")
		schema.Nullable = false // null is no body
		o.RequestBody = &huma.RequestBody{Required: !r.Optional, Content: jsonContent(schema, example)}
		for _, typ := range r.Also {
			o.RequestBody.Content[typ] = formatContent(typ)
		}
	}
	if slices.ContainsFunc(o.Parameters, func(p *huma.Param) bool { return p.Name == "updated_after" }) {
		// It is no part of the answer's schema, because nearly all who read a list never ask
		// for changes: they would have to look at each row whether it is a record.
		o.Extensions["x-deleted-row"] = registry.Schema(reflect.TypeFor[drover.DeletedRecord](), true, "DeletedRecord")
	}
	return o, i.addResponses(r, o, registry)
}

// placeWords are what the numbers of a tile are.
var placeWords = map[string]string{
	"z": "Zoom, from 10 to 14.",
	"x": "Column, from 0 in the west to 2^z - 1.",
	"y": "Row, from 0 in the north to 2^z - 1.",
}

// pathParameter is an id, the text of a link, or a number of a tile.
func pathParameter(name string) *huma.Param {
	if words, ok := placeWords[name]; ok {
		return &huma.Param{
			Name: name, In: "path", Required: true, Description: words,
			Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: new(0.0)},
		}
	}
	p := &huma.Param{Name: name, In: "path", Required: true, Schema: Text(), Example: ExampleID}
	if record, ok := strings.CutSuffix(name, "_id"); ok {
		p.Description = "Id of the " + strings.ReplaceAll(record, "_", " ") + "."
		return p
	}
	p.Description, p.Example = "The text at the end of the link's address.", "mfrggzdfmztwq2lknnwg23tpobyxe43u"
	return p
}

func (i Interface) parameters(r Operation, registry huma.Registry) []*huma.Param {
	var params []*huma.Param
	for _, m := range pathParam.FindAllStringSubmatch(r.Path, -1) {
		params = append(params, pathParameter(m[1]))
	}
	params = append(params, queryParams(registry, r.Query)...)
	params = append(params, r.Params...)
	if r.Method == http.MethodPost && !r.Public {
		params = append(params, &huma.Param{
			Name: "Idempotency-Key", In: "header",
			Description: "The same key with the same body gives the first answer again for 24 hours.", Schema: Text(),
		})
	}
	return append(params, &huma.Param{
		Name: versionField, In: "header", Description: "Date of the interface version.",
		Schema: &huma.Schema{Type: huma.TypeString, Format: "date", Default: i.Date},
	})
}

func (i Interface) addResponses(r Operation, o *huma.Operation, registry huma.Registry) error {
	headers := map[string]*huma.Header{
		versionField:   {Description: "The version that applied.", Schema: Text()},
		"x-request-id": {Description: "Names this request in the logs.", Schema: Text()},
	}
	for _, h := range r.Headers {
		headers[h.Name] = &huma.Header{Description: h.Description, Schema: Text()}
	}
	switch {
	case r.Streams:
		o.Responses["200"] = &huma.Response{Description: "OK", Headers: headers, Content: map[string]*huma.MediaType{EventStream: {
			Schema:  &huma.Schema{Type: huma.TypeString, Description: "Server-sent events, each with an event of the feed as its data."},
			Example: i.Frame,
		}}}
	case r.File:
		content := map[string]*huma.MediaType{}
		for _, typ := range r.Formats {
			content[typ] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary", Description: "The file."}}
		}
		o.Responses["200"] = &huma.Response{Description: "The whole file", Headers: headers, Content: content}
		if slices.Contains(r.Statuses, http.StatusRequestedRangeNotSatisfiable) {
			o.Responses["206"] = &huma.Response{Description: "The part that Range names", Headers: headers, Content: content}
		}
	case r.Result == nil:
		o.Responses["204"] = &huma.Response{Description: "Done", Headers: headers}
	default:
		example, err := i.exampleOf(r.Result)
		if err != nil {
			return err
		}
		if r.List {
			headers["x-next-cursor"] = &huma.Header{Description: "Cursor of the next page; absent on the last one of a list that has an end. Events have none: there it is always given.", Schema: Text()}
			headers["Link"] = &huma.Header{
				Description: "Address of the next page; absent on the last, and at the end of the events.",
				Schema:      Text(),
			}
		}
		schema := registry.Schema(r.Result, true, r.ID+"Data")
		if schema.Type == huma.TypeArray {
			schema.Nullable = false
		}
		if r.Other != nil {
			schema = &huma.Schema{AnyOf: []*huma.Schema{schema, registry.Schema(r.Other, true, r.ID+"Other")}}
		}
		envelope := &huma.Schema{Type: huma.TypeObject, Required: []string{"data"}, Properties: map[string]*huma.Schema{"data": schema}}
		content := jsonContent(envelope, map[string]any{"data": example})
		for _, typ := range r.Formats {
			content[typ] = formatContent(typ)
		}
		o.Responses["200"] = &huma.Response{Description: "OK", Headers: headers, Content: content}
	}
	for _, status := range slices.Concat(r.Statuses, r.commonStatuses()) {
		typ, example := r.errorExample(status)
		response := &huma.Response{Description: http.StatusText(status), Content: jsonContent(registry.Schema(typ, true, ""), example)}
		if status == http.StatusForbidden && !r.Public {
			response.Headers = map[string]*huma.Header{
				"X-Required-Scope": {Description: "The scope that the caller lacks; absent where none would help.", Schema: Text()},
				"X-Second-Factor":  {Description: factorWords, Schema: Text()},
			}
		}
		if status == http.StatusUnauthorized && r.Public {
			response.Headers = map[string]*huma.Header{"X-Second-Factor": {Description: factorWords, Schema: Text()}}
		}
		o.Responses[strconv.Itoa(status)] = response
	}
	return nil
}

// factorWords say what the header of a second factor means.
const factorWords = "What has to be done about the second factor first: required, or enrol where it has to be set up; absent where that would not help."

// commonStatuses are what any operation may answer besides its own.
func (r Operation) commonStatuses() []int {
	common := []int{406, 429, 500, 503}
	if r.Body != nil {
		common = append(common, 413, 415)
	}
	return common
}

// HeaderParam is a header that a caller may send.
func HeaderParam(name, description string) *huma.Param {
	return &huma.Param{Name: name, In: "header", Description: description, Schema: Text()}
}

func jsonContent(schema *huma.Schema, example any) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/json": {Schema: schema, Example: example}}
}

// formatContent describes an answer that is no JSON envelope.
func formatContent(typ string) *huma.MediaType {
	if typ == GeoJSON {
		return &huma.MediaType{Schema: &huma.Schema{
			Type: huma.TypeObject, Description: "A FeatureCollection of RFC 7946: the records of the JSON answer, as properties of their geometries.",
			Required: []string{"type", "features"},
			Properties: map[string]*huma.Schema{
				"type":     {Type: huma.TypeString, Enum: []any{"FeatureCollection"}},
				"features": {Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeObject}},
			},
		}}
	}
	words := map[string]string{
		NDJSON: "A record a line, each as in the JSON array.", CSV: "Rows of RFC 4180 with a header.",
		HTML: "A page that can be printed.", GPX: "A track as GPX 1.1.",
	}
	return &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Description: words[typ]}}
}
