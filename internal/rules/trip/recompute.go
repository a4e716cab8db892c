package trip

import (
	"fmt"

	"github.com/drover-fleet/drover"
)

// Past is what is stored of a device, to derive a part of it again.
type Past struct {
	// Oldest is from when on positions are kept. Trips that began before stay.
	Oldest drover.Time
	// Newest is the time of the newest position.
	Newest drover.Time
	Load   Loader
	// Within returns the stored trip that a time lies within, its ends excluded; false
	// where there is none.
	Within func(at drover.Time) (Span, bool, error)
}

// Recompute derives a window of a device's history again: from a cut before it to one
// behind it that no stored trip reaches over, so that trips that other rules made are
// replaced as a whole. AtEnd says that it came to the newest position, and with which
// state.
func Recompute(rules Rules, window Span, past Past) (r Revision, end State, atEnd bool, err error) {
	l := rules.limits()
	start, err := past.start(max(window.From.UnixMilli(), past.Oldest.UnixMilli()), l)
	if err != nil {
		return r, end, false, fmt.Errorf("find where to derive trips again: %w", err)
	}
	for until := window.To.UnixMilli() - 1; ; {
		found, err := l.reviseFrom(start, []int64{until}, past.Newest.UnixMilli(), past.Load)
		if err != nil {
			return r, end, false, fmt.Errorf("derive trips again from %v: %w", drover.Milli(start.at), err)
		}
		reached, over, err := past.Within(found.Span.To)
		if err != nil {
			return r, end, false, err
		}
		if found.atEnd || !over {
			return found.Revision, found.end, found.atEnd, nil
		}
		until = reached.To.UnixMilli()
	}
}

// start finds the cut before a time that no stored trip reaches over.
func (p Past) start(at int64, l *limits) (cut, error) {
	for {
		c, err := cutBefore(at, l, p.Load)
		if err != nil {
			return c, err
		}
		reached, over, err := p.Within(drover.Milli(c.at))
		switch {
		case err != nil || !over:
			return c, err
		case reached.From.Before(p.Oldest.Time):
			// Where it began is not known any more.
			return cut{at: reached.To.UnixMilli(), resting: true}, nil
		}
		at = reached.From.UnixMilli()
	}
}
