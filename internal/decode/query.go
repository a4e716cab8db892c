package decode

import (
	"encoding"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/drover-fleet/drover"
)

// Query reads query parameters into the struct that into points to, by the tags
// of its fields: query names the parameter, and the rules are those of bodies.
// The error is like that of JSON. What the struct does not name is ignored;
// NoExtra refuses it.
//
// An absent parameter gives its default or leaves the field alone; one that is
// present and empty is a value like any other. Of a repeated one the last counts,
// unless the field is a slice, which takes all of them.
func (d *Decoder) Query(q url.Values, into any) error {
	target := reflect.ValueOf(into)
	if target.Kind() != reflect.Pointer || target.IsNil() || target.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("decode into %T: not a pointer to a struct", into)
	}
	plan, err := d.paramsOf(target.Elem().Type())
	if err != nil {
		return err
	}
	for i := range plan {
		p := &plan[i]
		values := q[p.name]
		if len(values) == 0 && p.optional {
			continue
		}
		if err := p.readFrom(values, target.Elem().FieldByIndex(p.index)); err != nil {
			return drover.Under(err, "query", p.name)
		}
	}
	return nil
}

// NoExtra refuses a parameter that the struct type t has no field for: a
// misspelt filter would otherwise answer what no one asked for. Of several the
// first by name is reported. A nil t has no parameters.
func (d *Decoder) NoExtra(q url.Values, t reflect.Type) error {
	if len(q) == 0 {
		return nil
	}
	var plan []param
	if t != nil {
		var err error
		if plan, err = d.paramsOf(t); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if !slices.ContainsFunc(plan, func(p param) bool { return p.name == name }) {
			return drover.Invalid("extra_forbidden", "Extra inputs are not permitted", "query", name)
		}
	}
	return nil
}

// param is one query parameter.
type param struct {
	name     string
	index    []int
	optional bool          // an absent one leaves the field alone
	fallback reflect.Value // of an absent parameter; invalid is none
	many     bool
	rules    rules
	read     func(raw string, into reflect.Value) error
}

func (d *Decoder) paramsOf(t reflect.Type) ([]param, error) {
	if plan, ok := d.queryPlans.Load(t); ok {
		return plan.([]param), nil
	}
	var plan []param
	for _, f := range QueryFields(t) {
		p, err := d.newParam(f)
		if err != nil {
			return nil, fmt.Errorf("decode into %s: field %s: %w", t, f.Name, err)
		}
		plan = append(plan, p)
	}
	d.queryPlans.Store(t, plan)
	return plan, nil
}

// QueryFields lists the fields of a struct type that are query parameters, those
// of embedded structs in their place. Index is relative to t.
func QueryFields(t reflect.Type) []reflect.StructField {
	var fields []reflect.StructField
	for _, f := range reflect.VisibleFields(t) {
		if f.Tag.Get("query") != "" {
			fields = append(fields, f)
		}
	}
	return fields
}

func (d *Decoder) newParam(f reflect.StructField) (param, error) {
	rules, err := rulesOf(f.Tag)
	if err != nil {
		return param{}, err
	}
	p := param{name: f.Tag.Get("query"), index: f.Index, optional: f.Tag.Get("required") != "true", rules: rules}
	t := f.Type
	if p.many = t.Kind() == reflect.Slice; p.many {
		t, rules = t.Elem(), rules.items()
	}
	if p.read, err = d.paramReader(t, rules); err != nil {
		return param{}, err
	}
	if text, ok := f.Tag.Lookup("default"); ok {
		p.fallback = reflect.New(f.Type).Elem()
		if err := p.readFrom([]string{text}, p.fallback); err != nil {
			return param{}, badDefault(text, err)
		}
		p.optional = false
	}
	return p, nil
}

func (p *param) readFrom(values []string, into reflect.Value) error {
	switch {
	case len(values) == 0 && p.fallback.IsValid():
		into.Set(p.fallback)
		return nil
	case len(values) == 0:
		return drover.Invalid("missing", "Field required")
	case !p.many:
		return p.read(values[len(values)-1], into)
	}
	if err := p.rules.checkItems(len(values)); err != nil {
		return err
	}
	list := reflect.MakeSlice(into.Type(), len(values), len(values))
	for i, raw := range values {
		if err := p.read(raw, list.Index(i)); err != nil {
			return err
		}
	}
	into.Set(list)
	return nil
}

// paramReader returns the reader of one value of a parameter of type t.
func (d *Decoder) paramReader(t reflect.Type, rules rules) (func(raw string, into reflect.Value) error, error) {
	switch {
	case t == reflect.TypeFor[drover.Time]():
		return paramTime, nil
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return paramOwn, nil
	}
	switch t.Kind() { // every other kind has no form in a query.
	case reflect.Pointer:
		elem, err := d.paramReader(t.Elem(), rules)
		return func(raw string, into reflect.Value) error {
			target := reflect.New(t.Elem())
			if err := elem(raw, target.Elem()); err != nil {
				return err
			}
			into.Set(target)
			return nil
		}, err
	case reflect.String:
		return paramText(d.forType(rules, t)), nil
	case reflect.Bool:
		return paramBool, nil
	case reflect.Int, reflect.Int64:
		return paramInteger(rules), nil
	case reflect.Float64:
		return paramFloat(rules), nil
	default:
		return nil, fmt.Errorf("no rule to read a parameter into %s", t)
	}
}

func paramTime(raw string, into reflect.Value) error {
	t, err := drover.ParseTime(raw)
	if err == nil {
		into.Set(reflect.ValueOf(t))
	}
	return err
}

// paramOwn reads a type that knows its own form; its error is a *drover.Error
// without a place.
func paramOwn(raw string, into reflect.Value) error {
	return into.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(raw))
}

func paramText(rules rules) func(string, reflect.Value) error {
	read := text(rules)
	return func(raw string, into reflect.Value) error {
		if !utf8.ValidString(raw) {
			return drover.Invalid("string_unicode", "Input should be a valid string, unable to parse raw data as a unicode string")
		}
		return read(raw, into)
	}
}

// paramBool takes any of the words that pydantic takes for a boolean.
func paramBool(raw string, into reflect.Value) error {
	switch strings.ToLower(raw) {
	case "true", "1", "yes", "on", "t", "y":
		into.SetBool(true)
	case "false", "0", "no", "off", "f", "n":
		into.SetBool(false)
	default:
		return drover.Invalid("bool_parsing", "Input should be a valid boolean, unable to interpret input")
	}
	return nil
}

// paramInteger reads decimal digits. One too long for an int is taken for the
// nearest, so that the field's bounds refuse it in their own words.
func paramInteger(rules rules) func(string, reflect.Value) error {
	return func(raw string, into reflect.Value) error {
		n, err := strconv.ParseInt(strings.TrimSpace(raw), 10, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return notAnInteger()
		}
		if len(rules.enum) > 0 && !slices.Contains(rules.enum, strconv.FormatInt(n, 10)) {
			return notOneOf(rules.enum)
		}
		if err := rules.checkRange(float64(n)); err != nil {
			return err
		}
		into.SetInt(n)
		return nil
	}
}

func paramFloat(rules rules) func(string, reflect.Value) error {
	return func(raw string, into reflect.Value) error {
		f, err := strconv.ParseFloat(strings.TrimSpace(raw), 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return drover.Invalid("float_parsing", "Input should be a valid number, unable to parse string as a number")
		}
		if f-f != 0 {
			return drover.Invalid("finite_number", "Input should be a finite number")
		}
		if err := rules.checkRange(f); err != nil {
			return err
		}
		into.SetFloat(f)
		return nil
	}
}
