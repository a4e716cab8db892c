package store

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover/internal/store/database"
)

// DeviceLabel is what filters ask of a device: its connection, and its own tags
// together with those of its connection.
type DeviceLabel struct {
	ConnectionID string
	Tags         []string
}

// DeviceLabels reads the labels of devices that asker may see, by device id.
func (q FleetReader) DeviceLabels(ctx context.Context, asker string, deviceIDs []string) (map[string]DeviceLabel, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT d.id, d.connection_id, d.tags, t.name FROM device d
		LEFT JOIN connection_tag ct ON ct.tenant_id = d.tenant_id AND ct.connection_id = d.connection_id
		LEFT JOIN tag t ON t.tenant_id = ct.tenant_id AND t.id = ct.tag_id
		WHERE d.id `+q.d.InList(3)+` AND `+visible("d", "connection_id"), asker, q.present(), q.d.List(deviceIDs))
	labels := make(map[string]DeviceLabel, len(deviceIDs))
	_, err = database.ReadAll(rows, err, "read labels of devices", func(row database.Scanner) (struct{}, error) {
		var id, connection, tags string
		var shared *string
		if err := row.Scan(&id, &connection, &tags, &shared); err != nil {
			return struct{}{}, err
		}
		label, known := labels[id]
		if !known {
			own, err := database.ParseStrings(tags)
			if err != nil {
				return struct{}{}, fmt.Errorf("device %s: %w", id, err)
			}
			label = DeviceLabel{ConnectionID: connection, Tags: own}
		}
		if shared != nil {
			label.Tags = append(label.Tags, *shared)
		}
		labels[id] = label
		return struct{}{}, nil
	})
	return labels, err
}

// ConnectionTagNames reads the names of the tags of a connection that asker may
// see.
func (q FleetReader) ConnectionTagNames(ctx context.Context, asker, connectionID string) ([]string, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT t.name FROM connection c
		JOIN connection_tag ct ON ct.tenant_id = c.tenant_id AND ct.connection_id = c.id
		JOIN tag t ON t.tenant_id = ct.tenant_id AND t.id = ct.tag_id
		WHERE c.id = $3 AND `+visible("c", "id")+` ORDER BY t.name`, asker, q.present(), connectionID)
	return database.ReadAll(rows, err, "read tags of a connection", func(row database.Scanner) (string, error) {
		var name string
		return name, row.Scan(&name)
	})
}
