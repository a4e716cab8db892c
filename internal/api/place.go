package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"reflect"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/quota"
)

const (
	// queueWait is how long a request waits for its turn under overload.
	queueWait = time.Second
	// doorPlaces is for how many callers at once it is found out who they are, which
	// seldom asks the database, and doorWait how long others wait for that.
	doorPlaces = 64
	doorQueue  = 4096
	doorWait   = 5 * time.Second
	// publicBodyTime is how long the body of a public operation may take, and
	// earlyBody how much of it is read before anything else: more than any login.
	publicBodyTime = 10 * time.Second
	earlyBody      = 16 << 10
)

// places bound the requests that are served at once. Each tenant has a share of
// those of its kind; callers who are not known yet have one by address. A request
// takes its place when its body has been read: who sends slowly holds none.
type places struct {
	// door is for finding out who a caller is.
	door *quota.Pool
	// public is for operations that anyone may call, requests for the others, and
	// streams for those that last.
	public, requests, streams *quota.Pool
	// work is for what keeps a processor busy: large bodies, long lists, and reading from
	// a database that works in this process. A tenant's turns are half of the processors while
	// others want some too: more would serve it no sooner, and let the others wait.
	work *quota.Pool
	// links and linkStreams are for what links show: anyone who has one must not be able
	// to slow down those who work.
	links, linkStreams *quota.Pool
	// trials, linkTrials and signIns are for those who wait for a provider or a receiver, downloads for files that
	// are read as slowly as a caller likes: neither may take the place of a short request.
	trials, linkTrials, signIns, downloads *quota.Pool
	// batches are for records that programs send, and notices for those of providers: each waits for
	// its connection.
	batches, notices *quota.Pool
}

const (
	// trialPlaces are for trials of tenants, trialsOfTenant of which one may have;
	// linkTrialPlaces are for those of links, of which a tenant may have as many: it may have
	// thousands of links.
	trialPlaces     = 64
	trialsOfTenant  = 4
	linkTrialPlaces = 32
	// batchPlaces are for batches of records, batchesOfTenant of which one tenant may have
	// under way: more are stored no sooner.
	batchPlaces     = 64
	batchesOfTenant = 8
	// signInPlaces are for people who sign in by a provider; signInQueue is how many wait.
	signInPlaces = 32
	signInQueue  = 256
	// downloadsOfTenant is how many files a tenant reads at once: its oldest download gives
	// way to one more.
	downloadsOfTenant = 8
)

func newPlaces(o Options) places {
	short := quota.Config{Size: int64(o.MaxInFlight), Queue: o.MaxInFlight, Wait: queueWait}
	lasting := quota.Config{Size: int64(o.MaxStreams), Queue: o.MaxStreams, Wait: queueWait, TakeBack: true}
	// Anyone who has more than one download gives it up for a tenant that has none.
	files := lasting
	files.Share = 1
	processors := int64(o.Processors)
	turns := workPlaces * processors
	if !o.Embedded {
		turns *= workWaits
	}
	return places{
		door:   quota.New(quota.Config{Size: doorPlaces, Queue: doorQueue, Wait: doorWait}),
		public: quota.New(short), requests: quota.New(short), streams: quota.New(lasting),
		work: quota.New(quota.Config{
			Size: turns, Share: max(1, processors/2), Queue: o.MaxInFlight, Wait: workWait, Recent: workRecent,
			Now: o.Now,
		}),
		links:       quota.New(quota.Config{Size: linkPlaces, Queue: linkPlaces, Wait: queueWait}),
		linkStreams: quota.New(quota.Config{Size: linkStreams, Queue: linkStreams, Wait: queueWait, TakeBack: true}),
		trials:      quota.New(quota.Config{Size: trialPlaces, Share: trialsOfTenant, Queue: trialPlaces, Wait: queueWait}),
		linkTrials:  quota.New(quota.Config{Size: linkTrialPlaces, Share: trialsOfTenant, Queue: linkTrialPlaces, Wait: queueWait}),
		signIns:     quota.New(quota.Config{Size: signInPlaces, Queue: signInQueue, Wait: doorWait}),
		downloads:   quota.New(files),
		batches:     quota.New(quota.Config{Size: batchPlaces, Share: batchesOfTenant, Queue: batchPlaces, Wait: queueWait}),
		notices:     quota.New(quota.Config{Size: noticePlaces, Share: noticesOfTenant, Queue: noticePlaces, Wait: queueWait}),
	}
}

// enter takes the place of a request, which is to be returned. The request of a
// stream ends when its place is wanted back.
func (s *server) enter(c *call, r *route) (*quota.Place, error) {
	switch {
	case ofLink(c.Request):
		return s.enterLink(c, r)
	case r.news:
		return hold(s.places.notices.TakeAtMost(c.Context, c.payer, 1, noticesOfTenant))
	case r.Public && r.trial:
		return s.enterSignIn(c)
	case r.Public:
		return hold(s.places.public.Take(c.Context, auth.AddressGroup(c.RemoteAddr), 1))
	case r.lasts(c.Request):
		return s.enterPush(c)
	case r.File && r.long:
		return c.until(hold(s.places.downloads.TakeNewest(c.Context, c.principal.TenantID, 1, downloadsOfTenant)))
	case r.batch:
		return hold(s.places.batches.TakeAtMost(c.Context, c.principal.TenantID, 1, batchesOfTenant))
	case r.trial:
		return hold(s.places.trials.TakeAtMost(c.Context, c.principal.TenantID, 1, trialsOfTenant))
	default:
		return hold(s.places.requests.Take(c.Context, c.principal.TenantID, 1))
	}
}

