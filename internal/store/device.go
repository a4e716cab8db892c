package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/batch"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Device is a stored device with its owner. Edited names the fields that the
// tenant changed itself: collection leaves them alone.
type Device struct {
	drover.Device
	Access
	Edited []string
}

const deviceColumns = `d.id, d.system_device_id, d.connection_id, d.description, d.registration, d.make, d.model, d.year, d.active, d.tags, d.tenant_id, d.edited`

func scanDevice(row database.Scanner) (Device, error) {
	var d Device
	var tags, edited string
	err := row.Scan(&d.ID, &d.SystemDeviceID, &d.ConnectionID, &d.Description, &d.Registration, &d.Make, &d.Model, &d.Year,
		&d.Active, &tags, &d.TenantID, &edited, &d.Shared)
	if err != nil {
		return d, err
	}
	if d.Tags, err = database.ParseStrings(tags); err != nil {
		return d, err
	}
	d.Edited, err = database.ParseStrings(edited)
	return d, err
}

var deviceByID = batch.NewRecord(batch.Kind{
	Columns: deviceColumns, Shared: sharedColumn("d.tenant_id", "d.connection_id", 3),
	Table: "device", Alias: "d", Doing: "read device",
}, scanDevice)

// Device reads a device as asker sees it.
func (q FleetReader) Device(ctx context.Context, asker, id string) (Device, error) {
	return deviceByID.One(ctx, q.source(), q.devices, asker, id)
}

// DeviceOf reads a device of an owner as asker sees it.
func (q FleetReader) DeviceOf(ctx context.Context, asker, owner, id string) (Device, error) {
	return deviceByID.OneOf(ctx, q.source(), asker, owner, id)
}

// DeviceForUpdate reads a tenant's own device and keeps others from changing it
// until the transaction ends.
func (tx FleetTx) DeviceForUpdate(ctx context.Context, tenantID, id string) (Device, error) {
	row := tx.db.QueryRowContext(ctx, `SELECT `+deviceColumns+`, 0 FROM device d WHERE d.tenant_id = $1 AND d.id = $2`+tx.d.ForUpdate(),
		tenantID, id)
	d, err := scanDevice(row)
	return d, database.Found(err, "read device")
}

// Devices lists the devices that asker may see, by id, after the id given.
func (q FleetReader) Devices(ctx context.Context, asker string, f drover.DeviceFilter, after string, limit int) ([]drover.Device, error) {
	sorted, err := q.SortedDevices(ctx, asker, f, drover.DeviceOrder{}, drover.SortCursor{ID: after}, limit)
	return drover.Records(sorted), err
}

// SortedDevices lists the devices that asker may see in an order, after a place.
func (q FleetReader) SortedDevices(
	ctx context.Context,
	asker string,
	f drover.DeviceFilter,
	o drover.DeviceOrder,
	after drover.SortCursor,
	limit int,
) ([]drover.Sorted[drover.Device], error) {
	s := q.deviceSorting(o, part{})
	inOrder := func(a, b drover.Sorted[drover.Device]) int { return s.Compare(a.Place, b.Place) }
	return readParts(ctx, q.queries, asker, limit, inOrder, func(ctx context.Context, p part) ([]drover.Sorted[drover.Device], error) {
		return q.devicesOf(ctx, p, f, o, after, limit)
	})
}

// devicesOf lists those of a part.
func (q queries) devicesOf(
	ctx context.Context,
	p part,
	f drover.DeviceFilter,
	o drover.DeviceOrder,
	after drover.SortCursor,
	limit int,
) ([]drover.Sorted[drover.Device], error) {
	s, w := q.deviceSorting(o, p), p.where()
	if s.ID = p.by("d.id"); s.Key != "" && p.shared && q.d.Name() != "sqlite" {
		s.ID = unindexed("d.id") // behind those with the key, PostgreSQL would go along the ids of all tenants
	}
	s.After(&w, after)
	w.ID("d.connection_id =", f.ConnectionID)
	w.AnyID(q.d, "d.id", f.IDs)
	if f.Tag != "" {
		w.Add("d.tags LIKE $%d ESCAPE '!'", tagPattern(f.Tag))
	}
	if f.Active != nil {
		w.Add("d.active = $%d", *f.Active)
	}
	w.Contains(f.Text, "d.description", "d.registration", "d.system_device_id")
	query := q.sortedDevices(p, &w, s, limit)
	rows, err := q.db.QueryContext(ctx, query, w.Args...)
	return database.ReadAll(rows, err, "list devices", func(row database.Scanner) (drover.Sorted[drover.Device], error) {
		k := database.Keyed{Scanner: row}
		d, err := scanDevice(&k)
		return drover.Sorted[drover.Device]{Record: d.Device, Place: s.Place(d.ID, k.Key)}, err
	})
}

