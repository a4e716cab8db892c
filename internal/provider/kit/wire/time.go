package wire

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
)

// Time is an instant in any of the forms that vendors use: ISO 8601 with an
// offset, without one (then it is UTC), seconds or milliseconds since 1970 as a
// number or as text. Null, "" and 0 are the zero time.
type Time struct{ time.Time }

// TimeOf returns t as a Time.
func TimeOf(t time.Time) Time { return Time{t.UTC()} }

// Record returns the instant as records hold it.
func (t Time) Record() drover.Time { return drover.At(t.Time) }

// UnmarshalJSON reads any of the forms.
func (t *Time) UnmarshalJSON(b []byte) error {
	text, err := scalar(b)
	if err != nil {
		return err
	}
	*t, err = ParseTime(text)
	return err
}

// MarshalJSON writes ISO 8601 in UTC, or null for the zero time.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(t.UTC())
}

// earliestMillis separates seconds from milliseconds: as seconds it is the year
// 5138, as milliseconds it is 1973.
const earliestMillis = 1e11

// ParseTime reads any of the forms that Time has.
func ParseTime(text string) (Time, error) {
	text = strings.TrimSpace(text)
	if text == "" || strings.HasPrefix(text, "0001-01-01") {
		return Time{}, nil
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return epoch(n), nil
	}
	at, err := drover.ParseTime(text)
	if err != nil {
		return Time{}, fmt.Errorf("%.40q is no time", text)
	}
	return Time{at.Time}, nil
}

// epoch reads seconds, with a fraction perhaps, or milliseconds since 1970.
func epoch(n float64) Time {
	switch {
	case n == 0:
		return Time{}
	case math.Abs(n) < earliestMillis:
		n *= 1000
	}
	return Time{time.UnixMilli(int64(math.Round(n))).UTC()}
}
