package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/database"
)

// SilenceSource is a connection of devices that may have fallen silent.
type SilenceSource struct {
	TenantID, ConnectionID string
	Poll                   time.Duration
}

// DueSilence names a device that is to be looked at.
type DueSilence struct {
	SilenceSource
	DeviceID string
}

// DueSilences lists devices that may have fallen silent at the time given, those
// that have waited longest first.
func (q queries) DueSilences(ctx context.Context, now drover.Time, limit int) ([]DueSilence, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT l.tenant_id, d.connection_id, l.device_id, c.configuration
		FROM device_latest l JOIN device d ON d.tenant_id = l.tenant_id AND d.id = l.device_id
		JOIN connection c ON c.tenant_id = d.tenant_id AND c.id = d.connection_id
		WHERE l.silent_due <= $1 ORDER BY l.silent_due LIMIT $2`, now, limit)
	return database.ReadAll(rows, err, "look for silent devices", func(row database.Scanner) (DueSilence, error) {
		var s DueSilence
		var text string
		if err := row.Scan(&s.TenantID, &s.ConnectionID, &s.DeviceID, &text); err != nil {
			return s, err
		}
		var c drover.Configuration
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			return s, fmt.Errorf("read configuration: %w", err)
		}
		s.Poll = c.PollInterval()
		return s, nil
	})
}
