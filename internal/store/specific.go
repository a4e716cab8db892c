package store

import (
	"context"

	"github.com/drover-fleet/drover/internal/store/database"
)

// specific is what is done in another way on each database, where other words are
// not enough.
type specific interface {
	// setStates stores device states.
	setStates(ctx context.Context, tx *database.Tx, tenantID string, rows []stateRow) error
}

// onSQLite and onPostgres are the two ways.
type (
	onSQLite   struct{ database.DB }
	onPostgres struct{ database.DB }
)

func newSpecific(db database.DB) specific {
	if db.Name() == "sqlite" {
		return &onSQLite{DB: db}
	}
	return &onPostgres{DB: db}
}
