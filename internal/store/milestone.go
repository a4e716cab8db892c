package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/store/batch"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/directory"
)

// Milestone is a stored milestone. State is the tracking engine's own.
// DeviceTenantID owns the device, which may be shared, and ConnectionID is the device's:
// whether it is shared is asked without the device, which is the owner's.
type Milestone struct {
	drover.Milestone
	DeviceTenantID string
	ConnectionID   *string
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
	m.radius_metres, m.reference, m.metadata, m.connection_id`

func scanMilestone(row database.Scanner) (Milestone, error) {
	var m Milestone
	var state string
	var metadata *string
	err := row.Scan(&m.ID, &m.TenantID, &m.DeviceID, &m.StartPoint.Latitude, &m.StartPoint.Longitude, &m.EndPoint.Latitude,
		&m.EndPoint.Longitude,
		&m.StartTime, &m.EndTime, &m.CreatedAt, &m.UpdatedAt, &m.Status, &m.WebhookURL, &m.WebhookEnabled, &m.WebhookErrorCount,
		&m.LastWebhookError, &m.LastWebhookErrorAt, &m.DeviceTenantID, &state, &m.DueAt, &m.ArrivedAt,
		&m.RadiusMetres, &m.Reference, &metadata, &m.ConnectionID)
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
	w.ID("m.connection_id =", f.ConnectionID)
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
		due_at, arrived_at, radius_metres, reference, metadata, connection_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25)`,
		m.TenantID, m.ID, m.DeviceTenantID, m.DeviceID, m.StartPoint.Latitude, m.StartPoint.Longitude, m.EndPoint.Latitude, m.EndPoint.Longitude,
		m.StartTime, m.EndTime, m.CreatedAt, m.UpdatedAt, m.Status, string(m.State), m.WebhookURL, m.WebhookEnabled, m.WebhookErrorCount,
		m.LastWebhookError, m.LastWebhookErrorAt, m.DueAt, m.ArrivedAt, m.RadiusMetres, m.Reference, metadataText(m.Metadata),
		m.ConnectionID)
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
		due_at = $19, arrived_at = $20, radius_metres = $21, reference = $22, metadata = $23, connection_id = $24
		WHERE tenant_id = $1 AND id = $2`,
		m.TenantID, m.ID, m.DeviceTenantID, m.DeviceID, m.StartPoint.Latitude, m.StartPoint.Longitude, m.EndPoint.Latitude, m.EndPoint.Longitude,
		m.StartTime, m.EndTime, m.UpdatedAt, m.Status, string(m.State), m.WebhookURL, m.WebhookEnabled, m.WebhookErrorCount,
		m.LastWebhookError, m.LastWebhookErrorAt, m.DueAt, m.ArrivedAt, m.RadiusMetres, m.Reference, metadataText(m.Metadata),
		m.ConnectionID)
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
	if err := directory.Drop(ctx, tx.tx, directory.MilestoneLink, `tenant_id = $1 AND milestone_id = $2`, tenantID, id); err != nil {
		return err
	}
	if _, err := tx.write("milestone_link").ExecContext(ctx, `DELETE FROM milestone_link WHERE tenant_id = $1 AND milestone_id = $2`,
		tenantID, id); err != nil {
		return fmt.Errorf("drop the links of a milestone: %w", err)
	}
	return nil
}

// OpenMilestones reads a tenant's milestones that track devices of a tenant, its own
// or another, and have not ended, and keeps others from changing them. In the order of ids
// alone, SQLite would read all milestones of the tenant; in that of devices and ids, it would
// copy each row to sort those of a device, of which there is mostly one.
func (tx TripsTx) OpenMilestones(ctx context.Context, tenantID, deviceTenantID string, deviceIDs []string) ([]Milestone, error) {
	if len(deviceIDs) == 0 {
		return nil, nil
	}
	w := database.Where{Args: []any{tenantID, deviceTenantID}, Parts: []string{"m.tenant_id = $1", "m.device_tenant_id = $2"}}
	w.AnyID(tx.d, "m.device_id", deviceIDs)
	w.Parts = append(w.Parts, "m.status <> 'trip_ended'")
	by := "m.device_id, m.id"
	if tx.d.Name() == "sqlite" {
		by = "m.device_id"
	}
	open, err := tx.tracked(ctx, "read milestones", tenantID, deviceTenantID, w, by)
	order.By(open, func(a, b Milestone) int { return cmp.Or(cmp.Compare(a.DeviceID, b.DeviceID), cmp.Compare(a.ID, b.ID)) })
	return open, err
}

// EndedMilestones reads a tenant's milestones of a device that have ended and that a
// position of the time given could concern.
func (tx TripsTx) EndedMilestones(ctx context.Context, tenantID, deviceTenantID, deviceID string, at drover.Time) ([]Milestone, error) {
	w := database.Where{
		Args: []any{tenantID, deviceTenantID, deviceID, at},
		Parts: []string{
			"m.tenant_id = $1", "m.device_tenant_id = $2", "m.device_id = $3", "m.status = 'trip_ended'", "m.start_time <= $4",
		},
	}
	return tx.tracked(ctx, "read ended milestones", tenantID, deviceTenantID, w, "m.start_time, m.id")
}

// tracked reads and locks those of a tenant's milestones of an owner's devices whose positions
// it may read now. The others are frozen: nothing is judged for them. The owner's shares are
// read first, by its key, and only where the devices are another tenant's.
func (tx TripsTx) tracked(ctx context.Context, doing, tenantID, owner string, w database.Where, by string) ([]Milestone, error) {
	if tenantID != owner {
		rows, err := tx.db.QueryContext(ctx, `SELECT cs.connection_id FROM connection_share cs WHERE cs.tenant_id = $1 AND cs.shared_with = $2
			AND cs.positions = TRUE AND `+activeShare(3), owner, tenantID, tx.present())
		shared, err := database.ReadAll(rows, err, "read what is shared", database.ScanText)
		if err != nil || len(shared) == 0 {
			return nil, err
		}
		w.AnyID(tx.d, "m.connection_id", shared)
	}
	rows, err := tx.db.QueryContext(ctx, selectMilestone+w.SQL()+` ORDER BY `+by+tx.d.ForUpdate("m"), w.Args...)
	return database.ReadAll(rows, err, doing, scanMilestone)
}

// Tracks finds those of another tenant's devices that a tenant has milestones of: open ones of
// any of them, or ended ones of those that have late positions.
func (tx TripsTx) Tracks(ctx context.Context, tenantID, owner string, deviceIDs, late []string) ([]string, error) {
	var found []string
	for _, part := range []struct {
		status string
		ids    []string
	}{{"m.status <> 'trip_ended'", deviceIDs}, {"m.status = 'trip_ended'", late}} {
		if len(part.ids) == 0 {
			continue
		}
		w := database.Where{Args: []any{tenantID, owner}, Parts: []string{"m.tenant_id = $1", "m.device_tenant_id = $2", part.status}}
		w.AnyID(tx.d, "m.device_id", part.ids)
		rows, err := tx.db.QueryContext(ctx, `SELECT DISTINCT m.device_id FROM milestone m`+w.SQL()+` ORDER BY m.device_id`, w.Args...)
		devices, err := database.ReadAll(rows, err, "look for milestones of others", database.ScanText)
		if err != nil {
			return nil, err
		}
		found = append(found, devices...)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}
