package history_test

import (
	"cmp"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

const day = 24 * time.Hour

var start = time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)

// bench is a store with a clock and devices to try on.
type bench struct {
	*store.Store
	t       *testing.T
	mu      *sync.Mutex
	now     *time.Time
	where   string // its file or address
	tenant  string
	devices []string
	seen    *atomic.Pointer[func(database.Statement)]
}

func onBoth(t *testing.T, f func(t *testing.T, b bench)) {
	t.Helper()
	for _, kind := range []string{"sqlite", "postgres"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := bench{
				t: t, mu: &sync.Mutex{}, now: new(start.Add(10 * day)), tenant: store.NewID(),
				seen: &atomic.Pointer[func(database.Statement)]{},
			}
			o := storetest.Options(t, kind)
			o.Present = b.present
			o.Trace = func(s database.Statement) {
				if f := b.seen.Load(); f != nil {
					(*f)(s)
				}
			}
			b.Store, b.where = storetest.Open(t, o), cmp.Or(o.URL, o.Path)
			b.update(func(tx *store.Tx) error {
				return tx.Accounts.AddTenant(t.Context(), drover.Tenant{ID: b.tenant, Name: "own", CreatedAt: drover.At(start)})
			})
			for range 3 {
				d := drover.Device{ID: store.NewID(), ConnectionID: store.NewID(), SystemDeviceID: store.NewID(), Active: true, Tags: []string{}}
				b.update(func(tx *store.Tx) error { return tx.Fleet.AddDevice(t.Context(), b.tenant, d, drover.At(start)) })
				b.devices = append(b.devices, d.ID)
			}
			f(t, b)
		})
	}
}

// seeing has f called with each statement from now on; nil for nothing.
func (b bench) seeing(f func(database.Statement)) {
	if f == nil {
		b.seen.Store(nil)
		return
	}
	b.seen.Store(&f)
}

func (b bench) present() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return *b.now
}

func (b bench) pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	*b.now = b.now.Add(d)
}

func (b bench) update(f func(*store.Tx) error) {
	b.t.Helper()
	if err := b.Update(b.t.Context(), f); err != nil {
		b.t.Fatal(err)
	}
}

func (b bench) add(positions ...history.Position) (fresh []bool) {
	b.t.Helper()
	b.update(func(tx *store.Tx) (err error) {
		fresh, err = tx.History.AddPositions(b.t.Context(), b.tenant, positions)
		return err
	})
	return fresh
}

// pack packs what was settled a day ago. The border moves first, and is used later.
func (b bench) pack() history.Packed {
	b.t.Helper()
	var sum history.Packed
	for range 2 {
		done, err := b.History.Pack(b.t.Context(), b.present(), b.present().Add(-day), 0)
		if err != nil {
			b.t.Fatal(err)
		}
		sum.Positions, sum.Blocks, sum.Weeks = sum.Positions+done.Positions, sum.Blocks+done.Blocks, sum.Weeks+done.Weeks
		b.pass(6 * time.Minute)
	}
	return sum
}

func (b bench) read(r history.Range) (got []history.Position) {
	b.t.Helper()
	r.TenantID = b.tenant
	stored, err := b.History.Positions(b.t.Context(), r)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, p := range stored {
		got = append(got, history.Position{DeviceID: r.DeviceID, StoredPosition: p})
	}
	if r.Limit == 0 {
		same(b.t, b.chunks(r), got)
	}
	return got
}

// chunks reads a range chunk by chunk.
func (b bench) chunks(r history.Range) (all []history.Position) {
	b.t.Helper()
	r.Limit = 50
	for r.From.Before(r.To.Time) {
		chunk, next, err := b.History.Chunk(b.t.Context(), r)
		if err != nil {
			b.t.Fatal(err)
		}
		if !next.After(r.From.Time) {
			b.t.Fatalf("a chunk from %s goes on at %s", r.From, next)
		}
		for _, p := range chunk {
			all = append(all, history.Position{DeviceID: r.DeviceID, StoredPosition: p})
		}
		r.From = next
	}
	return all
}

func (b bench) all(device string) history.Range {
	return history.Range{DeviceID: device, From: drover.Milli(0), To: drover.At(start.Add(400 * day)), WithSuspect: true}
}

func at(device string, after time.Duration) history.Position {
	return history.Of(device, drover.Position{
		Time: drover.At(start.Add(after)), Latitude: 48,
		Longitude: 11 + after.Hours()/1000, SpeedKPH: new(float64(int(after.Seconds()) % 100)),
	})
}

// every gives positions of a time, a step apart.
func every(device string, from, to, step time.Duration) (all []history.Position) {
	for d := from; d < to; d += step {
		all = append(all, at(device, d))
	}
	return all
}

func same(t *testing.T, got, want []history.Position) {
	t.Helper()
	if reflect.DeepEqual(want, got) { // which takes far less time than to look for a difference
		return
	}
	if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
