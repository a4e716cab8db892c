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
	"net/http"
	"net/url"
	"strconv"
	"time"

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
	// Accept is the form to ask for. Either is read. Empty: XML, which the standard has
	// for the usual one, and JSON where the producer does not serve that.
	Accept string
	// Query is added to each call for the fleet.
	Query url.Values
	// Authorize runs call with the value of the Authorization header, and again
	// with a new one where the producer refuses it.
	Authorize func(ctx context.Context, call func(ctx context.Context, header string) error) error
}

// Client makes the calls of the standard.
type Client struct {
	opts Options
	form int // the one of accepted that the producer serves
}

// accepted are the forms that are asked for in turn where Options has none.
var accepted = []string{XML, JSON}

// New makes a client.
func New(opts Options) *Client { return &Client{opts: opts} }

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
	return fleet, fleet.Links.more(), err
}

// Locations returns a page of where a machine was in [from, to), and whether there is
// another. The machine is named as producers have it: ByID or ByMakeModelSerial.
func (c *Client) Locations(ctx context.Context, machine string, from, to time.Time, page int) (locations []Location, more bool, err error) {
	path := fmt.Sprintf("/Fleet/Equipment/%s/Locations/%s/%s/%d", machine, url.PathEscape(wire.ISO(from)), url.PathEscape(wire.ISO(to)), page)
	var s series
	err = c.get(ctx, path, nil, &s)
	return s.Locations, s.Links.more(), err
}

// ByID names a machine by its equipment id.
func ByID(id string) string { return "ID/" + url.PathEscape(id) }

// ByMakeModelSerial names a machine by what is engraved.
func ByMakeModelSerial(h Header) string {
	return "MakeModelSerial/" + url.PathEscape(h.Make.String()) + "/" + url.PathEscape(h.Model.String()) + "/" + url.PathEscape(h.SerialNumber.String())
}

// get makes a call, and another in the other form where the producer does not serve the
// first.
func (c *Client) get(ctx context.Context, path string, query url.Values, into any) error {
	if c.opts.Accept != "" {
		return c.getAs(ctx, c.opts.Accept, path, query, into)
	}
	err := c.getAs(ctx, accepted[c.form], path, query, into)
	switch provider.StatusOf(err) {
	case http.StatusNotAcceptable, http.StatusUnsupportedMediaType:
		c.form = (c.form + 1) % len(accepted)
		return c.getAs(ctx, accepted[c.form], path, query, into)
	}
	return err
}

func (c *Client) getAs(ctx context.Context, accept, path string, query url.Values, into any) error {
	return c.opts.Authorize(ctx, func(ctx context.Context, header string) error {
		req, err := wire.Get(ctx, c.opts.Base+path, query)
		if err != nil {
			return err
		}
		req.Header.Set("Accept", accept)
		if header != "" {
			req.Header.Set("Authorization", header)
		}
		return wire.JSONOrXML(ctx, c.opts.HTTP, req, into)
	})
}
