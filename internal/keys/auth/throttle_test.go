package auth

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background/clocktest"
	"github.com/drover-fleet/drover/internal/store/account"
)

func newThrottle() (*Throttle, *clocktest.Clock) {
	c := clocktest.New(noon)
	return NewThrottle(c.Now), c
}

func failTimes(t *Throttle, n int, addr, username string) {
	for range n {
		t.Fail(addr, username)
	}
}

func wantWait(t *testing.T, th *Throttle, addr, username string, want time.Duration) {
	t.Helper()
	err := th.Allow(addr, username)
	if want == 0 {
		if err != nil {
			t.Errorf("%s from %s: %v, want it allowed", username, addr, err)
		}
		return
	}
	e, ok := errors.AsType[*drover.Error](err)
	if !ok || e.Kind != drover.KindRateLimited || e.Message != "Too many failed attempts, try again later" || e.RetryAfter != want {
		t.Errorf("%s from %s: %#v, want to wait %v", username, addr, err, want)
	}
}

func TestThrottleDelaysGrow(t *testing.T) {
	t.Parallel()
	th, c := newThrottle()
	failTimes(th, 4, "192.0.2.1", "ann")
	wantWait(t, th, "192.0.2.1", "ann", 0)
	for _, want := range []time.Duration{1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300} {
		th.Fail("192.0.2.1", "ann")
		wantWait(t, th, "192.0.2.1", "ann", want*time.Second)
		c.Advance(want*time.Second - time.Millisecond)
		wantWait(t, th, "192.0.2.1", "ann", time.Millisecond)
		c.Advance(time.Millisecond)
		wantWait(t, th, "192.0.2.1", "ann", 0)
	}
	failTimes(th, 1000, "192.0.2.1", "ann")
	wantWait(t, th, "192.0.2.1", "ann", 5*time.Minute)
}

func TestThrottleKeepsPartiesApart(t *testing.T) {
	t.Parallel()
	th, _ := newThrottle()
	failTimes(th, 5, "192.0.2.1", "ann")
	wantWait(t, th, "192.0.2.1", "ann", time.Second)
	wantWait(t, th, "192.0.2.1:55555", " ANN ", time.Second)
	wantWait(t, th, "192.0.2.1", "bob", 0)
	wantWait(t, th, "192.0.2.2", "ann", 0)
}

func TestThrottleByAddress(t *testing.T) {
	t.Parallel()
	th, _ := newThrottle()
	for i := range 19 {
		th.Fail("192.0.2.1", fmt.Sprint("user", i))
	}
	wantWait(t, th, "192.0.2.1", "ann", 0)
	th.Fail("192.0.2.1", "user19")
	wantWait(t, th, "192.0.2.1", "ann", time.Second)
	wantWait(t, th, "192.0.2.2", "ann", 0)
	// A login to an account of one's own does not clear the address.
	th.Succeed("192.0.2.1", "mallory")
	wantWait(t, th, "192.0.2.1", "ann", time.Second)
}

func TestThrottleByUsernameFromManyAddresses(t *testing.T) {
	t.Parallel()
	th, _ := newThrottle()
	th.Succeed("198.51.100.7", "ann")
	for i := range 50 {
		wantWait(t, th, "203.0.113.1", "ann", 0)
		th.Fail(fmt.Sprint("192.0.2.", i), "ann")
	}
	wantWait(t, th, "203.0.113.1", "ann", time.Second)
	for i := range 50 {
		th.Fail(fmt.Sprint("192.0.2.", i), "ann")
	}
	wantWait(t, th, "203.0.113.1", "ann", 30*time.Second)
	wantWait(t, th, "203.0.113.1", "bob", 0)
	// Strangers cannot keep a user from the place it works from.
	wantWait(t, th, "198.51.100.7", "ann", 0)
	failTimes(th, 5, "198.51.100.7", "ann")
	wantWait(t, th, "198.51.100.7", "ann", time.Second)
}

