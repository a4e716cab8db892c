package outbound

import (
	"encoding/json"
	"reflect"
	"strings"
)

// missing says in words what a decoded answer lacks; "" where all is there. It
// looks at the answer and the objects within, not at the rows of its lists.
func missing(v reflect.Value) string {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return ""
		}
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.Slice && absent(v):
		return "it is null where a list belongs"
	case v.Kind() == reflect.Struct:
		return missingField(v)
	default:
		return ""
	}
}

func missingField(v reflect.Value) string {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Tag.Get("required") == "true" && absent(v.Field(i)) {
			return "its field " + name + " is missing"
		}
		if !field.IsExported() {
			continue
		}
		if kind := v.Field(i).Kind(); kind == reflect.Struct || kind == reflect.Interface {
			if words := missing(v.Field(i)); words != "" {
				return words
			}
		}
	}
	return ""
}

// absent reports whether a value was not in the answer, or was null there.
func absent(v reflect.Value) bool {
	if raw, ok := v.Interface().(json.RawMessage); ok {
		return len(raw) == 0 || string(raw) == "null"
	}
	return v.IsZero()
}
