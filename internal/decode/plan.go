package decode

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/drover-fleet/drover"
)

// A reader checks a value of the tree and stores it.
type reader func(value any, into reflect.Value) error

// A field is one key of an object.
type field struct {
	name     string
	index    []int
	required bool
	fallback any // what an absent key counts as; nil leaves the field alone
	read     reader
	inner    reflect.Type // the struct that it holds; nil where it holds none
}

func (d *Decoder) planOf(t reflect.Type) ([]field, error) {
	if plan, ok := d.plans.Load(t); ok {
		return plan.([]field), nil
	}
	plan, err := d.fieldsOf(t, nil)
	if err == nil && len(plan) == 0 && t.NumField() > 0 {
		err = errors.New("no field has a key")
	}
	if err != nil {
		return nil, fmt.Errorf("decode into %s: %w", t, err)
	}
	d.plans.Store(t, plan)
	return plan, nil
}

// fieldsOf lists the keys of t in the order of declaration, those of embedded
// structs in their place.
func (d *Decoder) fieldsOf(t reflect.Type, prefix []int) ([]field, error) {
	var fields []field
	for i := range t.NumField() {
		sf := t.Field(i)
		index := append(slices.Clone(prefix), i)
		name, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
		switch {
		case sf.Anonymous && name == "" && sf.Type.Kind() == reflect.Struct:
			embedded, err := d.fieldsOf(sf.Type, index)
			if err != nil {
				return nil, err
			}
			fields = append(fields, embedded...)
		case sf.IsExported() && name != "-":
			f, err := d.newField(sf, name, options)
			if err != nil {
				return nil, fmt.Errorf("field %s: %w", sf.Name, err)
			}
			f.index = index
			fields = append(fields, f)
		}
	}
	return fields, nil
}

func (d *Decoder) newField(sf reflect.StructField, name, options string) (field, error) {
	if name == "" {
		name = sf.Name
	}
	rules, err := rulesOf(sf.Tag)
	if err != nil {
		return field{}, err
	}
	read, err := d.readerOf(sf.Type, rules)
	if err != nil {
		return field{}, err
	}
	f := field{name: name, read: read, required: isRequired(sf, options)}
	switch t := sf.Type; {
	case t.Kind() == reflect.Struct:
		f.inner = t
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
		f.inner = t.Elem()
	}
	if text, ok := sf.Tag.Lookup("default"); ok {
		f.required = false
		f.fallback, err = fallbackOf(text, sf.Type, read)
	}
	return f, err
}

func isRequired(sf reflect.StructField, options string) bool {
	if tag, ok := sf.Tag.Lookup("required"); ok {
		return tag == "true"
	}
	for option := range strings.SplitSeq(options, ",") {
		if option == "omitempty" || option == "omitzero" {
			return false
		}
	}
	return sf.Type.Kind() != reflect.Pointer && !isOptional(sf.Type)
}

// fallbackOf returns the default in a tag as a value of the tree, once it is
// known to pass the field's own rules.
func fallbackOf(text string, t reflect.Type, read reader) (any, error) {
	var value any = text
	if t.Kind() != reflect.String {
		parsed, err := parse([]byte(text))
		if err != nil {
			return nil, badDefault(text, err)
		}
		value = parsed
	}
	if err := read(value, reflect.New(t).Elem()); err != nil {
		return nil, badDefault(text, err)
	}
	return value, nil
}

// badDefault keeps only the words of err: wrapped, the fault of the struct would
// pass for one of the caller.
func badDefault(text string, err error) error {
	return fmt.Errorf("default %q: %s", text, err.Error())
}

// isOptional reports whether t is an instance of drover.Optional.
func isOptional(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && strings.HasPrefix(t.Name(), "Optional[") &&
		t.PkgPath() == reflect.TypeFor[drover.Time]().PkgPath()
}

// readerOf returns the reader for t under rules.
func (d *Decoder) readerOf(t reflect.Type, rules rules) (reader, error) {
	read, err := d.strictReaderOf(t, rules)
	if err != nil || !rules.nullable {
		return read, err
	}
	return nullOr(read), nil
}

func (d *Decoder) strictReaderOf(t reflect.Type, rules rules) (reader, error) {
	switch {
	case t == reflect.TypeFor[drover.Time]():
		return readTime, nil
	case t == reflect.TypeFor[json.RawMessage]():
		return readRaw, nil
	case t == reflect.TypeFor[any]():
		return readAny, nil
	case t == reflect.TypeFor[map[string]string]():
		return stringMap(rules), nil
	case isOptional(t):
		elem, err := d.readerOf(t.Field(1).Type, rules)
		return optional(elem), err
	}
	switch t.Kind() { // every other kind has no form in a request.
	case reflect.Pointer:
		elem, err := d.readerOf(t.Elem(), rules)
		if rules.notNull {
			return pointer(elem), err
		}
		return nullOr(pointer(elem)), err
	case reflect.Slice:
		elem, err := d.readerOf(t.Elem(), rules.items())
		return list(elem, rules), err
	case reflect.Struct:
		return d.readStruct, nil
	case reflect.String:
		return text(d.forType(rules, t)), nil
	case reflect.Bool:
		return readBool, nil
	case reflect.Int, reflect.Int64, reflect.Int32:
		return integer(rules), nil
	case reflect.Float64:
		return float(rules), nil
	default:
		return nil, fmt.Errorf("no rule to decode into %s", t)
	}
}
