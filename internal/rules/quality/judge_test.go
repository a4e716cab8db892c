package quality_test

import (
	"cmp"
	"fmt"
	"math"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/quality"
)

// bins are counts by the number of their bin.
type bins = quality.Histogram

// saying is a check in one line: verdict, measured, suggestion and reason.
func saying(c drover.QualityCheck) string {
	s := string(c.Verdict)
	if c.Measured != nil {
		s += fmt.Sprintf(" %g %s", *c.Measured, *c.Unit)
	}
	if c.Suggestion != nil {
		s += " " + *c.Suggestion
	}
	if c.Reason != nil {
		s += ": " + *c.Reason
	}
	return s
}

// mirror compares n ways, of which those on the exchanged map are longer and shorter in turn: the speeds are off by
// so much on the map as it is, and by so much on the exchanged one.
func mirror(n int, is, exchanged func(way float64) float64) (m quality.Mirror) {
	for i := range n {
		way := 0.5 - float64(i%2)
		a, b := is(way), exchanged(way)
		const near = 0.3 * 0.3
		for k, v := range []float64{1, a, a * a, b, b * b, math.Log((near + a*a) / (near + b*b))} {
			m[k] += v
		}
	}
	return m
}

// off is a number by which a speed is off on each way, and goes the same and a part of the way beside it.
func off(by float64) func(float64) float64 { return func(float64) float64 { return by } }

func goes(part, by float64) func(float64) float64 {
	return func(way float64) float64 { return part*way + by }
}

