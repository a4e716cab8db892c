package rfms

import (
	"context"
	"net/url"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// The times by which reports are selected.
const (
	byReceived = "received"
	byCreated  = "created"
)

const (
	// longestSpan keeps an answer within what makers accept: they refuse one that
	// would grow too large with 403.
	longestSpan = 24 * time.Hour
	// enough is how many reports end a reading; the next page goes on.
	enough = 5000
	// mostIdle is how many pages may follow one another that have nothing new and say that
	// there is more.
	mostIdle = 20
	// fixAge is how much older than its report a position may be.
	fixAge = 15 * time.Minute
)

// span asks for the reports of a stretch of time.
type span struct {
	by   string
	from time.Time
	// end is exclusive; zero: up to the present.
	end time.Time
	// past is what a reading must get beyond, however much there is, so that the
	// cursor moves.
	past time.Time
	// filter names the parts of a status that are asked for.
	filter string
}

// reading is what was read of a span: every report before reached.
type reading struct {
	by      string // the time by which reports were selected
	reports []report
	reached time.Time
	more    bool
}

// readBoth reads positions and statuses.
func (c *Client) readBoth(ctx context.Context, s span) (reading, error) {
	got, err := c.read(ctx, positions, s)
	if err != nil {
		return reading{}, err
	}
	s.filter = "SNAPSHOT"
	status, err := c.read(ctx, statuses, s)
	if err != nil {
		return reading{}, err
	}
	got.reports = append(got.reports, status.reports...)
	if status.reached.Before(got.reached) {
		got.reached = status.reached
	}
	got.more = got.more || status.more
	return got, nil
}

// read reads the pages of a resource. A failure after it got somewhere ends it
// there: what was read is kept, and the failure, where it lasts, is met again.
func (c *Client) read(ctx context.Context, resource string, s span) (reading, error) {
	s = c.received.selectable(s)
	got := reading{by: s.by}
	stop := s.stop(c.opts.Now())
	moved := s.from // as far as reports have led
	for at, idle := s.from, 0; ; {
		var a answer
		err := c.get(ctx, resource, s.query(at, stop), &a)
		if err != nil && at.After(s.past) && !provider.Canceled(err) {
			got.reached, got.more = at, true
			return got, nil
		}
		if err != nil {
			return reading{}, err
		}
		if s.by == byReceived && a.behind(at) {
			return c.readCreated(ctx, resource, s)
		}
		got.reports = append(got.reports, a.reports()...)
		if got.reached.IsZero() {
			got.reached = c.reach(a, s.from, stop)
		}
		if !a.more() {
			stuck, err := c.stops(ctx, resource, s, got)
			if err != nil {
				return reading{}, err
			}
			if stuck {
				return c.readCreated(ctx, resource, s)
			}
			got.more = !stop.IsZero() && (s.end.IsZero() || stop.Before(s.end))
			return got, nil
		}
		next, on := a.next(s.by, at)
		if idle++; on {
			idle, moved = 0, next
		}
		if idle >= mostIdle && !moved.After(s.past) {
			return reading{}, provider.Errorf(provider.KindTemporary, "the provider says that there is more, and sends nothing new")
		}
		if idle >= mostIdle {
			got.reached, got.more = moved, true
			return got, nil
		}
		if at = next; len(got.reports) >= enough && at.After(s.past) {
			got.reached, got.more = at, true
			return got, nil
		}
	}
}

// stop returns the end to ask for, zero for none.
func (s span) stop(now time.Time) time.Time {
	limit := s.past.Add(longestSpan)
	if s.end.IsZero() && limit.Before(now) || limit.Before(s.end) {
		return limit
	}
	return s.end
}

// reach returns up to when the last page will have everything: the end that was
// asked for, or the maker's present at the first page.
func (c *Client) reach(first answer, from, stop time.Time) time.Time {
	if !stop.IsZero() {
		return stop
	}
	if now := c.serverTime(first.RequestServerDateTime); now.After(from) {
		return now
	}
	return from
}

func (s span) query(from, stop time.Time) url.Values {
	query := url.Values{"datetype": {s.by}, "starttime": {wire.ISO(from)}}
	if !stop.IsZero() {
		query.Set("stoptime", wire.ISO(stop))
	}
	if s.filter != "" {
		query.Set("contentFilter", s.filter)
	}
	return query
}

// next returns where the page after a goes on, and whether reports lead there. The standard
// says one second after the newest report. The same second is asked for again where that leads
// further, as nothing is lost then if a page ends in the middle of one.
func (a answer) next(by string, at time.Time) (next time.Time, on bool) {
	newest := at
	for _, r := range a.reports() {
		if t := r.time(by).Truncate(time.Second); t.After(newest) {
			newest = t
		}
	}
	if !newest.After(at) {
		return at.Add(time.Second), false
	}
	return newest, true
}
