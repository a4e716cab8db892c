package work_test

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/store/work"
)

// process is a store as a process with a clock of its own has it.
type process struct {
	fixture
	now func() time.Time
}

func newProcess(t *testing.T, o store.Options, f fixture, ahead time.Duration) process {
	t.Helper()
	now := func() time.Time { return time.Now().Add(ahead) }
	o.Now = now
	f.Store = storetest.Open(t, o)
	return process{f, now}
}

func (p process) at(d time.Duration) drover.Time { return drover.At(p.now().Add(d)) }

func (p process) claims(lease time.Duration) int {
	p.t.Helper()
	return len(must[[]work.Claim](p.t)(p.Jobs.ClaimCollections(p.t.Context(), store.NewID(), p.at(0), p.at(lease), 10, work.Shares{})))
}

func (p process) claimsTarget(id string, lease time.Duration) bool {
	p.t.Helper()
	return must[bool](p.t)(p.Feed.ClaimTarget(p.t.Context(), drover.Target{TenantID: p.own, ID: id}, store.NewID(), "", p.at(0), p.at(lease)))
}

// TestLeasesByTheServersClock has two processes whose clocks differ by two hours:
// each respects what the other holds, and takes it when it has run out.
func TestLeasesByTheServersClock(t *testing.T) {
	t.Parallel()
	for name, ahead := range map[string]time.Duration{"the second is ahead": 2 * time.Hour, "the second is behind": -2 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := storetest.Options(t, "postgres")
			f := newFixture(t, storetest.Open(t, o))
			first, second := newProcess(t, o, f, 0), newProcess(t, o, f, ahead)
			first.update(func(tx *store.Tx) error {
				return tx.Jobs.AddCollection(t.Context(), f.own, f.connection, first.at(0))
			})
			target := store.NewID()
			if first.claims(time.Hour) != 1 || !first.claimsTarget(target, time.Hour) {
				t.Fatal("what no one holds was not claimed")
			}
			if second.claims(time.Hour) != 0 || second.claimsTarget(target, time.Hour) {
				t.Error("what the first holds was claimed")
			}
			next := must[drover.Time](t)(second.Jobs.NextCollection(t.Context()))
			if wait := next.Sub(second.now()); wait < 50*time.Minute || wait > 70*time.Minute {
				t.Errorf("the lease ends in %s", wait)
			}
			other := store.NewID()
			if !first.claimsTarget(other, time.Millisecond) {
				t.Error("what no one holds was not claimed")
			}
			deadline := time.Now().Add(3 * time.Minute)
			for !second.claimsTarget(other, time.Minute) {
				if time.Now().After(deadline) {
					t.Fatal("what has run out is not claimed")
				}
			}
		})
	}
}

// TestClockPutBack holds that collection goes on when the clock turns out to have
// been ahead, also by years.
func TestClockPutBack(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		for _, step := range []time.Duration{time.Minute, time.Hour, 20 * 365 * 24 * time.Hour} {
			ctx, connection := f.t.Context(), store.NewID()
			ahead := drover.At(noon.Add(step))
			f.update(func(tx *store.Tx) error { return tx.Jobs.AddCollection(ctx, f.own, connection, noon) })
			claims := must[[]work.Claim](f.t)(f.Jobs.ClaimCollections(ctx, "a", ahead, drover.At(ahead.Add(time.Minute)), 1, work.Shares{}))
			f.update(func(tx *store.Tx) error {
				return tx.Jobs.ReleaseLease(ctx, claims[0], drover.At(ahead.Add(30*time.Second)))
			})
			if got := must[[]work.Claim](f.t)(f.Jobs.ClaimCollections(ctx, "b", noon, drover.At(noon.Add(time.Minute)), 1,
				work.Shares{})); len(got) != 1 {
				f.t.Errorf("a step of %s: %d connections were claimed, want 1", step, len(got))
			}
		}
	})
}
