// Package quota divides a limited resource, such as places for requests or memory, among its
// holders: tenants, and addresses of callers who are not logged in.
//
// Each holder has a share. A holder can use more while others do not need it, but one share is
// always reserved for holders below theirs, and released amounts go to them first. So no holder
// can make another wait that uses little.
package quota

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

var (
	// ErrFull says that there was nothing left in time.
	ErrFull = errors.New("nothing is left")
	// ErrMost says that the holder has as much as it may have.
	ErrMost = errors.New("the holder has as much as it may have")
)

// Config says how much there is, and how it is divided.
type Config struct {
	// Size is what one holder may borrow where no one else wants anything. Zero or
	// less is no bound.
	Size int64
	// Share is what a holder may have before others go first, and what is kept beyond
	// Size for those who have less; zero is a quarter.
	Share int64
	// Queue is how many may wait, and Wait how long each of them may.
	Queue int
	Wait  time.Duration
	// Recent is how long after someone has taken something the others borrow nothing;
	// zero lets them. It is for what is held for a moment, such as a processor: anyone who
	// comes next would wait for what was borrowed just before. Now is its clock.
	Recent time.Duration
	Now    func() time.Time
	// TakeBack asks for what was borrowed when someone below its share finds
	// nothing: it is for what is held for long.
	TakeBack bool
}

// Pool is safe for concurrent use.
type Pool struct {
	config Config

	mu      sync.Mutex
	used    int64
	held    map[string]int64
	waiting []*waiter
	places  []*Place // where they can be asked for, oldest first
	// newest is who took something last, and other the last one before it who is
	// someone else.
	newest, other taker
}

// taker is when a holder took something.
type taker struct {
	holder string
	at     time.Time
}

// Place is what someone holds. Return it, once or more. Nil is a place that no one
// needed.
type Place struct {
	pool     *Pool
	holder   string
	n        int64
	returned bool
	asked    bool   // for the place to be given back
	when     func() // called then
}

type waiter struct {
	holder string
	n      int64
	got    chan *Place // gets nil where it is turned away
}

// New makes a pool.
func New(c Config) *Pool {
	if c.Share <= 0 {
		c.Share = max(1, c.Size/4)
	}
	return &Pool{config: c, held: map[string]int64{}}
}

// Take takes n for a holder, or waits for it. The error is ErrFull or that of ctx.
func (p *Pool) Take(ctx context.Context, holder string, n int64) (*Place, error) {
	return p.TakeAtMost(ctx, holder, n, 0)
}

// TakeAtMost is Take for a holder who may have no more than most in all; zero is no
// bound. Beyond it the error is ErrMost.
func (p *Pool) TakeAtMost(ctx context.Context, holder string, n, most int64) (*Place, error) {
	p.mu.Lock()
	if most > 0 && p.held[holder]+n > most {
		p.mu.Unlock()
		return nil, ErrMost
	}
	if p.fits(holder, n) {
		defer p.mu.Unlock()
		return p.give(holder, n), nil
	}
	w := p.join(holder, n)
	p.mu.Unlock()
	if w == nil {
		return nil, ErrFull
	}
	return p.await(ctx, w)
}

// TakeNewest is Take for a holder who may have no more than most in all, of a pool that
// asks for places back: beyond it, the oldest place of the holder gives way at once. Anyone who
// has it is asked, and it counts no longer.
func (p *Pool) TakeNewest(ctx context.Context, holder string, n, most int64) (*Place, error) {
	p.mu.Lock()
	for p.held[holder]+n > most {
		i := slices.IndexFunc(p.places, func(l *Place) bool { return l.holder == holder })
		if i < 0 {
			break
		}
		oldest := p.places[i]
		oldest.ask()
		p.handOn(oldest)
	}
	p.mu.Unlock()
	return p.Take(ctx, holder, n)
}

// Held is what a holder has.
func (p *Pool) Held(holder string) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held[holder]
}

// Most is what all holders together can have.
func (p *Pool) Most() int64 { return p.config.Size + p.config.Share }

// below reports whether a holder would stay within its share.
func (p *Pool) below(holder string, n int64) bool { return p.held[holder]+n <= p.config.Share }

// fits reports whether there is room for n of a holder now.
func (p *Pool) fits(holder string, n int64) bool {
	room := p.config.Size - p.used
	switch {
	case p.below(holder, n):
		room += p.config.Share
	case p.busy(holder):
		return p.config.Size <= 0
	}
	return p.config.Size <= 0 || n <= room
}

