package provider

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/drover-fleet/drover"
)

// SafetyEvent is something dangerous that a vendor has seen. Its ids are given when it is
// stored; without an id of the vendor's, time and type name it.
type SafetyEvent struct {
	SystemDeviceID string
	drover.SafetyEvent
}

// SafetyReader is a Provider whose vendor reports safety events. It goes with Info.Safety.
type SafetyReader interface {
	Provider

	// SafetyEvents returns one page of events, with the rules of live positions. Events that
	// the vendor changes later come again: an adapter reads by the time of the change, or
	// overlaps its rounds by a day. Where the account may not read them, it returns the
	// vendor's refusal.
	SafetyEvents(ctx context.Context, q Query) (Page[SafetyEvent], error)
}

// Safety is how a vendor reports safety events.
type Safety struct {
	Besides
	// Types are those that the vendor's own words are known of.
	Types []drover.SafetyType
}

// Asked is how it takes calls of its own; nil where there is none.
func (s *Safety) Asked() *Besides {
	if s == nil {
		return nil
	}
	return &s.Besides
}

// TypesOf lists the types that words are known of, in their order.
func TypesOf(words map[string]drover.SafetyType) []drover.SafetyType {
	return slices.DeleteFunc(slices.Clone(drover.SafetyTypes), func(typ drover.SafetyType) bool {
		return !slices.Contains(slices.Collect(maps.Values(words)), typ)
	})
}

// named are parts of names, in small letters, that say what an event is, whatever stands around
// them: the first that a name has counts.
var named = []struct {
	part string
	typ  drover.SafetyType
}{
	{"harsh brak", drover.SafetyBraking},
	{"hard brak", drover.SafetyBraking},
	{"harsh accel", drover.SafetyAcceleration},
	{"hard accel", drover.SafetyAcceleration},
	{"harsh corner", drover.SafetyCornering},
	{"hard corner", drover.SafetyCornering},
	{"harsh turn", drover.SafetyCornering},
	{"forward collision", drover.SafetyCollision},
	{"lane departure", drover.SafetyLane},
	{"tailgat", drover.SafetyTailgating},
	{"following distance", drover.SafetyTailgating},
	{"over speed", drover.SafetySpeeding},
	{"overspeed", drover.SafetySpeeding},
	{"speeding", drover.SafetySpeeding},
	{"seat belt", drover.SafetySeatBelt},
	{"seatbelt", drover.SafetySeatBelt},
	{"drows", drover.SafetyDrowsiness},
	{"fatigue", drover.SafetyDrowsiness},
	{"distract", drover.SafetyDistraction},
	{"cell phone", drover.SafetyPhone},
	{"mobile phone", drover.SafetyPhone},
	{"crash", drover.SafetyCrash},
	{"accident", drover.SafetyCrash},
	{"rollover", drover.SafetyCrash},
}

// NamedTypes are the types that NamedSafety finds.
func NamedTypes() []drover.SafetyType {
	words := map[string]drover.SafetyType{}
	for _, n := range named {
		words[n.part] = n.typ
	}
	return TypesOf(words)
}

// NamedSafety is the type of an event that a fleet has named itself, in English: other where its
// name does not say.
func NamedSafety(name string) drover.SafetyType {
	name = strings.ToLower(strings.Join(strings.Fields(name), " "))
	for _, n := range named {
		if strings.Contains(name, n.part) {
			return n.typ
		}
	}
	return drover.SafetyOther
}

// NamedIdling reports whether an event has its name from idling, which positions and trips show
// and which is no danger.
func NamedIdling(name string) bool { return strings.Contains(strings.ToLower(name), "idl") }
