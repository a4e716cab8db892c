package deliver

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	// leastInFlight and mostInFlight bound what is under way for one key.
	leastInFlight = 4
	mostInFlight  = 32
	// fast is an answer that lets more be sent at once.
	fast = 500 * time.Millisecond

	// breakAfter failures in a row open the breaker, for firstBreak and then ever
	// longer up to longestBreak.
	breakAfter   = 5
	firstBreak   = 5 * time.Second
	longestBreak = time.Minute
	// forgetAfter is how long what was not called is remembered.
	forgetAfter = 2 * longestBreak
)

// key isolates: the targets of one tenant at one origin share it, and no others.
type key struct {
	breaker // of the origin: what no target there can be reached for
	name    string
	targets []*target           // that have it
	failing map[string]*breaker // of targets that are reached and do not take what is sent, by id
	next    int                 // whose turn it is

	inFlight int
	limit    int
	streak   int // fast answers since the limit was changed
	used     time.Time
}

func newKey(name string, now time.Time) *key {
	return &key{name: name, failing: map[string]*breaker{}, limit: leastInFlight, used: now}
}

// keyName names the key of a tenant's URL.
func keyName(tenantID, rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return tenantID + " " + rawURL
	}
	return tenantID + " " + strings.ToLower(u.Scheme+"://"+u.Host)
}

// free reports whether another attempt may begin. A breaker that was open lets
// one through to try.
func (k *key) free(now time.Time) bool {
	switch {
	case k.open(now):
		return false
	case k.trying():
		return k.inFlight == 0
	default:
		return k.inFlight < k.limit
	}
}

// holds reports whether nothing is sent to a target, though others at its origin may
// be well: its receiver has asked for it, or its own breaker is open.
func (k *key) holds(t *target, now time.Time) bool {
	return now.Before(t.waitUntil) || k.failing[t.ID].open(now)
}

// ready reports whether another attempt may begin for a target of a key that is free.
func (k *key) ready(t *target, now time.Time) bool {
	return !k.holds(t, now) && (!k.failing[t.ID].trying() || len(t.inFlight) == 0)
}

// observe learns from an attempt: whether the origin can be reached, how fast it is,
// and whether the target takes what is sent.
func (k *key) observe(now time.Time, j *job) {
	k.used = now
	if j.well() {
		delete(k.failing, j.target.ID)
	} else {
		if k.failing[j.target.ID] == nil {
			k.failing[j.target.ID] = &breaker{}
		}
		k.failing[j.target.ID].fail(now)
	}
	if !j.reached() {
		k.limit, k.streak = leastInFlight, 0
		k.fail(now)
		return
	}
	k.breaker = breaker{}
	if j.took >= fast {
		k.limit, k.streak = max(k.limit/2, leastInFlight), 0
		return
	}
	if !j.well() {
		return
	}
	if k.streak++; k.streak >= k.limit && k.limit < mostInFlight {
		k.limit, k.streak = k.limit+1, 0
	}
}

// prune forgets breakers of targets that were long not called.
func (k *key) prune(now time.Time) {
	for id, b := range k.failing {
		if now.Sub(b.failed) > forgetAfter {
			delete(k.failing, id)
		}
	}
}

// breaker counts failures in a row, and leaves alone what has too many. A nil one has
// none.
type breaker struct {
	failures  int
	breaks    int // since the last success
	failed    time.Time
	openUntil time.Time
}

// open reports whether nothing is to be sent.
func (b *breaker) open(now time.Time) bool { return b != nil && now.Before(b.openUntil) }

// trying reports whether only one attempt at a time is to be made.
func (b *breaker) trying() bool { return b != nil && b.failures >= breakAfter }

func (b *breaker) fail(now time.Time) {
	b.failures++
	b.failed = now
	// Those that were under way when it opened say nothing new.
	if b.failures < breakAfter || b.open(now) {
		return
	}
	b.openUntil = now.Add(min(firstBreak<<min(b.breaks, 10), longestBreak))
	b.breaks++
}

func (k *key) join(t *target) { k.targets = append(k.targets, t) }

func (k *key) leave(t *target) {
	k.targets = slices.DeleteFunc(k.targets, func(other *target) bool { return other == t })
}