// busy reports whether someone else has taken something just now.
func (p *Pool) busy(holder string) bool {
	if p.config.Recent <= 0 {
		return false
	}
	last := p.newest
	if last.holder == holder {
		last = p.other
	}
	return !last.at.IsZero() && p.config.Now().Sub(last.at) < p.config.Recent
}

// Seen says that a holder wants others to borrow nothing, although it needs no place
// itself.
func (p *Pool) Seen(holder string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note(holder)
}

// note keeps who has taken something.
func (p *Pool) note(holder string) {
	if p.config.Recent <= 0 {
		return
	}
	if p.newest.holder != holder {
		p.other = p.newest
	}
	p.newest = taker{holder, p.config.Now()}
}

func (p *Pool) give(holder string, n int64) *Place {
	p.used += n
	p.held[holder] += n
	p.note(holder)
	place := &Place{pool: p, holder: holder, n: n}
	if p.config.TakeBack {
		p.places = append(p.places, place)
	}
	return place
}

// join lets someone wait, unless too many do. Who is below its share takes the
// turn of one who is not.
func (p *Pool) join(holder string, n int64) *waiter {
	below := p.below(holder, n)
	if len(p.waiting) >= p.config.Queue {
		last := slices.IndexFunc(p.waiting, func(w *waiter) bool { return !p.below(w.holder, w.n) })
		if !below || last < 0 {
			return nil
		}
		p.turnAway(last)
	}
	if below && p.config.TakeBack {
		p.takeBack()
	}
	w := &waiter{holder: holder, n: n, got: make(chan *Place, 1)}
	p.waiting = append(p.waiting, w)
	return w
}

// turnAway sends the newest of those who wait beyond their share away.
func (p *Pool) turnAway(from int) {
	for i := len(p.waiting) - 1; i >= from; i-- {
		if w := p.waiting[i]; !p.below(w.holder, w.n) {
			p.waiting = slices.Delete(p.waiting, i, i+1)
			w.got <- nil
			return
		}
	}
}

// takeBack asks the holder who is furthest beyond its share for its newest place.
func (p *Pool) takeBack() {
	var most *Place
	for _, place := range p.places {
		if !place.asked && p.held[place.holder] > p.config.Share && (most == nil || p.held[place.holder] >= p.held[most.holder]) {
			most = place
		}
	}
	if most != nil {
		most.ask()
	}
}

// ask asks for a place, once.
func (l *Place) ask() {
	if l.asked {
		return
	}
	l.asked = true
	if l.when != nil {
		l.when()
	}
}

func (p *Pool) await(ctx context.Context, w *waiter) (*Place, error) {
	timer := time.NewTimer(p.config.Wait)
	defer timer.Stop()
	var err error
	select {
	case place := <-w.got:
		return place, turnedAway(place)
	case <-timer.C:
		err = ErrFull
	case <-ctx.Done():
		err = ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.waiting, w); i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
		return nil, err
	}
	place := <-w.got // it came at the last moment
	return place, turnedAway(place)
}

func turnedAway(place *Place) error {
	if place == nil {
		return ErrFull
	}
	return nil
}

// Return gives a place back.
func (l *Place) Return() {
	if l != nil {
		l.pool.takeIn(l)
	}
}

// WhenAsked has f called, once, when the place is to be given back because someone
// below its share waits for it. It must not call the pool.
func (l *Place) WhenAsked(f func()) {
	l.pool.mu.Lock()
	defer l.pool.mu.Unlock()
	if l.when = f; l.asked {
		f()
	}
}

func (p *Pool) takeIn(l *Place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.handOn(l)
}

// handOn hands on what is given back: to those below their shares first.
func (p *Pool) handOn(l *Place) {
	if l.returned {
		return
	}
	l.returned = true
	p.used -= l.n
	if p.held[l.holder] -= l.n; p.held[l.holder] == 0 {
		delete(p.held, l.holder)
	}
	if i := slices.Index(p.places, l); i >= 0 {
		p.places = slices.Delete(p.places, i, i+1)
	}
	if len(p.waiting) > 0 {
		p.serve(true)
		p.serve(false)
	}
}

// serve gives those their turn who wait, below their shares or beyond them.
func (p *Pool) serve(below bool) {
	// Most of those who wait are often of one holder. What holds for the first of them
	// holds for the next ones, until someone is given something.
	var refused *waiter
	p.waiting = slices.DeleteFunc(p.waiting, func(w *waiter) bool {
		if refused != nil && refused.holder == w.holder && refused.n == w.n {
			return false
		}
		if p.below(w.holder, w.n) != below || !p.fits(w.holder, w.n) {
			refused = w
			return false
		}
		w.got <- p.give(w.holder, w.n)
		refused = nil
		return true
	})
}
