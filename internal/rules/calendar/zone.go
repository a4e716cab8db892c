// Package calendar computes local days: the day of a time, the beginning of a day, and how a span
// over several days is divided. Its functions are pure.
package calendar

import (
	"fmt"
	"time"
	_ "time/tzdata" // machines without a time zone database have one too

	"github.com/drover-fleet/drover"
)

const (
	dayMillis = int64(24 * time.Hour / time.Millisecond)
	// farthest is more than any zone is away from UTC.
	farthest = 30 * time.Hour
)

// Zone is a time zone. Days are numbered since 1970, as their dates would be in UTC.
type Zone struct{ loc *time.Location }

// UTC is the zone where no one has chosen one.
func UTC() Zone { return Zone{time.UTC} }

// Load finds a zone by its IANA name.
func Load(name string) (Zone, error) {
	if name == "" || name == "Local" {
		return Zone{}, fmt.Errorf("%q is no time zone", name)
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return Zone{}, fmt.Errorf("%q is no time zone", name)
	}
	return Zone{loc}, nil
}

// Name is the zone's IANA name.
func (z Zone) Name() string { return z.loc.String() }

// Start is when a day begins: from then on the date is never earlier. Where a clock is
// put back over midnight, the repeated time belongs to the day before; a date that is
// left out has no length.
func (z Zone) Start(day int64) drover.Time {
	midnight := time.UnixMilli(day * dayMillis)
	var start time.Time
	for t := midnight.Add(-farthest).In(z.loc); t.Before(midnight.Add(farthest)); {
		_, offset := t.Zone()
		turns := midnight.Add(-time.Duration(offset) * time.Second)
		from, to := t.ZoneBounds()
		if !to.IsZero() && to.Before(turns) {
			turns = to
		}
		if from.Before(turns) {
			start = turns
		}
		if to.IsZero() {
			break
		}
		t = to
	}
	return drover.At(start)
}

// Day is the one that a time lies in: near that of UTC, whichever begins last before it.
func (z Zone) Day(t drover.Time) int64 {
	day := t.UnixMilli() / dayMillis
	for t.Before(z.Start(day).Time) {
		day--
	}
	for !t.Before(z.Start(day + 1).Time) {
		day++
	}
	return day
}

// Date is a day as text, such as 2026-03-29.
func Date(day int64) string { return time.UnixMilli(day * dayMillis).UTC().Format(time.DateOnly) }

// ParseDate is the number of a day that is written as Date writes it.
func ParseDate(text string) (int64, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return 0, fmt.Errorf("%q is no date", text)
	}
	return t.UnixMilli() / dayMillis, nil
}

// Part is the part of a stretch of time that lies in one day.
type Part struct {
	Day      int64
	From, To drover.Time
}

// Split divides a stretch of time among its days. One without length lies in the day
// of its start.
func (z Zone) Split(from, to drover.Time) []Part {
	var parts []Part
	for day := z.Day(from); ; day++ {
		end := z.Start(day + 1)
		if !end.Before(to.Time) {
			return append(parts, Part{day, from, to})
		}
		if from.Before(end.Time) {
			parts = append(parts, Part{day, from, end})
			from = end
		}
	}
}