// TestJudge holds every check at the bounds of its rules.
func TestJudge(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, check string
		facts       quality.Facts
		context     *quality.Context
		want        string
	}{
		// A heading may be 30 degrees off the course.
		{"HeadingUnknown", drover.CheckHeading, quality.Facts{}, nil, "plausible"},
		{"HeadingTooFew", drover.CheckHeading, quality.Facts{Heading: bins{9: 19}}, nil, "plausible 90 degrees"},
		{
			"HeadingEnough", drover.CheckHeading,
			quality.Facts{Heading: bins{9: 20}},
			nil,
			"doubtful 90 degrees: The headings are about 90 degrees off the course that is driven.",
		},
		{"HeadingAtBound", drover.CheckHeading, quality.Facts{Heading: bins{3: 10, -3: 10}}, nil, "verified -30 degrees"},
		{
			"HeadingPastBound", drover.CheckHeading,
			quality.Facts{Heading: bins{-4: 20}},
			nil,
			"doubtful -40 degrees: The headings are about 40 degrees off the course that is driven.",
		},
		{"HeadingMostlyRight", drover.CheckHeading, quality.Facts{Heading: bins{0: 12, 9: 8}}, nil, "verified 0 degrees"},
		{"HeadingHalfRight", drover.CheckHeading, quality.Facts{Heading: bins{0: 11, 9: 9}}, nil, "plausible 0 degrees"},
		{"HeadingQuarterRight", drover.CheckHeading, quality.Facts{Heading: bins{0: 5, 9: 15}}, nil, "plausible 90 degrees"},
		{
			"HeadingFifthRight", drover.CheckHeading,
			quality.Facts{Heading: bins{0: 4, 9: 16}},
			nil,
			"doubtful 90 degrees: The headings are about 90 degrees off the course that is driven.",
		},
		{
			"HeadingHalfAround", drover.CheckHeading,
			quality.Facts{Heading: bins{9: 6, 12: 4, 17: 5, -17: 5}},
			nil,
			"doubtful 90 degrees: The headings are about 90 degrees off the course that is driven.",
		},
		{
			"HeadingHalfAroundBelow", drover.CheckHeading,
			quality.Facts{Heading: bins{9: 6, 6: 4, 17: 5, -17: 5}},
			nil,
			"doubtful 90 degrees: The headings are about 90 degrees off the course that is driven.",
		},
		{
			"HeadingScattered", drover.CheckHeading,
			quality.Facts{Heading: bins{9: 5, 12: 4, 17: 5, -17: 6}},
			nil,
			"doubtful -170 degrees: The headings do not follow the course that is driven.",
		},
		{
			"HeadingAlwaysNorth", drover.CheckHeading,
			quality.Facts{Heading: bins{0: 11, 9: 9}, North: 20},
			nil,
			"doubtful 0 degrees: The headings are always 0.",
		},
		{
			"HeadingMostlyNorth", drover.CheckHeading,
			quality.Facts{Heading: bins{9: 20}, North: 19},
			nil,
			"doubtful 90 degrees: The headings are about 90 degrees off the course that is driven.",
		},
		{"HeadingNorthIsTheCourse", drover.CheckHeading, quality.Facts{Heading: bins{0: 12, 9: 8}, North: 20}, nil, "verified 0 degrees"},

		// Coordinates are exchanged where courses agree only on the mirrored map.
		{"CoordinatesUnknown", drover.CheckCoordinates, quality.Facts{}, nil, "plausible"},
		{"CoordinatesByHeading", drover.CheckCoordinates, quality.Facts{Heading: bins{0: 12, 9: 8}}, nil, "verified"},
		{"CoordinatesByTooFewHeadings", drover.CheckCoordinates, quality.Facts{Heading: bins{0: 19}}, nil, "plausible"},
		{"CoordinatesByWrongHeading", drover.CheckCoordinates, quality.Facts{Heading: bins{0: 11, 9: 9}}, nil, "plausible"},
		{
			"CoordinatesMirrored", drover.CheckCoordinates,
			quality.Facts{Heading: bins{0: 11, 9: 9}, HeadingExchanged: bins{3: 7, -3: 7, 9: 6}},
			nil, "doubtful coordinates=lon_lat: Latitude and longitude seem to be in each other's place.",
		},
		{"CoordinatesTooFewMirrored", drover.CheckCoordinates, quality.Facts{HeadingExchanged: bins{0: 19}}, nil, "plausible"},
		{"CoordinatesHardlyMirrored", drover.CheckCoordinates, quality.Facts{HeadingExchanged: bins{0: 13, 9: 7}}, nil, "plausible"},
		{
			"CoordinatesNoGain", drover.CheckCoordinates,
			quality.Facts{Heading: bins{0: 13, 9: 7}, HeadingExchanged: bins{0: 14, 9: 6}},
			nil,
			"verified",
		},
		// Or where what is driven goes with what the map would stretch.
		{
			"CoordinatesMirroredBySpeed", drover.CheckCoordinates,
			quality.Facts{Mirror: mirror(40, goes(1, 0), off(0))},
			nil,
			"doubtful coordinates=lon_lat: Latitude and longitude seem to be in each other's place.",
		},
		{"CoordinatesTooFewMirroredBySpeed", drover.CheckCoordinates, quality.Facts{Mirror: mirror(38, goes(1, 0), off(0))}, nil, "plausible"},
		{"CoordinatesHardlyMirroredBySpeed", drover.CheckCoordinates, quality.Facts{Mirror: mirror(40, goes(1, 0), goes(0.9, 0))}, nil, "plausible"},
		{
			"CoordinatesMirroredByManySpeeds", drover.CheckCoordinates,
			quality.Facts{Mirror: mirror(120, goes(1, 0), goes(0.9, 0))},
			nil,
			"doubtful coordinates=lon_lat: Latitude and longitude seem to be in each other's place.",
		},
		{"CoordinatesHalfMirrored", drover.CheckCoordinates, quality.Facts{Mirror: mirror(800, goes(0.5, 0), goes(-0.5, 0))}, nil, "plausible"},
		{"CoordinatesBySpeed", drover.CheckCoordinates, quality.Facts{Mirror: mirror(40, off(0), goes(1, 0))}, nil, "verified"},
		{"CoordinatesOfOneCourse", drover.CheckCoordinates, quality.Facts{Mirror: mirror(40, off(0.5), off(0))}, nil, "plausible"},
		{
			"CoordinatesMirroredButNotAtAll", drover.CheckCoordinates,
			quality.Facts{Mirror: mirror(400, goes(0.5, 0), off(0.6))},
			nil,
			"plausible",
		},
		{
			"CoordinatesBySpeedButNotAtAll", drover.CheckCoordinates,
			quality.Facts{Mirror: mirror(400, off(0.6), goes(0.5, 0))},
			nil,
			"plausible",
		},
		{
			"CoordinatesMirroredBySpeedNotHeading", drover.CheckCoordinates,
			quality.Facts{Heading: bins{0: 1}, Mirror: mirror(40, goes(1, 0), off(0))},
			nil,
			"plausible",
		},
		{
			"CoordinatesOutside", drover.CheckCoordinates,
			quality.Facts{Positions: 100, Outside: 20},
			nil,
			"doubtful coordinates=lon_lat: Latitude and longitude seem to be in each other's place.",
		},
		{"CoordinatesFewOutside", drover.CheckCoordinates, quality.Facts{Positions: 19, Outside: 19}, nil, "plausible"},
		{"CoordinatesSeldomOutside", drover.CheckCoordinates, quality.Facts{Positions: 101, Outside: 20}, nil, "plausible"},

		// Nearly all positions of a wrong time zone are whole or half hours old.
		{"TimeTooFew", drover.CheckTime, quality.Facts{Age: bins{12: 19}}, nil, "plausible"},
		{"TimeFresh", drover.CheckTime, quality.Facts{Age: bins{0: 20}}, nil, "verified 0 seconds"},
		{
			"TimeAnHourOld", drover.CheckTime,
			quality.Facts{Age: bins{12: 20}},
			nil,
			"doubtful 3600 seconds time_offset_minutes=-60: Positions are 1 hour old when they arrive, nearly all of them: their times seem to be of another time zone than UTC.",
		},
		{
			"TimeHalfAnHourOld", drover.CheckTime,
			quality.Facts{Age: bins{6: 20}},
			nil,
			"doubtful 1800 seconds time_offset_minutes=-30: Positions are 30 minutes old when they arrive, nearly all of them: their times seem to be of another time zone than UTC.",
		},
		{
			"TimeAnHourAhead", drover.CheckTime,
			quality.Facts{Age: bins{-12: 20}},
			nil,
			"doubtful -3600 seconds time_offset_minutes=60: Positions are 1 hour ahead when they arrive, nearly all of them: their times seem to be of another time zone than UTC.",
		},
		{
			"TimeTwoHoursAndAHalfAhead", drover.CheckTime,
			quality.Facts{Age: bins{-30: 20}},
			nil,
			"doubtful -9000 seconds time_offset_minutes=150: Positions are 2.5 hours ahead when they arrive, nearly all of them: their times seem to be of another time zone than UTC.",
		},
		{
			"TimeJustBeforeAnHour", drover.CheckTime,
			quality.Facts{Age: bins{11: 20}},
			nil,
			"doubtful 3300 seconds time_offset_minutes=-60: Positions are 1 hour old when they arrive, nearly all of them: their times seem to be of another time zone than UTC.",
		},
		{
			"TimeAnHourAndTen", drover.CheckTime,
			quality.Facts{Age: bins{12: 15, 14: 5}},
			nil,
			"doubtful 3600 seconds time_offset_minutes=-60: Positions are 1 hour old when they arrive, nearly all of them: their times seem to be of another time zone than UTC.",
		},
		{"TimeAnHourAndLater", drover.CheckTime, quality.Facts{Age: bins{12: 15, 15: 5}}, nil, "plausible 3600 seconds"},
		{"TimeFewAreOld", drover.CheckTime, quality.Facts{Age: bins{0: 2, 12: 18}}, nil, "verified 3600 seconds"},
		{
			"TimeATenthIsFresh", drover.CheckTime,
			quality.Facts{Age: bins{0: 1, 12: 19}},
			nil,
			"doubtful 3600 seconds time_offset_minutes=-60: Positions are 1 hour old when they arrive, nearly all of them: their times seem to be of another time zone than UTC.",
		},
		{"TimeTenMinutes", drover.CheckTime, quality.Facts{Age: bins{2: 20}}, nil, "verified 600 seconds"},
		{"TimeQuarter", drover.CheckTime, quality.Facts{Age: bins{3: 20}}, nil, "plausible 900 seconds"},
		{
			"TimeClockAhead", drover.CheckTime,
			quality.Facts{Age: bins{-2: 20}},
			nil,
			"doubtful -600 seconds: Positions are about 10 minutes ahead of the present when they arrive: a clock is wrong.",
		},
		{"TimeFewMinutesAhead", drover.CheckTime, quality.Facts{Age: bins{-1: 3, 0: 17}}, nil, "verified 0 seconds"},
		{"TimeSomeAhead", drover.CheckTime, quality.Facts{Age: bins{-2: 3, 0: 17}}, nil, "plausible 0 seconds"},

		// The vendor's clock may be a minute off.
		{"ClockTooFew", drover.CheckClock, quality.Facts{Clock: bins{60: 4}}, nil, "plausible"},
		{
			"ClockAhead", drover.CheckClock,
			quality.Facts{Clock: bins{42: 5}},
			nil,
			"doubtful 65.7 seconds: The provider's clock is about 66 seconds ahead of the one of this service.",
		},
		{
			"ClockBehind", drover.CheckClock,
			quality.Facts{Clock: bins{-42: 5}},
			nil,
			"doubtful -65.7 seconds: The provider's clock is about 66 seconds behind the one of this service.",
		},
		{"ClockNearly", drover.CheckClock, quality.Facts{Clock: bins{41: 5}}, nil, "verified 59.3 seconds"},
		{"ClockBehindNearly", drover.CheckClock, quality.Facts{Clock: bins{-41: 5}}, nil, "verified -59.3 seconds"},

		// The ignition is on while driving, and off at some time.
		{"IgnitionTooFew", drover.CheckIgnition, quality.Facts{DrivenOff: 19}, nil, "plausible"},
		{
			"IgnitionOffInHalf", drover.CheckIgnition,
			quality.Facts{DrivenOn: 10, DrivenOff: 10},
			nil,
			"doubtful 50 percent off while driving: The ignition is off in 50 % of what is driven.",
		},
		{
			"IgnitionOffInLess", drover.CheckIgnition,
			quality.Facts{DrivenOn: 11, DrivenOff: 9, StoodOff: 100},
			nil,
			"plausible 45 percent off while driving",
		},
		{
			"IgnitionRight", drover.CheckIgnition,
			quality.Facts{DrivenOn: 19, DrivenOff: 1, StoodOn: 90, StoodOff: 10},
			nil,
			"verified 5 percent off while driving",
		},
		{
			"IgnitionOffInATenth", drover.CheckIgnition,
			quality.Facts{DrivenOn: 18, DrivenOff: 2, StoodOff: 100},
			nil,
			"plausible 10 percent off while driving",
		},
		{
			"IgnitionHardlyOff", drover.CheckIgnition,
			quality.Facts{DrivenOn: 20, StoodOn: 91, StoodOff: 9},
			nil,
			"plausible 0 percent off while driving",
		},
		{
			"IgnitionNeverOff", drover.CheckIgnition,
			quality.Facts{DrivenOn: 20, StoodOn: 108000},
			nil,
			"doubtful 0 percent off while driving: The ignition is never off, though the vehicles stood for 30 hours.",
		},
		{
			"IgnitionNeverOffForLess", drover.CheckIgnition,
			quality.Facts{DrivenOn: 20, StoodOn: 107999},
			nil,
			"plausible 0 percent off while driving",
		},
		{
			"IgnitionNeverOffInTenLegs", drover.CheckIgnition,
			quality.Facts{DrivenOn: 10, StoodOn: 108000},
			nil,
			"doubtful 0 percent off while driving: The ignition is never off, though the vehicles stood for 30 hours.",
		},
		{"IgnitionNeverOffInNineLegs", drover.CheckIgnition, quality.Facts{DrivenOn: 9, StoodOn: 108000}, nil, "plausible"},
		{
			"IgnitionOffForASecond", drover.CheckIgnition,
			quality.Facts{DrivenOn: 20, StoodOn: 108000, StoodOff: 1},
			nil,
			"plausible 0 percent off while driving",
		},

		{"IDsFew", drover.CheckIDs, quality.Facts{}, &quality.Context{Devices: 0, Brief: 4}, "plausible"},
		{"IDsAsManyStay", drover.CheckIDs, quality.Facts{}, &quality.Context{Devices: 5, Brief: 5}, "plausible"},
		{
			"IDsChange", drover.CheckIDs,
			quality.Facts{},
			&quality.Context{Devices: 4, Brief: 5},
			"doubtful: 5 devices were listed for less than two days, and 4 are there now: the provider seems to give vehicles new ids.",
		},

		{"SharingUnknown", drover.CheckSharing, quality.Facts{Moving: 99}, nil, "plausible"},
		{"SharingNone", drover.CheckSharing, quality.Facts{Moving: 100}, nil, "verified"},
		{
			"SharingATen", drover.CheckSharing,
			quality.Facts{Moving: 50, Shared: 10},
			nil,
			"doubtful: 10 of 50 positions of moving vehicles are those of another device at the same time.",
		},
		{"SharingNine", drover.CheckSharing, quality.Facts{Moving: 9, Shared: 9}, nil, "plausible"},
		{"SharingLessThanAFifth", drover.CheckSharing, quality.Facts{Moving: 51, Shared: 10}, nil, "plausible"},

		// Ratios of what is driven to what is reported, in steps of five percent.
		{"SpeedUnknown", drover.CheckSpeed, quality.Facts{}, nil, "plausible"},
		{"SpeedTooFew", drover.CheckSpeed, quality.Facts{Speed: bins{12: 13}}, nil, "plausible 1.82 ratio"},
		{
			"SpeedInKnots", drover.CheckSpeed,
			quality.Facts{Speed: bins{12: 20}},
			nil,
			"doubtful 1.82 ratio speed=knots: The speeds seem to be in knots but are read as km/h: what is driven is 1.82 times what they say.",
		},
		{
			"SpeedInMiles", drover.CheckSpeed,
			quality.Facts{Speed: bins{10: 20}},
			nil,
			"doubtful 1.65 ratio speed=mph: The speeds seem to be in miles per hour but are read as km/h: what is driven is 1.65 times what they say.",
		},
		{"SpeedAtBound", drover.CheckSpeed, quality.Facts{Speed: bins{2: 400}}, nil, "verified 1.11 ratio"},
		{"SpeedPastBound", drover.CheckSpeed, quality.Facts{Speed: bins{3: 400}}, nil, "plausible 1.16 ratio"},
		{
			"SpeedTooLow", drover.CheckSpeed,
			quality.Facts{Speed: bins{4: 400}},
			nil,
			"doubtful 1.22 ratio: The speeds do not agree with the distances between the positions: what is driven is mostly 1.22 times what they say.",
		},
		{"SpeedOfBends", drover.CheckSpeed, quality.Facts{Speed: bins{-5: 400}}, nil, "verified 0.78 ratio"},
		{"SpeedOfManyBends", drover.CheckSpeed, quality.Facts{Speed: bins{-6: 400}}, nil, "plausible 0.74 ratio"},
		{
			"SpeedTooHigh", drover.CheckSpeed,
			quality.Facts{Speed: bins{-7: 400}},
			nil,
			"doubtful 0.7 ratio: The speeds do not agree with the distances between the positions: what is driven is mostly 0.705 times what they say.",
		},
		{"SpeedOfWideSpread", drover.CheckSpeed, quality.Facts{Speed: bins{-8: 10, 0: 10, 8: 10, 16: 10}}, nil, "plausible 1.03 ratio"},
		{"SpeedOfWideSpreadBeside", drover.CheckSpeed, quality.Facts{Speed: bins{0: 5, 8: 5, 16: 5, 24: 5}}, nil, "plausible 1.53 ratio"},
		{
			"SpeedOfWideSpreadBesideForLong", drover.CheckSpeed,
			quality.Facts{Speed: bins{0: 100, 8: 100, 16: 100, 24: 100}},
			nil,
			"doubtful 1.53 ratio: The speeds do not agree with the distances between the positions: what is driven is mostly 1.53 times what they say.",
		},
		{"SpeedHalfRight", drover.CheckSpeed, quality.Facts{Speed: bins{0: 10, 12: 10}}, nil, "plausible 1.03 ratio"},
		{
			"SpeedSeldomRight", drover.CheckSpeed,
			quality.Facts{Speed: bins{0: 3, 12: 17}},
			nil,
			"doubtful 1.81 ratio speed=knots: The speeds seem to be in knots but are read as km/h: what is driven is 1.81 times what they say.",
		},
		{
			"SpeedStands", drover.CheckSpeed,
			quality.Facts{Speed: bins{160: 31, 12: 29}},
			nil,
			"doubtful: The speeds stand still while the vehicles drive.",
		},
		{
			"SpeedStandsInHalfOfTheLeast", drover.CheckSpeed,
			quality.Facts{Speed: bins{160: 22, 0: 20}},
			nil,
			"doubtful: The speeds stand still while the vehicles drive.",
		},
		{"SpeedAgreesThoughItTurns", drover.CheckSpeed, quality.Facts{Speed: bins{0: 400}, Stretches: 400, Turned: 400}, nil, "verified 1 ratio"},
		{"SpeedMostlyStands", drover.CheckSpeed, quality.Facts{Speed: bins{160: 29, 0: 31}}, nil, "plausible 1.02 ratio"},
		{"SpeedStandsInTooFewPlaces", drover.CheckSpeed, quality.Facts{Speed: bins{160: 14}, Places: 49}, nil, "plausible 2980.96 ratio"},
		{"SpeedStandsTooBriefly", drover.CheckSpeed, quality.Facts{Speed: bins{160: 13}}, nil, "plausible 2980.96 ratio"},
		{"SpeedHalfStandsTooBriefly", drover.CheckSpeed, quality.Facts{Speed: bins{160: 21, 0: 20}}, nil, "plausible 2910.82 ratio"},
		{
			"SpeedNearlyAllStands", drover.CheckSpeed,
			quality.Facts{Speed: bins{160: 14, 0: 1}},
			nil,
			"doubtful: The speeds stand still while the vehicles drive.",
		},
		{
			"SpeedOfWaysThatAreNotKnown", drover.CheckSpeed,
			quality.Facts{Speed: bins{-20: 400}, Stretches: 400, Turned: 80},
			nil,
			"plausible 0.37 ratio",
		},
		{
			"SpeedOfWaysThatAreMostlyKnown", drover.CheckSpeed,
			quality.Facts{Speed: bins{-20: 400}, Stretches: 400, Turned: 79},
			nil,
			"doubtful 0.37 ratio: The speeds do not agree with the distances between the positions: what is driven is mostly 0.368 times what they say.",
		},
		{
			"SpeedTooLowOfWaysThatAreNotKnown", drover.CheckSpeed,
			quality.Facts{Speed: bins{20: 400}, Stretches: 400, Turned: 400},
			nil,
			"doubtful 2.72 ratio: The speeds do not agree with the distances between the positions: what is driven is mostly 2.72 times what they say.",
		},
		{
			"SpeedOfNoUnit", drover.CheckSpeed,
			quality.Facts{Speed: bins{40: 20}},
			nil,
			"doubtful 7.39 ratio: The speeds do not agree with the distances between the positions: what is driven is mostly 7.39 times what they say.",
		},
		{
			"SpeedScattered", drover.CheckSpeed,
			quality.Facts{Speed: bins{40: 20, 60: 20, 90: 20}},
			nil,
			"doubtful 20.09 ratio: The speeds do not agree with the distances between the positions: what is driven is mostly 20.1 times what they say.",
		},
		{
			"SpeedBetweenUnits", drover.CheckSpeed,
			quality.Facts{Speed: bins{11: 40}},
			nil,
			"doubtful 1.73 ratio: The speeds do not agree with the distances between the positions: what is driven is mostly 1.73 times what they say.",
		},
		{
			"SpeedNearUnitButWide", drover.CheckSpeed,
			quality.Facts{Speed: bins{8: 100, 10: 100, 12: 100}},
			nil,
			"doubtful 1.65 ratio: The speeds do not agree with the distances between the positions: what is driven is mostly 1.65 times what they say.",
		},
		{
			"SpeedInMetresPerSecondAtSeldomPositions", drover.CheckSpeed,
			quality.Facts{Speed: bins{14: 50, 20: 50, 22: 50, 28: 50}},
			nil,
			"doubtful 2.79 ratio speed=ms: The speeds seem to be in metres per second but are read as km/h: what is driven is 2.79 times what they say.",
		},
		{
			"SpeedOfMilesInKilometres", drover.CheckSpeed,
			quality.Facts{Speed: bins{-10: 20}},
			&quality.Context{Speed: "mph", Odometer: "m", TripDistance: "m"},
			"doubtful 0.61 ratio speed=kmh: The speeds seem to be in km/h but are read as miles per hour: what is driven is 0.607 times what they say.",
		},
		{"OdometerTooFew", drover.CheckOdometer, quality.Facts{Odometer: bins{138: 4}}, nil, "plausible 992.27 ratio"},
		{
			"OdometerInKilometres", drover.CheckOdometer,
			quality.Facts{Odometer: bins{138: 5}},
			nil,
			"doubtful 992.27 ratio odometer=km: The odometers seem to be in kilometres but are read as metres: what is driven is 992 times what they say.",
		},
		{
			"OdometerInMiles", drover.CheckOdometer,
			quality.Facts{Odometer: bins{148: 5}},
			nil,
			"doubtful 1635.98 ratio odometer=miles: The odometers seem to be in miles but are read as metres: what is driven is 1640 times what they say.",
		},
		{
			"TripsInKilometres", drover.CheckTrips,
			quality.Facts{Trips: bins{138: 5}},
			nil,
			"doubtful 992.27 ratio trip_distance=km: The distances of trips seem to be in kilometres but are read as metres: what is driven is 992 times what they say.",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.facts.Places = cmp.Or(tt.facts.Places, 50)
			for _, c := range quality.Judge(tt.facts, *cmp.Or(tt.context, &reading)).Checks {
				if got := saying(c); c.Name == tt.check && got != tt.want {
					t.Errorf("got %q, want %q", got, tt.want)
				}
			}
		})
	}
}

