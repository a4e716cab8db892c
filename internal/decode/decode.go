// Package decode reads request bodies and query parameters into Go values. Its errors have the
// words of pydantic 2.
//
// The rules of a body are the tags of its struct, from which the OpenAPI document is generated
// too, so the two cannot differ. A tag that the document would show and this package does not
// check is reported as an error of the struct.
package decode

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"sync"

	"github.com/drover-fleet/drover"
)

// Decoder reads what callers of one service send: which providers there are depends on
// what its operator enables. It is safe for concurrent use.
type Decoder struct {
	providers []drover.ProviderName
	// plans and queryPlans cache the fields of each struct type by reflect.Type:
	// reflecting on every request would cost more than the decoding.
	plans, queryPlans sync.Map
}

// New makes a Decoder that knows these providers.
func New(providers []drover.ProviderName) *Decoder { return &Decoder{providers: providers} }

// plain knows the providers of the interface alone.
var plain = New(drover.ProviderNames)

// JSON is Decoder.JSON where nothing is enabled beyond the interface.
func JSON(data []byte, into any) error { return plain.JSON(data, into) }

// Query is Decoder.Query where nothing is enabled beyond the interface.
func Query(q url.Values, into any) error { return plain.Query(q, into) }

// NoExtra is Decoder.NoExtra where nothing is enabled beyond the interface.
func NoExtra(q url.Values, t reflect.Type) error { return plain.NoExtra(q, t) }

// JSON reads the JSON object in data into the struct that into points to. The
// error is a *drover.Error of KindInvalid that tells the first fault in the
// order of the struct's fields; any other error means that the struct itself
// cannot be decoded into. Where JSON fails, the struct may be half filled.
//
// Unknown keys are ignored and of a repeated key the last counts. A field is
// required unless it is a pointer, a drover.Optional, or tagged
// required:"false", omitempty or omitzero. Pointers and Optionals take null,
// unless they are tagged nullable:"false".
func (d *Decoder) JSON(data []byte, into any) error {
	target := reflect.ValueOf(into)
	if target.Kind() != reflect.Pointer || target.IsNil() || target.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("decode into %T: not a pointer to a struct", into)
	}
	if len(data) == 0 {
		return drover.Invalid("missing", "Field required", "body")
	}
	tree, err := parse(data)
	if err != nil {
		return drover.Under(err, "body")
	}
	return drover.Under(d.readStruct(tree, target.Elem()), "body")
}

// Strict reads a JSON object as JSON does, and refuses keys that the struct does not have
// or that takes, asked when the struct is filled, does not want. Its errors name no body.
func (d *Decoder) Strict(data []byte, into any, takes func(key string) bool) error {
	tree, err := parse(data)
	if err != nil {
		return err
	}
	target := reflect.ValueOf(into).Elem()
	if err := d.readStruct(tree, target); err != nil {
		return err
	}
	object, _ := tree.(map[string]any)
	if key, ok := least(object, func(key string) bool { return !takes(key) }); ok {
		return drover.Invalid("extra_forbidden", "Extra inputs are not permitted", key)
	}
	return d.noExtraKeys(object, target.Type())
}

// noExtraKeys refuses keys that a struct, or one within it, does not have.
func (d *Decoder) noExtraKeys(object map[string]any, t reflect.Type) error {
	plan, err := d.planOf(t)
	if err != nil {
		return err
	}
	known := 0
	for i := range plan {
		if _, ok := object[plan[i].name]; ok {
			known++
		}
	}
	if known < len(object) {
		key, _ := least(object, func(key string) bool { return !slices.ContainsFunc(plan, func(f field) bool { return f.name == key }) })
		return drover.Invalid("extra_forbidden", "Extra inputs are not permitted", key)
	}
	for i := range plan {
		f := &plan[i]
		if f.inner == nil {
			continue
		}
		if inner, ok := object[f.name].(map[string]any); ok {
			if err := d.noExtraKeys(inner, f.inner); err != nil {
				return drover.Under(err, f.name)
			}
		}
	}
	return nil
}

// least returns the first key, in the order of letters, of those that are meant.
func least(object map[string]any, meant func(key string) bool) (first string, found bool) {
	for key := range object {
		if meant(key) && (!found || key < first) {
			first, found = key, true
		}
	}
	return first, found
}
