// Package decode reads what a caller sent, request bodies and query parameters,
// into Go values and refuses what breaks a rule, with pydantic 2's words for it.
//
// The rules of a body are the tags of the struct it is read into, the same ones
// that the OpenAPI document is generated from, so the two cannot drift. A tag
// that the document would show and this package does not check is a fault of
// the struct and is reported as one.
package decode

import (
	"fmt"
	"reflect"

	"github.com/drover-fleet/drover"
)

// JSON reads the JSON object in data into the struct that into points to. The
// error is a *drover.Error of KindInvalid that tells the first fault in the
// order of the struct's fields; any other error means that the struct itself
// cannot be decoded into. Where JSON fails, the struct may be half filled.
//
// Unknown keys are ignored and of a repeated key the last counts. A field is
// required unless it is a pointer, a drover.Optional, or tagged
// required:"false", omitempty or omitzero. Pointers and Optionals take null,
// unless they are tagged nullable:"false".
func JSON(data []byte, into any) error {
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
	return drover.Under(readStruct(tree, target.Elem()), "body")
}
