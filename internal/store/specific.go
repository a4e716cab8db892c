package store

import (
	"context"
	"sync"

	"github.com/drover-fleet/drover/internal/database"
)

// specific is what is done in another way on each database, where other words are
// not enough.
type specific interface {
	// together is how many of n records one query reads at the most.
	together(n int) int
	// wanted reads n records of their owners: the place in the list of those that
	// are wanted, from 0, and the columns. wantedArgs are its parameters.
	wanted(k kind, n int) string
	wantedArgs(askers, ids []string) []any
	// rowSource is a SELECT of rows that are inserted in bulk, with its parameters.
	rowSource(columns []column, rows [][]any) (query string, args []any)
	// setStates stores device states.
	setStates(ctx context.Context, tx *database.Tx, tenantID string, rows []stateRow) error
	// selectPositions begins a query of a device's positions.
	selectPositions(r PositionRange) (query string, args []any)
	// addPositions inserts positions and tells which were new.
	addPositions(ctx context.Context, tx *database.Tx, tenantID string, positions []Position) ([]bool, error)
	// markPositions changes the marks of positions.
	markPositions(ctx context.Context, tx *database.Tx, tenantID string, marks []PositionMark) error
	// forgetPositions forgets the positions before cuts that are starts of weeks.
	forgetPositions(ctx context.Context, cuts []PositionCut) (Forgotten, error)
	// dueTargets begins a query with a table waiting of the targets, of one tenant
	// or all, that deliveries wait for, each with its first due time.
	dueTargets(tenantID string) (query string, args []any)
	// checkPages reads every page and tells what is damaged.
	checkPages(ctx context.Context) ([]string, error)
	// addAttempts logs attempts and moves their deliveries on.
	addAttempts(ctx context.Context, tx *database.Tx, attempts []Attempt) error
}

// onSQLite and onPostgres are the two ways.
type (
	onSQLite   struct{ database.DB }
	onPostgres struct {
		database.DB
		partitions sync.Map // week → made
	}
)

func newSpecific(db database.DB) specific {
	if db.Name() == "sqlite" {
		return &onSQLite{DB: db}
	}
	return &onPostgres{DB: db}
}