// TestThrottleSparesKnownUsersOfAnAddress has others fail at an address that many
// share, such as that of a proxy or an office.
func TestThrottleSparesKnownUsersOfAnAddress(t *testing.T) {
	t.Parallel()
	th, c := newThrottle()
	th.Succeed("192.0.2.1", "ann")
	for i := range 100 {
		th.Fail("192.0.2.1", fmt.Sprint("user", i))
	}
	wantWait(t, th, "192.0.2.1", "bob", 5*time.Minute)
	wantWait(t, th, "192.0.2.1", "ann", 0)
	// Who guesses her password from there waits as anywhere else.
	failTimes(th, 4, "192.0.2.1", "ann")
	wantWait(t, th, "192.0.2.1", "ann", 0)
	for _, want := range []time.Duration{1, 2, 4, 8, 16, 32, 64, 128, 256, 300} {
		th.Fail("192.0.2.1", "ann")
		wantWait(t, th, "192.0.2.1", "ann", want*time.Second)
		c.Advance(want * time.Second)
	}
}

// TestThrottleCountsGuessesAtKnownUsers has one guess at several users who are
// known at the address: anyone who is not known there waits for it.
func TestThrottleCountsGuessesAtKnownUsers(t *testing.T) {
	t.Parallel()
	th, _ := newThrottle()
	for i := range 5 {
		th.Succeed("192.0.2.1", fmt.Sprint("user", i))
	}
	for i := range 5 {
		failTimes(th, 4, "192.0.2.1", fmt.Sprint("user", i))
	}
	wantWait(t, th, "192.0.2.1", "bob", time.Second)
}

func TestThrottleTrustEnds(t *testing.T) {
	t.Parallel()
	th, c := newThrottle()
	th.Succeed("198.51.100.7", "ann")
	for _, wait := range []struct{ advance, want time.Duration }{
		{trustPeriod - time.Second, 0},
		{time.Second, 30 * time.Second},
	} {
		c.Advance(wait.advance)
		for i := range 100 {
			th.Fail(fmt.Sprint("192.0.2.", i), "ann")
		}
		wantWait(t, th, "198.51.100.7", "ann", wait.want)
	}
}

func TestThrottleSuccessClearsTheUsername(t *testing.T) {
	t.Parallel()
	th, c := newThrottle()
	failTimes(th, 6, "192.0.2.1", "ann")
	c.Advance(2 * time.Second)
	th.Succeed("192.0.2.1", "ann")
	failTimes(th, 4, "192.0.2.1", "ann")
	wantWait(t, th, "192.0.2.1", "ann", 0)
	th.Fail("192.0.2.1", "ann")
	wantWait(t, th, "192.0.2.1", "ann", time.Second)
}

func TestThrottleForgetsAfterTheWindow(t *testing.T) {
	t.Parallel()
	th, c := newThrottle()
	failTimes(th, 4, "192.0.2.1", "ann")
	c.Advance(failureWindow - time.Second)
	th.Fail("192.0.2.1", "ann")
	wantWait(t, th, "192.0.2.1", "ann", time.Second)
	c.Advance(failureWindow)
	failTimes(th, 4, "192.0.2.1", "ann")
	wantWait(t, th, "192.0.2.1", "ann", 0)
}

func TestAddressGroup(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"192.0.2.1":              "192.0.2.1",
		"192.0.2.1:443":          "192.0.2.1",
		"::ffff:192.0.2.1":       "192.0.2.1",
		"[::ffff:192.0.2.1]:443": "192.0.2.1",
		"2001:db8:1:2:3:4:5:6":   "2001:db8:1:2::/64",
		"[2001:db8:1:2::9]:443":  "2001:db8:1:2::/64",
		"2001:db8:1:3::9":        "2001:db8:1:3::/64",
		"fe80::1%eth0":           "fe80::/64",
		"@":                      "@",
		"":                       "",
	} {
		if got := AddressGroup(addr); got != want {
			t.Errorf("AddressGroup(%q) = %q, want %q", addr, got, want)
		}
	}
}

