package wire

import (
	"errors"
	"strings"
	"time"
	_ "time/tzdata" // zones must be known on machines without a database of them
)

// Zone returns the time zone with an IANA name, such as Africa/Johannesburg. The
// zone of the machine has no name here: an account's is never that by chance.
func Zone(name string) (*time.Location, error) {
	if name == "" || strings.EqualFold(name, "local") {
		return nil, errors.New("the time zone is missing")
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, errors.New("the time zone is not in the IANA database; use one such as Africa/Johannesburg")
	}
	return zone, nil
}

// zonedLayouts are the forms with an offset, and then the one without.
var zonedLayouts = []string{
	"2006-01-02T15:04:05Z07:00",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05Z07",
	"2006-01-02T15:04:05",
}

// ParseTimeIn reads what ParseTime does, but a time without an offset is of zone.
// An offset may be of whole hours, as in 2026-10-01 21:00:21+02.
func ParseTimeIn(text string, zone *time.Location) (Time, error) {
	text = strings.TrimSpace(text)
	if len(text) > 10 && text[10] == ' ' {
		text = text[:10] + "T" + text[11:]
	}
	for _, layout := range zonedLayouts {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil && t.Year() > 1 {
			return TimeOf(t), nil
		}
	}
	return ParseTime(text)
}

// nearChange is more than clocks are ever changed by.
const nearChange = 3 * time.Hour

// LocalBounds returns a window as the clocks of zone show it, for vendors that
// take times without an offset. Where clocks are changed near a bound, and so show
// a time twice or leave it out, the bound is moved outwards: the window is never
// shorter than the one asked for, however the vendor reads it.
func LocalBounds(from, to time.Time, zone *time.Location) (localFrom, localTo time.Time) {
	earliest, _ := offsets(from, zone)
	_, latest := offsets(to, zone)
	return from.In(time.FixedZone("", earliest)), to.In(time.FixedZone("", latest))
}

// offsets returns the smallest and the largest offset of zone around t, in seconds.
func offsets(t time.Time, zone *time.Location) (smallest, largest int) {
	_, before := t.Add(-nearChange).In(zone).Zone()
	_, after := t.Add(nearChange).In(zone).Zone()
	return min(before, after), max(before, after)
}
