package outbound

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// The pauses between attempts are drawn from a range that starts at the first
// and doubles up to the longest.
const (
	firstPause   = 500 * time.Millisecond
	longestPause = 8 * time.Second
)

type (
	operationKey struct{}
	retryKey     struct{}
)

// WithOperation names the vendor's operation for the choice of limits, where the
// path does not tell: calls that all go to one address, or below a base URL with
// a path of its own.
func WithOperation(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, operationKey{}, name)
}

// Operation returns the name that WithOperation gave, empty where it gave none.
func Operation(ctx context.Context) string {
	name, _ := ctx.Value(operationKey{}).(string)
	return name
}

// WithRetry marks requests that only read, though they are POSTs, as safe to
// send again.
func WithRetry(ctx context.Context) context.Context {
	return context.WithValue(ctx, retryKey{}, true)
}

// Do sends req within the declared limits and returns an answer below 400, whose
// body the caller closes, or an error of one of the kinds in errors.go.
// GET, HEAD and requests marked by WithRetry are sent again after a temporary
// failure, and once after a short Retry-After. Redirects are not followed. When
// the request's context ends, Do returns its error at once.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	if err := checkTarget(req); err != nil {
		closeBody(req.Body)
		return nil, err
	}
	body, obeyed := req.Body, false
	for attempt := 1; ; attempt++ {
		if ctx.Err() != nil {
			closeBody(body)
			return nil, ctx.Err()
		}
		resp, err := c.send(req, body)
		if err == nil {
			return resp, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		pause, again := c.pause(err, attempt, &obeyed)
		if !again || attempt >= c.opts.Attempts || !repeatable(req) {
			return nil, err
		}
		if err := c.opts.Wait(ctx, pause); err != nil {
			return nil, err
		}
		if body, err = replay(req); err != nil {
			return nil, err
		}
	}
}

// checkTarget refuses what no transport could send, as asking again is in vain.
func checkTarget(req *http.Request) error {
	if req.URL == nil || req.URL.Host == "" || (req.URL.Scheme != "http" && req.URL.Scheme != "https") {
		return failure(KindPermanent, nil, "the provider's address is not an http or https URL")
	}
	return nil
}

// pause says whether a failure is worth another attempt, and after how long.
// obeyed keeps that one Retry-After was waited for: a vendor that asks twice has
// the caller come back later.
func (c *Client) pause(err error, attempt int, obeyed *bool) (time.Duration, bool) {
	switch KindOf(err) {
	case KindTemporary:
		if errors.Is(err, errResting) {
			return 0, false
		}
		// Full jitter: connections that failed together do not return together.
		longest := min(firstPause<<min(attempt-1, 10), longestPause)
		return time.Duration(c.opts.Rand() * float64(longest)), true
	case KindRateLimited:
		_, answered := errors.AsType[*StatusError](err)
		until, now := RetryAt(err), c.opts.Now()
		if !answered || *obeyed || until.IsZero() || until.Sub(now) > c.opts.MaxWait {
			return 0, false
		}
		*obeyed = true
		return max(until.Sub(now), 0), true
	case KindCredentials, KindPermanent:
	}
	return 0, false
}

// repeatable reports whether req may be sent twice and can be.
func repeatable(req *http.Request) bool {
	marked, _ := req.Context().Value(retryKey{}).(bool)
	safe := req.Method == "" || req.Method == http.MethodGet || req.Method == http.MethodHead
	return (safe || marked) && (!hasBody(req) || req.GetBody != nil)
}

func hasBody(req *http.Request) bool { return req.Body != nil && req.Body != http.NoBody }

// replay returns the request's body again.
func replay(req *http.Request) (io.ReadCloser, error) {
	if !hasBody(req) {
		return req.Body, nil
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, failure(KindTemporary, nil, "the request could not be repeated")
	}
	return body, nil
}
