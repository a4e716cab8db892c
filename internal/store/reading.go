package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/store/database"
)

// ReadingSeries is a series of a device's readings, with the value that it shows.
type ReadingSeries struct {
	ID                     string // what it is shown under, together with others of its kind and channel
	DeviceID, ConnectionID string
	Number                 int64 // within the device, from 1
	drover.ReadingSeries
	Shown drover.ReadingValue
	// Suspect says why the value is not believed; empty where it is.
	Suspect string
	// State is what the next value is judged by, as JSON. ReadingSeriesOf alone reads it.
	State string
}

const seriesFields = `r.id, r.device_id, r.connection_id, r.series, r.kind, r.channel, r.source, r.native_name, r.time, r.value, r.suspect`

// seriesScanner scans series, and more columns behind their own. One is for all rows of a query.
func seriesScanner(more ...any) func(database.Scanner) (ReadingSeries, error) {
	var s ReadingSeries
	var suspect *string
	into := append([]any{
		&s.ID, &s.DeviceID, &s.ConnectionID, &s.Number, &s.Kind, &s.Channel, &s.Source, &s.NativeName, &s.Shown.At, &s.Shown.Value, &suspect,
	}, more...)
	return func(row database.Scanner) (ReadingSeries, error) {
		err := row.Scan(into...)
		if s.Suspect = ""; suspect != nil {
			s.Suspect = *suspect
		}
		return s, err
	}
}

// ReadingSeriesOf reads the series of devices with their states, and keeps other
// transactions from changing them.
func (tx VehiclesTx) ReadingSeriesOf(ctx context.Context, tenantID string, deviceIDs []string) ([]ReadingSeries, error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT `+seriesFields+`, r.state FROM reading_series r
		WHERE r.tenant_id = $1 AND r.device_id `+tx.d.InList(2)+` ORDER BY r.device_id, r.series`+tx.d.ForUpdate(), tenantID,
		tx.d.List(deviceIDs))
	var state string
	scan := seriesScanner(&state)
	return database.ReadAll(rows, err, "read series of readings", func(row database.Scanner) (ReadingSeries, error) {
		s, err := scan(row)
		s.State = state
		return s, err
	})
}

// SeriesStates reads the states of a connection's series of a kind.
func (q VehiclesReader) SeriesStates(ctx context.Context, tenantID, connectionID string, kind drover.ReadingKind) ([]string, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT state FROM reading_series WHERE tenant_id = $1 AND connection_id = $2 AND kind = $3`,
		tenantID, connectionID, string(kind))
	return database.ReadAll(rows, err, "read states of series", func(row database.Scanner) (state string, err error) {
		err = row.Scan(&state)
		return state, err
	})
}

var seriesColumns = []database.Column{
	database.ID("tenant_id"),
	database.ID("device_id"),
	database.Number("series"),
	database.ID("id"),
	database.ID("connection_id"),
	database.Text("kind"),
	database.Text("channel"),
	database.Text("source"),
	database.Text("native_name"),
	database.Number("time"),
	database.Float("value"),
	database.Text("suspect"),
	database.Text("state"),
}

