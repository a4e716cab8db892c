// Package assignment has the rules for who drove which device when, as pure functions: which
// source has precedence, and which claims are one assignment.
package assignment

import (
	"cmp"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
)

// LongestGap is the longest time between two claims for one driver that are one assignment.
const LongestGap = 2 * time.Hour

// Claim says that someone drove from one time to another.
type Claim struct {
	Driver   string // the provider's id
	From, To drover.Time
	Method   drover.AssignmentMethod
}

// Belief is how far a method is believed, more where it is greater: the tachograph before
// what a person does at the vehicle, that before a vendor who says no more than who drove a
// trip, that before the positions of a trip. Who is assigned to a vehicle by default is
// believed where nothing else speaks.
func Belief(m drover.AssignmentMethod) int {
	switch m {
	case drover.ByTachograph:
		return 5
	case drover.ByCard, drover.ByApp, drover.ByHOS, drover.ByCamera, drover.ByManual:
		return 4
	case drover.ByUnknown:
		return 3
	case drover.ByDerived:
		return 2
	case drover.ByStatic:
		return 1
	}
	return 0
}

// Assign makes assignments of the claims about one device, oldest first. No two share any
// time: where claims do, the one that is believed more holds, of two that are believed alike
// the one that began later, as a change of drivers is reported late and never early. What
// follows within LongestGap with the same driver is one assignment, by the best of its
// methods.
func Assign(claims []Claim) []Claim {
	claims = slices.DeleteFunc(slices.Clone(claims), func(c Claim) bool { return c.Driver == "" || !c.From.Before(c.To.Time) })
	order.By(claims, func(a, b Claim) int { return cmp.Or(a.From.Compare(b.From.Time), cmp.Compare(a.Driver, b.Driver)) })
	var edges []drover.Time
	for _, c := range claims {
		edges = append(edges, c.From, c.To)
	}
	order.By(edges, func(a, b drover.Time) int { return a.Compare(b.Time) })
	edges = slices.CompactFunc(edges, func(a, b drover.Time) bool { return a.Equal(b.Time) })
	var out, open []Claim
	next := 0
	for i, edge := range edges {
		open = slices.DeleteFunc(open, func(c Claim) bool { return !c.To.After(edge.Time) })
		for ; next < len(claims) && !claims[next].From.After(edge.Time); next++ {
			open = append(open, claims[next])
		}
		if len(open) > 0 {
			held := slices.MaxFunc(open, compare)
			held.From, held.To = edge, edges[i+1] // one is open, so there is another edge
			out = extend(out, held)
		}
	}
	return out
}

// compare orders claims of one time, the one that holds last.
func compare(a, b Claim) int {
	return cmp.Or(cmp.Compare(Belief(a.Method), Belief(b.Method)), a.From.Compare(b.From.Time), cmp.Compare(b.Driver, a.Driver))
}

// extend adds a claim that begins where the last ends, or later.
func extend(list []Claim, c Claim) []Claim {
	if n := len(list) - 1; n >= 0 && list[n].Driver == c.Driver && c.From.Sub(list[n].To.Time) <= LongestGap {
		if list[n].To = c.To; Belief(c.Method) > Belief(list[n].Method) {
			list[n].Method = c.Method
		}
		return list
	}
	return append(list, c)
}
