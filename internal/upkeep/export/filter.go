package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"reflect"
	"strconv"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/decode"
)

// positionFilter chooses positions of any number of devices.
type positionFilter struct {
	DeviceIDs      []string     `query:"device_id" maxItems:"1000"`
	ConnectionIDs  []string     `query:"connection_id" maxItems:"1000"`
	Tag            string       `query:"tag" maxLength:"255"`
	From           *drover.Time `query:"from"`
	To             *drover.Time `query:"to"`
	IncludeSuspect bool         `query:"include_suspect"`
	DriverID       string       `query:"driver_id" maxLength:"255"`
}

// tripFilter is that of the list, with what it may add to each trip.
type tripFilter struct {
	drover.TripFilter
	Include string `query:"include" enum:"driver"`
}

// eventFilter is that of the feed without what only concerns reading it.
type eventFilter struct {
	Types        []drover.EventType `query:"type"`
	DeviceID     string             `query:"device_id"`
	ConnectionID string             `query:"connection_id"`
	From         *drover.Time       `query:"from"`
	To           *drover.Time       `query:"to"`
}

// readingFilter chooses readings of any number of devices.
type readingFilter struct {
	DeviceIDs     []string             `query:"device_id" maxItems:"1000"`
	ConnectionIDs []string             `query:"connection_id" maxItems:"1000"`
	Tag           string               `query:"tag" maxLength:"255"`
	Kinds         []drover.ReadingKind `query:"kind" maxItems:"100"`
	From          *drover.Time         `query:"from"`
	To            *drover.Time         `query:"to"`
	Suspect       bool                 `query:"suspect"`
	Every         int                  `query:"every" minimum:"0" maximum:"86400" default:"0"`
}

// Check refuses an export that cannot be made, in the words of the list whose
// filters it has.
func (*Runner) Check(in drover.ExportInput) error {
	k := kinds[in.Kind]
	if in.Format == drover.ExportGeoJSON && !k.placed {
		return drover.InvalidValue(string(in.Kind)+"s have no place, so there is no geojson of them", "body", "format")
	}
	return k.check(in.Filters)
}

// parse reads filters by the rules of a list's query.
func parse[F any](raw json.RawMessage) (F, error) {
	var f F
	values, err := parameters(raw)
	if err != nil {
		return f, err
	}
	if err := decode.Query(values, &f); err != nil {
		return f, inBody(err)
	}
	return f, inBody(decode.NoExtra(values, reflect.TypeFor[F]()))
}

// inBody moves a fault from the query, where a list has it, to the body.
func inBody(err error) error {
	e, ok := errors.AsType[*drover.Error](err)
	if !ok || len(e.Loc) == 0 {
		return err
	}
	moved := *e
	moved.Loc = append([]any{"body", "filters"}, e.Loc[1:]...)
	return &moved
}

// parameters are the members of an object as a query would have them.
func parameters(raw json.RawMessage) (url.Values, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return url.Values{}, nil
	}
	var members map[string]any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&members); err != nil {
		return nil, drover.Invalid("dict_type", "Input should be a valid dictionary", "body", "filters")
	}
	values := url.Values{}
	for name, member := range members {
		list, many := member.([]any)
		if !many {
			list = []any{member}
		}
		for i, v := range list {
			text, ok := scalar(v)
			switch {
			case !ok && many:
				return nil, drover.Invalid("string_type", "Input should be a valid string", "body", "filters", name, i)
			case !ok && v != nil:
				return nil, drover.Invalid("string_type", "Input should be a valid string", "body", "filters", name)
			case ok:
				values.Add(name, text)
			}
		}
	}
	return values, nil
}

func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}
