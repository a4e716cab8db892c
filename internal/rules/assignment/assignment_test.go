package assignment_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/assignment"
)

var noon = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)

// claim is one from one minute after noon to another.
func claim(driver string, from, to int, by drover.AssignmentMethod) assignment.Claim {
	at := func(minute int) drover.Time { return drover.At(noon.Add(time.Duration(minute) * time.Minute)) }
	return assignment.Claim{Driver: driver, From: at(from), To: at(to), Method: by}
}

func TestAssign(t *testing.T) {
	t.Parallel()
	const derived, vendor, card, tacho, static = drover.ByDerived, drover.ByUnknown, drover.ByCard, drover.ByTachograph, drover.ByStatic
	type list = []assignment.Claim
	for name, test := range map[string]struct{ claims, want list }{
		"nothing":              {nil, nil},
		"one":                  {list{claim("a", 0, 10, derived)}, list{claim("a", 0, 10, derived)}},
		"no one":               {list{claim("", 0, 10, derived)}, nil},
		"no time":              {list{claim("a", 10, 10, derived), claim("b", 10, 0, derived)}, nil},
		"one after a gap":      {list{claim("a", 0, 10, derived), claim("a", 130, 140, derived)}, list{claim("a", 0, 140, derived)}},
		"two after a long gap": {list{claim("a", 0, 10, derived), claim("a", 131, 140, derived)}, list{claim("a", 0, 10, derived), claim("a", 131, 140, derived)}},
		"another between": {
			list{claim("a", 0, 10, derived), claim("b", 20, 30, derived), claim("a", 40, 50, derived)},
			list{claim("a", 0, 10, derived), claim("b", 20, 30, derived), claim("a", 40, 50, derived)},
		},
		"the best method": {list{claim("a", 0, 10, derived), claim("a", 10, 20, card), claim("a", 20, 30, vendor)}, list{claim("a", 0, 30, card)}},
		"methods alike":   {list{claim("a", 0, 10, card), claim("a", 10, 20, drover.ByApp)}, list{claim("a", 0, 20, card)}},
		"overlap, alike":  {list{claim("a", 0, 20, derived), claim("b", 10, 30, derived)}, list{claim("a", 0, 10, derived), claim("b", 10, 30, derived)}},
		"overlap, within": {
			list{claim("a", 0, 30, derived), claim("b", 10, 20, derived)},
			list{claim("a", 0, 10, derived), claim("b", 10, 20, derived), claim("a", 20, 30, derived)},
		},
		"overlap, same":       {list{claim("b", 0, 30, derived), claim("a", 0, 30, derived)}, list{claim("a", 0, 30, derived)}},
		"tachograph and card": {list{claim("a", 0, 30, tacho), claim("b", 10, 40, card)}, list{claim("a", 0, 30, tacho), claim("b", 30, 40, card)}},
		"card and vendor": {
			list{claim("a", 0, 30, vendor), claim("b", 10, 20, card)},
			list{claim("a", 0, 10, vendor), claim("b", 10, 20, card), claim("a", 20, 30, vendor)},
		},
		"vendor and positions":  {list{claim("a", 0, 30, vendor), claim("b", 10, 20, derived)}, list{claim("a", 0, 30, vendor)}},
		"positions and default": {list{claim("a", 0, 30, derived), claim("b", 10, 40, static)}, list{claim("a", 0, 30, derived), claim("b", 30, 40, static)}},
		"default alone":         {list{claim("b", 10, 40, static)}, list{claim("b", 10, 40, static)}},
	} {
		for range 2 {
			if diff := cmp.Diff(test.want, assignment.Assign(test.claims)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			slices.Reverse(test.claims) // their order says nothing
		}
	}
}

// TestBelief holds the order in which those who say who drove are believed.
func TestBelief(t *testing.T) {
	t.Parallel()
	for i, methods := range [][]drover.AssignmentMethod{
		{"something else"},
		{drover.ByStatic},
		{drover.ByDerived},
		{drover.ByUnknown},
		{drover.ByCard, drover.ByApp, drover.ByHOS, drover.ByCamera, drover.ByManual},
		{drover.ByTachograph},
	} {
		for _, m := range methods {
			if got := assignment.Belief(m); got != i {
				t.Errorf("%s is believed %d, want %d", m, got, i)
			}
		}
	}
	if len(drover.AssignmentMethods) != 9 {
		t.Error("there are other methods: say how far each is believed")
	}
}