// SetReadingSeries stores series of a tenant's devices.
func (tx VehiclesTx) SetReadingSeries(ctx context.Context, tenantID string, series []ReadingSeries) error {
	rows := make([][]any, len(series))
	for i := range series {
		s := &series[i]
		rows[i] = []any{
			tenantID, s.DeviceID, s.Number, s.ID, s.ConnectionID, string(s.Kind), s.Channel, string(s.Source), s.NativeName,
			s.Shown.At, s.Shown.Value, orNull(s.Suspect), s.State,
		}
	}
	number := `excluded.change`
	if tx.d.Name() == "sqlite" {
		number = `(SELECT number FROM change_clock)`
		if _, err := tx.write("change_clock").ExecContext(ctx, `UPDATE change_clock SET number = number + 1`); err != nil {
			return fmt.Errorf("number a change: %w", err)
		}
	}
	err := tx.tx.InsertRows(ctx, seriesTable, seriesColumns, rows, `ON CONFLICT (tenant_id, device_id, series) DO UPDATE
		SET time = excluded.time, value = excluded.value, suspect = excluded.suspect, state = excluded.state,
		change = CASE WHEN reading_series.time = excluded.time AND reading_series.value = excluded.value
			AND COALESCE(reading_series.suspect, '') = COALESCE(excluded.suspect, '') THEN reading_series.change ELSE `+number+` END`)
	if err != nil {
		return fmt.Errorf("store series of readings: %w", err)
	}
	return nil
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// ReadingRow is a value of a device's series.
type ReadingRow struct {
	DeviceID string
	drover.ReadingRow
}

var readingColumns = []database.Column{
	database.ID("tenant_id"),
	database.ID("device_id"),
	database.Number("time"),
	database.Number("series"),
	database.Float("value"),
}

// AddReadings stores values. One that is there already, by its series and time, stays.
func (tx VehiclesTx) AddReadings(ctx context.Context, tenantID string, values []ReadingRow) error {
	rows := make([][]any, len(values))
	for i, v := range values {
		rows[i] = []any{tenantID, v.DeviceID, v.At, v.Series, v.Value}
	}
	if err := tx.tx.InsertRows(ctx, "reading", readingColumns, rows, `ON CONFLICT DO NOTHING`); err != nil {
		return fmt.Errorf("store readings: %w", err)
	}
	return nil
}

// ReadingRange selects values of a device by time.
type ReadingRange struct {
	TenantID, DeviceID string
	From, To           drover.Time // [From, To)
	// Series are those that are wanted; empty for all.
	Series []int64
	// After is the place after which the list goes on, in its order.
	After       *drover.ReadingTimeCursor
	NewestFirst bool
	Limit       int
}

// looseReadings reads values of a device that are not packed, in the order of time and series.
func (q VehiclesReader) looseReadings(ctx context.Context, r ReadingRange) ([]drover.ReadingRow, error) {
	w := database.Where{
		Args:  []any{r.TenantID, r.DeviceID, r.From, r.To},
		Parts: []string{`tenant_id = $1`, `device_id = $2`, `time >= $3`, `time < $4`},
	}
	order, beyond := `time, series`, `>`
	if r.NewestFirst {
		order, beyond = `time DESC, series DESC`, `<`
	}
	if r.After != nil {
		w.Args = append(w.Args, r.After.Time, r.After.Series)
		w.Parts = append(w.Parts, fmt.Sprintf(`(time, series) %s ($%d, $%d)`, beyond, len(w.Args)-1, len(w.Args)))
	}
	if len(r.Series) > 0 {
		w.Args = append(w.Args, q.d.Numbers(r.Series))
		w.Parts = append(w.Parts, `series `+q.d.InList(len(w.Args)))
	}
	rows, err := q.db.QueryContext(ctx, `SELECT time, series, value FROM reading`+w.SQL()+w.Limit(order, r.Limit), w.Args...)
	return database.ReadAll(rows, err, "read readings", func(row database.Scanner) (v drover.ReadingRow, err error) {
		err = row.Scan(&v.At, &v.Series, &v.Value)
		return v, err
	})
}

// DeviceReadings reads the series of a device, without what their next value is judged by.
func (q VehiclesReader) DeviceReadings(ctx context.Context, tenantID, deviceID string) ([]ReadingSeries, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+seriesFields+
		` FROM reading_series r WHERE r.tenant_id = $1 AND r.device_id = $2 ORDER BY r.series`, tenantID, deviceID)
	return database.ReadAll(rows, err, "read readings of a device", seriesScanner())
}

// ReadingCoverage is what the devices of a connection have of a kind of reading.
type ReadingCoverage struct {
	Kind    drover.ReadingKind
	Devices int // with a reading since the time asked for
	Newest  drover.Time
	// Names and sources of the series.
	Names   []string
	Sources []drover.ReadingSource
}