func TestThrottleIsBounded(t *testing.T) {
	t.Parallel()
	th, _ := newThrottle()
	for i := range maxTracked + 100 {
		addr := fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255)
		th.Fail(addr, fmt.Sprint("user", i))
		th.Succeed(addr, fmt.Sprint("other", i))
	}
	for name, n := range map[string]int{
		"pairs": th.pairs.Len(), "addresses": th.addresses.Len(),
		"usernames": th.usernames.Len(), "trusted": th.trusted.Len(),
	} {
		if n != maxTracked {
			t.Errorf("%d %s are kept, want %d", n, name, maxTracked)
		}
	}
	// Trying is free of entries altogether.
	before := th.pairs.Len()
	wantWait(t, th, "192.0.2.1", "new", 0)
	if th.pairs.Len() != before {
		t.Error("Allow made an entry")
	}
}

func TestThrottleIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	th, _ := newThrottle()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 100 {
				_ = th.Allow("192.0.2.1", fmt.Sprint(i))
				th.Fail("192.0.2.1", fmt.Sprint(i))
			}
			th.Succeed("192.0.2.1", fmt.Sprint(i))
		})
	}
	wg.Wait()
	wantWait(t, th, "192.0.2.1", "ann", 5*time.Minute)
}

// TestThrottleAdopts holds for how long what other processes have counted is taken over: failures within the window go on
// being counted, and whom they know is known here.
func TestThrottleAdopts(t *testing.T) {
	t.Parallel()
	const addr, name = "192.0.2.1", "ann"
	pair := sharedKeys(addr, name).Pair
	start := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for age, refused := range map[time.Duration]bool{failureWindow: false, failureWindow - time.Second: true, 0: true} {
		throttle := NewThrottle(func() time.Time { return start })
		throttle.Fail(addr, name) // the others do not know of it yet
		var tries account.Tries
		tries.Failures, tries.FailedAt.Time = 100, start.Add(-age)
		throttle.adopt(addr, name, map[string]account.Tries{pair: tries})
		throttle.Fail(addr, name)
		if err := throttle.Allow(addr, name); (err != nil) != refused {
			t.Errorf("failures of %v ago between two: %v", age, err)
		}
	}
	for age, known := range map[time.Duration]bool{trustPeriod: false, trustPeriod - time.Second: true} {
		throttle := NewThrottle(func() time.Time { return start })
		var tries account.Tries
		tries.KnownAt.Time = start.Add(-age)
		throttle.adopt(addr, name, map[string]account.Tries{pair: tries})
		if got := throttle.isTrusted(throttle.keys(addr, name), start); got != known {
			t.Errorf("known %v ago: trusted %v", age, got)
		}
		throttle.Succeed(addr, name)
		throttle.adopt(addr, name, map[string]account.Tries{pair: tries})
		if !throttle.isTrusted(throttle.keys(addr, name), start) {
			t.Errorf("known now, and to others %v ago: not trusted", age)
		}
	}
	now := start
	throttle := NewThrottle(func() time.Time { return now })
	throttle.adopt(addr, name, map[string]account.Tries{pair: {FailedAt: drover.At(start)}})
	if n := throttle.pairs.Len(); n != 0 {
		t.Errorf("failures that a login has forgiven make %d entries", n)
	}
	for range 100 {
		throttle.Fail(addr, name)
	}
	now = start.Add(failureWindow)
	var tries account.Tries
	tries.Failures, tries.FailedAt.Time = 1, now
	throttle.adopt(addr, name, map[string]account.Tries{pair: tries})
	throttle.Fail(addr, name)
	if err := throttle.Allow(addr, name); err != nil {
		t.Errorf("after the window, with a failure elsewhere and one here: %v", err)
	}
}
