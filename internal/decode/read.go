package decode

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/drover-fleet/drover"
)

func (d *Decoder) readStruct(value any, into reflect.Value) error {
	plan, err := d.planOf(into.Type())
	if err != nil {
		return err
	}
	object, ok := value.(map[string]any)
	if !ok {
		return drover.Invalid("model_attributes_type", "Input should be a valid dictionary or object to extract fields from")
	}
	for _, f := range plan {
		if err := f.readFrom(object, into); err != nil {
			return drover.Under(err, f.name)
		}
	}
	return nil
}

func (f field) readFrom(object map[string]any, into reflect.Value) error {
	value, ok := object[f.name]
	switch {
	case ok:
	case f.required:
		return drover.Invalid("missing", "Field required")
	case f.fallback == nil:
		return nil
	default:
		value = f.fallback
	}
	return f.read(value, into.FieldByIndex(f.index))
}

// optional reads a drover.Optional, whose first field is Set and whose second
// is a pointer to the value.
func optional(elem reader) reader {
	return func(value any, into reflect.Value) error {
		into.Field(0).SetBool(true)
		return elem(value, into.Field(1))
	}
}

// nullOr reads null as the zero value.
func nullOr(read reader) reader {
	return func(value any, into reflect.Value) error {
		if value == nil {
			into.SetZero()
			return nil
		}
		return read(value, into)
	}
}

func pointer(elem reader) reader {
	return func(value any, into reflect.Value) error {
		target := reflect.New(into.Type().Elem())
		if err := elem(value, target.Elem()); err != nil {
			return err
		}
		into.Set(target)
		return nil
	}
}

func list(elem reader, rules rules) reader {
	return func(value any, into reflect.Value) error {
		values, ok := value.([]any)
		if !ok {
			return drover.Invalid("list_type", "Input should be a valid list")
		}
		if err := rules.checkItems(len(values)); err != nil {
			return err
		}
		items := reflect.MakeSlice(into.Type(), len(values), len(values))
		for i, v := range values {
			if err := elem(v, items.Index(i)); err != nil {
				return drover.Under(err, i)
			}
		}
		into.Set(items)
		return nil
	}
}

func text(rules rules) reader {
	return func(value any, into reflect.Value) error {
		s, err := asText(value)
		if err != nil {
			return err
		}
		if len(rules.enum) > 0 && !slices.Contains(rules.enum, s) {
			return notOneOf(quoted(rules.enum))
		}
		// White space alone is refused as an empty text is: a name that no one sees is none.
		measured := strings.TrimSpace(s)
		if !rules.trimmed && (measured != "" || rules.blank) {
			measured = s
		}
		if err := rules.checkLength(utf8.RuneCountInString(measured)); err != nil {
			return err
		}
		into.SetString(s)
		return nil
	}
}

func asText(value any) (string, error) {
	s, ok := value.(string)
	if !ok {
		return "", drover.Invalid("string_type", "Input should be a valid string")
	}
	return s, checkNUL(s)
}

// checkNUL refuses the one character that PostgreSQL cannot store.
func checkNUL(s string) error {
	if strings.IndexByte(s, 0) >= 0 {
		return drover.InvalidValue("string must not contain NUL characters")
	}
	return nil
}

func readBool(value any, into reflect.Value) error {
	b, ok := value.(bool)
	if !ok {
		return drover.Invalid("bool_type", "Input should be a valid boolean")
	}
	into.SetBool(b)
	return nil
}

func integer(rules rules) reader {
	return func(value any, into reflect.Value) error {
		n, err := asInteger(value)
		if err != nil {
			return err
		}
		digits := strconv.FormatInt(n, 10)
		if len(rules.enum) > 0 && !slices.Contains(rules.enum, digits) {
			return notOneOf(rules.enum)
		}
		if err := rules.checkRange(float64(n)); err != nil {
			return err
		}
		if into.OverflowInt(n) {
			return intTooLarge()
		}
		into.SetInt(n)
		return nil
	}
}

