package simulate

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// check holds what is stored at the end against what was answered, served, streamed
// and received.
type check struct {
	*world
	ctx   context.Context //nolint:containedctx // that of the one test
	db    *sql.DB
	store *store.Store
	// events are the feeds of the tenants, in order, and what they say.
	events map[string][]drover.Event
}

// check looks at everything.
func (w *world) check(folder string) {
	c := &check{world: w, ctx: context.Background(), events: map[string][]drover.Event{}}
	if err := c.open(folder); err != nil {
		w.fail("open what is left: %v", err)
		return
	}
	defer c.close()
	for name, err := range map[string]error{"feeds": c.store.CheckFeeds(c.ctx), "sums": c.store.CheckSums(c.ctx)} {
		if err != nil {
			w.fail("%s: %v", name, err)
		}
	}
	for _, t := range w.tenants {
		c.readFeed(t)
		c.checkRegisters(t)
		c.checkCreations(t)
		c.checkStream(t)
		c.checkDeliveries(t)
		c.checkCollected(t)
	}
}

func (c *check) open(folder string) (err error) {
	path := filepath.Join(folder, "drover.db")
	if c.store, err = store.Open(c.ctx, store.Options{Path: path}); err != nil {
		return err
	}
	c.db, err = sql.Open("sqlite", "file:"+path+"?_pragma=query_only(1)")
	return err
}

func (c *check) close() {
	_ = c.db.Close() // it was only read
	_ = c.store.Close()
}

// rows reads what a query finds, by its first column.
func (c *check) rows(query string, args ...any) map[string]string {
	out := map[string]string{}
	rows, err := c.db.QueryContext(c.ctx, query, args...)
	if err != nil {
		c.fail("%s: %v", query, err)
		return out
	}
	defer rows.Close()
	for rows.Next() {
		var key, value string
		if err := rows.Scan(&key, &value); err != nil {
			c.fail("%s: %v", query, err)
		}
		out[key] = value
	}
	if err := rows.Err(); err != nil {
		c.fail("%s: %v", query, err)
	}
	return out
}

func (c *check) readFeed(t *tenant) {
	last, err := c.store.Feed.LastEvent(c.ctx, t.id)
	if err != nil {
		c.fail("read the feed: %v", err)
		return
	}
	c.events[t.id], err = c.store.Feed.Events(c.ctx, t.id, drover.EventFilter{}, work.EventRange{To: last, Limit: 1_000_000})
	if err != nil {
		c.fail("read the feed: %v", err)
	}
}

// checkRegisters wants the value that was acknowledged last, or one that may have
// been written since.
func (c *check) checkRegisters(t *tenant) {
	descriptions := c.rows(`SELECT '/device/' || id, COALESCE(description, '') FROM device WHERE tenant_id = $1`, t.id)
	ends := c.rows(`SELECT '/milestone/' || id, end_time FROM milestone WHERE tenant_id = $1`, t.id)
	for _, path := range t.paths() {
		value, there := descriptions[path]
		if end, ok := ends[path]; ok {
			var millis int64
			_, _ = fmt.Sscan(end, &millis) // it is a number by its column
			value, there = time.UnixMilli(millis).UTC().Format(time.RFC3339), true
		}
		possible := t.values[path].possible
		if possible[0] == "" {
			continue // nothing was acknowledged
		}
		if !there || !slices.Contains(possible, value) {
			c.fail("%s: %s is %q at the end, want one of %q", t.name, path, value, possible)
		}
	}
}

// checkCreations wants every record that was acknowledged, and none twice.
func (c *check) checkCreations(t *tenant) {
	count := c.rows(`SELECT CAST(radius_metres AS INTEGER), COUNT(*) FROM milestone WHERE tenant_id = $1 GROUP BY 1`, t.id)
	for _, made := range t.created {
		n := count[fmt.Sprint(made.mark)]
		switch {
		case n != "" && n != "1":
			c.fail("%s: the milestone %d is there %s times", t.name, made.mark, n)
		case made.id != "" && made.deleted == no && n == "":
			c.fail("%s: the milestone %d was acknowledged and is gone", t.name, made.mark)
		case made.deleted == yes && n != "":
			c.fail("%s: the milestone %d was deleted and is there", t.name, made.mark)
		}
	}
}

// settle waits until all that was begun is finished: what is due is delivered and
// what the vendors have is collected.
func (w *world) settle(ctx context.Context) {
	// Then each trip is judged to be other than it was: what it counted for before must
	// leave the sums.
	time.Sleep(quiet)
	for _, t := range w.tenants {
		t.judge()
	}
	var waits string
	for range 60 {
		if waits = w.waits(ctx); waits == "" {
			return
		}
		time.Sleep(time.Minute)
	}
	w.fail("not quiet an hour after the last fault: %s", waits)
}

// quiet is how long nothing happens at least before all is looked at: so long that a
// trip that was under way when the vendors fell silent has ended.
const quiet = trip.Gap + 2*time.Minute

// waits says what is not finished.
func (w *world) waits(ctx context.Context) string {
	p := w.process()
	if p == nil {
		return "a process"
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(p.folder, "drover.db")+"?_pragma=query_only(1)")
	if err != nil {
		return err.Error()
	}
	defer db.Close()
	for what, query := range map[string]string{
		"deliveries":        `SELECT COUNT(*) FROM delivery WHERE state = 'pending'`,
		"events for others": `SELECT COUNT(*) FROM outbox`,
		"collection":        `SELECT COUNT(*) FROM job WHERE state = 'active' AND (last_success_at IS NULL OR last_success_at < $1)`,
	} {
		var n int
		if err := db.QueryRowContext(ctx, query, w.horizon.Add(5*time.Minute).UnixMilli()).Scan(&n); err != nil {
			return err.Error()
		}
		if n > 0 {
			return fmt.Sprintf("%d %s", n, what)
		}
	}
	return ""
}
