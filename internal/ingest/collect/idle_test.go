package collect_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/collect"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/store/work"
)

const (
	idleConnections = 10_000
	idleTime        = 20 * time.Second
)

// BenchmarkIdle measures what it costs to poll many connections each minute that
// have nothing new. One iteration takes twenty seconds; it reports the share of
// one processor that this process used, the database of PostgreSQL not included.
func BenchmarkIdle(b *testing.B) {
	for _, database := range []string{"sqlite", "postgres"} {
		b.Run(database, func(b *testing.B) {
			r := newRig(b, storetest.Open(b, storetest.Options(b, database)))
			polls := r.connectIdle(b)
			for b.Loop() {
				r.idle(b, polls)
			}
		})
	}
}

// connectIdle makes the connections and polls each once, so that their next polls
// are spread over a minute.
func (r *rig) connectIdle(b *testing.B) *atomic.Int64 {
	b.Helper()
	polls := new(atomic.Int64)
	r.stubs.set("idle", &stub{positions: func(context.Context, provider.Query) (provider.Page[provider.Position], error) {
		polls.Add(1)
		return provider.Page[provider.Position]{Cursor: "x"}, nil
	}})
	const batch = idleConnections / 100
	for i := range idleConnections / batch {
		r.update(func(ctx context.Context, tx *store.Tx) error {
			for j := range batch {
				if err := r.addIdle(ctx, tx, i*batch+j); err != nil {
					return err
				}
			}
			return nil
		})
		claims, err := r.store.Jobs.ClaimCollections(b.Context(), fmt.Sprint("warm/", i), drover.At(r.clock.Now()),
			drover.At(r.clock.Now().Add(time.Hour)), batch, work.Shares{})
		if err != nil || len(claims) != batch {
			b.Fatalf("%d claims, %v", len(claims), err)
		}
		var runs sync.WaitGroup
		for _, c := range claims {
			runs.Go(func() { r.collector.Collect(b.Context(), c) })
		}
		runs.Wait()
		r.clock.Advance(time.Minute * batch / idleConnections)
	}
	return polls
}

func (r *rig) addIdle(ctx context.Context, tx *store.Tx, i int) error {
	now := drover.At(r.clock.Now())
	c := drover.Connection{
		ID: store.NewID(), TenantID: r.principal.TenantID, IntegrationName: stubName, BusinessName: fmt.Sprint("Business ", i),
		Active: true, CollectionStartTime: now, Configuration: drover.Configuration{Trips: drover.TripsDerived, Health: drover.ConnectionPending},
	}
	sealed, err := r.options.Vault.Seal([]byte(`{"stub":"idle"}`), c.TenantID, c.ID)
	if err != nil {
		return err
	}
	if err := tx.Fleet.AddConnection(ctx, c, sealed, now); err != nil {
		return err
	}
	return tx.Jobs.AddCollection(ctx, c.TenantID, c.ID, now)
}

// idle runs a collector in the time of the machine for a while.
func (r *rig) idle(b *testing.B, polls *atomic.Int64) {
	b.Helper()
	begun, from := time.Now(), r.clock.Now()
	c := r.another("idle", func(o *collect.Options) {
		o.Now = func() time.Time { return from.Add(time.Since(begun)) }
	})
	before, used := polls.Load(), processorTime(b)
	c.Start(b.Context())
	<-time.After(idleTime)
	c.Stop()
	elapsed := time.Since(begun)
	b.ReportMetric((processorTime(b)-used).Seconds()/elapsed.Seconds(), "cores")
	b.ReportMetric(float64(polls.Load()-before)/elapsed.Seconds(), "polls/s")
	r.clock.Advance(elapsed)
}

// processorTime is what the process has used so far.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