// lasts reports whether a request may last: long polls are those that say so.
func (r *route) lasts(req *http.Request) bool {
	return r.Streams || r.long && req.URL.Query().Has("wait")
}

// enterPush takes the place of a stream, within the tenant's limit.
func (s *server) enterPush(c *call) (*quota.Place, error) {
	most, err := s.Fleet.Account.StreamLimit(c.Context, c.principal)
	if err != nil {
		return nil, err
	}
	if most <= 0 {
		return nil, drover.QuotaStreams.Reached(most)
	}
	place, err := s.places.streams.TakeAtMost(c.Context, c.principal.TenantID, 1, most)
	if errors.Is(err, quota.ErrMost) {
		return nil, drover.QuotaStreams.Reached(most)
	}
	return c.until(hold(place, err))
}

// until ends the request when its place is wanted back.
func (c *call) until(place *quota.Place, err error) (*quota.Place, error) {
	if err == nil {
		c.Context, c.end = context.WithCancel(c.Context)
		place.WhenAsked(c.end)
	}
	return place, err
}

// enterLink takes the place of someone who has a link.
func (s *server) enterLink(c *call, r *route) (*quota.Place, error) {
	group := auth.AddressGroup(c.RemoteAddr)
	if err := s.links.Allow(group, 0).Err(); err != nil {
		return nil, err
	}
	if r.trial {
		return s.enterTrial(c, s.places.linkTrials, trialsOfTenant, func() (string, error) {
			return s.Fleet.Connections.InvitationTenant(c.Context, c.PathValue("link_token"))
		})
	}
	if !r.Streams {
		return hold(s.places.links.Take(c.Context, group, 1))
	}
	return c.until(hold(s.places.linkStreams.Take(c.Context, group, 1)))
}

// enterTrial takes the place of someone without a login who waits for a provider: one of the
// tenant's who brought it about, whose providers may be slow, or of the address where there is no
// tenant. Zero is no bound of places.
func (s *server) enterTrial(c *call, from *quota.Pool, most int64, tenant func() (string, error)) (*quota.Place, error) {
	door, err := s.atTheDoor(c)
	if err != nil {
		return nil, err
	}
	c.payer, err = tenant()
	door.Return()
	if err != nil {
		return nil, err
	}
	return hold(from.TakeAtMost(c.Context, c.holder(), 1, most))
}

// hold gives the lack of a place the words of the interface.
func hold(place *quota.Place, err error) (*quota.Place, error) {
	if errors.Is(err, quota.ErrFull) {
		return nil, overloaded()
	}
	if errors.Is(err, quota.ErrMost) {
		return nil, &drover.Error{
			Kind: drover.KindRateLimited, Message: "Too many of these requests at once, try again later",
			RetryAfter: time.Second,
		}
	}
	return place, err
}

func overloaded() error {
	return &drover.Error{Kind: drover.KindUnavailable, Message: "Service is overloaded, try again later", RetryAfter: time.Second}
}

const (
	// freeBody is what a body may have without asking for memory, or for its turn to
	// be read.
	freeBody = 64 << 10
	// workWait is how long a request waits for its turn at a processor: each has it
	// for a small part of a second. Within workRecent of one tenant's, no other has more
	// than its share.
	workWait   = 10 * time.Second
	workRecent = time.Second
	// workPlaces is how many have their turn at once, for each processor.
	workPlaces = 4
	// workWaits is how many times as many they are where a turn is mostly spent waiting for
	// a database in another process: fewer would leave the processors idle.
	workWaits = 4
)

// work takes the turn of a request that keeps a processor busy. Return it before the
// answer is sent: the caller may take its time to read it.
func (s *server) work(c *call, r *route) (*quota.Place, error) {
	reads := (s.Embedded || r.busy) && r.Method == http.MethodGet && !r.Streams && !r.long
	if !reads && len(c.raw) <= freeBody && !c.asksForMany(r) {
		s.places.work.Seen(c.holder())
		return nil, nil
	}
	return hold(s.places.work.Take(c.Context, c.holder(), 1))
}

// reserve takes memory for the body of a request before it is read.
func (s *server) reserve(c *call, r *route) (*quota.Place, error) {
	if !r.hasBody() {
		return nil, nil
	}
	return s.take(c, bodySize(c.Request))
}

// bodySize is what the body of a request may have.
func bodySize(req *http.Request) int64 {
	if req.ContentLength < 0 {
		return maxBody
	}
	return req.ContentLength
}

// take takes memory for something large that is read from, or written to, a caller
// who may take its time.
func (s *server) take(c *call, size int64) (*quota.Place, error) {
	if s.Memory == nil || size <= freeBody {
		return nil, nil
	}
	return hold(s.Memory.Take(c.Context, c.holder(), size))
}

// fewRecords is the length of a list that is no work.
const fewRecords = 100

// asksForMany reports whether a request is for a long page of a list.
func (c *call) asksForMany(r *route) bool {
	if !r.List || r.Query == nil {
		return false
	}
	limit := reflect.ValueOf(c.query).Elem().FieldByName("Limit")
	return limit.CanInt() && limit.Int() > fewRecords
}

// holder is to whom it is counted what a request takes: the tenant, or the address of
// a caller who is not known.
func (c *call) holder() string {
	if tenant := cmp.Or(c.principal.TenantID, c.payer); tenant != "" {
		return tenant
	}
	return auth.AddressGroup(c.RemoteAddr)
}
