package auth

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/maphash"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/account"
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
//     up to 5 minutes. This is someone guessing one password.
//   - an address, whatever the usernames: 20 are free, the same delays. This is
//     someone trying one password on many users.
//   - a username, whatever the addresses: 50 are free, delays up to 30 seconds.
//     This is someone guessing from many addresses.
//
// The last two could be used to lock out others: everyone behind one address,
// or one user from afar. Therefore neither holds for a user at an address from
// which that user has logged in during the last 30 days: anyone who works from the
// usual place is never kept waiting by failures of others. Guesses at that user
// from there are still slowed down by the first, and count for the others.
//
// IPv6 addresses count by their /64, which is what one subscriber gets. Counts
// are kept in memory and are bounded in number; Login shares them between processes.
type Throttle struct {
	now  func() time.Time
	seed maphash.Seed

	mu        sync.Mutex
	pairs     *simplelru.LRU[uint64, *failures]
	addresses *simplelru.LRU[uint64, *failures]
	usernames *simplelru.LRU[uint64, *failures]
	trusted   *simplelru.LRU[uint64, time.Time] // pairs, when each logged in last
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
		pairs:     newTable[*failures](),
		addresses: newTable[*failures](),
		usernames: newTable[*failures](),
		trusted:   newTable[time.Time](),
	}
}

// Allow refuses a try that comes too early, with an error of KindRateLimited
// that says how long to wait. A refused try counts for nothing. The address is
// an IP address, with or without a port.
func (t *Throttle) Allow(addr, username string) error {
	k := t.keys(addr, username)
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	wait := delay(t.pairs, k.pair, now)
	if !t.isTrusted(k, now) {
		wait = max(wait, delay(t.addresses, k.address, now), delay(t.usernames, k.username, now))
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
	failuresOf(t.pairs, k.pair).add(byPair, now)
	failuresOf(t.addresses, k.address).add(byAddress, now)
	failuresOf(t.usernames, k.username).add(byUsername, now)
}

// Succeed forgets the failures of the username and makes the address known to
// it. The failures of the address stay: otherwise a guesser with an account of
// his own would log in to it after every 19 guesses.
func (t *Throttle) Succeed(addr, username string) {
	k := t.keys(addr, username)
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pairs.Remove(k.pair)
	t.usernames.Remove(k.username)
	t.trusted.Add(k.pair, now)
}

// adopt takes over what all processes have counted, where that is more than is known here.
func (t *Throttle) adopt(addr, username string, tries map[string]account.Tries) {
	k, shared := t.keys(addr, username), sharedKeys(addr, username)
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, one := range []struct {
		table *simplelru.LRU[uint64, *failures]
		key   uint64
		rule  rule
		tries account.Tries
	}{
		{t.pairs, k.pair, byPair, tries[shared.Pair]},
		{t.addresses, k.address, byAddress, tries[shared.Address]},
		{t.usernames, k.username, byUsername, tries[shared.Name]},
	} {
		if one.tries.Failures > 0 && now.Sub(one.tries.FailedAt.Time) < failureWindow {
			failuresOf(one.table, one.key).adopt(one.rule, one.tries, now)
		}
	}
	if at := tries[shared.Pair].KnownAt.Time; now.Sub(at) < trustPeriod {
		t.trusted.Add(k.pair, at)
	}
}

func (t *Throttle) isTrusted(k throttleKeys, now time.Time) bool {
	at, known := t.trusted.Peek(k.pair)
	return known && now.Sub(at) < trustPeriod
}

func (f *failures) add(r rule, now time.Time) {
	if now.Sub(f.latest) >= failureWindow {
		f.count = 0
	}
	f.count++
	f.latest = now
	f.refuse(r, f.count, now)
}

func (f *failures) adopt(r rule, all account.Tries, now time.Time) {
	if now.Sub(f.latest) >= failureWindow {
		f.count = 0
	}
	f.count = max(f.count, all.Failures)
	if all.FailedAt.After(f.latest) {
		f.latest = all.FailedAt.Time
	}
	f.refuse(r, all.Failures, all.FailedAt.Time)
}

// refuse lets the next try wait, where there were more failures than are free.
func (f *failures) refuse(r rule, count int, latest time.Time) {
	over := count - r.free
	if over < 0 {
		return
	}
	if until := latest.Add(min(r.maxDelay, time.Second<<min(over, 16))); until.After(f.until) {
		f.until = until
	}
}

func delay(table *simplelru.LRU[uint64, *failures], key uint64, now time.Time) time.Duration {
	if f, ok := table.Peek(key); ok {
		return f.until.Sub(now)
	}
	return 0
}

// newTable is a map of bounded size: to make room it forgets the entry that
// failed, or logged in, longest ago. Looking at an entry does not keep it.
func newTable[V any]() *simplelru.LRU[uint64, V] {
	table, err := simplelru.NewLRU[uint64, V](maxTracked, nil)
	if err != nil {
		panic(err) // the size is a constant above zero
	}
	return table
}

// failuresOf returns the entry of a key, made where there was none, as the latest.
func failuresOf(table *simplelru.LRU[uint64, *failures], key uint64) *failures {
	if f, ok := table.Get(key); ok {
		return f
	}
	f := &failures{}
	table.Add(key, f)
	return f
}

// throttleKeys are hashes, so that an entry has the same size however long the
// name is that someone sends. The seed is secret and random: no one can look
// for names that collide.
type throttleKeys struct{ pair, address, username uint64 }

func (t *Throttle) keys(addr, username string) throttleKeys {
	addr, username = AddressGroup(addr), plainName(username)
	return throttleKeys{
		pair:     maphash.Comparable(t.seed, [2]string{addr, username}),
		address:  maphash.String(t.seed, addr),
		username: maphash.String(t.seed, username),
	}
}

func plainName(username string) string { return strings.ToLower(strings.TrimSpace(username)) }

// sharedKeys are the same in all processes, and of a length that no name changes.
func sharedKeys(addr, username string) account.LoginKeys {
	addr, username = AddressGroup(addr), plainName(username)
	hash := func(parts ...string) string {
		sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
		return hex.EncodeToString(sum[:16])
	}
	return account.LoginKeys{Pair: hash("pair", addr, username), Address: hash("address", addr), Name: hash("name", username)}
}

// AddressGroup is what one party can be expected to hold: an IPv4 address or an
// IPv6 network of 64 bits. Text that is no address stands for itself.
func AddressGroup(text string) string {
	withPort, err := netip.ParseAddrPort(text) // what most have, and a failure costs
	addr := withPort.Addr()
	if err != nil {
		if addr, err = netip.ParseAddr(text); err != nil {
			return text
		}
	}
	addr = addr.Unmap().WithZone("")
	if addr.Is4() {
		return addr.String()
	}
	return netip.PrefixFrom(addr, 64).Masked().String()
}
