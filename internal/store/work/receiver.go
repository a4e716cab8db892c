package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/store/database"
)

// receivers remembers the webhooks of tenants, with their filters compiled, by the
// version that the transaction read with the tenant's counter. Every change of a
// webhook gives the tenant a version that was never there before, so what is
// remembered for a version is true for ever, also where a transaction is undone.
type receivers struct {
	mu      sync.Mutex
	tenants map[string]versioned
	size    int
}

type versioned struct {
	version string
	list    []drover.Receiver
	size    int
}

// maxReceivers bounds the entries of filters that are remembered. When there are
// more, all are forgotten and read again.
const maxReceivers = 500_000

func (r *receivers) get(tenantID, version string) ([]drover.Receiver, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, known := r.tenants[tenantID]
	return v.list, known && v.version == version
}

func (r *receivers) put(tenantID, version string, list []drover.Receiver) {
	v := versioned{version: version, list: list, size: 1}
	for i := range list {
		v.size += 1 + list[i].Filter.Size()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tenants == nil || r.size+v.size > maxReceivers {
		r.tenants, r.size = map[string]versioned{}, 0
	}
	r.size += v.size - r.tenants[tenantID].size
	r.tenants[tenantID] = v
}

// Receivers lists a tenant's webhooks as matching needs them. Version is what
// AddEvents has returned in this transaction. The list is shared: it must not be
// changed.
func (tx FeedTx) Receivers(ctx context.Context, tenantID, version string) ([]drover.Receiver, error) {
	if list, known := tx.receivers.get(tenantID, version); known {
		return list, nil
	}
	rows, err := tx.db.QueryContext(ctx, `SELECT id, enabled, filters, options FROM webhook WHERE tenant_id = $1 ORDER BY id`, tenantID)
	list, err := database.ReadAll(rows, err, "read receivers", func(row database.Scanner) (drover.Receiver, error) {
		var r drover.Receiver
		var text, options string
		if err := row.Scan(&r.ID, &r.Enabled, &text, &options); err != nil {
			return r, err
		}
		var filters drover.WebhookFilters
		err := errors.Join(json.Unmarshal([]byte(text), &filters), json.Unmarshal([]byte(options), &r.Options))
		r.Filter = filters.Compile()
		return r, err
	})
	if err == nil {
		tx.receivers.put(tenantID, version, list)
	}
	return list, err
}

// ReadingKinds lists the kinds of readings that a tenant's webhooks ask for.
func (tx FeedTx) ReadingKinds(ctx context.Context, tenantID string) (kinds []drover.ReadingKind, err error) {
	var version string
	err = tx.db.QueryRowContext(ctx, `SELECT receivers FROM event_sequence WHERE tenant_id = $1`, tenantID).Scan(&version)
	if err != nil {
		return nil, fmt.Errorf("read the version of receivers: %w", err)
	}
	list, err := tx.Receivers(ctx, tenantID, version)
	for i := range list {
		kinds = append(kinds, list[i].Filter.ReadingKinds()...)
	}
	return kinds, err
}

// ReceiversChanged gives the receivers of a tenant a new version. It is called
// after each change of a webhook that matching has to know of.
func (tx FeedTx) ReceiversChanged(ctx context.Context, tenantID string) error {
	_, err := tx.tx.Write("event_sequence").ExecContext(ctx, `UPDATE event_sequence SET receivers = $2 WHERE tenant_id = $1`, tenantID,
		database.NewID())
	if err != nil {
		return fmt.Errorf("note that receivers have changed: %w", err)
	}
	return nil
}

// OwnReceivers lists a tenant's open milestones of the devices whose own webhooks
// are on, by id.
func (tx FeedTx) OwnReceivers(ctx context.Context, tenantID string, deviceIDs []string) ([]drover.OwnReceiver, error) {
	// Asked for in this order, SQLite reads all milestones of the tenant by their key,
	// and leaves the index of those with a webhook alone.
	rows, err := tx.db.QueryContext(ctx, `SELECT id, device_id, start_time, webhook_url FROM milestone
		WHERE tenant_id = $1 AND webhook_enabled = TRUE AND status <> 'trip_ended' AND device_id `+tx.words.InList(2), tenantID,
		tx.words.List(deviceIDs))
	list, err := database.ReadAll(rows, err, "read milestones with a webhook", func(row database.Scanner) (drover.OwnReceiver, error) {
		var r drover.OwnReceiver
		return r, row.Scan(&r.MilestoneID, &r.DeviceID, &r.StartTime, &r.URL)
	})
	order.By(list, func(a, b drover.OwnReceiver) int { return strings.Compare(a.MilestoneID, b.MilestoneID) })
	return list, err
}

// DeviceSubjects reads what filters ask of an owner's devices, by id: only those who see a
// device are notified of it. Tags are the devices' own.
func (tx FeedTx) DeviceSubjects(ctx context.Context, owner string, deviceIDs []string) (map[string]drover.Subject, error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT id, connection_id, system_device_id, tags FROM device WHERE tenant_id = $1 AND id `+
		tx.words.InList(2), owner, tx.words.List(deviceIDs))
	subjects := make(map[string]drover.Subject, len(deviceIDs))
	_, err = database.ReadAll(rows, err, "read devices of events", func(row database.Scanner) (struct{}, error) {
		var s drover.Subject
		var tags string
		if err := row.Scan(&s.DeviceID, &s.ConnectionID, &s.SystemDeviceID, &tags); err != nil {
			return struct{}{}, err
		}
		var err error
		s.Tags, err = database.ParseStrings(tags)
		subjects[s.DeviceID] = s
		return struct{}{}, err
	})
	return subjects, err
}

// TagsOfConnections reads the names of the tags of an owner's connections, by connection.
func (tx FeedTx) TagsOfConnections(ctx context.Context, owner string, connectionIDs []string) (map[string][]string, error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT ct.connection_id, t.name FROM connection_tag ct
		JOIN tag t ON t.tenant_id = ct.tenant_id AND t.id = ct.tag_id WHERE ct.tenant_id = $1 AND ct.connection_id `+tx.words.InList(2), owner,
		tx.words.List(connectionIDs))
	tags := map[string][]string{}
	_, err = database.ReadAll(rows, err, "read tags of connections", func(row database.Scanner) (struct{}, error) {
		var id, name string
		err := row.Scan(&id, &name)
		tags[id] = append(tags[id], name)
		return struct{}{}, err
	})
	return tags, err
}
