package contract_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
)

// TestDocument checks the description of the interface.
func TestDocument(t *testing.T) {
	t.Parallel()
	s := newService(t, defaults(t.TempDir()))
	t.Run("Form", func(t *testing.T) {
		t.Parallel()
		checkForm(t, s)
	})
	t.Run("Truth", func(t *testing.T) {
		t.Parallel()
		checkTruth(t, s)
	})
	t.Run("Parameters", func(t *testing.T) {
		t.Parallel()
		checkParameters(t, s)
	})
	t.Run("Credentials", func(t *testing.T) {
		t.Parallel()
		checkCredentials(t, s)
	})
	t.Run("Specified", func(t *testing.T) {
		t.Parallel()
		checkSpecified(t, s)
	})
	t.Run("Complete", func(t *testing.T) {
		t.Parallel()
		checkComplete(t, s)
	})
	t.Run("Providers", func(t *testing.T) {
		t.Parallel()
		checkProviders(t, s)
	})
}

// TestAgentsText finds every path of the text for agents in the document.
func TestAgentsText(t *testing.T) {
	t.Parallel()
	s := newService(t, defaults(t.TempDir()))
	resp := s.send(t, request{method: "GET", path: "/llms.txt"})
	if resp.status != 200 || resp.header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Fatalf("status %d, content type %q", resp.status, resp.header.Get("Content-Type"))
	}
	calls := regexp.MustCompile("`(GET|POST) (/[a-zA-Z/]+)").FindAllStringSubmatch(resp.body, -1)
	if len(calls) < 8 {
		t.Errorf("only %d operations are named", len(calls))
	}
	for _, c := range calls {
		if _, ok := s.doc().find(c[1], c[2]); !ok {
			t.Errorf("there is no %s %s", c[1], c[2])
		}
	}
}

// checkForm checks the form of the served document. The linters beside
// test/openapi check it against the standard.
func checkForm(t *testing.T, s *service) {
	t.Helper()
	d := s.doc()
	if d.OpenAPI != "3.1.0" || d.Info.Title == "" || d.Info.Version != "2024-03-26" || d.Info.Description == "" || len(d.Servers) == 0 {
		t.Errorf("the head of the document is %+v %+v %+v", d.OpenAPI, d.Info, d.Servers)
	}
	scheme, ok := d.Components.SecuritySchemes["JWTBearer"]
	_, operators := d.Components.SecuritySchemes["OperatorKey"]
	if !ok || !operators || len(d.Components.SecuritySchemes) != 2 || scheme.Type != "http" || scheme.Scheme != "bearer" || scheme.BearerFormat != "JWT" {
		t.Errorf("the security schemes are %+v", d.Components.SecuritySchemes)
	}
	var tags []string
	for _, tag := range d.Tags {
		tags = append(tags, tag.Name)
	}
	checkWords(t, d)
	checkEnums(t, d)
	seen := map[string]bool{}
	for _, o := range d.operations() {
		if o.OperationID == "" || seen[o.OperationID] {
			t.Errorf("%s has the id %q, which is empty or taken", o, o.OperationID)
		}
		seen[o.OperationID] = true
		t.Run(o.OperationID, func(t *testing.T) { checkOperation(t, d, o, tags) })
	}
}

// checkWords expects every schema and every property to say what it is. A field has
// its words in its doc tag, a schema in schemaWords of package openapi.
func checkWords(t *testing.T, d *document) {
	t.Helper()
	for name, schema := range d.Components.Schemas {
		s, _ := schema.(map[string]any)
		if words, _ := s["description"].(string); words == "" {
			t.Errorf("the schema %s has no description: give it one in schemaWords of package openapi", name)
		}
		properties, _ := s["properties"].(map[string]any)
		for key, property := range properties {
			p, _ := property.(map[string]any)
			if words, _ := p["description"].(string); words == "" {
				t.Errorf("%s.%s has no description: give its field a doc tag", name, key)
			} else if strings.Contains(strings.ToLower(words), "null") && !mayBeNull(p) {
				t.Errorf("%s.%s is said to be null, and never is: %s", name, key, words)
			}
		}
	}
}

// mayBeNull reports whether a value, or one of a list, may be null.
func mayBeNull(schema map[string]any) bool {
	if types, ok := schema["type"].([]any); ok && slices.Contains(types, any("null")) || schema["type"] == "null" {
		return true
	}
	items, _ := schema["items"].(map[string]any)
	choices, _ := schema["anyOf"].([]any)
	return items != nil && mayBeNull(items) || slices.ContainsFunc(choices, func(c any) bool {
		choice, _ := c.(map[string]any)
		return mayBeNull(choice)
	})
}

