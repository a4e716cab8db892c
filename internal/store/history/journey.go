package history

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// JourneyKind says what a finished journey was.
type JourneyKind string

// The kinds of journeys. Milestones hold the rests of a way, and how far their
// predictions were off.
const (
	TripJourney      JourneyKind = "trip"
	MilestoneJourney JourneyKind = "milestone"
)

// Journey is what is kept of a finished journey of a device. What it teaches is the
// predictor's own.
type Journey struct {
	DeviceID  string
	Kind      JourneyKind
	StartedAt drover.Time
	Lessons   json.RawMessage
}

// AddJourney keeps a journey, in the place of one with the same start, and forgets
// the device's oldest of that kind beyond most.
func (tx Writer) AddJourney(ctx context.Context, tenantID string, j Journey, most int) error {
	_, err := tx.tx.Write("journey").ExecContext(ctx, `INSERT INTO journey (tenant_id, device_id, kind, started_at, connection_id, journey)
		SELECT tenant_id, id, $3, $4, connection_id, $5 FROM device WHERE tenant_id = $1 AND id = $2
		ON CONFLICT (tenant_id, device_id, kind, started_at) DO UPDATE SET connection_id = excluded.connection_id, journey = excluded.journey`,
		tenantID, j.DeviceID, string(j.Kind), j.StartedAt, string(j.Lessons))
	if err != nil {
		return fmt.Errorf("add journey: %w", err)
	}
	_, err = tx.tx.Write("journey").ExecContext(ctx, `DELETE FROM journey WHERE tenant_id = $1 AND device_id = $2 AND kind = $3 AND started_at <= (
		SELECT started_at FROM journey WHERE tenant_id = $1 AND device_id = $2 AND kind = $3 ORDER BY started_at DESC LIMIT 1 OFFSET $4)`,
		tenantID, j.DeviceID, string(j.Kind), most)
	if err != nil {
		return fmt.Errorf("forget journeys: %w", err)
	}
	return nil
}

// DropJourney forgets a journey.
func (tx Writer) DropJourney(ctx context.Context, tenantID, deviceID string, kind JourneyKind, startedAt drover.Time) error {
	_, err := tx.tx.Write("journey").ExecContext(ctx, `DELETE FROM journey WHERE tenant_id = $1 AND device_id = $2 AND kind = $3 AND started_at = $4`,
		tenantID, deviceID, string(kind), startedAt)
	if err != nil {
		return fmt.Errorf("drop journey: %w", err)
	}
	return nil
}

// JourneysOf lists the newest journeys of a device, newest first.
func (q Reader) JourneysOf(ctx context.Context, tenantID, deviceID string, kind JourneyKind, limit int) ([]json.RawMessage, error) {
	return q.journeys(ctx, `device_id = $2`, tenantID, deviceID, kind, limit)
}

// JourneysBeside lists the newest journeys of the other devices of a device's
// connection, newest first.
func (q Reader) JourneysBeside(ctx context.Context, tenantID, deviceID string, kind JourneyKind, limit int) ([]json.RawMessage, error) {
	return q.journeys(ctx, `device_id <> $2 AND connection_id = (SELECT connection_id FROM device WHERE tenant_id = $1 AND id = $2)`,
		tenantID, deviceID, kind, limit)
}

// JourneysElsewhere lists the newest journeys of a tenant's devices of other
// connections, newest first.
func (q Reader) JourneysElsewhere(ctx context.Context, tenantID, deviceID string, kind JourneyKind, limit int) ([]json.RawMessage, error) {
	return q.journeys(ctx, `connection_id <> (SELECT connection_id FROM device WHERE tenant_id = $1 AND id = $2)`, tenantID, deviceID, kind,
		limit)
}

func (q Reader) journeys(ctx context.Context, which, tenantID, deviceID string, kind JourneyKind, limit int) ([]json.RawMessage, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT journey FROM journey WHERE tenant_id = $1 AND `+which+
		` AND kind = $3 ORDER BY started_at DESC LIMIT $4`, tenantID, deviceID, string(kind), limit)
	return database.ReadAll(rows, err, "list journeys", func(row database.Scanner) (json.RawMessage, error) {
		var text string
		err := row.Scan(&text)
		return json.RawMessage(text), err
	})
}
