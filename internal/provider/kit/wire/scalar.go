package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Number is a JSON number, or a number written as text. Null, "" and an absent
// key are not known.
type Number struct{ value *float64 }

// NumberOf returns a known number.
func NumberOf(v float64) Number { return Number{&v} }

// Ptr returns the number, nil where it is not known.
func (n Number) Ptr() *float64 { return n.value }

// Or returns the number, or v where it is not known.
func (n Number) Or(v float64) float64 {
	if n.value == nil {
		return v
	}
	return *n.value
}

// Int returns the number as a whole one, nil where it is not known or zero: a
// model year of 0 is none.
func (n Number) Int() *int {
	if n.value == nil {
		return nil
	}
	return NonZero(int(math.Round(*n.value)))
}

// Whole returns the number without what is behind its point, nil where it is not known.
func (n Number) Whole() *int64 { return Map(n.value, func(v float64) int64 { return int64(v) }) }

// UnmarshalJSON reads a number, a text that holds one, or null.
func (n *Number) UnmarshalJSON(b []byte) error {
	text, err := scalar(b)
	if err != nil || text == "" {
		n.value = nil
		return err
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("%.40q is no number", text)
	}
	n.value = &v
	return nil
}

// MarshalJSON writes the number, or null.
func (n Number) MarshalJSON() ([]byte, error) { return json.Marshal(n.value) }

// Text is a JSON string, or a number or bool kept in the very digits in which it
// was written: an id of 19 digits does not fit a float64. Null is "".
type Text string

// Ptr returns the text without blanks around it, nil where nothing is left.
func (t Text) Ptr() *string { return NonZero(strings.TrimSpace(string(t))) }

// ID returns an id as Ptr does, nil also for the 0 with which vendors say no one.
func (t Text) ID() *string {
	if t == "0" {
		return nil
	}
	return t.Ptr()
}

// String returns the text.
func (t Text) String() string { return string(t) }

// Int returns the whole number that the text is, nil where it is none or zero:
// people write "unknown" for a model year, which is no reason to lose the list.
func (t Text) Int() *int {
	n, err := strconv.Atoi(strings.TrimSpace(string(t)))
	if err != nil {
		return nil
	}
	return NonZero(n)
}

// UnmarshalJSON reads any scalar.
func (t *Text) UnmarshalJSON(b []byte) error {
	text, err := scalar(b)
	*t = Text(text)
	return err
}

// Bool is a JSON bool, 0 or 1, or one of the words that stand for them. Null, ""
// and anything else are not known.
type Bool struct{ value *bool }

// Ptr returns the bool, nil where it is not known.
func (v Bool) Ptr() *bool { return v.value }

// Or returns the bool, or other where it is not known.
func (v Bool) Or(other bool) bool {
	if v.value == nil {
		return other
	}
	return *v.value
}

// UnmarshalJSON reads a bool, a number or a word.
func (v *Bool) UnmarshalJSON(b []byte) error {
	text, err := scalar(b)
	v.value = nil
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "1", "1.0", "on", "yes":
		v.value = new(true)
	case "false", "0", "0.0", "off", "no":
		v.value = new(false)
	}
	return err
}

// MarshalJSON writes the bool, or null.
func (v Bool) MarshalJSON() ([]byte, error) { return json.Marshal(v.value) }

// scalar returns the text of a JSON scalar: a string's content, a number or bool
// as written, "" for null. An object or array is refused.
func scalar(b []byte) (string, error) {
	b = bytes.TrimSpace(b)
	switch {
	case len(b) == 0 || string(b) == "null":
		return "", nil
	case b[0] == '"':
		var text string
		err := json.Unmarshal(b, &text)
		return text, err
	case b[0] == '{' || b[0] == '[':
		return "", fmt.Errorf("an object or array where a single value is expected")
	default:
		return string(b), nil
	}
}
