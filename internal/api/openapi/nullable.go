package openapi

import (
	"maps"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/drover-fleet/drover"
)

// markNulls says of every property whether it may be null. The Go types know: a
// pointer and an Optional may be, unless they are tagged nullable:"false".
func markNulls(registry huma.Registry) {
	for name, schema := range maps.Clone(registry.Map()) {
		if t := registry.TypeFromRef(schemaPrefix + name); t != nil && t.Kind() == reflect.Struct {
			markFields(registry, schema, t)
		}
	}
}

func markFields(registry huma.Registry, schema *huma.Schema, t reflect.Type) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			markFields(registry, schema, f.Type)
			continue
		}
		if property := schema.Properties[name]; property != nil {
			boundValues(property)
			if f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Pointer {
				property.Items = orNull(property.Items, true)
			}
			schema.Properties[name] = orNull(named(registry, property, f.Type), takesNull(f))
		}
	}
}

// boundValues moves the length in the tag of an object or a list of texts to its
// values, which it is meant for.
func boundValues(schema *huma.Schema) {
	values, ok := schema.AdditionalProperties.(*huma.Schema)
	if !ok {
		values = schema.Items
	}
	if values != nil && schema.MaxLength != nil {
		values.MaxLength, schema.MaxLength = schema.MaxLength, nil
	}
}

func takesNull(f reflect.StructField) bool {
	return (f.Type.Kind() == reflect.Pointer || isOptional(f.Type)) && f.Tag.Get("nullable") != "false"
}

func isOptional(t reflect.Type) bool {
	return strings.HasPrefix(t.Name(), "Optional[") && t.PkgPath() == reflect.TypeFor[drover.Time]().PkgPath()
}

// orNull returns the schema with null among its values, or without. A schema
// that only refers to another cannot say so itself.
func orNull(schema *huma.Schema, null bool) *huma.Schema {
	if schema.Ref != "" {
		if !null {
			return schema
		}
		return &huma.Schema{AnyOf: []*huma.Schema{schema, {Type: "null"}}}
	}
	schema.Nullable = null
	return schema
}
