package provider

import (
	"context"
	"maps"
	"slices"

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
