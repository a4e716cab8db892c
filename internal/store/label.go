package store

import (
	"context"
	"fmt"
	"strings"

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
	labels := make(map[string]DeviceLabel, len(deviceIDs))
	if !q.d.Distributed() {
		return labels, q.labels(ctx, q.all(asker), deviceIDs, labels)
	}
	err := q.eachPart(ctx, asker, func(ctx context.Context, p part) error { return q.labels(ctx, p, deviceIDs, labels) })
	return labels, err
}

// labels adds those of devices of a part.
func (q queries) labels(ctx context.Context, p part, deviceIDs []string, labels map[string]DeviceLabel) error {
	w := p.where()
	w.AnyID(q.d, "d.id", deviceIDs)
	w.Parts = append(w.Parts, p.visible(shares(), "d", "connection_id"))
	rows, err := q.db.QueryContext(ctx, `SELECT d.id, d.connection_id, d.tags, t.name FROM device d
		LEFT JOIN connection_tag ct ON ct.tenant_id = d.tenant_id AND ct.connection_id = d.connection_id
		LEFT JOIN tag t ON t.tenant_id = ct.tenant_id AND t.id = ct.tag_id`+w.SQL(), w.Args...)
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
	return err
}

// ConnectionTagNames reads the names of the tags of a connection that asker may
// see.
func (q FleetReader) ConnectionTagNames(ctx context.Context, asker, connectionID string) ([]string, error) {
	read := func(ctx context.Context, p part) ([]string, error) {
		w := p.where()
		w.Add("c.id = $%d", connectionID)
		w.Parts = append(w.Parts, p.visible(shares(), "c", "id")+p.only("ct.tenant_id")+p.only("t.tenant_id"))
		rows, err := q.db.QueryContext(ctx, `SELECT t.name FROM connection c
			JOIN connection_tag ct ON ct.tenant_id = c.tenant_id AND ct.connection_id = c.id
			JOIN tag t ON t.tenant_id = ct.tenant_id AND t.id = ct.tag_id`+w.SQL()+` ORDER BY t.name`, w.Args...)
		return database.ReadAll(rows, err, "read tags of a connection", database.ScanText)
	}
	if !q.d.Distributed() {
		return read(ctx, q.all(asker))
	}
	return readParts(ctx, q.queries, asker, 0, strings.Compare, read)
}
