package collect_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/collect"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/vendors/john_deere/johndeeretest"
	"github.com/drover-fleet/drover/internal/sim"
	"github.com/drover-fleet/drover/internal/store/work"
)

// another is a collector of another process.
func (r *rig) another(owner string, change ...func(*collect.Options)) *collect.Collector {
	o := r.options
	o.Owner = owner
	for _, f := range change {
		f(&o)
	}
	return collect.New(o)
}

// together has collectors read at the same time whatever is due.
func (r *rig) together(collectors ...*collect.Collector) {
	r.t.Helper()
	var all sync.WaitGroup
	for _, c := range collectors {
		all.Go(func() {
			if err := c.RunDue(r.t.Context()); err != nil {
				r.t.Error(err)
			}
		})
	}
	all.Wait()
}

// TestTwoNeverReadOneConnection has two processes read many connections.
func TestTwoNeverReadOneConnection(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		first, second := r.another("first"), r.another("second")
		polls := [10]atomic.Int64{}
		for i := range polls {
			s, _ := r.stub(fmt.Sprint(i), noon, []string{"a"})
			var inside atomic.Int64
			s.positions = func(context.Context, provider.Query) (provider.Page[provider.Position], error) {
				if inside.Add(1) > 1 {
					t.Errorf("connection %d is read by two at once", i)
				}
				defer inside.Add(-1)
				polls[i].Add(1)
				return provider.Page[provider.Position]{Cursor: "x", Records: []provider.Position{at("a", r.clock.Now(), -37, 145)}}, nil
			}
		}
		const rounds = 20
		for range rounds {
			r.together(first, second)
			r.clock.Advance(time.Minute)
		}
		for i := range polls {
			if n := polls[i].Load(); n != rounds {
				t.Errorf("connection %d was polled %d times, want %d", i, n, rounds)
			}
		}
	})
}

// TestLeaseIsRenewed has a page take much longer than a lease: no one else gets
// the connection meanwhile.
func TestLeaseIsRenewed(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		const lease = 30 * time.Millisecond // of the machine's time as well as of the test's
		s, _ := r.stub("long", noon, []string{"a"})
		reading, answer := make(chan struct{}), make(chan struct{})
		s.positions = func(context.Context, provider.Query) (provider.Page[provider.Position], error) {
			close(reading)
			<-answer
			return provider.Page[provider.Position]{Cursor: "x", Records: []provider.Position{at("a", noon, -37, 145)}}, nil
		}
		c := r.another("first", func(o *collect.Options) { o.Lease = lease })
		ended := make(chan error, 1)
		go func() { ended <- c.RunDue(t.Context()) }()
		<-reading
		for range 10 {
			r.clock.Advance(lease * 2 / 3)
			r.awaitNext(r.clock.Now().Add(lease)) // when the lease ends
			claims, err := r.store.Jobs.ClaimCollections(t.Context(), "thief", drover.At(r.clock.Now()), drover.At(r.clock.Now().Add(time.Hour)),
				1, work.Shares{})
			if err != nil || len(claims) > 0 {
				t.Fatalf("another claimed %v, %v", claims, err)
			}
		}
		close(answer)
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if n := len(r.events(drover.EventPositionUpdated)); n != 1 {
			t.Errorf("%d pages were stored, want 1", n)
		}
	})
}

// TestLostLeaseCommitsNothing has a run sleep through its lease, as a machine
// does that is suspended. Even the same process must not go on with it.
func TestLostLeaseCommitsNothing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("sleeper", noon, []string{"a"})
		r.run()
		reading, answer := make(chan struct{}), make(chan struct{})
		var calls atomic.Int64
		s.positions = func(context.Context, provider.Query) (provider.Page[provider.Position], error) {
			if calls.Add(1) == 1 {
				close(reading)
				<-answer
				return provider.Page[provider.Position]{Cursor: "stale", Records: []provider.Position{at("a", noon, -37, 145)}}, nil
			}
			return provider.Page[provider.Position]{Cursor: "fresh", Records: []provider.Position{at("a", noon.Add(time.Second), -37, 145)}}, nil
		}
		r.clock.Advance(time.Minute)
		var asleep sync.WaitGroup
		sleeper := r.another("first", func(o *collect.Options) { o.Lease = time.Hour }) // it renews nothing while the test takes
		asleep.Go(func() {
			claims, err := r.store.Jobs.ClaimCollections(t.Context(), "first/1", drover.At(r.clock.Now()),
				drover.At(r.clock.Now().Add(time.Minute)), 1, work.Shares{})
			if err != nil || len(claims) != 1 {
				t.Errorf("claimed %v, %v", claims, err)
				close(reading)
				return
			}
			sleeper.Collect(t.Context(), claims[0])
		})
		<-reading
		r.clock.Advance(2 * time.Minute)
		r.run()
		close(answer)
		asleep.Wait()
		if got := r.times(r.devices(conn)["a"].ID); len(got) != 1 || !got[0].Equal(noon.Add(time.Second)) {
			t.Errorf("the positions are of %v, want only the one of the new holder", got)
		}
		r.pass(time.Minute)
		queries := s.queries()
		if cursor := queries[len(queries)-1].Cursor; cursor != "fresh" {
			t.Errorf("the cursor is %q, want fresh", cursor)
		}
		r.expectState(conn, drover.ConnectionHealthy)
	})
}

