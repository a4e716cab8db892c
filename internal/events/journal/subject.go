package journal

import (
	"context"
	"maps"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// needs is what matching has to know of subjects beyond their ids.
type needs struct {
	connections bool // someone receives the events at all
	names, tags bool
}

func needsOf(webhooks []drover.Receiver, events []drover.Event) needs {
	n := needs{connections: len(webhooks) > 0 || slices.ContainsFunc(events, func(e drover.Event) bool { return e.OwnURL != nil })}
	for i := range webhooks {
		n.names = n.names || webhooks[i].Filter.AsksNames()
		n.tags = n.tags || webhooks[i].Filter.AsksTags()
	}
	return n
}

// lacks reports whether the device of a subject has to be read.
func (n needs) lacks(s drover.Subject) bool {
	return s.DeviceID != "" && (n.connections && s.ConnectionID == "" || n.names && s.SystemDeviceID == "" || n.tags && s.Tags == nil)
}

// complete adds to the events' subjects what those who made them did not know and
// matching asks for: with two reads for all events, and none where nothing is asked.
func complete(ctx context.Context, tx *store.Tx, owner string, webhooks []drover.Receiver, events []drover.Event) error {
	n := needsOf(webhooks, events)
	devices := map[string]bool{}
	each(events, func(s *drover.Subject) {
		if n.lacks(*s) {
			devices[s.DeviceID] = true
		}
	})
	if len(devices) > 0 {
		known, err := tx.Feed.DeviceSubjects(ctx, owner, slices.Sorted(maps.Keys(devices)))
		if err != nil {
			return err
		}
		replace(events, func(s drover.Subject) drover.Subject {
			if found, ok := known[s.DeviceID]; ok && n.lacks(s) {
				found.Kinds = s.Kinds
				return found
			}
			return s
		})
	}
	if !n.tags {
		return nil
	}
	return addConnectionTags(ctx, tx.Feed, owner, events)
}

// addConnectionTags lets a device have the tags of its connection too.
func addConnectionTags(ctx context.Context, tx work.FeedTx, owner string, events []drover.Event) error {
	connections := map[string]bool{}
	each(events, func(s *drover.Subject) {
		if s.ConnectionID != "" {
			connections[s.ConnectionID] = true
		}
	})
	if len(connections) == 0 {
		return nil
	}
	tags, err := tx.TagsOfConnections(ctx, owner, slices.Sorted(maps.Keys(connections)))
	if err != nil {
		return err
	}
	replace(events, func(s drover.Subject) drover.Subject {
		s.Tags = slices.Concat(s.Tags, tags[s.ConnectionID])
		return s
	})
	return nil
}

func each(events []drover.Event, f func(s *drover.Subject)) {
	for i := range events {
		for j := range events[i].Subjects {
			f(&events[i].Subjects[j])
		}
	}
}

// replace changes the subjects of these events alone: copies for other tenants
// share them.
func replace(events []drover.Event, f func(s drover.Subject) drover.Subject) {
	for i := range events {
		subjects := slices.Clone(events[i].Subjects)
		for j := range subjects {
			subjects[j] = f(subjects[j])
		}
		events[i].Subjects = subjects
	}
}
