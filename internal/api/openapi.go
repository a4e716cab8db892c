package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/decode"
)

const (
	schemaPrefix   = "#/components/schemas/"
	securityScheme = "JWTBearer"
)

// Document describes the interface as OpenAPI 3.1, as it is served.
func Document(version string) ([]byte, error) { return newDocument(version, (&server{}).routes()) }

// newDocument describes every route as OpenAPI 3.1.
func newDocument(version string, routes []route) ([]byte, error) {
	doc := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "drover", Version: version,
			Description: "One JSON HTTP API over the fleet data that sits with a company's telematics providers.",
			Contact:     &huma.Contact{Name: "drover", URL: "https://github.com/drover-fleet/drover"},
			License:     &huma.License{Name: "Apache 2.0", Identifier: "Apache-2.0"},
		},
		Servers: []*huma.Server{{URL: "/", Description: "The service that serves this document."}},
		Components: &huma.Components{
			Schemas: newRegistry(),
			SecuritySchemes: map[string]*huma.SecurityScheme{securityScheme: {
				Type: "http", Scheme: "bearer", BearerFormat: "JWT", Description: "The access token of POST /token.",
			}},
		},
	}
	for _, name := range []string{tagAccount, tagToken, tagConnection, tagMilestone, tagDevice, tagTrip, tagWebhook, tagProvider, tagEvent} {
		doc.Tags = append(doc.Tags, &huma.Tag{Name: name, Description: "Operations on " + name + "."})
	}
	for _, r := range routes {
		operation, err := r.operation(doc.Components.Schemas)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
		}
		doc.AddOperation(operation)
	}
	tidySchemas(doc.Components.Schemas)
	return json.Marshal(doc)
}

// newRegistry knows how the types of the root package look on the wire.
func newRegistry() huma.Registry {
	registry := huma.NewMapRegistry(schemaPrefix, schemaName)
	for _, alias := range []struct{ from, to reflect.Type }{
		{reflect.TypeFor[drover.Time](), reflect.TypeFor[time.Time]()},
		{reflect.TypeFor[drover.Optional[string]](), reflect.TypeFor[*string]()},
		{reflect.TypeFor[drover.Optional[int]](), reflect.TypeFor[*int]()},
		{reflect.TypeFor[drover.Optional[float64]](), reflect.TypeFor[*float64]()},
		{reflect.TypeFor[drover.Optional[bool]](), reflect.TypeFor[bool]()},
		{reflect.TypeFor[drover.Optional[[]string]](), reflect.TypeFor[[]string]()},
		{reflect.TypeFor[drover.Optional[map[string]string]](), reflect.TypeFor[map[string]string]()},
		{reflect.TypeFor[drover.Optional[drover.Time]](), reflect.TypeFor[*time.Time]()},
		{reflect.TypeFor[drover.Optional[drover.Coordinate]](), reflect.TypeFor[drover.Coordinate]()},
		{reflect.TypeFor[drover.Optional[drover.WebhookFiltersInput]](), reflect.TypeFor[*drover.WebhookFiltersInput]()},
		{reflect.TypeFor[drover.Optional[drover.WebhookOptionsInput]](), reflect.TypeFor[*drover.WebhookOptionsInput]()},
	} {
		registry.RegisterTypeAlias(alias.from, alias.to)
	}
	return registry
}

// schemaNames are the interface's own names of what Go calls otherwise.
var schemaNames = map[string]string{
	"UsernamePassword": "UsernamePassword", "ConnectionDetail": "ConnectionWithTags", "Tag": "ConnectionTag",
	"MilestoneProgress": "MilestoneUpdateRecord", "ProviderView": "Provider", "FieldView": "CredentialField",
	"PlainError": "Error", "PlainDetail": "ErrorDetail",
	"FeaturesView": "ProviderFeatures", "PollingView": "ProviderPolling", "LimitView": "ProviderLimit",
}

func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if ours, ok := schemaNames[name]; ok {
		return ours
	}
	return name
}

// tidySchemas says what a Go type cannot: which sets are closed, what may be
// null, and that unknown keys are ignored rather than refused.
func tidySchemas(registry huma.Registry) {
	enums := map[string][]any{
		"integration_name": anys(drover.ProviderNames), "status": anys(drover.MilestoneStatuses),
		"health": anys([]drover.ConnectionState{
			drover.ConnectionPending, drover.ConnectionHealthy, drover.ConnectionDegraded, drover.ConnectionFailing, drover.ConnectionDisabled, drover.ConnectionArchived,
		}),
	}
	markNulls(registry)
	for _, schema := range registry.Map() {
		if schema.AdditionalProperties == false {
			schema.AdditionalProperties = nil
		}
		for name, property := range schema.Properties {
			if values, ok := enums[name]; ok && property.Type == huma.TypeString {
				property.Enum = values
			}
		}
	}
}

