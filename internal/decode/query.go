package decode

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/drover-fleet/drover"
)

// The functions below read one query parameter. An absent one gives def; one
// that is present and empty is a value like any other and is refused where it
// is not valid. Of a repeated parameter the last counts.

// QueryInt reads an integer from low to high.
func QueryInt(q url.Values, name string, def, low, high int) (int, error) {
	raw, ok := last(q, name)
	if !ok {
		return def, nil
	}
	n, err := queryInteger(raw)
	if err == nil && n < low {
		err = tooSmall(strconv.Itoa(low))
	}
	if err == nil && n > high {
		err = tooLarge(strconv.Itoa(high))
	}
	return orFault(n, err, name)
}

// QueryEnumInt reads an integer that must be one of allowed.
func QueryEnumInt(q url.Values, name string, def int, allowed ...int) (int, error) {
	raw, ok := last(q, name)
	if !ok {
		return def, nil
	}
	n, err := queryInteger(raw)
	if err == nil && !slices.Contains(allowed, n) {
		options := make([]string, len(allowed))
		for i, a := range allowed {
			options[i] = strconv.Itoa(a)
		}
		err = notOneOf(options)
	}
	return orFault(n, err, name)
}

// queryInteger reads decimal digits. One too long for an int comes back as the
// nearest int, so that the caller's bounds refuse it in their own words.
func queryInteger(raw string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(raw))
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, notAnInteger()
	}
	return n, nil
}

// QueryBool reads a boolean in any of the words that pydantic takes for one.
func QueryBool(q url.Values, name string, def bool) (bool, error) {
	raw, ok := last(q, name)
	if !ok {
		return def, nil
	}
	switch strings.ToLower(raw) {
	case "true", "1", "yes", "on", "t", "y":
		return true, nil
	case "false", "0", "no", "off", "f", "n":
		return false, nil
	}
	return false, drover.Invalid("bool_parsing", "Input should be a valid boolean, unable to interpret input", "query", name)
}

// QueryTime reads a date-time, nil where it is absent.
func QueryTime(q url.Values, name string) (*drover.Time, error) {
	raw, ok := last(q, name)
	if !ok {
		return nil, nil
	}
	t, err := drover.ParseTime(raw)
	return orFault(&t, err, name)
}

// QueryEnum reads a text that must be one of allowed. Absent, it is the zero
// value, which is never one of them.
func QueryEnum[T ~string](q url.Values, name string, allowed ...T) (T, error) {
	raw, ok := last(q, name)
	if !ok {
		return "", nil
	}
	if value := T(raw); slices.Contains(allowed, value) {
		return value, nil
	}
	return orFault(T(""), notOneOf(quoted(texts(allowed))), name)
}

// QueryString reads a text of at most maxLength characters, "" where it is
// absent.
func QueryString(q url.Values, name string, maxLength int) (string, error) {
	raw, _ := last(q, name)
	if !utf8.ValidString(raw) {
		return "", drover.Invalid("string_unicode", "Input should be a valid string, unable to parse raw data as a unicode string", "query", name)
	}
	err := checkNUL(raw)
	if err == nil {
		err = rules{maxLength: &maxLength}.checkLength(utf8.RuneCountInString(raw))
	}
	return orFault(raw, err, name)
}

func last(q url.Values, name string) (string, bool) {
	values := q[name]
	if len(values) == 0 {
		return "", false
	}
	return values[len(values)-1], true
}

// orFault returns value, or its zero with err placed at the parameter.
func orFault[T any](value T, err error, name string) (T, error) {
	if err != nil {
		var zero T
		return zero, drover.Under(err, "query", name)
	}
	return value, nil
}
