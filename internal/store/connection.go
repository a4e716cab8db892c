package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/batch"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Connection is a stored connection: with its owner and whether it is shared
// with the tenant that asked.
type Connection struct {
	drover.Connection
	Access
}

const connectionColumns = `c.integration_name, c.business_name, c.abn, c.email, c.active, c.id, c.tenant_id,
	c.collection_start_time, c.collection_end_time, c.configuration, c.state`

func scanConnection(row database.Scanner) (Connection, error) {
	var c Connection
	var configuration string
	err := row.Scan(&c.IntegrationName, &c.BusinessName, &c.ABN, &c.Email, &c.Active, &c.ID, &c.Connection.TenantID,
		&c.CollectionStartTime, &c.CollectionEndTime, &configuration, &c.Configuration.Health, &c.Shared)
	if err != nil {
		return c, err
	}
	state := c.Configuration.Health
	if err := json.Unmarshal([]byte(configuration), &c.Configuration); err != nil {
		return c, fmt.Errorf("read configuration: %w", err)
	}
	c.Configuration.Health = state
	c.Access.TenantID = c.Connection.TenantID
	return c, nil
}

var connectionByID = batch.NewRecord(batch.Kind{
	Columns: connectionColumns, Shared: sharedColumn("c.tenant_id", "c.id", 3),
	Table: "connection", Alias: "c", Doing: "read connection",
}, scanConnection)

// Connection reads a connection as asker sees it.
func (q FleetReader) Connection(ctx context.Context, asker, id string) (Connection, error) {
	return connectionByID.One(ctx, q.source(), nil, asker, id)
}

// AddConnection stores a new connection with its sealed credentials.
func (tx FleetTx) AddConnection(ctx context.Context, c drover.Connection, credentials []byte, now drover.Time) error {
	configuration, err := json.Marshal(c.Configuration)
	if err != nil {
		return fmt.Errorf("add connection: %w", err)
	}
	_, err = tx.write("connection").ExecContext(ctx, `INSERT INTO connection
		(tenant_id, id, integration_name, business_name, abn, email, active, collection_start_time, collection_end_time,
		configuration, credentials, state, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)`,
		c.TenantID, c.ID, c.IntegrationName, c.BusinessName, c.ABN, c.Email, c.Active, c.CollectionStartTime, c.CollectionEndTime,
		string(configuration), credentials, c.Configuration.Health, now)
	if err != nil {
		return fmt.Errorf("add connection: %w", err)
	}
	return nil
}

// ConnectionForUpdate reads a tenant's own connection and keeps others from changing
// it until the transaction ends.
func (tx FleetTx) ConnectionForUpdate(ctx context.Context, tenantID, id string) (drover.Connection, error) {
	c, err := scanConnection(tx.db.QueryRowContext(ctx,
		`SELECT `+connectionColumns+`, 0 FROM connection c WHERE c.tenant_id = $1 AND c.id = $2`+tx.d.ForUpdate(), tenantID, id))
	return c.Connection, database.Found(err, "read connection")
}

// SetConnection stores a changed connection.
func (tx FleetTx) SetConnection(ctx context.Context, c drover.Connection, now drover.Time) error {
	configuration, err := json.Marshal(c.Configuration)
	if err != nil {
		return fmt.Errorf("set connection: %w", err)
	}
	_, err = tx.write("connection").ExecContext(ctx, `UPDATE connection SET business_name = $3, abn = $4, email = $5, active = $6, collection_start_time = $7,
		collection_end_time = $8, configuration = $9, state = $10, updated_at = $11 WHERE tenant_id = $1 AND id = $2`,
		c.TenantID, c.ID, c.BusinessName, c.ABN, c.Email, c.Active, c.CollectionStartTime, c.CollectionEndTime, string(configuration),
		c.Configuration.Health, now)
	if err != nil {
		return fmt.Errorf("set connection: %w", err)
	}
	return nil
}

// Configure changes the configuration of a connection.
func (tx FleetTx) Configure(ctx context.Context, tenantID, id string, change func(*drover.Configuration)) error {
	var text string
	err := tx.db.QueryRowContext(ctx, `SELECT configuration FROM connection WHERE tenant_id = $1 AND id = $2`+tx.d.ForUpdate(), tenantID,
		id).Scan(&text)
	if err != nil {
		return database.Found(err, "read configuration")
	}
	var configuration drover.Configuration
	if err := json.Unmarshal([]byte(text), &configuration); err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	change(&configuration)
	changed, err := json.Marshal(configuration)
	if err != nil {
		return fmt.Errorf("configure connection: %w", err)
	}
	if _, err := tx.write("connection").ExecContext(ctx, `UPDATE connection SET configuration = $3 WHERE tenant_id = $1 AND id = $2`,
		tenantID, id, string(changed)); err != nil {
		return fmt.Errorf("configure connection: %w", err)
	}
	return nil
}

// Credentials reads the sealed credentials of a connection.
func (q FleetReader) Credentials(ctx context.Context, tenantID, id string) ([]byte, error) {
	var sealed []byte
	err := q.db.QueryRowContext(ctx, `SELECT credentials FROM connection WHERE tenant_id = $1 AND id = $2`, tenantID, id).Scan(&sealed)
	return sealed, database.Found(err, "read credentials")
}
