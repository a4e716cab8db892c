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
)

// key isolates: the targets of one tenant at one origin share it, and nobody
// else.
type key struct {
	name    string
	targets []*target // that have it
	next    int       // whose turn it is

	inFlight int
	limit    int
	streak   int // fast answers since the limit was changed

	failures  int // in a row
	breaks    int // since the last success
	openUntil time.Time
	waitUntil time.Time // as the receiver has asked
	used      time.Time
}

// keyName names the key of a tenant's URL.
func keyName(tenantID, rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return tenantID + " " + rawURL
	}
	return tenantID + " " + strings.ToLower(u.Scheme+"://"+u.Host)
}

// open reports whether everything is kept back: by the breaker, or because the
// receiver has asked for it.
func (k *key) open(now time.Time) bool { return now.Before(k.openUntil) || now.Before(k.waitUntil) }

// wait keeps everything back until the time that the receiver has asked for.
func (k *key) wait(until time.Time) {
	if until.After(k.waitUntil) {
		k.waitUntil = until
	}
}

// free reports whether another attempt may begin. A breaker that was open lets
// one through to try.
func (k *key) free(now time.Time) bool {
	if k.open(now) {
		return false
	}
	if k.failures >= breakAfter {
		return k.inFlight == 0
	}
	return k.inFlight < k.limit
}

// observe learns from an attempt: whether the origin is well, and how fast.
func (k *key) observe(now time.Time, well bool, took time.Duration) {
	k.used = now
	if !well {
		k.fail(now)
		return
	}
	k.failures, k.breaks, k.openUntil = 0, 0, time.Time{}
	if took >= fast {
		k.limit, k.streak = max(k.limit/2, leastInFlight), 0
		return
	}
	if k.streak++; k.streak >= k.limit && k.limit < mostInFlight {
		k.limit, k.streak = k.limit+1, 0
	}
}

func (k *key) fail(now time.Time) {
	k.limit, k.streak = leastInFlight, 0
	k.failures++
	// Those that were under way when it opened tell nothing new.
	if k.failures < breakAfter || k.open(now) {
		return
	}
	k.openUntil = now.Add(min(firstBreak<<min(k.breaks, 10), longestBreak))
	k.breaks++
}

func (k *key) join(t *target) { k.targets = append(k.targets, t) }

func (k *key) leave(t *target) {
	k.targets = slices.DeleteFunc(k.targets, func(other *target) bool { return other == t })
}
