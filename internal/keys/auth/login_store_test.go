package auth

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background/clocktest"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

const here, there = "192.0.2.1", "192.0.2.2"

// processes are logins of several processes, which count in one store.
type processes struct {
	*testing.T
	*clocktest.Clock
	store *store.Store
}

func newProcesses(t *testing.T) processes {
	t.Helper()
	return processes{t, clocktest.New(noon), storetest.Open(t, storetest.Options(t, "sqlite"))}
}

// start is the Login of one process more.
func (p processes) start() *Login {
	return NewLogin(NewHasher(salt(), 2), NewThrottle(p.Now), p.store)
}

// check tries a password of ann's and fails where the outcome is not the one that is wanted.
func (p processes) check(l *Login, addr, password string) {
	p.Helper()
	if ok, err := l.Check(p.Context(), addr, "ann", cheap, password); err != nil || ok != (password == "password") {
		p.Fatalf("%s from %s: %v, %v", password, addr, ok, err)
	}
}

// counted is what all processes know of ann at an address.
func (p processes) counted(addr string) (pair, name account.Tries) {
	p.Helper()
	keys := sharedKeys(addr, "ann")
	tries, err := p.store.Accounts.Tries(p.Context(), keys)
	if err != nil {
		p.Fatal(err)
	}
	return tries[keys.Pair], tries[keys.Name]
}

func (p processes) drop() {
	p.Helper()
	if err := p.store.Update(p.Context(), func(tx *store.Tx) error { return DropTries(p.Context(), tx.Accounts, p.Now()) }); err != nil {
		p.Fatal(err)
	}
}

// TestFailuresCountInAllProcesses holds that as many failures are free in all processes together as in one, of passwords and
// of codes, and that the next process, which has seen none of them, refuses too.
func TestFailuresCountInAllProcesses(t *testing.T) {
	t.Parallel()
	for name, try := range map[string]func(ctx context.Context, l *Login, right bool) (bool, error){
		"passwords": func(ctx context.Context, l *Login, right bool) (bool, error) {
			return l.Check(ctx, here, "ann", cheap, map[bool]string{true: "password", false: "passwort"}[right])
		},
		"codes": func(ctx context.Context, l *Login, right bool) (bool, error) {
			return l.Guess(ctx, here, "ann", func() (bool, error) { return right, nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProcesses(t)
			all := []*Login{p.start(), p.start()}
			for i := range byPair.free {
				if ok, err := try(t.Context(), all[i%2], false); ok || err != nil {
					t.Fatalf("failure %d: %v, %v", i, ok, err)
				}
			}
			for i, l := range append(all, p.start()) {
				if ok, err := try(t.Context(), l, true); ok || drover.ErrorKind(err) != drover.KindRateLimited {
					t.Errorf("process %d, after as many failures as are free: %v, %v", i, ok, err)
				}
			}
			p.Advance(time.Second)
			if ok, err := try(t.Context(), all[0], true); !ok || err != nil {
				t.Errorf("after the wait: %v, %v", ok, err)
			}
			if pair, name := p.counted(here); pair.Failures != 0 || name.Failures != 0 {
				t.Errorf("after a success %d and %d failures are counted", pair.Failures, name.Failures)
			}
		})
	}
}

// TestLoginKnownToAnotherProcess holds that failures of others at an address, which refuse a user in one process, do not hold
// up one who has logged in from there at another.
func TestLoginKnownToAnotherProcess(t *testing.T) {
	t.Parallel()
	p := newProcesses(t)
	one, other := p.start(), p.start()
	p.check(one, here, "password")
	failTimes(other.throttle, byAddress.free, here, "mallory")
	p.check(other, here, "password")
}

// TestRightPasswordIsNoted holds what a login from a place that is known changes for all processes: nothing within a day, or
// else the time; where the name, or the name at the address, has failed meanwhile, that is forgotten.
func TestRightPasswordIsNoted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after     time.Duration
		meanwhile func(p processes, l *Login)
		noted     bool
	}{
		"WithinADay":             {after: knownFor - time.Millisecond},
		"AfterADay":              {after: knownFor, noted: true},
		"NameHasFailedElsewhere": {after: time.Minute, meanwhile: func(p processes, l *Login) { p.check(l, there, "passwort") }, noted: true},
		"FailedHereAndLoggedInElsewhere": {after: time.Minute, meanwhile: func(p processes, l *Login) {
			p.check(l, here, "passwort")
			p.check(l, there, "password")
		}, noted: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProcesses(t)
			l := p.start()
			p.check(l, here, "password")
			p.Advance(c.after)
			if c.meanwhile != nil {
				c.meanwhile(p, l)
			}
			p.check(l, here, "password")
			pair, of := p.counted(here)
			if noted := pair.KnownAt.Equal(p.Now()); noted != c.noted || pair.Failures != 0 || of.Failures != 0 {
				t.Errorf("known at %v, with %d and %d failures", pair.KnownAt, pair.Failures, of.Failures)
			}
		})
	}
}

// TestDropTries holds that a failure is forgotten once it is older than failures count, and a place once it is older than
// places are known.
func TestDropTries(t *testing.T) {
	t.Parallel()
	p := newProcesses(t)
	l := p.start()
	p.check(l, here, "password")
	p.check(l, there, "passwort")
	for _, c := range []struct {
		advance       time.Duration
		failed, known bool
	}{
		{failureWindow, true, true},
		{time.Millisecond, false, true},
		{trustPeriod - failureWindow - time.Millisecond, false, true},
		{time.Millisecond, false, false},
	} {
		p.Advance(c.advance)
		p.drop()
		known, _ := p.counted(here)
		failed, _ := p.counted(there)
		if failed.Failures > 0 != c.failed || known.KnownAt.Equal(noon) != c.known {
			t.Errorf("after %v: %+v, %+v", p.Now().Sub(noon), failed, known)
		}
	}
}

// TestGuess holds that a code that could not be checked counts for nothing, and that codes are counted where there is no store.
func TestGuess(t *testing.T) {
	t.Parallel()
	l := newLogin()
	guess := func(ok bool, err error) (bool, error) {
		return l.Guess(t.Context(), here, "code of ann", func() (bool, error) { return ok, err })
	}
	broken := errors.New("broken")
	for range byPair.free {
		if ok, err := guess(false, broken); ok || !errors.Is(err, broken) {
			t.Errorf("a code that could not be checked: %v, %v", ok, err)
		}
	}
	for range byPair.free {
		if ok, err := guess(false, nil); ok || err != nil {
			t.Errorf("a wrong code: %v, %v", ok, err)
		}
	}
	if ok, err := guess(true, nil); ok || drover.ErrorKind(err) != drover.KindRateLimited {
		t.Errorf("a code more than is free: %v, %v", ok, err)
	}
}

// TestRefusedLoginWaitsForNoTurn holds that a guess that comes too early is answered at once, also while no password can be hashed.
func TestRefusedLoginWaitsForNoTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLogin()
		for range cap(l.hasher.slots) {
			l.hasher.slots <- struct{}{}
		}
		failTimes(l.throttle, byPair.free, here, "ann")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := make(chan error, 1)
		go func() { _, err := l.Check(ctx, here, "ann", cheap, "password"); done <- err }()
		synctest.Wait()
		cancel()
		if err := <-done; drover.ErrorKind(err) != drover.KindRateLimited {
			t.Errorf("%v, want it refused", err)
		}
	})
}