func anys[T any](values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

var pathParam = regexp.MustCompile(`\{(\w+)\}`)

func (r route) operation(registry huma.Registry) (*huma.Operation, error) {
	o := &huma.Operation{
		Method: r.method, Path: r.path, OperationID: r.id, Tags: []string{r.tag}, Summary: r.summary, Description: r.description,
		Parameters: r.parameters(registry), Responses: map[string]*huma.Response{}, Security: []map[string][]string{{securityScheme: {}}},
	}
	if r.public {
		o.Security = []map[string][]string{}
	}
	if r.body != nil {
		example, err := exampleOf(r.body)
		if err != nil {
			return nil, err
		}
		o.RequestBody = &huma.RequestBody{Required: !r.optional, Content: jsonContent(registry.Schema(r.body, true, r.id+"Body"), example)}
	}
	return o, r.addResponses(o, registry)
}

func (r route) parameters(registry huma.Registry) []*huma.Param {
	var params []*huma.Param
	for _, m := range pathParam.FindAllStringSubmatch(r.path, -1) {
		params = append(params, &huma.Param{Name: m[1], In: "path", Required: true, Description: "Id of the " + m[1][:len(m[1])-3] + ".", Schema: stringSchema(), Example: exampleID})
	}
	params = append(params, queryParams(registry, r.query)...)
	params = append(params, r.params...)
	if r.method == http.MethodPost && !r.public {
		params = append(params, &huma.Param{Name: "Idempotency-Key", In: "header", Description: "The same key with the same body gives the first answer again for 24 hours.", Schema: stringSchema()})
	}
	return append(params, &huma.Param{
		Name: versionField, In: "header", Description: "Date of the interface version.",
		Schema: &huma.Schema{Type: huma.TypeString, Format: "date", Default: versions[0]},
	})
}

func (r route) addResponses(o *huma.Operation, registry huma.Registry) error {
	headers := map[string]*huma.Header{
		versionField:   {Description: "The version that applied.", Schema: stringSchema()},
		"x-request-id": {Description: "Names this request in the logs.", Schema: stringSchema()},
	}
	for _, h := range r.headers {
		headers[h.name] = &huma.Header{Description: h.description, Schema: stringSchema()}
	}
	switch {
	case r.streams:
		o.Responses["200"] = &huma.Response{Description: "OK", Headers: headers, Content: map[string]*huma.MediaType{eventStreamType: {
			Schema:  &huma.Schema{Type: huma.TypeString, Description: "Server-sent events, each with an event of the feed as its data."},
			Example: exampleFrame(),
		}}}
	case r.result == nil:
		o.Responses["204"] = &huma.Response{Description: "Done", Headers: headers}
	default:
		example, err := exampleOf(r.result)
		if err != nil {
			return err
		}
		if r.list {
			headers["x-next-cursor"] = &huma.Header{Description: "Cursor of the next page; absent on the last one of a list that has an end. Events have none: there it is always given.", Schema: stringSchema()}
			headers["Link"] = &huma.Header{Description: "Address of the next page; absent on the last.", Schema: stringSchema()}
		}
		schema := registry.Schema(r.result, true, r.id+"Data")
		if schema.Type == huma.TypeArray {
			schema.Nullable = false
		}
		if r.other != nil {
			schema = &huma.Schema{AnyOf: []*huma.Schema{schema, registry.Schema(r.other, true, r.id+"Other")}}
		}
		envelope := &huma.Schema{Type: huma.TypeObject, Required: []string{"data"}, Properties: map[string]*huma.Schema{"data": schema}}
		content := jsonContent(envelope, map[string]any{"data": example})
		for _, typ := range r.formats {
			content[typ] = formatContent(typ)
		}
		o.Responses["200"] = &huma.Response{Description: "OK", Headers: headers, Content: content}
	}
	for _, status := range slices.Concat(r.statuses, r.commonStatuses()) {
		typ, example := r.errorExample(status)
		o.Responses[strconv.Itoa(status)] = &huma.Response{
			Description: http.StatusText(status), Content: jsonContent(registry.Schema(typ, true, ""), example),
		}
	}
	return nil
}

// commonStatuses are what any operation may answer besides its own.
func (r route) commonStatuses() []int {
	common := []int{406, 429, 500, 503}
	if r.body != nil {
		common = append(common, 413, 415)
	}
	return common
}

func jsonContent(schema *huma.Schema, example any) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/json": {Schema: schema, Example: example}}
}

// queryParams describes the fields of a query as parameters.
func queryParams(registry huma.Registry, query reflect.Type) []*huma.Param {
	if query == nil {
		return nil
	}
	var params []*huma.Param
	for _, f := range decode.QueryFields(query) {
		schema := huma.SchemaFromField(registry, f, "")
		schema.Description, schema.Nullable = "", false
		values := schema
		if schema.Type == huma.TypeArray {
			values = schema.Items
		}
		if closed := decode.ClosedSet(baseType(f.Type)); closed != nil && values.Enum == nil {
			values.Enum = anys(closed)
		}
		params = append(params, &huma.Param{
			Name: f.Tag.Get("query"), In: "query", Description: f.Tag.Get("doc"), Required: f.Tag.Get("required") == "true", Schema: schema,
		})
	}
	return params
}

// baseType is the type of one value.
func baseType(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

func stringSchema() *huma.Schema { return &huma.Schema{Type: huma.TypeString} }

func serveDocument(document []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(document) // a caller who has gone cannot be told
	})
}
