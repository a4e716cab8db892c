package openapi

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/drover-fleet/drover/internal/decode"
)

// queryParams describes the fields of a query as parameters.
func queryParams(registry huma.Registry, query reflect.Type) []*huma.Param {
	if query == nil {
		return nil
	}
	var params []*huma.Param
	for _, f := range decode.QueryFields(query) {
		schema := huma.SchemaFromField(registry, f, "")
		schema.Description, schema.Nullable = "", false
		if len(enumTag(schema)) == 0 {
			schema = named(registry, schema, f.Type)
		}
		params = append(params, &huma.Param{
			Name: f.Tag.Get("query"), In: "query", Description: f.Tag.Get("doc"), Required: f.Tag.Get("required") == "true", Schema: schema,
		})
	}
	return params
}

// enumTag are the values that the field itself allows.
func enumTag(schema *huma.Schema) []any {
	if schema.Type == huma.TypeArray {
		return schema.Items.Enum
	}
	return schema.Enum
}

// Text is the schema of a text.
func Text() *huma.Schema { return &huma.Schema{Type: huma.TypeString} }