// sortedDevices is the statement of a page.
func (q queries) sortedDevices(p part, w *database.Where, s database.Sorting, limit int) string {
	if s.Key == "" && !p.shared { // one table: a Citus plans it once
		own, _ := p.whose(*w, "d", "connection_id", shares())
		return `SELECT ` + deviceColumns + `, 0, NULL FROM device d` + own + present + w.Limit(s.Order(), limit)
	}
	if s.Key == "" {
		each := q.mergedPage(p, w, "d", "connection_id", s.Order(), limit,
			func(where string) string { return `SELECT ` + deviceColumns + ` FROM device d` + where })
		return `SELECT ` + deviceColumns + `, 0, NULL FROM (` + each + `) AS d` + w.Limit(s.Order(), limit)
	}
	each := p.pageOfEach(w, "d", "connection_id", s.Order(), limit, func(where string) string {
		return `SELECT ` + deviceColumns + `, ` + s.Key + ` AS sort_key FROM device d` + where
	})
	s.Key = "d.sort_key"
	return `SELECT ` + deviceColumns + `, 0, ` + s.Column() + ` FROM (` + each + `) AS d` + w.Limit(s.Order(), limit)
}

// deviceSorting is an order of devices d of a part. Asker is $1 and the present $2: when a
// device was heard of is for those who may read its positions.
func (q queries) deviceSorting(o drover.DeviceOrder, p part) database.Sorting {
	s := database.Sorting{Name: o.Name(), ID: "d.id", Desc: o.Order == drover.NewestFirst, Numbers: o.Numbers()}
	switch o.Sort {
	case drover.DevicesByDescription, drover.DevicesByRegistration:
		s.Key = "LOWER(d." + string(o.Sort) + ")" + q.d.ByBytes()
	case drover.DevicesByPositionTime:
		s.Key = `(SELECT NULLIF(l.position_time, 0) FROM device_latest l WHERE l.tenant_id = d.tenant_id AND l.device_id = d.id AND ` +
			p.visiblePositions("d", "connection_id") + p.only("l.tenant_id") + `)`
	case drover.DevicesByID, drover.DevicesByUpdatedAt:
	}
	return s
}

// tagPattern looks for a tag in the JSON text of a list, between its quotes.
func tagPattern(tag string) string {
	quoted := database.FormatStrings([]string{tag})
	return "%" + database.LikeEscaper.Replace(quoted[1:len(quoted)-1]) + "%"
}

// anyTag appends that a device d, or its connection, has one of the tags. They are
// those of the part's tenants: tags of all would be read otherwise.
func anyTag(w *database.Where, dialect database.Dialect, tags []string, p part) {
	if len(tags) == 0 {
		return
	}
	w.Args = append(w.Args, dialect.List(tags))
	matches := []string{`d.connection_id IN (SELECT ct.connection_id FROM connection_tag ct
		JOIN tag t ON t.tenant_id = ct.tenant_id AND t.id = ct.tag_id WHERE ct.tenant_id ` + p.owners() + p.only("t.tenant_id") + ` AND t.name ` +
		dialect.InList(len(w.Args)) + `)`}
	for _, tag := range tags {
		w.Args = append(w.Args, tagPattern(tag))
		matches = append(matches, fmt.Sprintf("d.tags LIKE $%d ESCAPE '!'", len(w.Args)))
	}
	w.Parts = append(w.Parts, "("+strings.Join(matches, " OR ")+")")
}

// AddDevice stores a new device.
func (tx FleetTx) AddDevice(ctx context.Context, tenantID string, d drover.Device, now drover.Time) error {
	return tx.AddDevices(ctx, tenantID, []drover.Device{d}, now)
}

