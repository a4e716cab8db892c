package quality

import (
	"fmt"
	"math"

	"github.com/drover-fleet/drover"
)

const (
	// leastLegs are the stretches before a verdict on headings, ignition or times.
	leastLegs = 20
	// along is how far a heading may be from the course, in steps of ten degrees.
	along       = 3
	alongMostly = 0.6
	alongSeldom = 0.25
	// mirrorMostly is the share that agrees once coordinates are exchanged, and
	// mirrorGain how much more that is than as they are.
	mirrorMostly = 0.7
	mirrorGain   = 0.1
	// certain is the evidence, as a logarithm, that is enough for a verdict: 1,000 to 1, because it is
	// looked at again and again.
	certain = 7
)

func (f *Facts) judgeHeading() drover.QualityCheck {
	n := f.Heading.total()
	c := plausible(drover.CheckHeading, n)
	if n == 0 {
		return c
	}
	peak := f.Heading.peak()
	c.Measured, c.Unit = new(float64(peak*angleStep)), new("degrees")
	right := share(f.Heading.within(-along, along), n)
	switch {
	case n < leastLegs:
		return c
	case f.North == n && right < alongMostly:
		return doubt(c, "The headings are always 0.")
	case right >= alongSeldom:
		return verifiedIf(c, right >= alongMostly)
	case share(f.Heading.within(peak-along, peak+along), n) >= mostly:
		return doubt(c, "The headings are about %d degrees off the course that is driven.", abs(peak)*angleStep)
	}
	return doubt(c, "The headings do not follow the course that is driven.")
}

// judgeCoordinates looks for latitude and longitude in each other's place: the map
// is mirrored then, so that courses and distances agree with headings and speeds
// only once they are exchanged.
func (f *Facts) judgeCoordinates() drover.QualityCheck {
	c := plausible(drover.CheckCoordinates, f.Moving)
	outside := f.Outside >= leastLegs && share(f.Outside, f.Positions) >= seldom
	n := f.HeadingExchanged.total()
	turned := share(f.HeadingExchanged.within(-along, along), n)
	byHeading := n >= leastLegs && turned >= mirrorMostly && turned-share(f.Heading.within(-along, along), f.Heading.total()) >= mirrorGain
	bySpeed, most := f.Mirror.evidence()
	if middle, _ := f.Speed.middle(); middle > farthest {
		bySpeed, most = 0, 0 // what is so far off on each way that its bound hides the rest
	}
	if outside || byHeading || len(f.Heading) == 0 && bySpeed >= certain {
		c.Suggestion = new("coordinates=lon_lat")
		return doubt(c, "Latitude and longitude seem to be in each other's place.")
	}
	headings := f.Heading.total()
	return verifiedIf(c, headings >= leastLegs && share(f.Heading.within(-along, along), headings) >= alongMostly || most <= -certain)
}

const (
	halfHour   = 30 // minutes
	stepMinute = ageStep / 60
	// freshMinutes is how old positions may be in the mean besides their time zone.
	freshMinutes = 10
)

// judgeTime looks for positions that are systematically whole or half hours old,
// or ahead: the time of a zone that was taken for another's.
func (f *Facts) judgeTime() drover.QualityCheck {
	n := f.Age.total()
	c := plausible(drover.CheckTime, n)
	if n < leastLegs {
		return c
	}
	first, last := stepMinute*f.Age.quantile(0.1), stepMinute*f.Age.quantile(0.8)
	c.Measured, c.Unit = new(float64(60*stepMinute*f.Age.quantile(0.5))), new("seconds")
	zone := int(math.Floor(float64(first+stepMinute)/halfHour)) * halfHour
	switch {
	case zone != 0 && last-zone <= freshMinutes:
		c.Suggestion = new(fmt.Sprintf("time_offset_minutes=%d", -zone))
		word := "old"
		if zone < 0 {
			word = "ahead"
		}
		return doubt(c, "Positions are %s %s when they arrive, nearly all of them: their times seem to be of another time zone than UTC.",
			hours(zone), word)
	case last < 0:
		return doubt(c, "Positions are about %d minutes ahead of the present when they arrive: a clock is wrong.", -last)
	}
	return verifiedIf(c, first >= -stepMinute && first <= freshMinutes)
}

// hours says a number of minutes in words.
func hours(minutes int) string {
	minutes = abs(minutes)
	if minutes < 60 {
		return fmt.Sprintf("%d minutes", minutes)
	}
	if minutes == 60 {
		return "1 hour"
	}
	return fmt.Sprintf("%g hours", float64(minutes)/60)
}

const (
	leastAnswers = 5
	clockSeconds = 60.0
)

// judgeClock compares the vendor's clock with ours.
func (f *Facts) judgeClock() drover.QualityCheck {
	n := f.Clock.total()
	c := plausible(drover.CheckClock, n)
	if n < leastAnswers {
		return c
	}
	ahead := sizeOf(f.Clock.quantile(mostly))
	c.Measured, c.Unit = &ahead, new("seconds")
	if math.Abs(ahead) <= clockSeconds {
		return verifiedIf(c, true)
	}
	word := "ahead of"
	if ahead < 0 {
		word = "behind"
	}
	return doubt(c, "The provider's clock is about %.0f seconds %s the one of this service.", math.Abs(ahead), word)
}

// leastStoodSeconds is for how long vehicles stand before an ignition that is never off is doubted. Some
// idle at each stop of two days and a night: 27 hours.
const leastStoodSeconds = 30 * 3600

// judgeIgnition compares the ignition with movement.
func (f *Facts) judgeIgnition() drover.QualityCheck {
	driven, stood := f.DrivenOn+f.DrivenOff, f.StoodOn+f.StoodOff
	c := plausible(drover.CheckIgnition, driven)
	neverOff := f.StoodOn >= leastStoodSeconds && f.StoodOff == 0 && driven >= leastLegs/2
	if driven < leastLegs && !neverOff {
		return c
	}
	off := share(f.DrivenOff, driven)
	c.Measured, c.Unit = new(math.Round(100*off)), new("percent off while driving")
	switch {
	case off >= mostly:
		return doubt(c, "The ignition is off in %.0f %% of what is driven.", 100*off)
	case neverOff:
		return doubt(c, "The ignition is never off, though the vehicles stood for %.0f hours.", float64(stood)/3600)
	}
	return verifiedIf(c, off < never && share(f.StoodOff, stood) >= never)
}

// leastBrief is how many devices must have come and gone before their ids are
// doubted.
const leastBrief = 5

// judgeIDs looks for devices that get new ids all the time.
func judgeIDs(c Context) drover.QualityCheck {
	check := plausible(drover.CheckIDs, int64(c.Devices+c.Brief))
	if c.Brief >= leastBrief && c.Brief > c.Devices {
		return doubt(check, "%d devices were listed for less than two days, and %d are there now: the provider seems to give vehicles new ids.",
			c.Brief, c.Devices)
	}
	return check
}

// judgeSharing looks for devices that report one vehicle's positions.
func (f *Facts) judgeSharing() drover.QualityCheck {
	c := plausible(drover.CheckSharing, f.Moving)
	if f.Shared >= leastLegs/2 && share(f.Shared, f.Moving) >= seldom {
		return doubt(c, "%d of %d positions of moving vehicles are those of another device at the same time.", f.Shared, f.Moving)
	}
	return verifiedIf(c, f.Moving >= 5*leastLegs)
}

func abs(n int) int { return max(n, -n) }
