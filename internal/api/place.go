package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/auth"
	"github.com/drover-fleet/drover/internal/fair"
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
	door *fair.Pool
	// public is for operations that anybody may call, requests for the others, and
	// streams for those that last.
	public, requests, streams *fair.Pool
	// links and linkStreams are for what links show: whoever has one must not be able
	// to slow down those who work.
	links, linkStreams *fair.Pool
}

func newPlaces(o Options) places {
	short := fair.Config{Size: int64(o.MaxInFlight), Queue: o.MaxInFlight, Wait: queueWait}
	lasting := fair.Config{Size: int64(o.MaxStreams), Queue: o.MaxStreams, Wait: queueWait, TakeBack: true}
	return places{
		door:   fair.New(fair.Config{Size: doorPlaces, Queue: doorQueue, Wait: doorWait}),
		public: fair.New(short), requests: fair.New(short), streams: fair.New(lasting),
		links:       fair.New(fair.Config{Size: linkPlaces, Queue: linkPlaces, Wait: queueWait}),
		linkStreams: fair.New(fair.Config{Size: linkStreams, Queue: linkStreams, Wait: queueWait, TakeBack: true}),
	}
}

// enter takes the place of a request, which is to be returned. The request of a
// stream ends when its place is wanted back.
func (s *server) enter(c *call, r route) (leave func(), err error) {
	switch {
	case ofLink(c.Request):
		return s.enterLink(c, r)
	case r.Public:
		return hold(s.places.public.Take(c.Context, auth.AddressGroup(c.RemoteAddr), 1))
	case r.lasts(c.Request):
		return s.enterStream(c)
	default:
		return hold(s.places.requests.Take(c.Context, c.principal.TenantID, 1))
	}
}

// lasts reports whether a request may last: long polls are those that say so.
func (r route) lasts(req *http.Request) bool {
	return r.Streams || r.long && req.URL.Query().Has("wait")
}

// enterStream takes the place of a stream, within the tenant's limit.
func (s *server) enterStream(c *call) (func(), error) {
	most, err := s.Fleet.StreamLimit(c.Context, c.principal)
	if err != nil {
		return nil, err
	}
	if most <= 0 {
		return nil, drover.QuotaStreams.Reached(most)
	}
	place, err := s.places.streams.TakeAtMost(c.Context, c.principal.TenantID, 1, most)
	if errors.Is(err, fair.ErrMost) {
		return nil, drover.QuotaStreams.Reached(most)
	}
	leave, err := hold(place, err)
	if err != nil {
		return nil, err
	}
	return c.until(place, leave), nil
}

// until ends the request when its place is wanted back.
func (c *call) until(place *fair.Place, leave func()) func() {
	ctx, end := context.WithCancel(c.Context)
	c.Context = ctx
	place.WhenAsked(end)
	return func() { end(); leave() }
}

// enterLink takes the place of somebody who has a link.
func (s *server) enterLink(c *call, r route) (func(), error) {
	if err := s.links.Allow(host(c.RemoteAddr)).Err(); err != nil {
		return nil, err
	}
	group := auth.AddressGroup(c.RemoteAddr)
	if !r.Streams {
		return hold(s.places.links.Take(c.Context, group, 1))
	}
	place, err := s.places.linkStreams.Take(c.Context, group, 1)
	leave, err := hold(place, err)
	if err != nil {
		return nil, err
	}
	return c.until(place, leave), nil
}

// hold gives the lack of a place the words of the interface.
func hold(place *fair.Place, err error) (func(), error) {
	if errors.Is(err, fair.ErrFull) {
		return nil, overloaded()
	}
	if err != nil {
		return nil, err
	}
	return place.Return, nil
}

func overloaded() error {
	return &drover.Error{Kind: drover.KindUnavailable, Message: "Service is overloaded, try again later", RetryAfter: time.Second}
}

// freeBody is what a body may have without asking for memory.
const freeBody = 64 << 10

// reserve takes memory for the body of a request before it is read.
func (s *server) reserve(c *call, r route) (release func(), err error) {
	size := c.ContentLength
	if size < 0 {
		size = MaxBody
	}
	if r.Body == nil {
		size = 0
	}
	return s.take(c, size)
}

// take takes memory for something large that is read from, or written to, a caller
// who may take its time.
func (s *server) take(c *call, size int64) (release func(), err error) {
	if s.Memory == nil || size <= freeBody {
		return func() {}, nil
	}
	holder := c.principal.TenantID
	if holder == "" {
		holder = auth.AddressGroup(c.RemoteAddr)
	}
	return hold(s.Memory.Take(c.Context, holder, size))
}
