// Package iso15143 reads telematics of machines as ISO 15143-3 defines them (also
// known as AEMP 2.0): snapshots of a fleet, and series of a machine's locations.
// It is the common part of the adapters of makers and services that serve the
// standard, which add how to log in and what they have beyond it.
//
// The standard has an XML form and a JSON form, and its producers differ in
// namespaces, in the case of names, and in whether a time is an attribute or an
// element. An answer in XML is turned into JSON first, so that one set of types
// reads all of them.
package iso15143

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// The values of Options.Accept.
const (
	XML  = "application/xml"
	JSON = "application/json"
)

// Options are what differs between producers.
type Options struct {
	HTTP provider.Doer
	// Base is the address that stands before /Fleet.
	Base string
	// Accept is the form to ask for. Either is read.
	Accept string
	// Query is added to each call for the fleet.
	Query url.Values
	// Authorize runs call with the value of the Authorization header, and again
	// with a new one where the producer refuses it.
	Authorize func(ctx context.Context, call func(ctx context.Context, header string) error) error
}

// Client makes the calls of the standard.
type Client struct{ opts Options }

// New makes a client.
func New(opts Options) *Client {
	opts.HTTP = translating{opts.HTTP}
	return &Client{opts}
}

// FirstPage is the number of the first page of any list.
const FirstPage = 1

// Fleet returns a page of the newest state of all machines, and whether there is
// another. A page that does not exist is empty, unless it is the first.
func (c *Client) Fleet(ctx context.Context, page int) (fleet Fleet, more bool, err error) {
	err = c.get(ctx, "/Fleet/"+strconv.Itoa(page), c.opts.Query, &fleet)
	if provider.StatusOf(err) == http.StatusNotFound && page > FirstPage {
		return Fleet{}, false, nil
	}
	if err == nil && !fleet.plausible() {
		err = provider.Errorf(provider.KindTemporary, "the provider's answer is no fleet")
	}
	return fleet, fleet.Has("next"), err
}

// Locations returns a page of where the machine with the given equipment id was in
// [from, to), and whether there is another.
func (c *Client) Locations(ctx context.Context, id string, from, to time.Time, page int) (locations []Location, more bool, err error) {
	path := fmt.Sprintf("/Fleet/Equipment/ID/%s/Locations/%s/%s/%d",
		url.PathEscape(id), url.PathEscape(wire.ISO(from)), url.PathEscape(wire.ISO(to)), page)
	var s series
	err = c.get(ctx, path, nil, &s)
	return s.Locations, has(s.Links, "next"), err
}

func (c *Client) get(ctx context.Context, path string, query url.Values, into any) error {
	return c.opts.Authorize(ctx, func(ctx context.Context, header string) error {
		req, err := wire.Get(ctx, c.opts.Base+path, query)
		if err != nil {
			return err
		}
		req.Header.Set("Accept", c.opts.Accept)
		req.Header.Set("Authorization", header)
		return outbound.JSON(ctx, c.opts.HTTP, req, into)
	})
}

// translating is a Doer that turns answers in XML into JSON.
type translating struct{ provider.Doer }

func (d translating) Do(req *http.Request) (*http.Response, error) {
	resp, err := d.Doer.Do(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close() // what matters was read
	if err != nil {
		return nil, err
	}
	text := string(body)
	if strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")), "<") {
		if text, err = translate(body); err != nil {
			return nil, err
		}
	}
	resp.Body = io.NopCloser(strings.NewReader(text))
	return resp, nil
}
