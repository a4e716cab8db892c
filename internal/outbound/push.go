package outbound

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// Pushes opens answers without an end, within the declared limits. Client
// implements it. Silence is how long a push may say nothing before it counts as
// cut. Each must be closed, and ends with the context of its request.
type Pushes interface {
	// Events opens a push of server-sent events.
	Events(req *http.Request, silence time.Duration) (*Events, error)
	// Socket opens a websocket.
	Socket(req *http.Request, silence time.Duration) (*Socket, error)
}

var _ Pushes = (*Client)(nil)

// errSilent is why a push was given up.
var errSilent = errors.New("the push says nothing")

// held is what a push holds while it is open: a place among the pushes to its
// origin, and memory for the message that was read last.
type held struct {
	client  *Client
	caller  context.Context //nolint:containedctx // a push lives as long as it
	ctx     context.Context //nolint:containedctx // of the push, by which its reads wait
	cancel  context.CancelCauseFunc
	silence time.Duration
	watch   *time.Timer
	leave   func()
	reading *reading // of the message; nil before the first, and where nothing is counted
}

// open sends the request that begins a push. The opening counts as a call; what
// comes after it does not. The caller closes what is held.
func (c *Client) open(req *http.Request, silence time.Duration) (*http.Response, *held, error) {
	if err := checkTarget(req); err != nil {
		return nil, nil, err
	}
	caller := req.Context()
	leaveCall, err := c.pacer.enter(caller, req.URL.Path, Operation(caller))
	if err != nil {
		return nil, nil, err
	}
	defer leaveCall()
	note, leave := func(outcome) {}, func() {}
	if c.opts.Origins != nil {
		if note, leave, err = c.opts.Origins.enterPush(caller, c.opts.Tenant, req.URL); err != nil {
			return nil, nil, err
		}
	}
	h := &held{client: c, caller: caller, silence: silence, leave: sync.OnceFunc(leave)}
	h.ctx, h.cancel = context.WithCancelCause(caller)
	h.watch = time.AfterFunc(c.opts.Timeout, func() { h.cancel(errSilent) })
	resp, err := c.opts.Transport.RoundTrip(c.prepare(h.ctx, req, nil))
	if err == nil && resp.StatusCode >= http.StatusBadRequest {
		err = c.statusError(req, resp)
		closeBody(resp.Body)
		note(answered)
		h.close()
		return nil, nil, err
	}
	if err != nil {
		note(outcomeOf(caller, h.ctx, false, false))
		err = c.sendError(caller, h.ctx, err)
		h.close()
		return nil, nil, err
	}
	note(answered)
	h.heard()
	return resp, h, nil
}

// heard puts the end by silence off.
func (h *held) heard() { h.watch.Reset(h.silence) }

// next begins a message: what the one before took of memory is free.
func (h *held) next() {
	if h.reading != nil {
		h.reading.end()
	}
	if b := h.client.opts.Budget; b != nil {
		h.reading = b.reading(h.client.opts.Tenant)
	}
}

// count takes memory for n bytes of a message that has so many by now.
func (h *held) count(n, size int64) error {
	h.heard()
	if size > h.client.opts.MaxBody {
		return tooLarge(h.client.opts.MaxBody)
	}
	if h.reading == nil {
		return nil
	}
	err := h.reading.add(h.ctx, n)
	if errors.Is(err, errStarved) || errors.Is(err, errHuge) {
		return failure(KindTemporary, nil, "there is no memory for what the provider's push says")
	}
	return err
}

// broken says why a push has ended.
func (h *held) broken(err error) error {
	if h.caller.Err() != nil {
		return h.caller.Err()
	}
	if errors.Is(context.Cause(h.ctx), errSilent) {
		return failure(KindTemporary, nil, "the provider's push said nothing for %s", seconds(h.silence))
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	return failure(KindTemporary, io.ErrUnexpectedEOF, "the provider's push was cut")
}

// close ends what is held. It is safe twice.
func (h *held) close() {
	h.watch.Stop()
	h.cancel(nil)
	if h.reading != nil {
		h.reading.end()
	}
	h.leave()
}