// deviceRow are the columns of a device that is added.
var deviceRow = []database.Column{
	database.ID("tenant_id"),
	database.ID("id"),
	database.ID("connection_id"),
	database.Text("system_device_id"),
	database.Text("description"),
	database.Text("registration"),
	database.Text("make"),
	database.Text("model"),
	database.Number("year"),
	database.Flag("active"),
	database.Text("tags"),
	database.Text("edited"),
	database.Number("created_at"),
	database.Number("updated_at"),
}

// AddDevices stores new devices, by few statements.
func (tx FleetTx) AddDevices(ctx context.Context, tenantID string, devices []drover.Device, now drover.Time) error {
	rows := make([][]any, len(devices))
	for i, d := range devices {
		var year *int64
		if d.Year != nil {
			year = new(int64(*d.Year))
		}
		rows[i] = []any{
			tenantID, d.ID, d.ConnectionID, d.SystemDeviceID, d.Description, d.Registration, d.Make, d.Model, year, d.Active,
			database.FormatStrings(d.Tags), "[]", now.UnixMilli(), now.UnixMilli(),
		}
	}
	if err := tx.tx.InsertRows(ctx, "device", deviceRow, rows, ""); err != nil {
		return fmt.Errorf("add devices: %w", err)
	}
	return nil
}

// Replan has PostgreSQL plan the statements of this transaction for the tables as
// they are. A plan that is kept was made when a table was as small as it was then:
// a first list of many devices would be read through from end to end for each page.
func (tx FleetTx) Replan(ctx context.Context) error {
	if tx.d.Name() != "postgres" {
		return nil
	}
	if _, err := tx.write("device").ExecContext(ctx, `SET LOCAL plan_cache_mode = force_custom_plan`); err != nil {
		return fmt.Errorf("plan again: %w", err)
	}
	return nil
}

// SetDevice stores a changed device.
func (tx FleetTx) SetDevice(ctx context.Context, d Device, now drover.Time) error {
	_, err := tx.write("device").ExecContext(ctx, `UPDATE device SET description = $3, registration = $4, make = $5, model = $6, year = $7,
		active = $8, tags = $9, edited = $10, updated_at = $11 WHERE tenant_id = $1 AND id = $2`,
		d.TenantID, d.ID, d.Description, d.Registration, d.Make, d.Model, d.Year, d.Active, database.FormatStrings(d.Tags),
		database.FormatStrings(d.Edited), now)
	if err != nil {
		return fmt.Errorf("set device: %w", err)
	}
	return nil
}

// DevicesNamed reads the devices of a connection with the provider's ids given,
// by that id, and keeps others from changing them.
func (tx FleetTx) DevicesNamed(ctx context.Context, tenantID, connectionID string, systemDeviceIDs []string) (map[string]Device, error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT `+deviceColumns+`, 0 FROM device d
		WHERE d.tenant_id = $1 AND d.connection_id = $2 AND d.system_device_id `+tx.d.InList(3)+` ORDER BY d.id`+tx.d.ForUpdate(),
		tenantID, connectionID, tx.d.List(systemDeviceIDs))
	list, err := database.ReadAll(rows, err, "read devices", scanDevice)
	devices := make(map[string]Device, len(list))
	for _, d := range list {
		devices[d.SystemDeviceID] = d
	}
	return devices, err
}

// SystemDeviceIDs lists the provider's ids of a connection's active devices, in
// a stable order.
func (q FleetReader) SystemDeviceIDs(ctx context.Context, tenantID, connectionID string) ([]string, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT system_device_id FROM device WHERE tenant_id = $1 AND connection_id = $2 AND active = TRUE ORDER BY system_device_id`+q.d.ByBytes(), tenantID, connectionID)
	return database.ReadAll(rows, err, "list devices", func(row database.Scanner) (string, error) {
		var id string
		return id, row.Scan(&id)
	})
}

