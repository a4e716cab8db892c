// Package client calls a drover service: with a login or an API key, page after page,
// again where that is safe, and along its live stream.
//
// Records are the types of package drover. An operation is named by its method and
// path, as in the reference:
//
//	c := client.New("https://drover.example", client.APIKey(key))
//	for trip, err := range client.List[drover.Trip](ctx, c, "/trip", url.Values{"is_valid": {"true"}}) {
//		…
//	}
package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Client calls one service. It is safe for concurrent use.
type Client struct {
	base string
	http *http.Client
	wait func(ctx context.Context, d time.Duration) error

	mu    sync.Mutex
	token Token
}

// Token is what a login gives. An API key has an Access alone, and never runs out.
type Token struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token,omitempty"`
	Subject string `json:"sub,omitempty"`
}

// Option sets something of a Client.
type Option func(*Client)

// APIKey calls with a key of the tenant.
func APIKey(key string) Option { return func(c *Client) { c.token = Token{Access: key} } }

// WithToken calls with the tokens of a login, which are renewed when they run out.
func WithToken(t Token) Option { return func(c *Client) { c.token = t } }

// HTTP calls through another client, such as one with other timeouts.
func HTTP(h *http.Client) Option { return func(c *Client) { c.http = h } }

// New makes a Client of the service at an address.
func New(base string, options ...Option) *Client {
	c := &Client{base: strings.TrimRight(base, "/"), http: &http.Client{}, wait: sleep}
	for _, o := range options {
		o(c)
	}
	return c
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Error is a refusal of the service. Loc, Type and Msg are set where the request was
// not valid.
type Error struct {
	Status  int
	Message string `json:"message"`
	Loc     []any  `json:"loc"`
	Type    string `json:"type"`
}

func (e *Error) Error() string {
	if len(e.Loc) == 0 {
		return e.Message
	}
	place := make([]string, len(e.Loc))
	for i, part := range e.Loc {
		place[i] = fmt.Sprint(part)
	}
	return strings.Join(place, ".") + ": " + e.Message
}

// Login logs in with a username or an e-mail address and a password.
func (c *Client) Login(ctx context.Context, username, password string) (Token, error) {
	var t Token
	_, err := c.Do(ctx, http.MethodPost, "/token", nil, map[string]string{"username": username, "password": password}, &t)
	if err == nil {
		c.mu.Lock()
		c.token = t
		c.mu.Unlock()
	}
	return t, err
}

// Tokens are those in use now, to keep them.
func (c *Client) Tokens() Token {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.token
}

// renew gets a new access token for one that ran out, unless another call already has.
func (c *Client) renew(ctx context.Context, used string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.token.Access != used {
		return nil
	}
	resp, err := c.send(ctx, http.MethodPost, c.base+"/refresh", http.Header{}, mustJSON(map[string]string{"sub": c.token.Subject, "refresh_token": c.token.Refresh}))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	t := c.token
	if err := read(resp, &t); err != nil {
		return err
	}
	c.token = t
	return nil
}

func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // only of values that cannot be JSON
	}
	return text
}

const (
	// attempts is how often a call is made that may be repeated.
	attempts = 4
	// firstWait is how long is waited before the second, where the service does not
	// say; each further wait is twice as long.
	firstWait = 200 * time.Millisecond
)

// Do makes a call. Body, where it is not nil, is sent as JSON, and what the answer has
// under data is read into out, where that is not nil. It returns the answer's headers.
//
// A call is repeated where the service or the network is in trouble and that is safe:
// a POST carries an Idempotency-Key, so that it happens once.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values, body, out any) (http.Header, error) {
	header := http.Header{}
	if method == http.MethodPost {
		header.Set("Idempotency-Key", rand.Text())
	}
	resp, err := c.Call(ctx, method, path, query, header, body)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return resp.Header, read(resp, out)
}

// Call makes a call and returns the answer as it is, of any status below 400. Its body
// must be closed.
func (c *Client) Call(ctx context.Context, method, path string, query url.Values, header http.Header, body any) (*http.Response, error) {
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
		if token.Access != "" {
			header.Set("Authorization", "Bearer "+token.Access)
		}
		resp, err := c.send(ctx, method, address, header, text)
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
		if err := c.wait(ctx, pause); err != nil {
			return nil, err
		}
		wait *= 2
	}
}

// repeatable reports whether a call that failed may be made again. Without a refusal
// the network failed.
func repeatable(method string, header http.Header, refused *Error) bool {
	if refused != nil && refused.Status != http.StatusTooManyRequests && refused.Status < http.StatusBadGateway {
		return false
	}
	return method == http.MethodGet || method == http.MethodPut || method == http.MethodDelete || header.Get("Idempotency-Key") != ""
}

func (c *Client) send(ctx context.Context, method, address string, header http.Header, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	req.Header = header.Clone()
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("call the service: %w", err)
	}
	return resp, nil
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
	envelope.Error.Status = resp.StatusCode
	return &envelope.Error
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

// List goes through a list page by page, as long as the loop goes on. An error ends it.
func List[T any](ctx context.Context, c *Client, path string, query url.Values) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		q := url.Values{}
		maps.Copy(q, query)
		for {
			var page []T
			header, err := c.Do(ctx, http.MethodGet, path, q, nil, &page)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, record := range page {
				if !yield(record, nil) {
					return
				}
			}
			next := header.Get("X-Next-Cursor")
			// A feed has a cursor at its end too.
			if next == "" || len(page) == 0 {
				return
			}
			q.Set("cursor", next)
		}
	}
}

// Get reads one record.
func Get[T any](ctx context.Context, c *Client, path string) (T, error) {
	var out T
	_, err := c.Do(ctx, http.MethodGet, path, nil, nil, &out)
	return out, err
}
