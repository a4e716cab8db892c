package store

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

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