// ReadingCoverage reads which kinds of readings the devices of a connection have, by kind.
func (q VehiclesReader) ReadingCoverage(ctx context.Context, tenantID, connectionID string, since drover.Time) ([]ReadingCoverage, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT kind, COUNT(DISTINCT CASE WHEN time >= $3 THEN device_id END), MAX(time) FROM reading_series
		WHERE tenant_id = $1 AND connection_id = $2 GROUP BY kind ORDER BY kind`, tenantID, connectionID, since)
	found, err := database.ReadAll(rows, err, "read the coverage of readings", func(row database.Scanner) (c ReadingCoverage, err error) {
		err = row.Scan(&c.Kind, &c.Devices, &c.Newest)
		return c, err
	})
	if err != nil {
		return nil, err
	}
	rows, err = q.db.QueryContext(ctx, `SELECT DISTINCT kind, source, native_name FROM reading_series
		WHERE tenant_id = $1 AND connection_id = $2 ORDER BY kind, native_name, source`, tenantID, connectionID)
	series, err := database.ReadAll(rows, err, "read the coverage of readings", func(row database.Scanner) (s drover.ReadingSeries, err error) {
		err = row.Scan(&s.Kind, &s.Source, &s.NativeName)
		return s, err
	})
	for i := range found {
		for _, s := range series {
			if s.Kind != found[i].Kind {
				continue
			}
			if !slices.Contains(found[i].Names, s.NativeName) {
				found[i].Names = append(found[i].Names, s.NativeName)
			}
			if s.Source != "" && !slices.Contains(found[i].Sources, s.Source) {
				found[i].Sources = append(found[i].Sources, s.Source)
			}
		}
	}
	return found, err
}

// NewestReadings reads series of the devices whose readings asker may see, by device from
// the one given on, and number, without what their next value is judged by.
func (q VehiclesReader) NewestReadings(
	ctx context.Context,
	asker string,
	f drover.ReadingFilter,
	from string,
	limit int,
) ([]ReadingSeries, error) {
	own := database.Where{Args: []any{asker}, Parts: []string{`r.tenant_id = $1`}}
	series, err := q.newestReadings(ctx, ` FROM reading_series r`, `= $1`, own, f, from, limit)
	if err != nil {
		return nil, err
	}
	shared := database.Where{Args: []any{asker, q.present()}, Parts: []string{shares() + ` AND cs.readings = TRUE`}}
	of, err := q.newestReadings(ctx, ` FROM connection_share cs JOIN reading_series r ON r.tenant_id = cs.tenant_id AND r.connection_id = cs.connection_id`,
		`IN (SELECT o.tenant_id FROM connection_share o WHERE o.shared_with = $1)`, shared, f, from, limit)
	if len(of) > 0 {
		series = append(series, of...)
		order.By(series, func(a, b ReadingSeries) int {
			return cmp.Or(cmp.Compare(a.DeviceID, b.DeviceID), cmp.Compare(a.Number, b.Number))
		})
	}
	return series[:min(limit, len(series))], err
}

func (q queries) newestReadings(
	ctx context.Context,
	source, owners string,
	w database.Where,
	f drover.ReadingFilter,
	from string,
	limit int,
) ([]ReadingSeries, error) {
	w.ID("r.device_id >=", from)
	w.AnyID(q.d, "r.connection_id", f.ConnectionIDs)
	w.AnyID(q.d, "r.device_id", f.DeviceIDs)
	w.AnyID(q.d, "r.id", f.IDs)
	if len(f.Kinds) > 0 {
		kinds := make([]string, len(f.Kinds))
		for i, k := range f.Kinds {
			kinds[i] = string(k)
		}
		w.Args = append(w.Args, q.d.List(kinds))
		w.Parts = append(w.Parts, `r.kind `+q.d.InList(len(w.Args)))
	}
	if len(f.Tags) > 0 {
		source += ` JOIN device d ON d.tenant_id = r.tenant_id AND d.id = r.device_id`
		anyTag(&w, q.d, f.Tags, owners)
	}
	rows, err := q.db.QueryContext(ctx, `SELECT `+seriesFields+source+w.SQL()+w.Limit("r.device_id, r.series", limit), w.Args...)
	return database.ReadAll(rows, err, "list newest readings", seriesScanner())
}
