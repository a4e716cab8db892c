package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/batch"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Milestone is a stored milestone. State is the tracking engine's own.
// DeviceTenantID owns the device, which may be shared.
type Milestone struct {
	drover.Milestone
	DeviceTenantID string
	State          json.RawMessage
	// DueAt is when it is next looked at; nil where there is nothing to wait for.
	DueAt *drover.Time
	// ArrivedAt is when the device arrived; nil before, and where the deadline
	// ended the journey.
	ArrivedAt *drover.Time
}

const milestoneColumns = `m.id, m.tenant_id, m.device_id, m.start_latitude, m.start_longitude, m.end_latitude, m.end_longitude,
	m.start_time, m.end_time, m.created_at, m.updated_at, m.status, m.webhook_url, m.webhook_enabled, m.webhook_error_count,
	m.last_webhook_error, m.last_webhook_error_at, m.device_tenant_id, m.state, m.due_at, m.arrived_at,
	m.radius_metres, m.reference, m.metadata`

func scanMilestone(row database.Scanner) (Milestone, error) {
	var m Milestone
	var state string
	var metadata *string
	err := row.Scan(&m.ID, &m.TenantID, &m.DeviceID, &m.StartPoint.Latitude, &m.StartPoint.Longitude, &m.EndPoint.Latitude,
		&m.EndPoint.Longitude,
		&m.StartTime, &m.EndTime, &m.CreatedAt, &m.UpdatedAt, &m.Status, &m.WebhookURL, &m.WebhookEnabled, &m.WebhookErrorCount,
		&m.LastWebhookError, &m.LastWebhookErrorAt, &m.DeviceTenantID, &state, &m.DueAt, &m.ArrivedAt,
		&m.RadiusMetres, &m.Reference, &metadata)
	m.State = json.RawMessage(state)
	if err == nil && metadata != nil {
		err = json.Unmarshal([]byte(*metadata), &m.Metadata)
	}
	return m, err
}

const selectMilestone = `SELECT ` + milestoneColumns + ` FROM milestone m`

var milestoneByID = batch.NewRecord(batch.Kind{Columns: milestoneColumns, Table: "milestone", Alias: "m", Doing: "read milestone"},
	scanMilestone)

// Milestone reads a milestone, whichever tenant's it is.
func (q TripsReader) Milestone(ctx context.Context, asker, id string) (Milestone, error) {
	return milestoneByID.One(ctx, q.source(), q.milestones, asker, id)
}

// MilestoneForUpdate reads a tenant's own milestone and keeps others from
// changing it until the transaction ends.
func (tx TripsTx) MilestoneForUpdate(ctx context.Context, tenantID, id string) (Milestone, error) {
	m, err := scanMilestone(tx.db.QueryRowContext(ctx, selectMilestone+` WHERE m.tenant_id = $1 AND m.id = $2`+tx.d.ForUpdate(), tenantID, id))
	return m, database.Found(err, "read milestone")
}

// Milestones lists a tenant's milestones by id, after the id given.
func (q TripsReader) Milestones(
	ctx context.Context,
	tenantID string,
	f drover.MilestoneFilter,
	after string,
	limit int,
) ([]drover.Milestone, error) {
	sorted, err := q.SortedMilestones(ctx, tenantID, f, drover.MilestoneOrder{}, drover.SortCursor{ID: after}, limit)
	milestones := make([]drover.Milestone, len(sorted))
	for i := range sorted {
		milestones[i] = sorted[i].Record.Milestone
	}
	return milestones, err
}

