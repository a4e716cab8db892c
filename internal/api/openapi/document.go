// Package openapi generates the OpenAPI document from the types of the operations and their words.
// Package api serves it.
package openapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/drover-fleet/drover"
)

const (
	schemaPrefix   = "#/components/schemas/"
	securityScheme = "JWTBearer"
	operatorScheme = "OperatorKey"
)

// Interface is what is described.
type Interface struct {
	// Version is the program's, Date the interface's oldest, which applies where a
	// caller names none, and Newest its newest.
	Version, Date, Newest string
	// Tags are the groups of operations, in their order.
	Tags       []string
	Operations []Operation
	// Examples are one record of every type that an operation shows or takes, and
	// Frame an event as a stream shows it.
	Examples []any
	Frame    string
	// Providers is the enum of the service.
	Providers []drover.ProviderName
}

// OpenAPI describes the interface as OpenAPI 3.1.
func (i Interface) OpenAPI() ([]byte, error) {
	doc := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "drover", Version: i.Newest, Extensions: map[string]any{"x-program-version": i.Version},
			Description: "One JSON HTTP API over the fleet data that sits with a company's telematics providers.",
			Contact:     &huma.Contact{Name: "drover", URL: "https://github.com/drover-fleet/drover"},
			License:     &huma.License{Name: "Apache 2.0", Identifier: "Apache-2.0"},
		},
		Servers: []*huma.Server{{URL: "/", Description: "The service that serves this document."}},
		Components: &huma.Components{
			Schemas: newRegistry(),
			SecuritySchemes: map[string]*huma.SecurityScheme{securityScheme: {
				Type: "http", Scheme: "bearer", BearerFormat: "JWT", Description: "The access token of POST /token, or an API key. A key of the operator with the scope act is accepted too, with the tenant's id in the header " + drover.TenantHeader + ".",
			}, operatorScheme: {
				Type: "http", Scheme: "bearer", Description: "A key of the operator, made by drover operator key create. No tenant can have one.",
			}},
		},
	}
	for _, name := range i.Tags {
		doc.Tags = append(doc.Tags, &huma.Tag{Name: name, Description: tagDescription(name)})
	}
	for _, o := range i.Operations {
		operation, err := i.operation(o, doc.Components.Schemas)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", o.Method, o.Path, err)
		}
		doc.AddOperation(operation)
	}
	addData(doc.Components.Schemas)
	tidySchemas(doc.Components.Schemas)
	if set, ok := doc.Components.Schemas.Map()["ProviderEnum"]; ok {
		set.Enum = anys(i.Providers)
	}
	doc.Webhooks = webhooks(doc.Components.Schemas)
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
		{reflect.TypeFor[drover.Optional[drover.Role]](), reflect.TypeFor[drover.Role]()},
		{reflect.TypeFor[drover.Optional[drover.NewUsers]](), reflect.TypeFor[drover.NewUsers]()},
		{reflect.TypeFor[drover.Optional[[]drover.RoleRule]](), reflect.TypeFor[[]drover.RoleRule]()},
		{reflect.TypeFor[drover.Optional[bool]](), reflect.TypeFor[bool]()},
		{reflect.TypeFor[drover.Optional[[]string]](), reflect.TypeFor[[]string]()},
		{reflect.TypeFor[drover.Optional[map[string]string]](), reflect.TypeFor[map[string]string]()},
		{reflect.TypeFor[drover.Optional[drover.Time]](), reflect.TypeFor[*time.Time]()},
		{reflect.TypeFor[drover.Optional[drover.Speed]](), reflect.TypeFor[*drover.Speed]()},
		{reflect.TypeFor[drover.Optional[drover.DriverID]](), reflect.TypeFor[*drover.DriverID]()},
		{reflect.TypeFor[drover.Optional[drover.Coordinate]](), reflect.TypeFor[drover.Coordinate]()},
		{reflect.TypeFor[drover.Optional[drover.WebhookFiltersInput]](), reflect.TypeFor[*drover.WebhookFiltersInput]()},
		{reflect.TypeFor[drover.Optional[drover.WebhookOptionsInput]](), reflect.TypeFor[*drover.WebhookOptionsInput]()},
		{reflect.TypeFor[drover.Optional[drover.ConfigurationUpdate]](), reflect.TypeFor[drover.ConfigurationUpdate]()},
		{reflect.TypeFor[drover.Optional[drover.TripRulesUpdate]](), reflect.TypeFor[drover.TripRulesUpdate]()},
		{reflect.TypeFor[drover.Optional[drover.TripSource]](), reflect.TypeFor[string]()},
		{reflect.TypeFor[drover.Optional[drover.Units]](), reflect.TypeFor[*drover.Units]()},
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
	"FeaturesView": "ProviderFeatures", "PollingView": "ProviderPolling", "LimitView": "ProviderLimit", "InstrumentView": "ProviderReading",
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
	markNulls(registry)
	for _, schema := range registry.Map() {
		if schema.AdditionalProperties == false {
			schema.AdditionalProperties = nil
		}
	}
	describeSchemas(registry.Map())
	tellEvents(registry)
	tellStates(registry)
	tellTests(registry)
}

func anys[T any](values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}
