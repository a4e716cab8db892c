// Package client calls a drover service with a login or an API key. It follows pages, retries safe
// requests, and reads the live stream.
//
// There is a method for each operation, named as in the OpenAPI document, and a type for each of
// its records:
//
//	c := client.New("https://drover.example", client.WithAPIKey(key))
//	for trip, err := range c.ListTrips(ctx, client.ListTripsQuery{IsValid: client.Some(true)}) {
//		…
//	}
//
// Call and Do make any call by its method and path, for example for another format.
package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Client calls one service. It is safe for concurrent use.
type Client struct {
	base    string
	http    *http.Client
	timeout time.Duration
	tenant  string
	wait    func(ctx context.Context, d time.Duration) error

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

// WithAPIKey calls with a key of the tenant.
func WithAPIKey(key string) Option { return func(c *Client) { c.token = Token{Access: key} } }

// InTenant has a key of the operator act in a tenant. Its own operations need none.
func InTenant(id string) Option { return func(c *Client) { c.tenant = id } }

// WithToken calls with the tokens of a login, which are renewed when they run out.
func WithToken(t Token) Option { return func(c *Client) { c.token = t } }

// WithHTTP calls through another client, such as one with other timeouts.
func WithHTTP(h *http.Client) Option { return func(c *Client) { c.http = h } }

// WithTimeout bounds how long the service may be silent: until it answers, and during each
// read of an answer. It is a minute where it is not set; 0 is no bound. A stream has a
// bound of its own.
func WithTimeout(d time.Duration) Option { return func(c *Client) { c.timeout = d } }

// New makes a Client of the service at an address.
func New(base string, options ...Option) *Client {
	c := &Client{base: strings.TrimRight(base, "/"), http: &http.Client{}, timeout: defaultTimeout, wait: sleep}
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

// Error is a refusal of the service. Loc and Type are set where the request was not
// valid. RequestID names the request in the service's logs. RequiredScope is the scope that
// the caller lacks, where one would help.
type Error struct {
	Status        int
	RequestID     string `json:"-"`
	RequiredScope string `json:"-"`
	Message       string `json:"message"`
	Loc           []any  `json:"loc"`
	Type          string `json:"type"`
}

// Error is what the service says. The request's id is not in it: the text is the same each
// time, and may be compared and shown.
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

// Login logs in with a username or an e-mail address and a password, and with the code of a
// second factor where the user has one.
func (c *Client) Login(ctx context.Context, username, password string, code ...string) (Token, error) {
	body := map[string]string{"username": username, "password": password}
	if len(code) > 0 && code[0] != "" {
		body["code"] = code[0]
	}
	var t Token
	_, err := c.Do(ctx, http.MethodPost, "/token", nil, body, &t)
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

// Base is the address of the service.
func (c *Client) Base() string { return c.base }

// RoundTripper sends requests as the client does its own, with its token and with a new
// one where that ran out, for libraries that speak to the service themselves.
func (c *Client) RoundTripper() http.RoundTripper { return roundTripper(c.roundTrip) }

// roundTripper is a function and holds no client: a program that has this one alone need not
// have all operations of a client too, which its linker would keep for an interface's sake.
type roundTripper func(req *http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func (c *Client) roundTrip(req *http.Request) (*http.Response, error) {
	used := c.Tokens()
	resp, err := c.http.Do(c.authorized(req, used))
	if err != nil || resp.StatusCode != http.StatusUnauthorized || used.Refresh == "" || req.Body != nil && req.GetBody == nil {
		return resp, err
	}
	_ = resp.Body.Close() // that it is refused is all it says
	if err := c.renew(req.Context(), used.Access); err != nil {
		return nil, err
	}
	again := c.authorized(req, c.Tokens())
	if req.Body != nil {
		if again.Body, err = req.GetBody(); err != nil {
			return nil, err
		}
	}
	return c.http.Do(again)
}

// authorized is a request with a token; one that is sent by a RoundTripper is not changed.
func (c *Client) authorized(req *http.Request, t Token) *http.Request {
	out := req.Clone(req.Context())
	out.RequestURI = ""
	c.authorize(out.Header, t)
	return out
}

// authorize says in a request's headers who calls, in which tenant, and with what program.
func (c *Client) authorize(header http.Header, t Token) {
	if header.Get("User-Agent") == "" {
		header.Set("User-Agent", userAgent)
	}
	if t.Access != "" {
		header.Set("Authorization", "Bearer "+t.Access)
	}
	if c.tenant != "" {
		header.Set("X-Drover-Tenant", c.tenant)
	}
}

// renew gets a new access token for one that ran out, unless another call already has.
func (c *Client) renew(ctx context.Context, used string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.token.Access != used {
		return nil
	}
	body := mustJSON(map[string]string{"sub": c.token.Subject, "refresh_token": c.token.Refresh})
	resp, err := c.send(ctx, http.MethodPost, c.base+"/refresh", http.Header{"User-Agent": {userAgent}}, body, c.timeout)
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
