package mixtelematics

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	// tokenAge is how old a token may be. The vendor's bound is 7 days; an hour is
	// left for clocks that differ.
	tokenAge = 7*24*time.Hour - time.Hour
	// lateness is how long before a token was made the records that came after it
	// may have happened: how far back a hole is filled.
	lateness = 24 * time.Hour
)

// cursor is where the live job stands. A token is the vendor's, for one
// organisation.
type cursor struct {
	Tokens map[string]string `json:"t"`
	// Turn is the organisation whose feed is read next; empty: the first.
	Turn string `json:"n,omitempty"`
	// Hole is what the feeds no longer have, as a token had grown too old.
	Hole *hole `json:"h,omitempty"`
}

// hole is a span that is read from the history.
type hole struct {
	From   time.Time `json:"f"`
	To     time.Time `json:"t"`
	Cursor string    `json:"c,omitempty"`
}

// next is what a feed's answer says of the one to follow.
type next struct {
	token string
	more  bool
}

// nextOf reads the headers of an answer. An answer without content may lack the
// token: the old one stays good.
func nextOf(answer wire.Answer, token string) next {
	n := next{token: answer.Header.Get("GetSinceToken")}
	switch answer.Header.Get("HasMoreItems") {
	case "True", "true":
		n.more = true
	case "":
		n.more = answer.Status == http.StatusPartialContent
	}
	if n.token == "" && answer.Status == http.StatusNoContent {
		n.token = token
	}
	return n
}

// fetch reads an organisation's feed on from a token.
type fetch[T any] func(ctx context.Context, organisation, token string) ([]T, next, error)

// job is read from the history for a past window, and otherwise from the feed of
// one organisation after the other.
func job[T provider.Record](a *Adapter, feed fetch[T], past window.Reader[T]) window.Job[T] {
	return window.LiveAndPast(live(a, feed, past.Page), past.Page)
}

// live is read from the feeds, and what these no longer have from the history.
func live[T any](a *Adapter, feed fetch[T], past window.Job[T]) window.Job[T] {
	return func(ctx context.Context, q provider.Query) (provider.Page[T], error) {
		organisations, err := a.organisations(ctx)
		if err != nil {
			return provider.Page[T]{}, err
		}
		c, err := start(q, organisations, a.cfg.Now())
		if err != nil {
			return provider.Page[T]{}, err
		}
		var page provider.Page[T]
		if c.Hole != nil {
			page, err = fill(ctx, &c, past, q.Devices)
		} else {
			page, err = follow(ctx, &c, organisations, feed)
		}
		page.Cursor = paging.Encode(c)
		return page, err
	}
}

// follow reads the feed whose turn it is. The last one ends the round.
func follow[T any](ctx context.Context, c *cursor, organisations []string, feed fetch[T]) (provider.Page[T], error) {
	if len(organisations) == 0 {
		return provider.Page[T]{}, nil
	}
	turn := max(slices.Index(organisations, c.Turn), 0)
	organisation := organisations[turn]
	records, next, err := feed(ctx, organisation, c.Tokens[organisation])
	if err != nil {
		return provider.Page[T]{}, err
	}
	if next.token == "" {
		return provider.Page[T]{}, provider.Errorf(provider.KindTemporary, "the feed gave no token")
	}
	page := provider.Page[T]{Records: records, More: true}
	if next.more && next.token != c.Tokens[organisation] {
		c.Turn = organisation
	} else if turn+1 < len(organisations) {
		c.Turn = organisations[turn+1]
	} else {
		c.Turn, page.More = "", false
	}
	c.Tokens[organisation] = next.token
	return page, nil
}

// fill reads a page of the hole. The feeds follow when it is closed.
func fill[T any](ctx context.Context, c *cursor, past window.Job[T], devices []string) (provider.Page[T], error) {
	page, err := past(ctx, provider.Query{Cursor: c.Hole.Cursor, From: c.Hole.From, To: c.Hole.To, Devices: devices})
	if err != nil {
		return page, err
	}
	if c.Hole.Cursor = page.Cursor; !page.More {
		c.Hole = nil
	}
	page.More = true
	return page, nil
}

// start returns the cursor of q, with a token for each organisation. Tokens that
// have grown too old are replaced, and leave a hole.
func start(q provider.Query, organisations []string, now time.Time) (cursor, error) {
	c := cursor{}
	if q.Cursor != "" {
		if err := paging.Decode(q.Cursor, &c); err != nil {
			return cursor{}, err
		}
	}
	tokens := map[string]string{}
	for _, o := range organisations {
		token, ok := c.Tokens[o]
		if !ok {
			token = tokenAt(q.From.Add(-time.Second)) // whether the bound belongs to the answer is not documented
		}
		if at, ok := tokenTime(token); ok && now.Sub(at) > tokenAge {
			c.open(at, now)
			token = tokenAt(now)
		}
		tokens[o] = token
	}
	c.Tokens = tokens
	return c, nil
}

// open makes a hole from a token's time to the present, or widens the one there is.
func (c *cursor) open(from, to time.Time) {
	if from = from.Add(-lateness); c.Hole != nil && c.Hole.From.Before(from) {
		from = c.Hole.From
	}
	c.Hole = &hole{From: from, To: to}
}
