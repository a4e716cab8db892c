package drover

import (
	"bytes"
	"database/sql/driver"
	"fmt"
	"strconv"
	"time"
)

// Time is an instant in UTC, kept to the millisecond. It prints as RFC 3339
// with a Z, and with three digits of milliseconds only where they are not zero.
// Stores keep it as milliseconds since 1970.
type Time struct{ time.Time }

// At returns t as a Time.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

// Milli returns the instant ms milliseconds after 1970.
func Milli(ms int64) Time { return Time{time.UnixMilli(ms).UTC()} }

// TimePtr returns t as a *Time, nil for the zero time.
func TimePtr(t time.Time) *Time {
	if t.IsZero() {
		return nil
	}
	at := At(t)
	return &at
}

// Day numbers the days in UTC since 1970.
func (t Time) Day() int64 {
	const day = 24 * 60 * 60
	seconds := t.Unix()
	if seconds < 0 {
		seconds -= day - 1
	}
	return seconds / day
}

const (
	wholeSeconds = "2006-01-02T15:04:05Z"
	withMillis   = "2006-01-02T15:04:05.000Z"
)

func (t Time) String() string { return string(t.AppendFormat(nil)) }

// AppendFormat appends the printed form of t to b.
func (t Time) AppendFormat(b []byte) []byte {
	if t.Nanosecond() < int(time.Millisecond) {
		return t.Time.AppendFormat(b, wholeSeconds)
	}
	return t.Time.AppendFormat(b, withMillis)
}

// MarshalJSON prints t as a JSON string.
func (t Time) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, len(withMillis)+2)
	b = append(b, '"')
	b = t.AppendFormat(b)
	return append(b, '"'), nil
}

// UnmarshalJSON reads any text that ParseTime accepts.
func (t *Time) UnmarshalJSON(b []byte) error {
	text, err := strconv.Unquote(string(bytes.TrimSpace(b)))
	if err != nil {
		return fmt.Errorf("time is no string: %w", err)
	}
	parsed, err := ParseTime(text)
	if err != nil {
		return err
	}
	*t = parsed
	return nil
}

// Value stores t as milliseconds since 1970.
func (t Time) Value() (driver.Value, error) { return t.UnixMilli(), nil }

// Scan reads milliseconds since 1970.
func (t *Time) Scan(src any) error {
	ms, ok := src.(int64)
	if !ok {
		return fmt.Errorf("time is stored as %T, not as an integer", src)
	}
	*t = Milli(ms)
	return nil
}

// timeLayouts are the forms of ISO 8601 that are read. Fractions of a second
// need no layout of their own: package time accepts them after any seconds.
var timeLayouts = []string{
	"2006-01-02T15:04:05Z07:00",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05Z07",
	"2006-01-02T15:04:05",
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04",
	"20060102T150405Z0700",
	"20060102T150405",
}

// ParseTime reads an ISO 8601 date-time. Without an offset it is UTC. A date
// without a time of day is refused, and so are years that RFC 3339 cannot print.
func ParseTime(text string) (Time, error) {
	for _, layout := range timeLayouts {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		at := At(t)
		if at.Year() < 1 || at.Year() > 9999 {
			break
		}
		return at, nil
	}
	return Time{}, Invalid("datetime_parsing", "Input should be a valid datetime, invalid ISO 8601 date-time")
}
