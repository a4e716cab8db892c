package auth

import (
	"hash/maphash"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
)

const (
	// failureWindow is how long a failure counts after the latest one.
	failureWindow = 15 * time.Minute
	// trustPeriod is how long an address stays known to a user.
	trustPeriod = 30 * 24 * time.Hour
	// maxTracked bounds each table. To have an entry forgotten an attacker has
	// to fail with as many other names or addresses, at the cost of a password
	// hash each, which takes longer than waiting out the longest delay.
	maxTracked = 16384
)

// rule says how many failures are free and how long the delays grow.
type rule struct {
	free     int
	maxDelay time.Duration
}

var (
	byPair     = rule{free: 5, maxDelay: 5 * time.Minute}
	byAddress  = rule{free: 20, maxDelay: 5 * time.Minute}
	byUsername = rule{free: 50, maxDelay: 30 * time.Second}
)

// Throttle slows down those who fail to log in. It counts failures in three
// ways, and each may refuse:
//
//   - a username from one address: 5 are free, then 1, 2, 4 seconds and so on
//     up to 5 minutes. This is somebody guessing one password.
//   - an address, whatever the usernames: 20 are free, the same delays. This is
//     somebody trying one password on many users.
//   - a username, whatever the addresses: 50 are free, delays up to 30 seconds.
//     This is somebody guessing from many addresses.
//
// The last could be used to lock a user out from afar. Therefore its delays are
// short, and it does not hold for an address from which that user has logged in
// during the last 30 days: whoever works from the usual place is never kept
// waiting by strangers.
//
// IPv6 addresses count by their /64, which is what one subscriber gets. Counts
// are kept in memory, in each process for itself, and are bounded in number.
type Throttle struct {
	now  func() time.Time
	seed maphash.Seed

	mu        sync.Mutex
	pairs     *recent[failures]
	addresses *recent[failures]
	usernames *recent[failures]
	trusted   *recent[time.Time] // pairs, when each logged in last
}

type failures struct {
	count  int
	latest time.Time
	until  time.Time // refused before
}

// NewThrottle returns a Throttle that reads the time from now.
func NewThrottle(now func() time.Time) *Throttle {
	return &Throttle{
		now:       now,
		seed:      maphash.MakeSeed(),
		pairs:     newRecent[failures](maxTracked),
		addresses: newRecent[failures](maxTracked),
		usernames: newRecent[failures](maxTracked),
		trusted:   newRecent[time.Time](maxTracked),
	}
}

// Allow refuses a try that comes too early, with an error of KindRateLimited
// that tells how long to wait. A refused try counts for nothing. The address is
// an IP address, with or without a port.
func (t *Throttle) Allow(addr, username string) error {
	k := t.keys(addr, username)
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	wait := max(delay(t.pairs, k.pair, now), delay(t.addresses, k.address, now))
	if !t.isTrusted(k, now) {
		wait = max(wait, delay(t.usernames, k.username, now))
	}
	if wait <= 0 {
		return nil
	}
	return &drover.Error{
		Kind:       drover.KindRateLimited,
		Message:    "Too many failed attempts, try again later",
		RetryAfter: wait,
	}
}

// Fail counts a failed try.
func (t *Throttle) Fail(addr, username string) {
	k := t.keys(addr, username)
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pairs.touch(k.pair).add(byPair, now)
	t.addresses.touch(k.address).add(byAddress, now)
	t.usernames.touch(k.username).add(byUsername, now)
}

// Succeed forgets the failures of the username and makes the address known to
// it. The failures of the address stay: otherwise a guesser with an account of
// his own would log in to it after every 19 guesses.
func (t *Throttle) Succeed(addr, username string) {
	k := t.keys(addr, username)
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pairs.drop(k.pair)
	t.usernames.drop(k.username)
	*t.trusted.touch(k.pair) = now
}

func (t *Throttle) isTrusted(k throttleKeys, now time.Time) bool {
	at := t.trusted.get(k.pair)
	return at != nil && now.Sub(*at) < trustPeriod
}

func (f *failures) add(r rule, now time.Time) {
	if now.Sub(f.latest) >= failureWindow {
		f.count = 0
	}
	f.count++
	f.latest = now
	if over := f.count - r.free; over >= 0 {
		f.until = now.Add(min(r.maxDelay, time.Second<<min(over, 16)))
	}
}

func delay(table *recent[failures], key uint64, now time.Time) time.Duration {
	if f := table.get(key); f != nil {
		return f.until.Sub(now)
	}
	return 0
}

// throttleKeys are hashes, so that an entry has the same size however long the
// name is that somebody sends. The seed is secret and random: nobody can look
// for names that collide.
type throttleKeys struct{ pair, address, username uint64 }

func (t *Throttle) keys(addr, username string) throttleKeys {
	addr = addressGroup(addr)
	username = strings.ToLower(strings.TrimSpace(username))
	return throttleKeys{
		pair:     maphash.Comparable(t.seed, [2]string{addr, username}),
		address:  maphash.String(t.seed, addr),
		username: maphash.String(t.seed, username),
	}
}

// addressGroup is what one party can be expected to hold: an IPv4 address or an
// IPv6 network of 64 bits. Text that is no address stands for itself.
func addressGroup(text string) string {
	addr, err := netip.ParseAddr(text)
	if err != nil {
		withPort, err := netip.ParseAddrPort(text)
		if err != nil {
			return text
		}
		addr = withPort.Addr()
	}
	addr = addr.Unmap().WithZone("")
	if addr.Is4() {
		return addr.String()
	}
	return netip.PrefixFrom(addr, 64).Masked().String()
}
