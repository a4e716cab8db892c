package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	// attempts is how often a call is made that may be repeated.
	attempts = 4
	// firstWait is how long is waited before the second, where the service does not
	// say; each further wait is twice as long.
	firstWait = 200 * time.Millisecond
	// defaultTimeout is longer than the service holds an answer back (wait of GET /event).
	defaultTimeout = time.Minute
)

// ErrTimeout says that the service was silent for too long: see WithTimeout.
var ErrTimeout = errors.New("the service has not answered in time")

// spread makes a wait longer by up to a half, so that clients that failed together do
// not come back together.
func spread(d time.Duration) time.Duration {
	return d + mathrand.N(d/2+1)
}

// Do makes a call. Body, where it is not nil, is sent as JSON, and what the answer has
// under data is read into out, where that is not nil. It returns the answer's headers.
//
// A call is repeated where the service or the network is in trouble and that is safe:
// a POST carries an Idempotency-Key, so that it happens once.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values, body, out any) (http.Header, error) {
	return c.do(ctx, method, path, query, http.Header{}, body, out)
}

func (c *Client) do(ctx context.Context, method, path string, query url.Values, header http.Header, body, out any) (http.Header, error) {
	if method == http.MethodPost && header.Get("Idempotency-Key") == "" {
		header.Set("Idempotency-Key", rand.Text())
	}
	resp, err := c.Call(ctx, method, path, query, header, body)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotModified {
		return resp.Header, ErrNotModified
	}
	return resp.Header, read(resp, out)
}

// Call makes a call and returns the answer as it is, of any status below 400. Its body
// must be closed. The time between two reads of it is not bounded, but each read is.
func (c *Client) Call(ctx context.Context, method, path string, query url.Values, header http.Header, body any) (*http.Response, error) {
	return c.call(ctx, method, path, query, header, body, c.timeout)
}

func (c *Client) call(
	ctx context.Context, method, path string, query url.Values, header http.Header, body any, timeout time.Duration,
) (*http.Response, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("write the body: %w", err)
		}
	}
	address := c.base + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	renewed, wait := false, firstWait
	for i := 1; ; i++ {
		token := c.Tokens()
		c.authorize(header, token)
		resp, err := c.send(ctx, method, address, header, text, timeout)
		if err == nil && resp.StatusCode < http.StatusBadRequest {
			return resp, nil
		}
		if err == nil {
			err = refusal(resp)
		}
		refused, _ := errors.AsType[*Error](err)
		switch {
		case refused != nil && refused.Status == http.StatusUnauthorized && token.Refresh != "" && !renewed:
			if err := c.renew(ctx, token.Access); err != nil {
				return nil, err
			}
			renewed = true
			continue
		case i == attempts || ctx.Err() != nil || !repeatable(method, header, refused):
			return nil, err
		}
		pause := wait
		if resp != nil {
			if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
				pause = time.Duration(s) * time.Second
			}
		}
		if err := c.wait(ctx, spread(pause)); err != nil {
			return nil, err
		}
		wait *= 2
	}
}

// repeatable reports whether a call that failed may be made again. Without a refusal
// the network failed.
func repeatable(method string, header http.Header, refused *Error) bool {
	switch {
	case refused == nil:
	case refused.Status == http.StatusTooManyRequests:
		return true // nothing was done
	case refused.Status < http.StatusBadGateway:
		return false
	}
	return method == http.MethodGet || method == http.MethodPut || method == http.MethodDelete || header.Get("Idempotency-Key") != ""
}

func (c *Client) send(
	ctx context.Context,
	method, address string,
	header http.Header,
	body []byte,
	timeout time.Duration,
) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	var timer *time.Timer
	if timeout > 0 {
		timer = time.AfterFunc(timeout, func() { cancel(ErrTimeout) })
		defer timer.Stop()
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		cancel(nil)
		return nil, fmt.Errorf("make the request: %w", err)
	}
	req.Header = header.Clone()
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		err = fmt.Errorf("call the service: %w", because(ctx, err))
		cancel(nil)
		return nil, err
	}
	resp.Body = &timedBody{ReadCloser: resp.Body, ctx: ctx, cancel: cancel, timer: timer, timeout: timeout}
	return resp, nil
}

// because is ErrTimeout where that is why something failed.
func because(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), ErrTimeout) {
		return ErrTimeout
	}
	return err
}

// timedBody bounds each read of a body, but not how long its reader takes in between.
type timedBody struct {
	io.ReadCloser
	ctx     context.Context //nolint:containedctx // it ends with the body
	cancel  context.CancelCauseFunc
	timer   *time.Timer
	timeout time.Duration
}

// Read implements io.Reader.
func (b *timedBody) Read(p []byte) (int, error) {
	if b.timer != nil {
		b.timer.Reset(b.timeout)
		defer b.timer.Stop()
	}
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = because(b.ctx, err)
	}
	return n, err
}

// Close implements io.Closer.
func (b *timedBody) Close() error {
	defer b.cancel(nil)
	return b.ReadCloser.Close()
}

// maxError bounds what is read of a refusal.
const maxError = 1 << 20

// refusal reads the error of an answer, and closes it.
func refusal(resp *http.Response) error {
	defer resp.Body.Close()
	var envelope struct{ Error Error }
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxError)) // what is there says enough
	if err := json.Unmarshal(text, &envelope); err != nil || envelope.Error.Message == "" {
		envelope.Error.Message = "the service answered " + resp.Status
	}
	e := &envelope.Error
	e.Status, e.RequestID, e.RequiredScope = resp.StatusCode, resp.Header.Get("X-Request-Id"), resp.Header.Get("X-Required-Scope")
	return e
}

func read(resp *http.Response, out any) error {
	if resp.StatusCode >= http.StatusBadRequest {
		return refusal(resp)
	}
	if out == nil || resp.StatusCode == http.StatusNoContent {
		return nil
	}
	envelope := struct {
		Data any `json:"data"`
	}{out}
	if err := json.NewDecoder(resp.Body).Decode(&envelope); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return nil
}
