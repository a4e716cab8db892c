package wire

import (
	"encoding/json"
	"math"
	"strconv"
)

// Bag is an object whose keys are not the vendor's to say: those of a customer or
// of a tracker's model. A value that does not have the form expected is not known;
// it is no reason to refuse the rest of the answer.
type Bag map[string]json.RawMessage

// Text returns a scalar, "" where there is none.
func (b Bag) Text(key string) Text {
	var text Text
	if err := json.Unmarshal(b[key], &text); err != nil {
		return ""
	}
	return text
}

// Number returns a number, also one written as text.
func (b Bag) Number(key string) Number {
	v, err := strconv.ParseFloat(b.Text(key).String(), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return Number{}
	}
	return NumberOf(v)
}