// asInteger takes numbers alone. A string of digits is the wrong type, like any
// other string.
func asInteger(value any) (int64, error) {
	number, ok := value.(json.Number)
	if !ok {
		return 0, drover.Invalid("int_type", "Input should be a valid integer")
	}
	if n, err := strconv.ParseInt(string(number), 10, 64); err == nil {
		return n, nil
	}
	f, err := finite(number)
	switch {
	case err != nil:
		return 0, err
	case f != math.Trunc(f):
		return 0, drover.Invalid("int_from_float", "Input should be a valid integer, got a number with a fractional part")
	case f < math.MinInt64 || f >= math.MaxInt64:
		return 0, intTooLarge()
	}
	return int64(f), nil
}

func notAnInteger() error {
	return drover.Invalid("int_parsing", "Input should be a valid integer, unable to parse string as an integer")
}

func intTooLarge() error {
	return drover.Invalid("int_parsing_size", "Unable to parse input string as an integer, exceeded maximum size")
}

func float(rules rules) reader {
	return func(value any, into reflect.Value) error {
		number, ok := value.(json.Number)
		if !ok {
			return drover.Invalid("float_type", "Input should be a valid number")
		}
		f, err := finite(number)
		if err != nil {
			return err
		}
		if err := rules.checkRange(f); err != nil {
			return err
		}
		into.SetFloat(f)
		return nil
	}
}

func finite(number json.Number) (float64, error) {
	f, err := number.Float64()
	if err != nil {
		return 0, drover.Invalid("finite_number", "Input should be a finite number")
	}
	return f, nil
}

func readTime(value any, into reflect.Value) error {
	s, ok := value.(string)
	if !ok {
		return drover.Invalid("datetime_type", "Input should be a valid datetime")
	}
	t, err := drover.ParseTime(s)
	if err != nil {
		return err
	}
	into.Set(reflect.ValueOf(t))
	return nil
}

// stringMap reads an object of texts. The rules of length hold for each key and
// each value.
func stringMap(rules rules) reader {
	return func(value any, into reflect.Value) error {
		object, ok := value.(map[string]any)
		if !ok {
			return drover.Invalid("dict_type", "Input should be a valid dictionary")
		}
		if err := rules.checkProperties(len(object)); err != nil {
			return err
		}
		out := make(map[string]string, len(object))
		for _, key := range slices.Sorted(maps.Keys(object)) {
			s, err := rules.entry(key, object[key])
			if err != nil {
				return drover.Under(err, key)
			}
			out[key] = s
		}
		into.Set(reflect.ValueOf(out))
		return nil
	}
}

func (r rules) entry(key string, value any) (string, error) {
	s, err := asText(value)
	if err == nil {
		err = checkNUL(key)
	}
	if err == nil {
		err = r.checkLength(utf8.RuneCountInString(key))
	}
	if err == nil {
		err = r.checkLength(utf8.RuneCountInString(s))
	}
	return s, err
}

// readAny keeps the tree as it is, numbers as json.Number.
func readAny(value any, into reflect.Value) error {
	if err := checkTree(value); err != nil {
		return err
	}
	if value == nil {
		into.SetZero()
		return nil
	}
	into.Set(reflect.ValueOf(value))
	return nil
}

func readRaw(value any, into reflect.Value) error {
	if err := checkTree(value); err != nil {
		return err
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("keep the value as JSON: %w", err)
	}
	into.SetBytes(raw)
	return nil
}

// checkTree holds the strings of free-form JSON to the rule of all strings.
func checkTree(value any) error {
	switch v := value.(type) {
	case string:
		return checkNUL(v)
	case []any:
		for i, item := range v {
			if err := checkTree(item); err != nil {
				return drover.Under(err, i)
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			err := checkNUL(key)
			if err == nil {
				err = checkTree(v[key])
			}
			if err != nil {
				return drover.Under(err, key)
			}
		}
	}
	return nil
}