// SeeDevices notes that the provider listed devices at the time given.
func (tx FleetTx) SeeDevices(ctx context.Context, tenantID, connectionID string, systemDeviceIDs []string, at drover.Time) error {
	_, err := tx.write("device").ExecContext(ctx, `UPDATE device SET seen_at = $3 WHERE tenant_id = $1 AND connection_id = $2 AND system_device_id `+tx.d.InList(4),
		tenantID, connectionID, at, tx.d.List(systemDeviceIDs))
	if err != nil {
		return fmt.Errorf("see devices: %w", err)
	}
	return nil
}

// SeenDevices counts the devices of a connection that the provider has listed since
// the time given.
func (tx FleetTx) SeenDevices(ctx context.Context, tenantID, connectionID string, since drover.Time) (int, error) {
	var n int
	err := tx.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM device WHERE tenant_id = $1 AND connection_id = $2 AND seen_at >= $3`, tenantID,
		connectionID, since).Scan(&n)
	return n, database.Found(err, "count devices")
}

// UnseenDevices lists the active devices of a connection that the provider has
// not listed since the time given.
func (tx FleetTx) UnseenDevices(ctx context.Context, tenantID, connectionID string, since drover.Time) ([]Device, error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT `+deviceColumns+`, 0 FROM device d
		WHERE d.tenant_id = $1 AND d.connection_id = $2 AND d.active = TRUE AND d.seen_at < $3 ORDER BY d.id`+tx.d.ForUpdate(), tenantID,
		connectionID, since)
	return database.ReadAll(rows, err, "list unseen devices", scanDevice)
}

// DevicesFrom lists the ids of a tenant's own devices from an id on, of one
// connection or, where that is nil, of all.
func (q FleetReader) DevicesFrom(ctx context.Context, tenantID string, connectionID *string, from string, limit int) ([]Device, error) {
	w := database.Where{Args: []any{tenantID}, Parts: []string{"d.tenant_id = $1"}}
	w.ID("d.id >=", from)
	if connectionID != nil {
		w.Add("d.connection_id = $%d", *connectionID)
	}
	rows, err := q.db.QueryContext(ctx, `SELECT `+deviceColumns+`, 0 FROM device d`+w.SQL()+w.Limit("d.id", limit), w.Args...)
	return database.ReadAll(rows, err, "list devices", scanDevice)
}

// CountDevices counts a tenant's own devices, of one connection or of all.
func (q FleetReader) CountDevices(ctx context.Context, tenantID string, connectionID *string) (int, error) {
	w := database.Where{Args: []any{tenantID}, Parts: []string{"d.tenant_id = $1"}}
	if connectionID != nil {
		w.Add("d.connection_id = $%d", *connectionID)
	}
	var n int
	err := q.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM device d`+w.SQL(), w.Args...).Scan(&n)
	return n, database.Found(err, "count devices")
}

// CountDriven counts the active devices of a connection, and those with a trip that began in [from, to).
func (q FleetReader) CountDriven(
	ctx context.Context, tenantID, connectionID string, from, to drover.Time,
) (devices, driven int, err error) {
	err = q.db.QueryRowContext(ctx, `SELECT COUNT(*), (SELECT COUNT(DISTINCT t.device_id) FROM trip t
		WHERE t.tenant_id = $1 AND t.connection_id = $2 AND t.start_time >= $3 AND t.start_time < $4)
		FROM device d WHERE d.tenant_id = $1 AND d.connection_id = $2 AND d.active = TRUE`,
		tenantID, connectionID, from, to).Scan(&devices, &driven)
	return devices, driven, database.Found(err, "count devices that drove")
}

// DeviceTurnover counts the active devices of a connection, and those that the
// provider no longer lists after it had listed them for less than brief.
func (q FleetReader) DeviceTurnover(ctx context.Context, tenantID, connectionID string, brief time.Duration) (active, gone int, err error) {
	err = q.db.QueryRowContext(ctx, `SELECT COALESCE(SUM(CASE WHEN active THEN 1 ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN NOT active AND seen_at > 0 AND seen_at - created_at < $3 THEN 1 ELSE 0 END), 0)
		FROM device WHERE tenant_id = $1 AND connection_id = $2`, tenantID, connectionID, brief.Milliseconds()).Scan(&active, &gone)
	if err != nil {
		return 0, 0, fmt.Errorf("count devices: %w", err)
	}
	return active, gone, nil
}
