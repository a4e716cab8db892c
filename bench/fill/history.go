package fill

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// HistorySpan is over which time the stored positions are spread, whatever their
// number: what comes in afterwards goes to the new end, into the same week.
const HistorySpan = 90 * 24 * time.Hour

// Past is what the devices of a tenant did before: the same number of
// positions of each, at equal distances, but not of all at the same moments.
type Past struct {
	Tenant  string
	Devices int
	Each    int
	Span    time.Duration
	End     time.Time
}

// MakeRoom stores a position of each day, so that the store makes what it keeps
// their weeks in. They go when the history is filled.
func (h Past) MakeRoom(ctx context.Context, s *store.Store, device string) error {
	var daily []history.Position
	for at := h.End.Add(-h.Span); !at.After(h.End); at = at.AddDate(0, 0, 1) { // the last day too: a week may begin with it
		daily = append(daily, history.Of(device, drover.Position{Time: drover.At(at.Add(time.Millisecond)), Latitude: -37, Longitude: 144}))
	}
	return s.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.History.AddPositions(ctx, h.Tenant, daily)
		return err
	})
}

// Fill stores the positions. The store must be closed.
func (h Past) Fill(ctx context.Context, o store.Options) (err error) {
	b, err := Open(o.Path, o.URL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	columns, device := `device`, `unhex(id, '-') AS device`
	if b.Postgres {
		columns, device = `tenant_id, device_id`, `tenant_id, id AS device_id`
	}
	step := h.Span.Milliseconds() / int64(h.Each)
	insert := strings.NewReplacer(
		"{columns}", columns, "{device}", device, "{tenant}", IDText(b.Postgres, h.Tenant), "{numbers}", Numbers(b.Postgres, 0, h.Each),
		"{begin}", fmt.Sprint(h.End.Add(-h.Span).UnixMilli()), "{step}", fmt.Sprint(step), "{devices}", fmt.Sprint(h.Devices),
	).Replace(insertHistory)
	if err := b.withoutIndexes(ctx, "position", func() error { return b.Run(ctx, `DELETE FROM position`, insert) }); err != nil {
		return err
	}
	return b.Settle(ctx)
}

// insertHistory goes by device, the order in which SQLite keeps positions. They
// have the fields that the simulated fleet reports.
const insertHistory = `INSERT INTO position ({columns}, time, latitude, longitude, heading, speed_kph, odometer, ignition, auxiliary)
	SELECT {columns}, {begin} + n * {step} + {step} * place / {devices}, -37.0 + n / 1e5, 144.0 + n / 1e5,
		n % 360 + 0.5, n % 90 + 0.5, 1000.0 * n, n % 3 > 0, FALSE
	FROM (SELECT {device}, row_number() OVER (ORDER BY id) - 1 AS place FROM device WHERE tenant_id = {tenant}) placed
	CROSS JOIN ({numbers}) numbered`