// SortedMilestones lists a tenant's milestones in an order, after a place.
func (q TripsReader) SortedMilestones(
	ctx context.Context,
	tenantID string,
	f drover.MilestoneFilter,
	o drover.MilestoneOrder,
	after drover.SortCursor,
	limit int,
) ([]drover.Sorted[Milestone], error) {
	s := database.Sorting{Name: o.Name(), ID: "m.id", Desc: o.Order == drover.NewestFirst, Numbers: true}
	if o.Sort != drover.MilestonesByID && o.Sort != "" {
		s.Key = "m." + string(o.Sort)
	}
	w := database.Where{Args: []any{tenantID}, Parts: []string{"m.tenant_id = $1"}}
	s.After(&w, after)
	w.ID("m.device_id =", f.DeviceID)
	w.AnyID(q.d, "m.id", f.IDs)
	if f.Status != "" {
		w.Add("m.status = $%d", string(f.Status))
	}
	if f.From != nil {
		w.Add("m.start_time >= $%d", *f.From)
	}
	if f.To != nil {
		w.Add("m.start_time < $%d", *f.To)
	}
	if f.Reference != "" {
		// By the index of the search, which knows no case, and inside: for the sake of the
		// order SQLite would read all milestones of the tenant.
		w.Add(`m.id IN (SELECT r.id FROM milestone r WHERE r.tenant_id = $1 AND LOWER(r.reference)`+q.d.ByBytes()+
			` = LOWER($%[1]d) AND r.reference = $%[1]d AND r.reference IS NOT NULL)`, f.Reference)
	}
	for _, p := range f.Metadata {
		w.Args = append(w.Args, p.Key, p.Value)
		w.Parts = append(w.Parts, q.d.HasEntry("m.metadata", len(w.Args)-1, len(w.Args)))
	}
	if f.ConnectionID != "" {
		inner := database.Where{Args: w.Args}
		inner.ID("d.connection_id =", f.ConnectionID)
		w.Args = inner.Args
		w.Parts = append(w.Parts, `EXISTS (SELECT 1 FROM device d WHERE d.tenant_id = m.device_tenant_id AND d.id = m.device_id AND `+
			inner.Parts[0]+`)`)
	}
	query := `SELECT ` + milestoneColumns + `, ` + s.Column() + ` FROM milestone m` + w.SQL() + w.Limit(s.Order(), limit)
	rows, err := q.db.QueryContext(ctx, query, w.Args...)
	return database.ReadAll(rows, err, "list milestones", func(row database.Scanner) (drover.Sorted[Milestone], error) {
		k := database.Keyed{Scanner: row}
		m, err := scanMilestone(&k)
		return drover.Sorted[Milestone]{Record: m, Place: s.Place(m.ID, k.Key)}, err
	})
}

// metadataText is metadata as it is stored: nil where it is not set.
func metadataText(metadata map[string]string) *string {
	if len(metadata) == 0 {
		return nil
	}
	text, _ := json.Marshal(metadata) // texts always marshal
	return new(string(text))
}

// AddMilestone stores a new milestone.
func (tx TripsTx) AddMilestone(ctx context.Context, m Milestone) error {
	_, err := tx.write("milestone").ExecContext(ctx, `INSERT INTO milestone
		(tenant_id, id, device_tenant_id, device_id, start_latitude, start_longitude, end_latitude, end_longitude, start_time, end_time,
		created_at, updated_at, status, state, webhook_url, webhook_enabled, webhook_error_count, last_webhook_error, last_webhook_error_at,
		due_at, arrived_at, radius_metres, reference, metadata)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)`,
		m.TenantID, m.ID, m.DeviceTenantID, m.DeviceID, m.StartPoint.Latitude, m.StartPoint.Longitude, m.EndPoint.Latitude, m.EndPoint.Longitude,
		m.StartTime, m.EndTime, m.CreatedAt, m.UpdatedAt, m.Status, string(m.State), m.WebhookURL, m.WebhookEnabled, m.WebhookErrorCount,
		m.LastWebhookError, m.LastWebhookErrorAt, m.DueAt, m.ArrivedAt, m.RadiusMetres, m.Reference, metadataText(m.Metadata))
	if err != nil {
		return fmt.Errorf("add milestone: %w", err)
	}
	return nil
}

// SetMilestone stores a changed milestone.
func (tx TripsTx) SetMilestone(ctx context.Context, m Milestone) error {
	_, err := tx.write("milestone").ExecContext(ctx, `UPDATE milestone SET device_tenant_id = $3, device_id = $4, start_latitude = $5, start_longitude = $6,
		end_latitude = $7, end_longitude = $8, start_time = $9, end_time = $10, updated_at = $11, status = $12, state = $13,
		webhook_url = $14, webhook_enabled = $15, webhook_error_count = $16, last_webhook_error = $17, last_webhook_error_at = $18,
		due_at = $19, arrived_at = $20, radius_metres = $21, reference = $22, metadata = $23
		WHERE tenant_id = $1 AND id = $2`,
		m.TenantID, m.ID, m.DeviceTenantID, m.DeviceID, m.StartPoint.Latitude, m.StartPoint.Longitude, m.EndPoint.Latitude, m.EndPoint.Longitude,
		m.StartTime, m.EndTime, m.UpdatedAt, m.Status, string(m.State), m.WebhookURL, m.WebhookEnabled, m.WebhookErrorCount,
		m.LastWebhookError, m.LastWebhookErrorAt, m.DueAt, m.ArrivedAt, m.RadiusMetres, m.Reference, metadataText(m.Metadata))
	if err != nil {
		return fmt.Errorf("set milestone: %w", err)
	}
	return nil
}

