// Package history stores the positions of devices by time: inserted in bulk, read device by
// device, packed into blocks once they no longer change, and deleted by whole weeks. It also
// stores what arrival times are learned from.
//
// A History reads and deletes; a Writer inserts as part of a transaction. The newest position of
// each device is stored with its state, in package store.
package history

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/drover-fleet/drover/internal/store/database"
)

// Reader reads positions, within a transaction or outside of any.
type Reader struct {
	db     database.Reader
	on     specific
	border *border
}

// History is the positions of an open database. It is safe for concurrent use.
type History struct {
	Reader
	database database.DB
	now      func() time.Time
}

// Writer adds positions as part of a transaction.
type Writer struct {
	Reader
	tx  *database.Tx
	now func() time.Time
}

// New returns the positions of a database. Now is the clock by which days settle
// before they are packed.
func New(db database.DB, now func() time.Time) *History {
	return &History{Reader: Reader{db: db.Reader(), on: newSpecific(db), border: &border{}}, database: db, now: now}
}

// In adds to the history in a transaction.
func (h *History) In(tx *database.Tx) Writer {
	return Writer{Reader: Reader{db: tx, on: h.on, border: h.border}, tx: tx, now: h.now}
}

// MakeWeeks makes the partitions of this week and the next, so that no page of positions has to.
func (h *History) MakeWeeks(ctx context.Context, now time.Time) error {
	week := weekOf(now.UnixMilli())
	if err := h.on.makeWeeks(ctx, week, week+1); err != nil {
		return fmt.Errorf("make weeks of positions: %w", err)
	}
	return nil
}

// MissingWeeks counts those of this week and the next that have no partition yet.
func (h *History) MissingWeeks(ctx context.Context, now time.Time) (missing int, err error) {
	week := weekOf(now.UnixMilli())
	there, err := h.on.weeks(ctx)
	for _, w := range []int64{week, week + 1} {
		if !slices.Contains(there, w) {
			missing++
		}
	}
	return missing, err
}

// Tighten gives back room that the positions' key has taken and does not need. No one
// waits for it.
func (h *History) Tighten(ctx context.Context) (rebuilt int, err error) { return h.on.tighten(ctx) }

// specific is what is done in another way on each database.
type specific interface {
	// rowsOfDriver is the condition of the rows of a device in [from, to) that name a driver.
	rowsOfDriver(d device, from, to int64, driver string) (query string, args []any)
	// selectPositions begins a query of a device's positions.
	selectPositions(r Range) (query string, args []any)
	// addPositions inserts positions and says which were new.
	addPositions(ctx context.Context, tx *database.Tx, tenantID string, positions []Position) ([]bool, error)
	// markPositions changes the marks of positions.
	markPositions(ctx context.Context, tx *database.Tx, tenantID string, marks []Mark) error
	// deletePositions is the statement that deletes a device's positions of [first, last].
	deletePositions(d device, first, last int64) (query string, args []any)
	// hasRowsBefore is the condition that a device d has rows p before a time, and meet another.
	hasRowsBefore(time, and string) string
	// countPositions is the query that counts the rows of a tenant, and what one takes.
	countPositions() (query string, rowBytes int64)
	// makeWeeks makes partitions.
	makeWeeks(ctx context.Context, weeks ...int64) error
	// weeks lists the partitions of weeks, oldest first.
	weeks(ctx context.Context) ([]int64, error)
	// dropEmpty drops the partitions before a time that have nothing in them.
	dropEmpty(ctx context.Context, before int64) (int, error)
	// dropExpired drops the partitions in which no one keeps a position, by cuts that are starts of weeks.
	dropExpired(ctx context.Context, cuts []Cut) (int, error)
	// tighten rebuilds the keys of partitions that take far more than they need, and
	// returns how many it rebuilt.
	tighten(ctx context.Context) (int, error)
	// forgetPositions forgets the positions before cuts that are starts of weeks.
	forgetPositions(ctx context.Context, cuts []Cut) (Forgotten, error)
	// eraseDevice deletes the rows of a device, some at a time.
	eraseDevice(ctx context.Context, tenantID, deviceID string) error
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
