package auth

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/drover-fleet/drover"
)

// cheap is the hash of "password" at a cost that tests can pay often.
const cheap = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$cpx6VEQbwTVZvcpxNIxOVUWZ5xnAipUmAe1cg2GMG70"

func newLogin() *Login {
	return NewLogin(NewHasher(salt(), 2), NewThrottle(func() time.Time { return noon }), nil)
}

func TestLoginCheck(t *testing.T) {
	t.Parallel()
	l := newLogin()
	for _, test := range []struct {
		name, hash, password string
		want                 bool
	}{
		{"right", cheap, "password", true},
		{"wrong", cheap, "passwort", false},
		{"unknown user", "", "password", false},
		{"unknown user, no password", "", "", false},
	} {
		got, err := l.Check(t.Context(), "192.0.2.1", test.name, test.hash, test.password)
		if err != nil || got != test.want {
			t.Errorf("%s: %v, %v, want %v", test.name, got, err, test.want)
		}
	}
	if _, err := l.Check(t.Context(), "192.0.2.1", "ann", "plain", "plain"); !errors.Is(err, errHash) {
		t.Errorf("unusable hash: %v", err)
	}
}

func TestLoginOfManyGuessesAtOnce(t *testing.T) {
	t.Parallel()
	l := newLogin()
	var tried, refused atomic.Int64
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			_, err := l.Check(t.Context(), "192.0.2.1", "ann", cheap, "guess")
			switch {
			case err == nil:
				tried.Add(1)
			case drover.ErrorKind(err) == drover.KindRateLimited:
				refused.Add(1)
			}
		})
	}
	wg.Wait()
	// Those that hold a slot when the limit is reached may still finish.
	if limit := int64(byPair.free + cap(l.hasher.slots)); tried.Load() > limit {
		t.Errorf("%d guesses were tried, want at most %d", tried.Load(), limit)
	}
	if got := tried.Load() + refused.Load(); got != 200 {
		t.Errorf("%d guesses were answered, want 200", got)
	}
}

func TestLoginThatIsOverCountsForNothing(t *testing.T) {
	t.Parallel()
	l := newLogin()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range byPair.free + 1 {
		if _, err := l.Check(ctx, "192.0.2.1", "ann", cheap, "guess"); !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want that of the context", err)
		}
	}
	if ok, err := l.Check(t.Context(), "192.0.2.1", "ann", cheap, "password"); err != nil || !ok {
		t.Errorf("after cancelled tries: %v, %v", ok, err)
	}
}

// TestLoginsOfOneAddressHoldUpNoOther has many good logins come from one address at
// once. One from another address waits only for those that have their turn already.
func TestLoginsOfOneAddressHoldUpNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLogin()
		slots := cap(l.hasher.slots)
		for range slots {
			l.hasher.slots <- struct{}{}
		}
		var before atomic.Int64
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if ok, err := l.Check(t.Context(), "192.0.2.1", "ann", cheap, "password"); err != nil || !ok {
					t.Errorf("%v, %v", ok, err)
				}
				before.Add(1)
			})
		}
		synctest.Wait()
		var served atomic.Bool
		all.Go(func() {
			if ok, err := l.Check(t.Context(), "192.0.2.2", "bob", cheap, "password"); err != nil || !ok {
				t.Errorf("%v, %v", ok, err)
			}
			served.Store(true)
		})
		synctest.Wait()
		// Those pass that wait for a slot by now, one after the other, and then no one: slots
		// are given in the order in which they were asked for.
		stopped := make(chan struct{})
		go func() {
			l.hasher.slots <- struct{}{}
			close(stopped)
		}()
		synctest.Wait()
		l.hasher.release()
		<-stopped
		synctest.Wait()
		if n := before.Load(); !served.Load() || n > int64(slots) {
			t.Errorf("%d logins of another address went first; it was served: %t", n, served.Load())
		}
		l.hasher.release()
		all.Wait()
	})
}

// TestHashesOfOneTenantHoldUpNoLogin has many hashes of one tenant wait for their turn: a
// login waits only for those that have theirs already.
func TestHashesOfOneTenantHoldUpNoLogin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLogin()
		slots := cap(l.hasher.slots)
		for range slots {
			l.hasher.slots <- struct{}{}
		}
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { _, _ = l.hasher.Hash(ctx, "tenant", "grey-owl-17") }) // it is given up
		}
		synctest.Wait()
		all.Go(func() {
			if ok, err := l.Check(t.Context(), "192.0.2.2", "bob", cheap, "password"); err != nil || !ok {
				t.Errorf("%v, %v", ok, err)
			}
		})
		synctest.Wait()
		if held, own := l.hasher.turns.Held("tenant"), l.hasher.turns.Held("192.0.2.2"); held == 0 || held > int64(slots) || own != 1 {
			t.Errorf("the tenant has %d turns, the login %d", held, own)
		}
		cancel()
		for range slots {
			l.hasher.release()
		}
		all.Wait()
	})
}

// BenchmarkLogin is a wrong password for a user that is known and for one that is not: who
// measures both must not be able to say which is which.
func BenchmarkLogin(b *testing.B) {
	hash, err := Hash(password, salt())
	if err != nil {
		b.Fatal(err)
	}
	for name, stored := range map[string]string{"known": hash, "unknown": ""} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if ok, err := newLogin().Check(b.Context(), "192.0.2.1", "ann", stored, "another horse"); ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}