// TestVerdictOfAll is verified by the times and either of speed and odometer, and notes
// what is taken for granted where nothing is known.
func TestVerdictOfAll(t *testing.T) {
	t.Parallel()
	fresh, agrees := bins{0: 20}, bins{0: 20}
	for _, tt := range []struct {
		name  string
		facts quality.Facts
		want  drover.Verdict
	}{
		{"Nothing", quality.Facts{}, drover.VerdictPlausible},
		{"OnlyTimes", quality.Facts{Age: fresh}, drover.VerdictPlausible},
		{"OnlySpeed", quality.Facts{Speed: agrees}, drover.VerdictPlausible},
		{"OnlyOdometer", quality.Facts{Odometer: agrees}, drover.VerdictPlausible},
		{"TimesAndSpeed", quality.Facts{Age: fresh, Speed: agrees, Places: 50}, drover.VerdictVerified},
		{"TimesAndOdometer", quality.Facts{Age: fresh, Odometer: agrees}, drover.VerdictVerified},
		{"OneDoubt", quality.Facts{Age: fresh, Odometer: agrees, Heading: bins{9: 20}}, drover.VerdictDoubtful},
	} {
		if got := quality.Judge(tt.facts, reading); got.Verdict != tt.want || (got.Reason != nil) != (tt.want == drover.VerdictDoubtful) ||
			got.Since != nil {
			t.Errorf("%s: %s, want %s", tt.name, got.Verdict, tt.want)
		}
	}
	assumed := quality.Reading(drover.Units{Speed: new("mph"), Odometer: new("km")}, drover.Units{Speed: new("ms")},
		map[string]string{drover.CheckSpeed: "s", drover.CheckTime: "t"})
	if assumed.Speed != "ms" || assumed.Odometer != "km" || assumed.TripDistance != "m" {
		t.Errorf("units %+v", assumed)
	}
	for _, c := range quality.Judge(quality.Facts{Age: fresh}, assumed).Checks {
		if (c.Assumed != nil) != (c.Name == drover.CheckSpeed) {
			t.Errorf("%s, %s: assumed %v", c.Name, c.Verdict, c.Assumed)
		}
	}
}