// checkEnums expects the closed sets to be named once.
func checkEnums(t *testing.T, d *document) {
	t.Helper()
	var types, providers []any
	for _, typ := range drover.EventTypes {
		types = append(types, string(typ))
	}
	for _, name := range drover.ProviderNames {
		providers = append(providers, string(name))
	}
	for name, want := range map[string][]any{"EventType": types, "ProviderEnum": providers} {
		s, _ := d.Components.Schemas[name].(map[string]any)
		if diff := cmp.Diff(want, s["enum"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, typ := range drover.EventTypes {
		if d.Webhooks[string(typ)] == nil {
			t.Errorf("the document has no webhook %s", typ)
		}
	}
	event, _ := d.Components.Schemas["Event"].(map[string]any)
	discriminator, _ := event["discriminator"].(map[string]any)
	mapping, _ := discriminator["mapping"].(map[string]any)
	if len(mapping) != len(drover.EventTypes) {
		t.Errorf("Event tells %d types apart, want %d", len(mapping), len(drover.EventTypes))
	}
}

func checkOperation(t *testing.T, d *document, o operation, tags []string) {
	t.Helper()
	if o.Summary == "" || o.Description == "" || len(o.Tags) != 1 || !slices.Contains(tags, o.Tags[0]) {
		t.Errorf("summary %q, description %q, tags %v", o.Summary, o.Description, o.Tags)
	}
	if _, secured := o.security(); !o.public() && !secured {
		t.Errorf("security is %v", o.Security)
	}
	for _, p := range o.Parameters {
		if p.Description == "" || len(p.Schema) == 0 || p.In == "path" && (!p.Required || !strings.Contains(o.path, "{"+p.Name+"}")) {
			t.Errorf("parameter %+v", p)
		}
	}
	if o.RequestBody != nil {
		checkContent(t, d, "the body", o.RequestBody.Content)
	}
	for status, response := range o.Responses {
		if response.Description == "" {
			t.Errorf("%s has no description", status)
		}
		if status != "204" {
			checkContent(t, d, status, response.Content)
		}
		if status[0] == '2' && (response.Headers["x-request-id"] == nil || response.Headers["x-api-version"] == nil) {
			t.Errorf("%s has the headers %v", status, slices.Sorted(maps.Keys(response.Headers)))
		}
	}
}

// checkParameters holds the description of parameters to what is read: lists
// where one may be repeated, closed sets, bounds, and other formats.
func checkParameters(t *testing.T, s *service) {
	t.Helper()
	schemas := map[string]map[string]any{}
	for _, o := range s.doc().operations() {
		for _, p := range o.Parameters {
			if p.In == "query" {
				schemas[o.String()+" "+p.Name] = p.Schema
			}
		}
	}
	types, providers := map[string]any{"$ref": "#/components/schemas/EventType"}, map[string]any{"$ref": "#/components/schemas/ProviderEnum"}
	text := map[string]any{"type": "string"}
	for name, want := range map[string]map[string]any{
		"GET /event type":                          {"type": "array", "items": types},
		"GET /stream tag":                          {"type": "array", "items": text},
		"GET /stream last_event_id":                {"type": "integer", "format": "int64", "minimum": 0.0},
		"GET /connection telematics_provider":      providers,
		"GET /account/activity-summary days":       {"type": "integer", "format": "int64", "default": 14.0, "enum": []any{7.0, 14.0, 30.0, 90.0}},
		"GET /device limit":                        {"type": "integer", "format": "int64", "default": 100.0, "minimum": 1.0, "maximum": 1000.0},
		"GET /device tag":                          {"type": "string", "maxLength": 255.0},
		"GET /device active":                       {"type": "boolean"},
		"GET /trip from":                           {"type": "string", "format": "date-time"},
		"GET /device/{device_id}/positions format": {"type": "string", "enum": []any{"json", "geojson", "gpx"}},
	} {
		if diff := cmp.Diff(want, schemas[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	content := s.doc().Paths["/device/{device_id}/positions"]["get"].Responses["200"].Content
	if got, want := slices.Sorted(maps.Keys(content)),
		[]string{"application/geo+json", "application/gpx+xml", "application/json"}; !slices.Equal(got, want) {
		t.Errorf("positions are described as %v, want %v", got, want)
	}
}

func (o operation) security() ([]string, bool) {
	if len(o.Security) != 1 {
		return nil, false
	}
	scheme := "JWTBearer"
	if o.operator() {
		scheme = "OperatorKey"
	}
	scopes, ok := o.Security[0][scheme]
	return scopes, ok
}

// checkContent holds every JSON example to its schema.
func checkContent(t *testing.T, d *document, where string, content map[string]docContent) {
	t.Helper()
	if len(content) == 0 {
		t.Errorf("%s has no content", where)
	}
	for typ, c := range content {
		if typ != "application/json" {
			continue
		}
		if c.Schema == nil || c.Example == nil {
			t.Errorf("%s has no schema or no example", where)
			continue
		}
		if err := d.fits(c.Schema, c.Example); err != nil {
			t.Errorf("the example of %s: %v", where, err)
		}
	}
}

// fits reports where a value breaks a schema, as far as the document uses the
// language of schemas.
func (d *document) fits(schema, value any) error {
	s, ok := schema.(map[string]any)
	if !ok {
		return nil // true takes everything
	}
	if ref, ok := s["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/components/schemas/")
		named, ok := d.Components.Schemas[name]
		if !ok {
			return fmt.Errorf("no schema %s", ref)
		}
		return d.fits(named, value)
	}
	if alternatives, ok := s["anyOf"].([]any); ok {
		return d.fitsAny(alternatives, value)
	}
	if alternatives, ok := s["oneOf"].([]any); ok {
		return d.fitsOne(alternatives, value)
	}
	if err := fitsType(s["type"], value); err != nil {
		return err
	}
	if values, ok := s["enum"].([]any); ok && value != nil && !slices.Contains(values, value) {
		return fmt.Errorf("%v is none of %v", value, values)
	}
	if longest, ok := s["maxLength"].(float64); ok && typeOf(value) == "string" && len(value.(string)) > 4*int(longest) {
		return fmt.Errorf("%v is too long", value)
	}
	return d.fitsInside(s, value)
}

func (d *document) fitsAny(alternatives []any, value any) error {
	var faults []error
	for _, schema := range alternatives {
		err := d.fits(schema, value)
		if err == nil {
			return nil
		}
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// fitsOne expects that a value fits one alternative alone.
func (d *document) fitsOne(alternatives []any, value any) error {
	var faults []error
	for _, schema := range alternatives {
		if err := d.fits(schema, value); err != nil {
			faults = append(faults, err)
		}
	}
	if n := len(alternatives) - len(faults); n != 1 {
		return fmt.Errorf("%d alternatives fit: %w", n, errors.Join(faults...))
	}
	return nil
}

// fitsInside checks the parts of an object or a list.
func (d *document) fitsInside(s map[string]any, value any) error {
	switch v := value.(type) {
	case []any:
		for i, item := range v {
			if err := d.fits(s["items"], item); err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
	case map[string]any:
		required, _ := s["required"].([]any)
		for _, name := range required {
			if _, ok := v[name.(string)]; !ok {
				return fmt.Errorf("%v is missing", name)
			}
		}
		properties, _ := s["properties"].(map[string]any)
		for name, item := range v {
			schema, known := properties[name]
			if !known {
				schema = s["additionalProperties"]
			}
			if !known && schema == nil && len(properties) > 0 {
				return fmt.Errorf("%s is not described", name)
			}
			if err := d.fits(schema, item); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// fitsType checks a value against a type, or a list of them.
func fitsType(types, value any) error {
	names, ok := types.([]any)
	if !ok && types != nil {
		names = []any{types}
	}
	if len(names) == 0 || slices.Contains(names, any(typeOf(value))) || typeOf(value) == "integer" && slices.Contains(names, any("number")) {
		return nil
	}
	return fmt.Errorf("%v is no %v", value, names)
}

func typeOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	}
	return "object"
}

// checkCredentials finds the bounds of credentials where they hold: of their number
// at the object, of their length at its values.
func checkCredentials(t *testing.T, s *service) {
	t.Helper()
	want := map[string]any{
		"type": "object", "maxProperties": 64.0,
		"additionalProperties": map[string]any{"type": "string", "maxLength": 8192.0},
		"description":          "The provider's credentials by the names of its fields.",
	}
	schemas := s.readDocument(t).Components.Schemas
	for _, name := range []string{"ConnectionInput", "ConnectionUpdate", "ConnectionTrialInput"} {
		schema, _ := schemas[name].(map[string]any)
		properties, _ := schema["properties"].(map[string]any)
		if diff := cmp.Diff(any(want), properties["credentials"]); diff != "" {
			t.Errorf("credentials of %s (-want +got):\n%s", name, diff)
		}
	}
}

// checkTruth holds the answers of alpha's records to the schemas that
// the document gives for them.
func checkTruth(t *testing.T, s *service) {
	t.Helper()
	for _, o := range s.doc().operations() {
		content, ok := o.Responses["200"].Content["application/json"]
		if o.method != "GET" || !ok {
			continue
		}
		t.Run(o.OperationID, func(t *testing.T) {
			names := &names{t: t, world: s.world, fresh: map[string]string{}}
			value, _ := get[any](t, s, readerOf(o.path), names.resolve(pathOf(t, o)))
			if err := s.doc().fits(content.Schema, map[string]any{"data": value}); err != nil {
				t.Error(err)
			}
		})
	}
}
