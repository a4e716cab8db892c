// Package work stores what is waiting to be done: connections that are due, the feeds of events,
// the deliveries of events to webhooks, exports, and jobs that recompute trips, with the leases of
// the processes that work on them.
//
// A Queue reads, claims and signals new work. A Tx adds work as part of a transaction, so that it
// is committed together with its cause. The records are in package store.
package work

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/directory"
)

// Reader reads queues, within a transaction or outside of any.
type Reader struct {
	db    database.Reader
	words database.Dialect
	on    specific
	whose directory.Reader
	// clock is that of leases; nil is the callers'.
	clock *leaseClock
}

// FeedReader reads events and deliveries.
type FeedReader struct{ Reader }

// JobsReader reads what background work has to do.
type JobsReader struct{ Reader }

// Feed is the events and deliveries of an open database.
type Feed struct {
	FeedReader
	*Queue
}

// Jobs is the background work of an open database.
type Jobs struct {
	JobsReader
	*Queue
}

// FeedTx changes events and deliveries as part of a transaction.
type FeedTx struct {
	FeedReader
	*Tx
}

// JobsTx changes background work as part of a transaction.
type JobsTx struct {
	JobsReader
	*Tx
}

// Queue is what Feed and Jobs of an open database share. It is safe for concurrent use.
type Queue struct {
	reader    Reader
	database  database.DB
	signals   signals
	receivers receivers
	// listener hears of deliveries, publisher of events for others.
	listener  atomic.Pointer[func([]Added, []drover.Target)]
	publisher atomic.Pointer[func()]
	mended    sync.Map // when the schedule was last looked at, by place
	found     found
}

// Tx is what FeedTx and JobsTx of a transaction share.
type Tx struct {
	reader    Reader
	tx        *database.Tx
	receivers *receivers
	// grown are the tenants whose feed has grown.
	grown []string
	// added are new events with their deliveries, woken the targets that others
	// were made due for.
	added []Added
	woken []drover.Target
	// published says that events were kept for others.
	published bool
}

// New returns the queues of a database. With a clock, leases on PostgreSQL are by
// the server's clock, however far those of the processes differ; without it they are
// by the times that callers give.
func New(db database.DB, now func() time.Time) *Queue {
	q := &Queue{reader: Reader{db: db.Reader(), words: db, on: newSpecific(db), whose: directory.New(db.Reader())}, database: db}
	if now != nil && db.Name() == "postgres" {
		q.reader.clock = &leaseClock{now: now}
	}
	return q
}

// Feed returns the events and deliveries.
func (q *Queue) Feed() Feed { return Feed{FeedReader{q.reader}, q} }

// Jobs returns the background work.
func (q *Queue) Jobs() Jobs { return Jobs{JobsReader{q.reader}, q} }

// In changes the queues in a transaction. Its committer calls Committed.
func (q *Queue) In(tx *database.Tx) *Tx {
	reader := q.reader.at(tx)
	reader.whose = reader.whose.In(tx)
	return &Tx{reader: reader, tx: tx, receivers: &q.receivers}
}

// Feed changes events and deliveries.
func (tx *Tx) Feed() FeedTx { return FeedTx{FeedReader{tx.reader}, tx} }

// Jobs changes background work.
func (tx *Tx) Jobs() JobsTx { return JobsTx{JobsReader{tx.reader}, tx} }

// At reads the feed as r sees it.
func (q FeedReader) At(r database.Reader) FeedReader { return FeedReader{q.at(r)} }

func (q Reader) at(r database.Reader) Reader {
	q.db = r
	return q
}

// Committed notifies listeners of what a transaction has added.
func (q *Queue) Committed(tx *Tx) {
	if len(tx.grown) > 0 {
		q.signals.send(tx.grown)
		q.database.Announce(tx.grown)
	}
	if f := q.listener.Load(); f != nil && len(tx.added)+len(tx.woken) > 0 {
		(*f)(tx.added, tx.woken)
	}
	if f := q.publisher.Load(); f != nil && tx.published {
		(*f)()
	}
}

// update runs f in a transaction of the queues alone.
func (q *Queue) update(ctx context.Context, f func(tx *Tx) error) error {
	return q.database.Update(ctx, database.Urgent, func(t *database.Tx) error { return f(q.In(t)) })
}

// updateBulk is update for large transactions that no one waits for.
func (q *Queue) updateBulk(ctx context.Context, f func(tx *Tx) error) error {
	return q.database.Update(ctx, database.Bulk, func(t *database.Tx) error { return f(q.In(t)) })
}