// TestRefreshTokens has two processes read a vendor that takes each refresh token
// once, over days, and through restarts.
func TestRefreshTokens(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		credentials := map[string]string{
			"client_id": "0oa1", "client_secret": "application-secret", "refresh_token": "first-refresh-token",
			"redirect_uri": "https://fleet.example.com/callback",
		}
		account := sim.NewAccount(sim.New(sim.Options{Seed: 3, Vehicles: 1, Heartbeat: time.Hour}), r.clock.Now, credentials)
		vendor := johndeeretest.New(account)
		var exchanged, again atomic.Int64
		used := sync.Map{}
		r.network.serve("deere.test", http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if strings.HasSuffix(req.URL.Path, "/token") {
				exchanged.Add(1)
				if _, before := used.LoadOrStore(req.PostFormValue("refresh_token"), true); before {
					again.Add(1)
				}
			}
			vendor.ServeHTTP(w, req)
		}))
		with := map[string]string{provider.BaseURLField: "https://deere.test"}
		maps.Copy(with, credentials)
		conn := r.connect(drover.JohnDeere, noon.Add(-time.Minute), with)
		const restarts, days = 2, 1
		for range restarts {
			first, second := r.another("first"), r.another("second")
			for range days * 24 {
				r.together(first, second)
				// Anyone who was slower this time is alone the next.
				r.clock.Advance(30 * time.Minute)
				r.together(second)
				r.clock.Advance(30 * time.Minute)
			}
		}
		r.expectState(conn, drover.ConnectionHealthy)
		if again.Load() != 0 {
			t.Errorf("%d refresh tokens were used again", again.Load())
		}
		// A session lasts for twelve hours, and each process has its own.
		if n, most := exchanged.Load(), int64(restarts*(days*2+1)*2); n < restarts*days || n > most {
			t.Errorf("%d exchanges, want at most %d: sessions are to be kept", n, most)
		}
	})
}

// TestSilentVendorDelaysNoOne has calls that are never answered, and others that
// are to be on time.
func TestSilentVendorDelaysNoOne(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		for i := range 10 {
			silent, _ := r.stub(fmt.Sprint("silent-", i), noon, []string{"a"})
			silent.positions = func(ctx context.Context, _ provider.Query) (provider.Page[provider.Position], error) {
				<-ctx.Done()
				return provider.Page[provider.Position]{}, ctx.Err()
			}
		}
		s, _ := r.stub("sound", noon, []string{"a"})
		polled := make(chan time.Time)
		s.positions = func(ctx context.Context, _ provider.Query) (provider.Page[provider.Position], error) {
			select {
			case polled <- r.clock.Now():
			case <-ctx.Done():
			}
			return provider.Page[provider.Position]{Cursor: "x"}, nil
		}
		c := r.another("live", func(o *collect.Options) { o.Workers, o.Lease = 16, time.Hour })
		c.Start(t.Context())
		defer c.Stop()
		for i := range 5 {
			if got, want := <-polled, noon.Add(time.Duration(i)*time.Minute); !got.Equal(want) {
				t.Errorf("poll %d came at %v, want %v", i, got, want)
			}
			r.awaitNext(noon.Add(time.Duration(i+1) * time.Minute))
			r.clock.Advance(time.Minute)
			c.Wake()
		}
	})
}

// awaitNext waits until the next connection is due at a time: neither before, nor
// later, as it is while a run to it holds its lease. Some tenants do not count.
func (r *rig) awaitNext(at time.Time, except ...string) {
	r.t.Helper()
	for {
		next, err := r.store.Jobs.NextCollection(r.t.Context(), except...)
		if err != nil {
			r.t.Fatal(err)
		}
		if next.Equal(at) {
			return
		}
	}
}
