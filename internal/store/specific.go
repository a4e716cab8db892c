package store

import (
	"context"

	"github.com/drover-fleet/drover/internal/database"
)

// specific is what is done in another way on each database, where other words are
// not enough.
type specific interface {
	// together is how many of n records one query reads at the most.
	together(n int) int
	// lookups reads n records of their owners: the place in the list of those that
	// are asked for, from 0, and the columns. lookupArgs are its parameters.
	lookups(k kind, n int) string
	lookupArgs(askers, ids []string) []any
	// setStates stores device states.
	setStates(ctx context.Context, tx *database.Tx, tenantID string, rows []stateRow) error
	// checkPages reads every page and tells what is damaged.
	checkPages(ctx context.Context) ([]string, error)
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
