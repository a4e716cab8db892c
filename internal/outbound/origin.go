package outbound

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"time"

	"github.com/drover-fleet/drover/internal/quota"
)

const (
	// hangs is how many calls in a row must go unanswered before an origin is left
	// alone, at first for firstRest, then for twice as long, up to longestRest.
	hangs       = 3
	firstRest   = time.Minute
	longestRest = 15 * time.Minute
	// originQueue is how many calls may wait for others to the same origin to end, and
	// originWait how long: a call that waits occupies a worker too.
	originQueue = 256
	originWait  = 2 * time.Second
	// MostPushes is how many pushes of vendors a process holds at most; one origin,
	// and one tenant, has a share of a quarter.
	MostPushes = 1024
)

// errResting says that an origin is left alone for a while.
var errResting = errors.New("the origin is left alone")

// Origins keep an origin that accepts calls and does not answer them from occupying
// everyone who calls. Each origin has a share of the calls under way, no matter who makes them
// are; and a tenant whose calls to an origin have gone unanswered several times in a
// row makes none for a while, then one to see. That is by tenant because what makes an
// origin hang may be one tenant's account.
type Origins struct {
	now   func() time.Time
	calls *quota.Pool
	// pushes are held for long, so that calls do not wait for them.
	pushes *quota.Pool

	mu   sync.Mutex
	rest map[tenantOrigin]*rest
}

type tenantOrigin struct{ tenant, origin string }

// rest is what is known of an origin that has not answered.
type rest struct {
	hung    int
	until   time.Time
	probing bool // one call is under way to see whether it answers again
}

// NewOrigins is for a process that makes so many calls at once.
func NewOrigins(calls int, now func() time.Time) *Origins {
	return &Origins{
		now: now, rest: map[tenantOrigin]*rest{},
		calls:  quota.New(quota.Config{Size: int64(calls), Queue: originQueue, Wait: originWait}),
		pushes: quota.New(quota.Config{Size: MostPushes, Queue: originQueue, Wait: originWait}),
	}
}

// outcome is how a call went.
type outcome int

const (
	ended    outcome = iota // the caller has gone: nothing is known
	answered                // also with a refusal
	hung
)

// enter lets a call of a tenant go out. Leave is to be called once, with how it went.
func (o *Origins) enter(ctx context.Context, tenant string, u *url.URL) (leave func(outcome), err error) {
	key := tenantOrigin{tenant, u.Scheme + "://" + u.Host}
	if err := o.open(key); err != nil {
		return nil, err
	}
	place, err := o.calls.Take(ctx, key.origin, 1)
	if err != nil {
		o.note(key, ended)
		if errors.Is(err, quota.ErrFull) {
			return nil, &Error{
				Kind: KindRateLimited, Until: o.now().Add(originWait),
				Err: worded{text: "too many calls to the provider's server are under way"},
			}
		}
		return nil, err
	}
	return func(how outcome) {
		place.Return()
		o.note(key, how)
	}, nil
}

// enterPush lets a push of a tenant be opened. Note is to be called once, with how
// the opening went, and leave when the push has ended.
func (o *Origins) enterPush(ctx context.Context, tenant string, u *url.URL) (note func(outcome), leave func(), err error) {
	key := tenantOrigin{tenant, u.Scheme + "://" + u.Host}
	if err := o.open(key); err != nil {
		return nil, nil, err
	}
	place, err := o.pushes.Take(ctx, key.origin, 1)
	if err != nil {
		o.note(key, ended)
		if errors.Is(err, quota.ErrFull) {
			return nil, nil, failure(KindTemporary, nil, "too many pushes of the provider's server are open")
		}
		return nil, nil, err
	}
	return func(how outcome) { o.note(key, how) }, place.Return, nil
}

// open refuses a call to an origin that is left alone.
func (o *Origins) open(key tenantOrigin) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.rest[key]
	if r == nil || r.hung < hangs {
		return nil
	}
	if r.probing || o.now().Before(r.until) {
		return failure(KindTemporary, errResting, "the provider's server has not answered the last %d calls; it is left alone until %s", r.hung,
			r.until.UTC().Format(time.RFC3339))
	}
	r.probing = true
	return nil
}

// note keeps how a call went.
func (o *Origins) note(key tenantOrigin, how outcome) {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.rest[key]
	switch how {
	case answered:
		delete(o.rest, key)
	case hung:
		if r == nil {
			r = &rest{}
			o.rest[key] = r
		}
		r.probing = false
		if r.hung++; r.hung >= hangs {
			r.until = o.now().Add(min(firstRest<<min(r.hung-hangs, 10), longestRest))
		}
	case ended:
		if r != nil {
			r.probing = false
		}
	}
}
