package trackunit

import (
	"context"
	"slices"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/iso15143"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
)

// A series of one machine has pages of a hundred points, and is read once in 15
// minutes: the second page counts as reading it again. Beyond a pool of some 50
// calls, a page is all that can be had of a machine in that time. So it is the
// page that goes round: the first one of each machine, then the second one of
// those that have more, and what was read is kept.

// seriesCalls and seriesRecords end a page of ours.
const (
	seriesCalls   = 25
	seriesRecords = 5000
)

// seriesCursor is where a reading of the past stands. Names are short, as it is
// stored with every page.
type seriesCursor struct {
	From int64    `json:"f"`           // start of the span that is read, in milliseconds since 1970
	Page int      `json:"p"`           // of every machine in this round
	Next string   `json:"n,omitempty"` // the machine to go on with; empty: the first
	Left []string `json:"l,omitempty"` // those of this round; none: all
	More []string `json:"m,omitempty"` // those of the next round
}

func seriesCursorOf(q provider.Query) (seriesCursor, error) {
	c := seriesCursor{From: q.From.UnixMilli(), Page: iso15143.FirstPage}
	if q.Cursor != "" {
		c = seriesCursor{}
		return c, paging.Decode(q.Cursor, &c)
	}
	return c, nil
}

// series reads a part of a past window. A refusal after the first machine ends the
// page with what was read before it.
func (a *Adapter) series(ctx context.Context, q provider.Query) (provider.Page[provider.Position], error) {
	var out provider.Page[provider.Position]
	c, err := seriesCursorOf(q)
	if err != nil {
		return out, err
	}
	out.More = len(q.Devices) > 0
	for calls := 0; out.More && calls < seriesCalls && len(out.Records) < seriesRecords; calls++ {
		machine := c.machine(q.Devices)
		records, more, err := a.locations(ctx, machine, c.span(q), c.Page)
		if err != nil && (calls == 0 || provider.Canceled(err)) {
			return provider.Page[provider.Position]{}, err
		}
		if err != nil {
			break
		}
		out.Records = append(out.Records, records...)
		if more {
			c.More = append(c.More, machine)
		}
		out.More = c.advance(q, machine)
	}
	out.Cursor = paging.Encode(c)
	return out, nil //nolint:nilerr // what was read is kept; the next page meets the failure as its first
}

// machine returns the one to read next. One that is no longer known starts the
// round again, which repeats records and loses none.
func (c *seriesCursor) machine(devices []string) string {
	round := c.round(devices)
	return round[max(slices.Index(round, c.Next), 0)]
}

func (c *seriesCursor) round(devices []string) []string {
	if len(c.Left) > 0 {
		return c.Left
	}
	return devices
}

// span returns what is asked for at once.
func (c *seriesCursor) span(q provider.Query) window.Window {
	from := time.UnixMilli(c.From).UTC()
	to := from.Add(longestSeries)
	if to.After(q.To) {
		to = q.To
	}
	return window.Window{From: from, To: to}
}

// advance moves on behind a machine: to the next one, the next page, the next
// span. It is false at the end.
func (c *seriesCursor) advance(q provider.Query, machine string) bool {
	round := c.round(q.Devices)
	if i := slices.Index(round, machine) + 1; i < len(round) {
		c.Next = round[i]
		return true
	}
	if len(c.More) > 0 {
		*c = seriesCursor{From: c.From, Page: c.Page + 1, Left: c.More}
		return c.Page <= paging.MaxPages
	}
	*c = seriesCursor{From: c.span(q).To.UnixMilli(), Page: iso15143.FirstPage}
	return c.From < q.To.UnixMilli()
}

// locations reads one page of where a machine was.
func (a *Adapter) locations(
	ctx context.Context,
	machine string,
	w window.Window,
	number int,
) (records []provider.Position, more bool, err error) {
	key, err := a.key(ctx, machine)
	if err != nil {
		return nil, false, err
	}
	locations, more, err := a.iso.Locations(ctx, iso15143.ByID(key), w.From, w.To, number)
	switch {
	case window.Gone(err):
		return nil, false, nil
	case forbidden(err):
		return nil, false, provider.Errorf(provider.KindPermanent, "the Trackunit subscription has no time series: %w", err)
	case err != nil:
		return nil, false, a.patient(err)
	}
	for _, l := range locations {
		p, ok := l.Position(machine)
		if ok && !p.Time.Before(w.From) && p.Time.Before(w.To) {
			records = append(records, p)
		}
	}
	return records, more, nil
}

// key returns what the series of a machine are asked by. A machine that the fleet
// does not have is asked for by the id that is known of it.
func (a *Adapter) key(ctx context.Context, machine string) (string, error) {
	for number, more := iso15143.FirstPage, true; more && a.keys[machine] == ""; number++ {
		p, err := a.fleet(ctx, number, renewal)
		if err != nil {
			return "", err
		}
		more = p.More
	}
	if a.keys[machine] == "" {
		a.keys[machine] = machine
	}
	return a.keys[machine], nil
}
