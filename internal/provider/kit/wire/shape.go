package wire

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
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

// ListIn reads a list, or the first of the members of an object that is one. It
// fails where there is none: an answer that says something else is no empty list.
func ListIn[T any](b []byte, members ...string) (list []T, err error) {
	raw := json.RawMessage(b)
	if IsObject(b) {
		raw = nil
		for _, member := range members {
			if raw, err = in(b, member); err != nil {
				return nil, err
			}
			if raw != nil {
				break
			}
		}
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil, outbound.FormError("it has no list of " + strings.ToLower(members[0]))
	}
	return list, json.Unmarshal(raw, &list)
}

// List is a list of which a single item may stand alone, as it does in
// XML and in lists of some vendors.
type List[T any] []T

// UnmarshalJSON reads a list, an item or nothing.
func (l *List[T]) UnmarshalJSON(b []byte) error {
	switch b = bytes.TrimSpace(b); {
	case bytes.HasPrefix(b, []byte("{")):
		*l = make(List[T], 1)
		return json.Unmarshal(b, &(*l)[0])
	case bytes.HasPrefix(b, []byte(`"`)):
		return nil // an element without content
	default:
		return json.Unmarshal(b, (*[]T)(l))
	}
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

// Fix begins a position with what each one has; false where its time, or a half of
// its place, is not known.
func Fix(device string, at Time, latitude, longitude *float64) (provider.Position, bool) {
	place := Coordinate(latitude, longitude)
	if place == nil || at.IsZero() {
		return provider.Position{}, false
	}
	return provider.Position{
		SystemDeviceID: device,
		Position:       drover.Position{Time: at.Record(), Latitude: place.Latitude, Longitude: place.Longitude},
	}, true
}

// Difference returns how far a counter went, nil where it is not known or was
// reset in between.
func Difference(from, to *float64) *float64 {
	if from == nil || to == nil || *to < *from {
		return nil
	}
	return new(*to - *from)
}

// Without returns what is left of a time in seconds without a part of it: of a trip
// without its idling, say. It is nil where the part is not known, and never negative.
func Without(part *float64, seconds float64) *float64 {
	return Map(part, func(part float64) float64 { return max(seconds-part, 0) })
}
