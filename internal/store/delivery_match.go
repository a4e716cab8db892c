package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/drover-fleet/drover"
)

// enqueue adds the deliveries of events to those who are to hear of them. For a
// tenant without webhooks it is one read by key.
func (tx *Tx) enqueue(ctx context.Context, tenantID string, events []drover.Event) error {
	m := matcher{tx: tx, tenantID: tenantID}
	if err := m.listen(ctx); err != nil {
		return err
	}
	for i := range events {
		if err := m.enqueueOwn(ctx, &events[i]); err != nil {
			return err
		}
		if len(m.hooks) == 0 {
			continue
		}
		if err := m.enqueueAll(ctx, &events[i]); err != nil {
			return err
		}
	}
	if len(m.hooks) > 0 || len(m.out) > 0 {
		tx.note(tenantID, events, m.out)
	}
	return tx.addDeliveries(ctx, m.out)
}

// note keeps what is told after the commit.
func (tx *Tx) note(tenantID string, events []drover.Event, deliveries []Delivery) {
	a := Added{TenantID: tenantID, First: events[0].Sequence, Last: events[len(events)-1].Sequence}
	for _, d := range deliveries {
		if d.State == drover.DeliveryPending {
			a.Deliveries = append(a.Deliveries, d)
		}
	}
	tx.added = append(tx.added, a)
}

// matcher finds out who is to hear of a tenant's events.
type matcher struct {
	tx       *Tx
	tenantID string
	hooks    []drover.Webhook
	// tracked says that milestones hear of positions.
	tracked bool
	// filtered and tagged say what the hooks' filters ask for at all.
	filtered, tagged bool
	subjects         map[string]drover.Subject // by device id
	tags             map[string][]string       // by connection id
	out              []Delivery
}

// listen reads all that could hear of an event.
func (m *matcher) listen(ctx context.Context) error {
	rows, err := m.tx.db.QueryContext(ctx, `SELECT id, enabled, filters, options FROM webhook WHERE tenant_id = $1
		UNION ALL SELECT tenant_id, FALSE, '', '' FROM (
			SELECT tenant_id FROM milestone WHERE tenant_id = $1 AND webhook_enabled = TRUE AND status <> 'trip_ended' LIMIT 1) AS tracked`, m.tenantID)
	_, err = collect(rows, err, "read targets", func(row scanner) (struct{}, error) {
		var w drover.Webhook
		var filters, options string
		if err := row.Scan(&w.ID, &w.Enabled, &filters, &options); err != nil || filters == "" {
			m.tracked = m.tracked || filters == ""
			return struct{}{}, err
		}
		err := errors.Join(json.Unmarshal([]byte(filters), &w.Filters), json.Unmarshal([]byte(options), &w.Options))
		m.hooks = append(m.hooks, w)
		m.filtered = m.filtered || !w.Filters.Empty()
		m.tagged = m.tagged || len(w.Filters.Tags) > 0
		return struct{}{}, err
	})
	return err
}

// batch is what is read of an event about positions.
type batch struct {
	ConnectionID string `json:"connection_id"`
	Positions    []struct {
		DeviceID       string `json:"device_id"`
		SystemDeviceID string `json:"system_device_id"`
	} `json:"positions"`
}

func readBatch(e *drover.Event) (batch, error) {
	var b batch
	if err := json.Unmarshal(e.Data, &b); err != nil {
		return b, fmt.Errorf("read positions of event: %w", err)
	}
	return b, nil
}

// enqueueOwn adds the deliveries to milestones' own webhooks.
func (m *matcher) enqueueOwn(ctx context.Context, e *drover.Event) error {
	switch {
	case e.MilestoneID != nil && e.Type != drover.EventWebhookDisabled:
		var own struct {
			URL     *string `json:"webhook_url"`
			Enabled bool    `json:"webhook_enabled"`
		}
		if err := json.Unmarshal(e.Data, &own); err != nil {
			return fmt.Errorf("read milestone of event: %w", err)
		}
		if !own.Enabled || own.URL == nil {
			return nil
		}
		s, err := m.subject(ctx, e)
		if err != nil {
			return err
		}
		m.add(e, s, Delivery{Target: Target{m.tenantID, *e.MilestoneID}, Kind: TargetMilestone, State: drover.DeliveryPending, URL: own.URL})
		return nil
	case e.Type == drover.EventPositionUpdated && m.tracked:
		return m.enqueueTracked(ctx, e)
	}
	return nil
}

// enqueueTracked tells the open milestones of a batch's devices.
func (m *matcher) enqueueTracked(ctx context.Context, e *drover.Event) error {
	b, err := readBatch(e)
	if err != nil {
		return err
	}
	devices := map[string]bool{}
	for _, p := range b.Positions {
		devices[p.DeviceID] = true
	}
	rows, err := m.tx.db.QueryContext(ctx, `SELECT id, device_id, webhook_url FROM milestone
		WHERE tenant_id = $1 AND webhook_enabled = TRUE AND status <> 'trip_ended' AND start_time <= $2 AND device_id `+m.tx.d.InList(3)+` ORDER BY id`,
		m.tenantID, e.Timestamp, m.tx.d.List(slices.Sorted(maps.Keys(devices))))
	_, err = collect(rows, err, "read milestones with a webhook", func(row scanner) (struct{}, error) {
		d := Delivery{Target: Target{TenantID: m.tenantID}, Kind: TargetMilestone, State: drover.DeliveryPending}
		var device string
		if err := row.Scan(&d.ID, &device, &d.URL); err != nil {
			return struct{}{}, err
		}
		if len(devices) > 1 {
			d.Devices = []string{device}
		}
		m.add(e, drover.Subject{ConnectionID: b.ConnectionID}, d)
		return struct{}{}, nil
	})
	return err
}

