package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
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
func (q FleetReader) DueSilences(ctx context.Context, now drover.Time, limit int) ([]DueSilence, error) {
	// Joined, PostgreSQL takes the devices with a connection for few and begins with them.
	here, args := database.Here(ctx, q.d, "l.tenant_id", []any{now, limit})
	ofDevice := `FROM device d JOIN connection c ON c.tenant_id = d.tenant_id AND c.id = d.connection_id WHERE d.tenant_id = l.tenant_id AND d.id = l.device_id` +
		strings.ReplaceAll(here, "l.", "d.") + strings.ReplaceAll(here, "l.", "c.") + `)`
	rows, err := q.db.QueryContext(ctx, `SELECT tenant_id, connection_id, device_id, configuration FROM (
		SELECT l.tenant_id, l.device_id, l.silent_due, (SELECT d.connection_id `+ofDevice+` AS connection_id, (SELECT c.configuration `+
		ofDevice+` AS configuration
		FROM device_latest l WHERE l.silent_due <= $1`+here+`) AS due WHERE connection_id IS NOT NULL ORDER BY silent_due LIMIT $2`, args...)
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
