// Package client has what adapters of JSON APIs share: an address, a way to authenticate, and the
// meaning of failures. An adapter declares these once, and then calls paths.
package client

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/session"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// Client makes the calls of one API. HTTP, Base and Sign are required; New sets them.
type Client struct {
	HTTP provider.Doer
	// Base is the address that stands before every path.
	Base string
	// Sign adds what authenticates a request, and what else every call has. The
	// token is the session's, empty without one.
	Sign func(req *http.Request, token string)
	// Session logs in; nil where the credentials themselves go with every call.
	Session *session.Session
	// Open returns the part of an answer that is read, for vendors that put an
	// envelope around it or report failures with status 200. A failure in the answer
	// is an error of a kind; any other error says that the answer has an unexpected
	// form. Nil reads the whole answer.
	Open func(answer []byte) ([]byte, error)
	// Meaning corrects the kind of an error, where the status does not say. It
	// hears of calls that went well, too. Nil leaves all as it is.
	Meaning func(error) error
}

// New makes a client for one connection of a vendor whose own address is host.
func New(cfg provider.Config, host string, sign func(req *http.Request, token string)) *Client {
	return &Client{HTTP: cfg.HTTP, Base: cmp.Or(cfg.BaseURL, host), Sign: sign}
}

// Below returns the address of an API that lies below a path of a server. People
// enter the one or the other.
func Below(address, path string) string { return strings.TrimSuffix(address, path) + path }

// Get asks for a path and returns the answer.
func Get[T any](ctx context.Context, c *Client, path string, query url.Values) (answer T, err error) {
	err = c.Get(ctx, path, query, &answer)
	return answer, err
}

// Check returns the check of credentials that asks for a path, whose answer has the
// form of a T.
func Check[T any](c *Client, path string, query url.Values) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := Get[T](ctx, c, path, query)
		return err
	}
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
		err = JSON(ctx, c.HTTP, req, into, c.Open)
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
