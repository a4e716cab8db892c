// Package client is what adapters of JSON APIs have in common: an address, a way
// to authenticate, and what a failure means. An adapter says these once, and then
// asks for paths.
package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/session"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// Client makes the calls of one API. HTTP, Base and Sign are required.
type Client struct {
	HTTP provider.Doer
	// Base is the address that stands before every path.
	Base string
	// Sign adds what authenticates a request, and what else every call has. The
	// token is the session's, empty without one.
	Sign func(req *http.Request, token string)
	// Session logs in; nil where the credentials themselves go with every call.
	Session *session.Session
	// Meaning corrects the kind of an error, where the status does not tell. It
	// hears of calls that went well, too. Nil leaves all as it is.
	Meaning func(error) error
}

// Get asks for a path.
func (c *Client) Get(ctx context.Context, path string, query url.Values, into any) error {
	return c.Send(ctx, into, func(ctx context.Context) (*http.Request, error) { return wire.Get(ctx, c.Base+path, query) })
}

// Post asks for a path with a body. It only reads, so that it may be repeated.
func (c *Client) Post(ctx context.Context, path string, body, into any) error {
	return c.Send(outbound.WithRetry(ctx), into, func(ctx context.Context) (*http.Request, error) {
		return wire.PostJSON(ctx, c.Base+path, body)
	})
}

// Send makes one call, and a second one with a new token where the first was
// refused.
func (c *Client) Send(ctx context.Context, into any, request func(context.Context) (*http.Request, error)) error {
	call := func(ctx context.Context, token string) error {
		req, err := request(ctx)
		if err != nil {
			return err
		}
		c.Sign(req, token)
		err = outbound.JSON(ctx, c.HTTP, req, into)
		if c.Meaning != nil {
			return c.Meaning(err)
		}
		return err
	}
	if c.Session == nil {
		return call(ctx, "")
	}
	return c.Session.Do(ctx, call)
}

// Bearer signs with the token of the session.
func Bearer(req *http.Request, token string) { req.Header.Set("Authorization", "Bearer "+token) }

// Header signs with headers that are always the same: names and values in turns.
func Header(pairs ...string) func(*http.Request, string) {
	return func(req *http.Request, _ string) {
		for i := 0; i+1 < len(pairs); i += 2 {
			req.Header.Set(pairs[i], pairs[i+1])
		}
	}
}

// Basic signs with a name and a password.
func Basic(name, password string) func(*http.Request, string) {
	return func(req *http.Request, _ string) { req.SetBasicAuth(name, password) }
}
