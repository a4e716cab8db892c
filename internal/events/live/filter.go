package live

import (
	"context"
	"fmt"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// Filter says which events a receiver wants. Empty, it wants all. Of the types
// any is enough, and so is any of connections, tags and devices.
type Filter struct {
	Types         []drover.EventType
	ConnectionIDs []string
	Tags          []string
	DeviceIDs     []string
}

func (f *Filter) everywhere() bool {
	return len(f.ConnectionIDs) == 0 && len(f.Tags) == 0 && len(f.DeviceIDs) == 0
}

// asksLabels reports whether the filter asks for more than an event says.
func (f *Filter) asksLabels() bool { return len(f.ConnectionIDs) > 0 || len(f.Tags) > 0 }

// apply returns the message, or the part of it that the receiver wants, or nil.
func (f *Filter) apply(m *Message, l labels) *Message {
	if len(f.Types) > 0 && !slices.Contains(f.Types, m.Event.Type) {
		return nil
	}
	e := &m.Event
	switch {
	case f.everywhere(), e.ConnectionID != nil && f.matchesConnection(*e.ConnectionID, l):
		return m
	case e.DeviceID != nil:
		if f.matchesDevice(*e.DeviceID, l) {
			return m
		}
	case e.Type == drover.EventPositionUpdated, e.Type == drover.EventReadingUpdated:
		return f.part(m, l)
	}
	return nil
}

func (f *Filter) matchesConnection(id string, l labels) bool {
	return slices.Contains(f.ConnectionIDs, id) || slices.ContainsFunc(l.connections[id], f.hasTag)
}

func (f *Filter) hasTag(tag string) bool { return slices.Contains(f.Tags, tag) }

func (f *Filter) matchesDevice(id string, l labels) bool {
	label := l.devices[id]
	return slices.Contains(f.DeviceIDs, id) || slices.Contains(f.ConnectionIDs, label.ConnectionID) ||
		slices.ContainsFunc(label.Tags, f.hasTag)
}

// part cuts a batch to the devices that match.
func (f *Filter) part(m *Message, l labels) *Message {
	all := true
	data, err := drover.NarrowBatch(m.Event.Type, m.Event.Data, func(id string) bool {
		matches := f.matchesDevice(id, l)
		all = all && matches
		return matches
	})
	switch {
	case err != nil || data == nil: // none, or it cannot be said whose they are
		return nil
	case all:
		return m
	}
	cut := m.Event
	cut.Data = data
	return &Message{Event: cut, screened: m.screened}
}

// labels are what filters ask of the devices and connections of some events.
type labels struct {
	devices     map[string]store.DeviceLabel
	connections map[string][]string
}

func readLabels(ctx context.Context, s *store.Store, tenantID string, events []drover.Event) (labels, error) {
	l := labels{connections: map[string][]string{}}
	seen := map[string]bool{}
	var ids []string
	add := func(id string) {
		if id != "" && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	for i := range events {
		e := &events[i]
		switch {
		case e.DeviceID != nil:
			add(*e.DeviceID)
		default:
			devices, err := drover.DevicesOf(e.Type, e.Data)
			if err != nil {
				return l, fmt.Errorf("label event %s: %w", e.ID, err)
			}
			for _, id := range devices {
				add(id)
			}
		}
		if id := e.ConnectionID; id != nil && l.connections[*id] == nil {
			names, err := s.Fleet.ConnectionTagNames(ctx, tenantID, *id)
			if err != nil {
				return l, fmt.Errorf("label events: %w", err)
			}
			l.connections[*id] = names
		}
	}
	if len(ids) == 0 {
		return l, nil
	}
	var err error
	if l.devices, err = s.Fleet.DeviceLabels(ctx, tenantID, ids); err != nil {
		return l, fmt.Errorf("label events: %w", err)
	}
	return l, nil
}
