package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/drover-fleet/drover"
)

// describe makes the schema of what a tool takes or answers. What a Go type does not show
// of its JSON is said here: times, closed sets, and what is any JSON.
func describe(of reflect.Type, providers []drover.ProviderName) *jsonschema.Schema {
	s, err := jsonschema.ForType(of, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[drover.Time]():                      {Type: "string", Format: "date-time"},
		reflect.TypeFor[drover.Optional[drover.DriverID]](): {},
		reflect.TypeFor[json.RawMessage]():                  {},
		reflect.TypeFor[drover.DeviceState]():               closed(drover.DeviceStates),
		reflect.TypeFor[drover.MilestoneStatus]():           closed(drover.MilestoneStatuses),
		reflect.TypeFor[drover.DeliveryState]():             closed(drover.DeliveryStates),
		reflect.TypeFor[drover.ProviderName]():              closed(providers),
		reflect.TypeFor[drover.SearchKind]():                closed(drover.SearchKinds),
		reflect.TypeFor[drover.ReadingKind]():               closed(drover.ReadingKinds),
		reflect.TypeFor[drover.FaultStatus]():               closed(drover.FaultStatuses),
		reflect.TypeFor[drover.SafetyType]():                closed(drover.SafetyTypes),
	}})
	if err != nil {
		panic(fmt.Errorf("describe a tool: %w", err)) // a type that JSON cannot have
	}
	if limit := s.Properties["limit"]; limit != nil {
		limit.Minimum, limit.Maximum, limit.Default = new(1.0), new(float64(maxLimit)), json.RawMessage(fmt.Sprint(defaultLimit))
	}
	return s
}

func closed[T ~string](values []T) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}

// arguments reads what a tool is called with. A model reads the refusals, so they say
// what to do.
func arguments(tool string, schema *jsonschema.Schema, raw json.RawMessage, in any) error {
	given := map[string]json.RawMessage{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			return errors.New("the arguments must be an object")
		}
	}
	known := slices.Sorted(maps.Keys(schema.Properties))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%s has no argument %q; it has %s", tool, name, strings.Join(known, ", "))
		}
	}
	for _, name := range schema.Required {
		if _, ok := given[name]; !ok {
			return fmt.Errorf("%s needs %s: %s", tool, name, schema.Properties[name].Description)
		}
	}
	if bytes.Contains(raw, []byte(`\u0000`)) {
		return errors.New("a text has a character that is not allowed")
	}
	if len(raw) == 0 {
		return nil
	}
	err := json.Unmarshal(raw, in)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s must be %s, not %s", wrong.Field, kindWords[wrong.Type.Kind()], wrong.Value)
	}
	return err
}

var kindWords = map[reflect.Kind]string{
	reflect.String: "a text", reflect.Int: "a whole number", reflect.Bool: "true or false", reflect.Slice: "a list of texts",
}

// cursor is a place in a list.
type cursor interface{ Valid() bool }

// placeAfter reads the place at which a list goes on; without a text it is its beginning.
func placeAfter[C cursor](text string) (place C, err error) {
	if text == "" {
		return place, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(raw, &place)
	}
	if err != nil || !place.Valid() {
		return place, drover.InvalidValue("after is not one that this list returned", "after")
	}
	return place, nil
}

// placeText writes a place, for the caller to send back.
func placeText(place cursor) string {
	text, err := json.Marshal(place)
	if err != nil {
		panic(fmt.Errorf("write a place: %w", err)) // texts and numbers
	}
	return base64.RawURLEncoding.EncodeToString(text)
}
