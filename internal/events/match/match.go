// Package match decides which receivers get an event. It is a pure function of the receivers'
// filters and the event's subjects.
package match

import (
	"slices"

	"github.com/drover-fleet/drover"
)

// Receivers are those of one tenant who may receive events.
type Receivers struct {
	TenantID string
	Webhooks []drover.Receiver
	// Milestones are the open ones of the events' devices with a webhook of their
	// own.
	Milestones []drover.OwnReceiver
}

// Deliveries lists what is to be sent of the events, in their order: to the
// webhook of the milestone that an event is about, and to every webhook whose
// filters let it through. For a webhook that is switched off it is kept as skipped,
// so that it can be sent later.
func (r Receivers) Deliveries(events []drover.Event) []drover.Delivery {
	var out []drover.Delivery
	for i := range events {
		e := &events[i]
		switch e.Type {
		case drover.EventPositionUpdated:
			out = r.positions(out, e)
		case drover.EventReadingUpdated:
			out = r.readings(out, e)
		default:
			out = r.event(out, e)
		}
	}
	return out
}

// event is about one device, a connection as a whole, or neither.
func (r Receivers) event(out []drover.Delivery, e *drover.Event) []drover.Delivery {
	var s drover.Subject
	if len(e.Subjects) > 0 {
		s = e.Subjects[0]
	}
	if e.MilestoneID != nil && e.OwnURL != nil {
		out = append(out, r.own(e, s, *e.MilestoneID, e.OwnURL))
	}
	for i := range r.Webhooks {
		w := &r.Webhooks[i]
		if w.Filter.Takes(e.Type) && (w.Filter.Empty() || s.ConnectionID != "" && w.Filter.Match(s)) {
			out = append(out, r.to(w, e, s))
		}
	}
	return out
}

// positions are a batch of several devices, of which each receiver gets its own.
func (r Receivers) positions(out []drover.Delivery, e *drover.Event) []drover.Delivery {
	whole := wholeOf(e)
	for _, m := range r.Milestones {
		if !m.StartTime.After(e.Timestamp.Time) && about(e, m.DeviceID) {
			d := r.own(e, whole, m.MilestoneID, m.URL)
			if len(e.Subjects) > 1 {
				d.Devices = []string{m.DeviceID}
			}
			out = append(out, d)
		}
	}
	for i := range r.Webhooks {
		w := &r.Webhooks[i]
		if !w.Filter.Takes(e.Type) {
			continue
		}
		d := r.to(w, e, whole)
		if !w.Filter.Empty() {
			d.Devices = matching(w.Filter, e.Subjects)
			switch len(d.Devices) {
			case 0:
				continue
			case len(e.Subjects):
				d.Devices = nil
			}
		}
		out = append(out, d)
	}
	return out
}

// readings are a batch of several devices, of which each webhook gets its own, of the kinds that
// it asks for.
func (r Receivers) readings(out []drover.Delivery, e *drover.Event) []drover.Delivery {
	for i := range r.Webhooks {
		w := &r.Webhooks[i]
		if !w.Filter.Takes(e.Type) {
			continue
		}
		d := r.to(w, e, wholeOf(e))
		wanted := w.Filter.ReadingKinds()
		for _, s := range e.Subjects {
			has := w.Filter.Match(s) && slices.ContainsFunc(s.Kinds, func(k drover.ReadingKind) bool { return slices.Contains(wanted, k) })
			if has {
				d.Devices = append(d.Devices, s.DeviceID)
			}
			if slices.ContainsFunc(s.Kinds, func(k drover.ReadingKind) bool { return !slices.Contains(wanted, k) }) {
				d.Kinds = wanted
			}
		}
		switch len(d.Devices) {
		case 0:
			continue
		case len(e.Subjects):
			d.Devices = nil
		}
		out = append(out, d)
	}
	return out
}

// wholeOf is the connection that a batch is of.
func wholeOf(e *drover.Event) (s drover.Subject) {
	if e.ConnectionID != nil {
		s.ConnectionID = *e.ConnectionID
	}
	return s
}

func about(e *drover.Event, deviceID string) bool {
	for i := range e.Subjects {
		if e.Subjects[i].DeviceID == deviceID {
			return true
		}
	}
	return false
}

func matching(f drover.Filter, subjects []drover.Subject) []string {
	var ids []string
	for _, s := range subjects {
		if f.Match(s) {
			ids = append(ids, s.DeviceID)
		}
	}
	return ids
}

func (r Receivers) own(e *drover.Event, s drover.Subject, milestoneID string, url *string) drover.Delivery {
	d := r.delivery(e, s)
	d.ID, d.Kind, d.URL = milestoneID, drover.TargetMilestone, url
	return d
}

func (r Receivers) to(w *drover.Receiver, e *drover.Event, s drover.Subject) drover.Delivery {
	d := r.delivery(e, s)
	d.ID, d.Kind, d.Options = w.ID, drover.TargetWebhook, w.Options
	if !w.Enabled {
		d.State = drover.DeliverySkipped
	}
	return d
}

func (r Receivers) delivery(e *drover.Event, s drover.Subject) drover.Delivery {
	return drover.Delivery{
		Target: drover.Target{TenantID: r.TenantID}, EventID: e.ID, Sequence: e.Sequence, Type: e.Type, State: drover.DeliveryPending,
		ConnectionID: s.ConnectionID, DeviceID: s.DeviceID, CreatedAt: e.Timestamp, DueAt: e.Timestamp, Timestamp: e.Timestamp, Data: e.Data,
	}
}