// DropMilestone deletes a milestone and its predictions.
func (tx TripsTx) DropMilestone(ctx context.Context, tenantID, id string) error {
	if err := tx.DropPredictions(ctx, tenantID, id); err != nil {
		return err
	}
	if _, err := tx.write("milestone").ExecContext(ctx, `DELETE FROM milestone WHERE tenant_id = $1 AND id = $2`, tenantID, id); err != nil {
		return fmt.Errorf("drop milestone: %w", err)
	}
	if _, err := tx.write("milestone_link").ExecContext(ctx, `DELETE FROM milestone_link WHERE tenant_id = $1 AND milestone_id = $2`,
		tenantID, id); err != nil {
		return fmt.Errorf("drop the links of a milestone: %w", err)
	}
	return nil
}

// OpenMilestones reads a tenant's milestones that track devices of a tenant, its own
// or another, and have not ended, and keeps others from changing them. In the order of ids
// alone, SQLite would read all milestones of the tenant.
func (tx TripsTx) OpenMilestones(ctx context.Context, tenantID, deviceTenantID string, deviceIDs []string) ([]Milestone, error) {
	rows, err := tx.db.QueryContext(ctx, selectMilestone+` WHERE m.tenant_id = $1 AND m.device_tenant_id = $2 AND m.device_id `+tx.d.InList(3)+
		` AND m.status <> 'trip_ended' AND `+tracked(4)+` ORDER BY m.device_id, m.id`+tx.d.ForUpdate("m"), tenantID, deviceTenantID,
		tx.d.List(deviceIDs), tx.present())
	return database.ReadAll(rows, err, "read milestones", scanMilestone)
}

// EndedMilestones reads a tenant's milestones of a device that have ended and that a
// position of the time given could concern.
func (tx TripsTx) EndedMilestones(ctx context.Context, tenantID, deviceTenantID, deviceID string, at drover.Time) ([]Milestone, error) {
	rows, err := tx.db.QueryContext(ctx, selectMilestone+` WHERE m.tenant_id = $1 AND m.device_tenant_id = $2 AND m.device_id = $3
		AND m.status = 'trip_ended' AND m.start_time <= $4 AND `+tracked(5)+` ORDER BY m.start_time, m.id`+tx.d.ForUpdate("m"), tenantID,
		deviceTenantID, deviceID, at, tx.present())
	return database.ReadAll(rows, err, "read ended milestones", scanMilestone)
}

// ForeignTrackers finds who else has milestones of a tenant's devices: open ones of
// any of them, or ended ones of those that have late positions. It returns their devices
// by tenant.
func (tx TripsTx) ForeignTrackers(ctx context.Context, tenantID string, deviceIDs, late []string) (map[string][]string, error) {
	found := map[string][]string{}
	for _, part := range []struct {
		condition string
		ids       []string
	}{{` AND m.status <> 'trip_ended'`, deviceIDs}, {` AND m.status = 'trip_ended'`, late}} {
		if len(part.ids) == 0 {
			continue
		}
		rows, err := tx.db.QueryContext(ctx, `SELECT DISTINCT m.tenant_id, m.device_id FROM milestone m WHERE m.device_tenant_id = $1 AND m.tenant_id <> $1
			AND m.device_id `+tx.d.InList(2)+part.condition+` AND `+tracked(3)+` ORDER BY m.tenant_id, m.device_id`, tenantID, tx.d.List(part.ids),
			tx.present())
		_, err = database.ReadAll(rows, err, "look for milestones of others", func(row database.Scanner) (struct{}, error) {
			var tenant, device string
			err := row.Scan(&tenant, &device)
			if !slices.Contains(found[tenant], device) {
				found[tenant] = append(found[tenant], device)
			}
			return struct{}{}, err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// tracked selects the milestones m whose tenant may read the positions of their
// device now. The others are frozen: nothing is judged for them. Now is the
// parameter that holds the present.
func tracked(now int) string {
	return `(m.tenant_id = m.device_tenant_id OR EXISTS (SELECT 1 FROM device td JOIN connection_share cs
		ON cs.tenant_id = td.tenant_id AND cs.connection_id = td.connection_id AND cs.shared_with = m.tenant_id AND cs.positions = TRUE
		WHERE td.tenant_id = m.device_tenant_id AND td.id = m.device_id AND ` + activeShare(now) + `))`
}
