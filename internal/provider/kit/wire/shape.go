package wire

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/drover-fleet/drover"
)

// IsObject reports whether b is a JSON object, for values that come in several
// shapes.
func IsObject(b []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) }

// TextIn reads a scalar, or the first of the members of an object that is there:
// vendors refer to a thing by its id, or by an object that has one.
func TextIn(b []byte, members ...string) (Text, error) {
	var text Text
	if !IsObject(b) {
		return text, text.UnmarshalJSON(b)
	}
	for _, member := range members {
		raw, err := in(b, member)
		if err != nil {
			return "", err
		}
		if err := text.UnmarshalJSON(raw); err != nil || text != "" {
			return text, err
		}
	}
	return "", nil
}

// ListIn reads a list, or the one that is a member of an object.
func ListIn[T any](b []byte, member string) ([]T, error) {
	if IsObject(b) {
		raw, err := in(b, member)
		if err != nil || raw == nil {
			return nil, err
		}
		b = raw
	}
	var list []T
	err := json.Unmarshal(b, &list)
	return list, err
}

// in returns a member of an object, whatever the case of its name, as in the
// fields of a struct; nil where there is none.
func in(b []byte, member string) (json.RawMessage, error) {
	var object Bag
	if err := json.Unmarshal(b, &object); err != nil {
		return nil, err
	}
	for name, raw := range object {
		if strings.EqualFold(name, member) {
			return raw, nil
		}
	}
	return nil, nil
}

// Coordinate returns a place, nil where a half of it is not known.
func Coordinate(latitude, longitude *float64) *drover.Coordinate {
	if latitude == nil || longitude == nil {
		return nil
	}
	return &drover.Coordinate{Latitude: *latitude, Longitude: *longitude}
}

// Difference returns how far a counter went, nil where it is not known or was
// reset in between.
func Difference(from, to *float64) *float64 {
	if from == nil || to == nil || *to < *from {
		return nil
	}
	return new(*to - *from)
}
