package api

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/drover-fleet/drover"
)

// newestColumns is the newest positions with one list for each field, all of the
// same length.
type newestColumns struct {
	DeviceID       []string             `json:"device_id"`
	ConnectionID   []string             `json:"connection_id"`
	Description    []*string            `json:"description"`
	Registration   []*string            `json:"registration"`
	State          []drover.DeviceState `json:"state"`
	StateSince     []*drover.Time       `json:"state_since"`
	Timestamp      []*drover.Time       `json:"timestamp"`
	Longitude      []*float64           `json:"longitude"`
	Latitude       []*float64           `json:"latitude"`
	Heading        []*float64           `json:"heading"`
	SpeedKPH       []*float64           `json:"speed_kph"`
	DriverID       []*string            `json:"driver_id"`
	Ignition       []*bool              `json:"ignition"`
	Auxiliary      []*bool              `json:"auxiliary"`
	OdometerMetres []*float64           `json:"odometer_metres"`
}

func columnsOf(rows []drover.NewestPosition) *newestColumns {
	n := len(rows)
	c := &newestColumns{
		DeviceID: make([]string, n), ConnectionID: make([]string, n), Description: make([]*string, n), Registration: make([]*string, n),
		State: make([]drover.DeviceState, n), StateSince: make([]*drover.Time, n), Timestamp: make([]*drover.Time, n),
		Longitude: make([]*float64, n), Latitude: make([]*float64, n), Heading: make([]*float64, n), SpeedKPH: make([]*float64, n),
		DriverID: make([]*string, n), Ignition: make([]*bool, n), Auxiliary: make([]*bool, n), OdometerMetres: make([]*float64, n),
	}
	for i := range rows {
		c.set(i, &rows[i])
	}
	return c
}

func (c *newestColumns) set(i int, r *drover.NewestPosition) {
	c.DeviceID[i], c.ConnectionID[i], c.Description[i], c.Registration[i] = r.DeviceID, r.ConnectionID, r.Description, r.Registration
	c.State[i], c.StateSince[i] = r.State, r.StateSince
	p := r.Position
	if p == nil {
		return
	}
	c.Timestamp[i], c.Longitude[i], c.Latitude[i], c.Heading[i] = &p.Timestamp, &p.Longitude, &p.Latitude, p.Heading
	c.Ignition[i], c.Auxiliary[i], c.OdometerMetres[i] = p.Ignition, p.Auxiliary, p.OdometerMetres
	if p.Speed != nil {
		c.SpeedKPH[i] = &p.Speed.SpeedKPH
	}
	if p.DriverID != nil {
		c.DriverID[i] = &p.DriverID.Value
	}
}

// What columns take, and what a device adds to them as a rule: room for all of it at once
// is cheaper than room that grows.
const (
	columnsBytes = 256
	deviceBytes  = 280
)

// appendJSON writes the columns as encoding/json would, in a fifth of the time: it is
// the answer that maps ask for again and again, of whole fleets.
func (c *newestColumns) appendJSON(b []byte) []byte {
	b = slices.Grow(b, columnsBytes+deviceBytes*len(c.DeviceID))
	b = appendColumn(append(b, `{"device_id":`...), c.DeviceID, appendText)
	b = appendColumn(append(b, `,"connection_id":`...), c.ConnectionID, appendText)
	b = appendColumn(append(b, `,"description":`...), c.Description, orNull(appendText[string]))
	b = appendColumn(append(b, `,"registration":`...), c.Registration, orNull(appendText[string]))
	b = appendColumn(append(b, `,"state":`...), c.State, appendText)
	b = appendColumn(append(b, `,"state_since":`...), c.StateSince, orNull(appendTime))
	b = appendColumn(append(b, `,"timestamp":`...), c.Timestamp, orNull(appendTime))
	b = appendColumn(append(b, `,"longitude":`...), c.Longitude, orNull(appendNumber))
	b = appendColumn(append(b, `,"latitude":`...), c.Latitude, orNull(appendNumber))
	b = appendColumn(append(b, `,"heading":`...), c.Heading, orNull(appendNumber))
	b = appendColumn(append(b, `,"speed_kph":`...), c.SpeedKPH, orNull(appendNumber))
	b = appendColumn(append(b, `,"driver_id":`...), c.DriverID, orNull(appendText[string]))
	b = appendColumn(append(b, `,"ignition":`...), c.Ignition, orNull(strconv.AppendBool))
	b = appendColumn(append(b, `,"auxiliary":`...), c.Auxiliary, orNull(strconv.AppendBool))
	b = appendColumn(append(b, `,"odometer_metres":`...), c.OdometerMetres, orNull(appendNumber))
	return append(b, '}')
}

func appendColumn[T any](b []byte, values []T, appendValue func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(b, v)
	}
	return append(b, ']')
}

// orNull writes what may be unknown.
func orNull[T any](appendValue func([]byte, T) []byte) func([]byte, *T) []byte {
	return func(b []byte, v *T) []byte {
		if v == nil {
			return append(b, "null"...)
		}
		return appendValue(b, *v)
	}
}

// appendText writes plain text by itself, and leaves any other to encoding/json.
func appendText[T ~string](b []byte, text T) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return appendAny(b, string(text))
		}
	}
	b = append(append(b, '"'), text...)
	return append(b, '"')
}

func appendTime(b []byte, t drover.Time) []byte {
	return append(t.AppendFormat(append(b, '"')), '"')
}

// appendNumber writes numbers of everyday size by itself, and leaves any other to
// encoding/json.
func appendNumber(b []byte, n float64) []byte {
	if size := math.Abs(n); size == 0 || size >= 1e-6 && size < 1e21 {
		return strconv.AppendFloat(b, n, 'f', -1, 64)
	}
	return appendAny(b, n)
}

// appendAny writes what was read as JSON, or a text: there is none that cannot be written.
func appendAny(b []byte, v any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v)
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
}
