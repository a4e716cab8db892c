package trip

import "math"

// stretch is a number of positions in a row that rest in one place.
type stretch struct {
	First point `json:"first"`
	Count int32 `json:"count"`
	// Since is the time from which on positions decide where the stretch begins.
	Since int64 `json:"since"`
}

// seesCut keeps what the cuts are found by, and reports whether p is one. A cut is
// where the fold starts from nothing: after a silence of Forget, and whenever the
// vehicle has rested for QuietFor. Both follow from the positions since the
// last plain change before them, whatever the history, and by no clock; that is
// what makes it possible to derive a part of the history by itself. It returns from
// when on these positions are.
func (f *fold) seesCut(p *point) (isCut bool, since int64) {
	seen, prev, r := f.Seen, f.newest(), &f.Rest
	f.Seen = p.At
	switch {
	case p.At-seen >= forget:
		*r = stretch{First: *p, Count: 1, Since: p.At}
		return true, r.Since
	case p.stirs(prev, f.under()):
		*r = stretch{First: *p, Count: 1, Since: prev.At}
		return false, 0
	case r.First.metresTo(p) > f.under().reach(p):
		r.First, r.Count = *p, 1
		return false, 0
	}
	r.Count++
	if r.Count < ConfirmPositions || p.At-r.First.At < f.under().quietFor {
		return false, 0
	}
	r.First, r.Count = *p, 1
	return true, r.Since
}

// stirs reports whether p, which follows on prev, is a plain change: it follows
// from the two alone.
func (p *point) stirs(prev *point, l *limits) bool {
	return p.Mode == moving || p.Mode != prev.Mode || prev.metresTo(p) > l.drift || l.jumps(prev, p)
}

// newest is the newest position, accepted or not.
func (f *fold) newest() *point {
	if f.Odd.Count > 0 {
		return &f.Odd.Last
	}
	return &f.Last
}

// cut is where a fold from nothing is the same as one over the whole history.
type cut struct {
	at int64
	// resting says that the vehicle is at rest there, and not first seen.
	resting bool
}

// cutBefore returns a cut before a position's time. The position itself is one only
// where it is the first after a silence.
func cutBefore(at int64, rules *limits, load Loader) (cut, error) {
	for _, look := range looks {
		from := max(0, at-look)
		positions, err := load(milliSpan(from, at+1))
		if err != nil {
			return cut{}, err
		}
		if c, ok := lastCut(positions, rules, from, at); ok {
			return c, nil
		}
	}
	return cut{at: at}, nil
}

// looks are how far back a cut is looked for, one after the other: six hours first, the
// beginning at last.
var looks = []int64{2 * forget, 8 * forget, 32 * forget, 128 * forget, 512 * forget, 2048 * forget, math.MaxInt64}

// lastCut finds the last cut among the positions of a span.
func lastCut(positions []Known, rules *limits, from, at int64) (c cut, ok bool) {
	f := fold{rules: rules}
	// What came before the span is unknown, unless the silence up to the first position
	// is so long that it does not matter. Where a stretch of rest began is unknown until
	// the first plain change, and its Since is zero.
	f.Seen = from
	for i := range positions {
		p := rules.point(&positions[i].Position)
		if !plausible(&p) {
			continue
		}
		if f.Last.At == 0 {
			f.Last = p
		}
		silent := p.At-f.Seen >= forget
		isCut, since := f.seesCut(&p)
		f.Last = p
		if isCut && since != 0 && (silent || p.At < at) {
			c, ok = cut{p.At, !silent}, true
		}
	}
	return c, ok
}
