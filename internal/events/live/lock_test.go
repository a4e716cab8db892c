package live_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/live"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// TestJoinWhileReading holds that others join and leave while the feed waits for
// the database: it held the lock of both while it read.
func TestJoinWhileReading(t *testing.T) {
	t.Parallel()
	o := storetest.Options(t, "postgres")
	r := newRig(t, storetest.Open(t, o))
	asks := r.subscribe(live.Filter{Tags: []string{"north"}}, nil)
	leaves := r.subscribe(live.Filter{}, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, o.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(ctx)) // nothing is written on it
	if _, err := conn.Exec(ctx, `BEGIN; LOCK TABLE device IN ACCESS EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	e := event(drover.EventDeviceUpdated)
	e.DeviceID = new(store.NewID())
	r.append(e)
	// Someone waits for the table: the feed, for the labels of the device.
	for waiting := 0; waiting == 0; {
		if err := conn.QueryRow(ctx, `SELECT count(*) FROM pg_locks WHERE NOT granted`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		leaves.Close()
		if sub, err := r.hub.Subscribe(ctx, r.tenant, live.Filter{}, nil); err == nil {
			sub.Close()
		}
	}()
	select {
	case <-done:
	case <-ctx.Done():
		t.Error("no one joins or leaves while the feed waits for the database")
	}
	if _, err := conn.Exec(context.WithoutCancel(ctx), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	asks.Close()
}
