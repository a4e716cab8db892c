package trip

import (
	"fmt"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// Rule names an entry of the catalogue.
type Rule string

// The catalogue, in the order in which faults are named.
const (
	endBeforeStart   Rule = "end_before_start"
	noDuration       Rule = "no_duration"
	impossibleSpeed  Rule = "impossible_speed"
	distanceTooShort Rule = "distance_too_short"
	partsTooLong     Rule = "parts_too_long"
	badCoordinates   Rule = "bad_coordinates"
	inTheFuture      Rule = "in_the_future"
	overlap          Rule = "overlap"
	dissolved        Rule = "dissolved" // of a derived trip that was dissolved: notified once, never stored
)

// The bounds of the catalogue.
const (
	maxTripKPH      = 250.0           // average speed above which no road vehicle travels
	FutureTolerance = 5 * time.Minute // by how much a vendor's clock may be ahead
	// A distance may be below the straight line by this share and these metres:
	// odometers count in whole steps and receivers scatter.
	shortfallShare  = 0.05
	shortfallMetres = 100.0
	// partsTolerance is by how much the parts may exceed the duration:
	// vendors round each to whole seconds.
	partsTolerance = time.Second
)

// Fault is a rule that a trip breaks, in words for the tenant.
type Fault struct {
	Rule  Rule
	Words string
}

// Check returns every rule of the catalogue that t breaks, in the catalogue's
// order. Neighbours are the times of the device's other trips. An overlap
// concerns both trips, so the caller checks the neighbours again as well when a
// trip is added, moved or removed.
func Check(t Facts, now time.Time, neighbours []Span) []Fault {
	var faults []Fault
	add := func(rule Rule, format string, args ...any) {
		faults = append(faults, Fault{rule, fmt.Sprintf(format, args...)})
	}
	checkTimes(t, add)
	checkDistance(t, add)
	checkParts(t, add)
	checkCoordinate("start", t.Start, add)
	checkCoordinate("end", t.End, add)
	checkFuture(t, now, add)
	checkOverlap(t, neighbours, add)
	return faults
}

// DissolvedInto is the fault of a derived trip that late positions have dissolved: into
// the trip of the id given, or into none.
func DissolvedInto(into string) Fault {
	if into == "" {
		return Fault{dissolved, "the trip was dissolved: late positions show that there was none"}
	}
	return Fault{dissolved, "the trip was dissolved: late positions show that it is part of the trip " + into}
}

// Comments joins the faults' words for validation_comments: nil for a valid trip.
func Comments(faults []Fault) *string {
	if len(faults) == 0 {
		return nil
	}
	words := make([]string, len(faults))
	for i, f := range faults {
		words[i] = f.Words
	}
	joined := strings.Join(words, "; ")
	return &joined
}

type adder func(rule Rule, format string, args ...any)

func checkTimes(t Facts, add adder) {
	duration := t.EndTime.Sub(t.StartTime.Time)
	switch {
	case duration < 0:
		add(endBeforeStart, "the trip ends at %v, before it starts at %v", t.EndTime, t.StartTime)
		return
	case duration == 0:
		add(noDuration, "the trip has no duration: it starts and ends at %v", t.StartTime)
		return
	}
	metres, what := straightLine(t), "straight line"
	if t.DistanceMetres != nil && *t.DistanceMetres > metres {
		metres, what = *t.DistanceMetres, "distance"
	}
	if kph := geo.SpeedKPH(metres, duration.Seconds()); kph > maxTripKPH {
		add(impossibleSpeed, "impossible speed: a %s of %.0f m in %v is %.0f km/h on average, more than %.0f km/h",
			what, metres, duration, kph, maxTripKPH)
	}
}

// straightLine is the distance between the ends, zero where either is unknown or
// no place on earth.
func straightLine(t Facts) float64 {
	if t.Start == nil || t.End == nil || !geo.Plausible(*t.Start) || !geo.Plausible(*t.End) {
		return 0
	}
	return geo.DistanceMetres(*t.Start, *t.End)
}

func checkDistance(t Facts, add adder) {
	if t.DistanceMetres == nil {
		return
	}
	if *t.DistanceMetres < 0 {
		add(distanceTooShort, "the distance of %.0f m is negative", *t.DistanceMetres)
		return
	}
	straight := straightLine(t)
	if *t.DistanceMetres < straight*(1-shortfallShare)-shortfallMetres {
		add(distanceTooShort, "the distance of %.0f m is shorter than the straight line of %.0f m between start and end",
			*t.DistanceMetres, straight)
	}
}

// checkParts judges driving, idling and auxiliary time together, for they exclude
// each other: an auxiliary that runs while the vehicle stands is not idling.
func checkParts(t Facts, add adder) {
	duration := max(0, t.EndTime.Sub(t.StartTime.Time).Seconds())
	var sum float64
	var parts []string
	for _, part := range []struct {
		name    string
		seconds *float64
	}{{"driving", t.DrivingSeconds}, {"idling", t.IdlingSeconds}, {"auxiliary", t.AuxiliarySeconds}} {
		if part.seconds == nil {
			continue
		}
		if *part.seconds < 0 {
			add(partsTooLong, "the %s time of %.0f s is negative", part.name, *part.seconds)
			continue
		}
		sum += *part.seconds
		parts = append(parts, fmt.Sprintf("%s %.0f s", part.name, *part.seconds))
	}
	if sum > duration+partsTolerance.Seconds() {
		add(partsTooLong, "the parts of the trip (%s) are longer than the whole of %.0f s", strings.Join(parts, ", "), duration)
	}
}

func checkCoordinate(which string, p *drover.Coordinate, add adder) {
	switch {
	case p == nil:
	case !p.Valid():
		add(badCoordinates, "the %s coordinates %g, %g are out of range", which, p.Latitude, p.Longitude)
	case geo.NullIsland(*p):
		add(badCoordinates, "the %s coordinates are 0, 0, which means that there was no fix", which)
	}
}

func checkFuture(t Facts, now time.Time, add adder) {
	latest := t.EndTime
	if t.StartTime.After(latest.Time) {
		latest = t.StartTime
	}
	if latest.After(now.Add(FutureTolerance)) {
		add(inTheFuture, "the trip lies in the future: it reaches until %v", latest)
	}
}

// checkOverlap names the earliest neighbour in the way, so that the words do not
// depend on the order in which neighbours are given.
func checkOverlap(t Facts, neighbours []Span, add adder) {
	own := Span{t.StartTime, t.EndTime}
	var first *Span
	for _, n := range neighbours {
		if own.overlaps(n) && (first == nil || n.From.Before(first.From.Time)) {
			first = &n
		}
	}
	if first != nil {
		add(overlap, "the trip overlaps with another trip of the device, from %v to %v", first.From, first.To)
	}
}
