// Package rfms reads from truck makers that serve rFMS, the remote interface of
// the FMS standard: a list of vehicles, and two jobs of what they report,
// positions and statuses. It is the common part of the adapters of such makers,
// which add how to log in and what the maker calls itself.
//
// rFMS 4.0 and 2.1 differ in the case of their names, in the envelope around
// each list and in a few spellings. The types in wire.go read both, and 2.1 in XML too, of
// which a JSON text is made first.
//
// Positions are read from both jobs: statuses are fewer, but tell odometer,
// driver and ignition. Trips are no resource of rFMS: they are read from the
// counters of the statuses in which a vehicle starts and stops; see trip.go.
package rfms

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// The resources of rFMS.
const (
	vehicles  = "vehicles"
	positions = "vehiclepositions"
	statuses  = "vehiclestatuses"
)

// Options are what differs between makers.
type Options struct {
	HTTP provider.Doer
	Now  func() time.Time
	// Base is the address of the resources, without a slash at its end.
	Base string
	// Accept returns the Accept header for a resource: AcceptV4 or AcceptV21.
	// It selects the version and is mandatory. Nil: the first of Versions that the
	// maker serves.
	Accept func(resource string) string
	// Found is called with the version that was found, where Accept is nil.
	Found func(version string)
	// Authorize runs call with the value of the Authorization header, and again
	// with a new one where the maker refuses it.
	Authorize func(ctx context.Context, call func(ctx context.Context, header string) error) error
	// EmptyNotFound says that the maker may answer 404 where there is no data.
	EmptyNotFound bool
}

// Client reads one account. It implements provider.Provider.
type Client struct {
	opts     Options
	received receipt
	version  *Version // that was found; nil: not yet
}

// New makes a client.
func New(opts Options) *Client { return &Client{opts: opts} }

// AcceptV4 asks for rFMS 4.0.
func AcceptV4(resource string) string { return "application/json; rfms=" + resource + ".v4.0" }

// AcceptV21 asks for rFMS 2.1.
func AcceptV21(resource string) string {
	return "application/vnd.fmsstandard.com." + resource + ".v2.1+json"
}

// acceptXML asks for rFMS 2.1 in XML, which it has besides JSON.
func acceptXML(resource string) string {
	return "application/vnd.fmsstandard.com." + capital(resource) + ".v2.1+xml"
}

// Check implements provider.Provider.
func (c *Client) Check(ctx context.Context) error {
	return c.get(ctx, vehicles, nil, &answer{})
}

// Devices implements provider.Provider. The cursor is the last VIN read.
func (c *Client) Devices(ctx context.Context, cursor string) (provider.Page[provider.Device], error) {
	var page provider.Page[provider.Device]
	query := url.Values{}
	if cursor != "" {
		query.Set("lastVin", cursor)
	}
	var a answer
	if err := c.get(ctx, vehicles, query, &a); err != nil {
		return page, err
	}
	for _, v := range a.vehicles() {
		if v.VIN != "" {
			page.Records = append(page.Records, v.record())
		}
	}
	if page.More = a.more() && len(page.Records) > 0; page.More {
		page.Cursor = page.Records[len(page.Records)-1].SystemDeviceID
	}
	if page.More && page.Cursor == cursor {
		return page, provider.Errorf(provider.KindTemporary, "the provider gave the same page again")
	}
	return page, nil
}

// Drivers implements provider.Provider. rFMS has ids of drivers, and no list of them.
func (c *Client) Drivers(context.Context, string) (provider.Page[provider.Driver], error) {
	return provider.Page[provider.Driver]{}, nil
}

// Positions implements provider.Provider. The cursor is the time up to which
// everything that the maker received was read; of a past window, everything that
// the vehicles created.
func (c *Client) Positions(ctx context.Context, q provider.Query) (provider.Page[provider.Position], error) {
	var page provider.Page[provider.Position]
	from, err := since(q)
	if err != nil {
		return page, err
	}
	s := span{by: byReceived, from: from, past: from}
	if !q.Live() {
		s.by, s.end = byCreated, q.To.Add(fixAge)
	}
	got, err := c.readBoth(ctx, s)
	if err != nil {
		return page, err
	}
	page.Records = merged(got.reports)
	if !q.Live() {
		page.Records = within(page.Records, q)
	}
	page.Cursor, page.More = got.reached.Format(time.RFC3339), got.more
	return page, nil
}

// since returns where a job goes on.
func since(q provider.Query) (time.Time, error) {
	if q.Cursor == "" {
		return q.From.UTC().Truncate(time.Second), nil
	}
	at, err := time.Parse(time.RFC3339, q.Cursor)
	if err != nil {
		return at, errors.New("the stored cursor is not readable")
	}
	return at, nil
}

// get makes one call, in the maker's version.
func (c *Client) get(ctx context.Context, resource string, query url.Values, into *answer) error {
	accept, err := c.accept(ctx)
	if err != nil {
		return err
	}
	err = c.getAs(ctx, accept(resource), resource, query, into)
	if unserved(err) && (resource == vehicles || provider.StatusOf(err) != http.StatusNotFound) {
		c.version = nil // it may serve another by now
	}
	return err
}

func (c *Client) getAs(ctx context.Context, accept, resource string, query url.Values, into *answer) error {
	return c.opts.Authorize(ctx, func(ctx context.Context, header string) error {
		req, err := wire.Get(ctx, c.opts.Base+"/"+resource, query)
		if err != nil {
			return err
		}
		req.Header.Set("Accept", accept)
		if header != "" {
			req.Header.Set("Authorization", header)
		}
		*into = answer{}
		sent := wire.Answer{Doer: c.opts.HTTP}
		err = wire.JSONOrXML(ctx, &sent, req, into)
		switch {
		case c.opts.EmptyNotFound && provider.StatusOf(err) == http.StatusNotFound && resource != vehicles:
			return nil
		case err == nil && sent.Status != http.StatusNoContent && !into.plausible(resource):
			return provider.Errorf(provider.KindTemporary, "the provider's answer could not be read: it has no %s", resource)
		}
		return err
	})
}

// serverTime returns up to when an answer is complete. A maker that leaves its
// own time out is given a minute for what it has not filed yet.
func (c *Client) serverTime(t wire.Time) time.Time {
	if t.IsZero() {
		t = wire.TimeOf(c.opts.Now().Add(-time.Minute))
	}
	return t.UTC().Truncate(time.Second)
}