// enqueueAll adds the deliveries to the tenant's webhooks.
func (m *matcher) enqueueAll(ctx context.Context, e *drover.Event) error {
	s, err := m.subject(ctx, e)
	if err != nil {
		return err
	}
	var points []drover.Subject
	if e.Type == drover.EventPositionUpdated && m.filtered {
		if points, err = m.points(ctx, e); err != nil {
			return err
		}
	}
	for _, w := range m.hooks {
		d := Delivery{Target: Target{m.tenantID, w.ID}, Kind: TargetWebhook, State: drover.DeliveryPending, Options: w.Options}
		if !w.Enabled {
			d.State = drover.DeliverySkipped
		}
		switch {
		case w.Filters.Empty():
		case points != nil:
			if d.Devices = matching(w.Filters, points); len(d.Devices) == 0 {
				continue
			}
			if len(d.Devices) == len(points) {
				d.Devices = nil
			}
		case s.ConnectionID == "" || !w.Filters.Match(s):
			continue
		}
		m.add(e, s, d)
	}
	return nil
}

func matching(f drover.WebhookFilters, points []drover.Subject) []string {
	var ids []string
	for _, p := range points {
		if f.Match(p) {
			ids = append(ids, p.DeviceID)
		}
	}
	return ids
}

func (m *matcher) add(e *drover.Event, s drover.Subject, d Delivery) {
	d.EventID, d.Sequence, d.Type = e.ID, e.Sequence, e.Type
	d.ConnectionID, d.DeviceID = s.ConnectionID, s.DeviceID
	d.CreatedAt, d.DueAt, d.Timestamp = e.Timestamp, e.Timestamp, e.Timestamp
	if len(e.Data) <= smallData {
		d.Data = e.Data
	}
	m.out = append(m.out, d)
}

// subject finds out what an event is about.
func (m *matcher) subject(ctx context.Context, e *drover.Event) (drover.Subject, error) {
	var s drover.Subject
	if e.ConnectionID != nil {
		s.ConnectionID = *e.ConnectionID
	}
	if e.DeviceID != nil {
		if err := m.look(ctx, []string{*e.DeviceID}); err != nil {
			return s, err
		}
		if known, ok := m.subjects[*e.DeviceID]; ok {
			return known, nil
		}
		s.DeviceID = *e.DeviceID
	}
	var err error
	if s.ConnectionID != "" && m.tagged {
		s.Tags, err = m.tagsOf(ctx, s.ConnectionID)
	}
	return s, err
}

// points lists the devices of a batch.
func (m *matcher) points(ctx context.Context, e *drover.Event) ([]drover.Subject, error) {
	b, err := readBatch(e)
	if err != nil {
		return nil, err
	}
	byID := map[string]drover.Subject{}
	for _, p := range b.Positions {
		byID[p.DeviceID] = drover.Subject{ConnectionID: b.ConnectionID, DeviceID: p.DeviceID, SystemDeviceID: p.SystemDeviceID}
	}
	ids := slices.Sorted(maps.Keys(byID))
	if m.tagged {
		if err := m.look(ctx, ids); err != nil {
			return nil, err
		}
	}
	points := make([]drover.Subject, 0, len(ids))
	for _, id := range ids {
		s := byID[id]
		s.Tags = m.subjects[id].Tags
		points = append(points, s)
	}
	return points, nil
}

// look reads the devices that are not known yet.
func (m *matcher) look(ctx context.Context, ids []string) error {
	missing := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { _, known := m.subjects[id]; return known })
	if len(missing) == 0 {
		return nil
	}
	if m.subjects == nil {
		m.subjects = map[string]drover.Subject{}
	}
	rows, err := m.tx.db.QueryContext(ctx, `SELECT id, connection_id, system_device_id, tags FROM device WHERE id `+m.tx.d.InList(1), m.tx.d.List(missing))
	found, err := collect(rows, err, "read devices of events", func(row scanner) (drover.Subject, error) {
		var s drover.Subject
		var tags string
		if err := row.Scan(&s.DeviceID, &s.ConnectionID, &s.SystemDeviceID, &tags); err != nil {
			return s, err
		}
		var err error
		s.Tags, err = scanStrings(tags)
		return s, err
	})
	if err != nil {
		return err
	}
	for _, s := range found {
		if m.tagged {
			tags, err := m.tagsOf(ctx, s.ConnectionID)
			if err != nil {
				return err
			}
			s.Tags = append(s.Tags, tags...)
		}
		m.subjects[s.DeviceID] = s
	}
	return nil
}

// tagsOf reads the names of a connection's tags, whosever it is: only those who
// see the connection are told of its events.
func (m *matcher) tagsOf(ctx context.Context, connectionID string) ([]string, error) {
	if tags, known := m.tags[connectionID]; known {
		return tags, nil
	}
	rows, err := m.tx.db.QueryContext(ctx, `SELECT t.name FROM connection c
		JOIN connection_tag ct ON ct.tenant_id = c.tenant_id AND ct.connection_id = c.id
		JOIN tag t ON t.tenant_id = ct.tenant_id AND t.id = ct.tag_id WHERE c.id = $1`, connectionID)
	tags, err := collect(rows, err, "read tags of a connection", func(row scanner) (string, error) {
		var name string
		return name, row.Scan(&name)
	})
	if m.tags == nil {
		m.tags = map[string][]string{}
	}
	m.tags[connectionID] = tags
	return tags, err
}
