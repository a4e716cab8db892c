package outbound

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Options of a Client. Transport and Now are required; the zero value of each
// other field means its default.
type Options struct {
	// Transport sends; make one with NewTransport and share it.
	Transport http.RoundTripper
	// Now is the present.
	Now func() time.Time
	// Wait returns after d, or with ctx's error as soon as ctx ends. The default
	// is a timer.
	Wait func(ctx context.Context, d time.Duration) error
	// Limits are the vendor's, as its Info declares them.
	Limits []Limit
	// Secrets never enter an error, nor do their escaped forms.
	Secrets []string
	// UserAgent is sent with requests that have none: drover/<version>.
	UserAgent string
	// Timeout bounds each attempt, to the end of the answer's body; 30 s.
	Timeout time.Duration
	// MaxBody bounds an answer, after decompression; 32 MiB.
	MaxBody int64
	// Budget bounds the answers of all clients that have it; nil does not.
	Budget *Budget
	// Origins bound the calls to each origin, as those of Tenant; nil does not.
	Origins *Origins
	Tenant  string
	// Attempts bounds how often one request is sent; 3.
	Attempts int
	// MaxWait is the longest that Do waits for a limit or a Retry-After before
	// it gives KindRateLimited instead; 5 s. Below zero it never waits.
	MaxWait time.Duration
	// Rand draws from [0, 1) for the jitter between attempts.
	Rand func() float64
}

func (o *Options) setDefaults() {
	if o.Wait == nil {
		o.Wait = waitTimer
	}
	if o.UserAgent == "" {
		o.UserAgent = "drover"
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.MaxBody == 0 {
		o.MaxBody = 32 << 20
	}
	if o.Attempts == 0 {
		o.Attempts = 3
	}
	if o.MaxWait == 0 {
		o.MaxWait = 5 * time.Second
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
}

// waitTimer is the default of Options.Wait.
func waitTimer(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Doer sends one request. It returns a response with status below 400, or an
// error of one of the kinds in errors.go that wraps a *StatusError where the
// other side answered. Client implements it.
type Doer interface {
	Do(req *http.Request) (*http.Response, error)
}

// Client sends the requests of one connection to its vendor. It is safe for
// concurrent use; pacing holds among the calls of one Client.
type Client struct {
	opts     Options
	pacer    *pacer
	redactor *Redactor
	sizes    structSizes
}

var _ Doer = (*Client)(nil)

// New makes a Client. It panics without a Transport or a Now, since either is a
// mistake in the wiring.
func New(opts Options) *Client {
	if opts.Transport == nil || opts.Now == nil {
		panic("outbound: Options need a Transport and a Now")
	}
	opts.setDefaults()
	p := newPacer(opts.Limits)
	p.now, p.wait, p.maxWait = opts.Now, opts.Wait, opts.MaxWait
	return &Client{opts: opts, pacer: p, redactor: NewRedactor(opts.Secrets)}
}

// redact returns text without the secrets that the client was made with.
func (c *Client) redact(text string) string { return c.redactor.Redact(text) }

// send makes one paced attempt. The response's body is bounded in size and time
// and must be closed.
func (c *Client) send(req *http.Request, body io.ReadCloser) (*http.Response, error) {
	ctx := req.Context()
	leave, err := c.pacer.enter(ctx, req.URL.Path, Operation(ctx))
	if err != nil {
		closeBody(body)
		return nil, err
	}
	leaveOrigin, err := c.enterOrigin(req)
	if err != nil {
		leave()
		closeBody(body)
		return nil, err
	}
	attempt, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	// Not even a connection came about, or there was no memory of ours.
	var silent, starved atomic.Bool
	// A body that no one closes gives its slot back when the attempt times out.
	end := sync.OnceFunc(func() {
		leave()
		leaveOrigin(outcomeOf(ctx, attempt, silent.Load(), starved.Load()))
	})
	context.AfterFunc(attempt, end)
	over := func() { end(); cancel() }

	resp, err := c.opts.Transport.RoundTrip(c.prepare(attempt, req, body))
	if err != nil {
		timeout, ok := errors.AsType[net.Error](err)
		silent.Store(ok && timeout.Timeout())
		defer over()
		return nil, c.sendError(ctx, attempt, err)
	}
	resp.Body = c.bound(ctx, attempt, resp.Body, over, &starved)
	if resp.StatusCode >= http.StatusBadRequest {
		defer closeBody(resp.Body)
		return nil, c.statusError(req, resp)
	}
	return resp, nil
}

// bound makes the body of an attempt's answer, which counts for the reading that the
// call is part of, or for one of its own.
func (c *Client) bound(ctx, attempt context.Context, from io.ReadCloser, over func(), starved *atomic.Bool) io.ReadCloser {
	b := &boundedBody{from: from, left: c.opts.MaxBody, max: c.opts.MaxBody, over: over, ctx: attempt, sizes: &c.sizes}
	b.fail = func(err error) error {
		switch {
		case errors.Is(err, errHuge):
			return failure(KindTemporary, nil, "the provider's answer is too large: decoded it would take more than %d MiB", largeReading>>20)
		case errors.Is(err, errStarved):
			starved.Store(true)
			return &Error{
				Kind: KindRateLimited, Until: c.opts.Now().Add(budgetWait),
				Err: worded{text: "too many large answers are being read; this one is put off"},
			}
		default:
			return c.readError(ctx, attempt, err)
		}
	}
	if c.opts.Budget != nil {
		b.reading, b.own = c.opts.Budget.readingOf(ctx, c.opts.Tenant)
	}
	return b
}

// enterOrigin waits for a place among the calls to the request's origin.
func (c *Client) enterOrigin(req *http.Request) (leave func(outcome), err error) {
	if c.opts.Origins == nil {
		return func(outcome) {}, nil
	}
	return c.opts.Origins.enter(req.Context(), c.opts.Tenant, req.URL)
}

// outcomeOf says how an attempt went that has ended.
func outcomeOf(ctx, attempt context.Context, silent, starved bool) outcome {
	switch {
	case ctx.Err() != nil, starved:
		return ended
	case silent, attempt.Err() != nil:
		return hung
	default:
		return answered
	}
}

// prepare makes the request of one attempt: a transport may not alter the
// caller's, nor may we.
func (c *Client) prepare(ctx context.Context, req *http.Request, body io.ReadCloser) *http.Request {
	out := req.Clone(ctx)
	out.Body = body
	if out.Header == nil {
		out.Header = http.Header{}
	}
	if out.Header.Get("User-Agent") == "" {
		out.Header.Set("User-Agent", c.opts.UserAgent)
	}
	return out
}

// closeBody closes a body that is not or no longer wanted. What closing it could
// report does not matter then.
func closeBody(body io.Closer) {
	if body != nil {
		_ = body.Close()
	}
}
