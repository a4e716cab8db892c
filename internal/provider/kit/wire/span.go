package wire

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Span is a length of time as .NET writes it, [-][d.]hh:mm:ss[.fffffff], or a
// number of seconds. Null, "" and an absent key are not known.
type Span struct{ value *time.Duration }

// Seconds returns the length in seconds, nil where it is not known.
func (s Span) Seconds() *float64 { return Map(s.value, time.Duration.Seconds) }

// UnmarshalJSON reads either form.
func (s *Span) UnmarshalJSON(b []byte) error {
	text, err := scalar(b)
	if err != nil {
		return err
	}
	s.value = nil
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	d, err := parseSpan(text)
	if err != nil {
		return fmt.Errorf("%.40q is not a duration", text)
	}
	s.value = &d
	return nil
}

// MarshalJSON writes seconds, or null.
func (s Span) MarshalJSON() ([]byte, error) { return json.Marshal(s.Seconds()) }

func parseSpan(text string) (time.Duration, error) {
	text, negative := strings.CutPrefix(text, "-")
	total := 0.0
	switch parts := strings.Split(text, ":"); len(parts) {
	case 1: // seconds
	case 3:
		days, hours, found := strings.Cut(parts[0], ".")
		if !found {
			days, hours = "0", parts[0]
		}
		for _, part := range []struct {
			text    string
			seconds float64
		}{{days, 86400}, {hours, 3600}, {parts[1], 60}} {
			n, err := strconv.ParseUint(part.text, 10, 31)
			if err != nil {
				return 0, err
			}
			total += float64(n) * part.seconds
		}
		text = parts[2]
	default:
		return 0, strconv.ErrSyntax
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, err
	}
	if total += seconds; negative {
		total = -total
	}
	if limit := (1<<63 - 1) / float64(time.Second); !(total > -limit && total < limit) {
		return 0, strconv.ErrRange
	}
	return time.Duration(total * float64(time.Second)), nil
}
