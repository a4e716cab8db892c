package work

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// specific is what is done in another way on each database, where other words are
// not enough.
type specific interface {
	// addAttempts logs attempts and moves their deliveries on.
	addAttempts(ctx context.Context, tx *database.Tx, attempts []Attempt) error
	// tenantTables lists the tables with rows of tenants, as the database knows them.
	tenantTables(ctx context.Context, tx *database.Tx) ([]tenantTable, error)
	// moveToBlock takes the data from events that lies in a block now.
	moveToBlock(ctx context.Context, tx *database.Tx, tenantID string, first int64, events []drover.Event) error
}

// onSQLite and onPostgres are the two ways.
type (
	onSQLite   struct{}
	onPostgres struct{}
)

func newSpecific(db database.DB) specific {
	if db.Name() == "sqlite" {
		return onSQLite{}
	}
	return onPostgres{}
}
