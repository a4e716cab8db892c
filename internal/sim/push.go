package sim

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Disturbance is what can be wrong with a push that a vendor holds open.
type Disturbance string

// The disturbances of a push.
const (
	PushCut       Disturbance = "cut"       // it ends, once
	PushGarbage   Disturbance = "garbage"   // it says what makes no sense, once
	pushSilent    Disturbance = "silent"    // it says nothing any more
	PushRepeating Disturbance = "repeating" // it says everything twice
	PushShuffled  Disturbance = "shuffled"  // what comes together comes in reverse
)

// errPushCut ends a push that is disturbed.
var errPushCut = errors.New("the push was cut")

// Listener is what a vendor says to one who holds a push open, in its own words.
type Listener struct {
	Send    func(Vehicle, Sample) error
	Idle    func() error // that it is still there
	Garbage func() error
}

// ahead is how much of a push is computed at a time.
const ahead = time.Minute

type arrival struct {
	vehicle Vehicle
	sample  Sample
}

// Follow tells a listener what the vendor receives from now on, as it receives it, until
// ctx ends or the push is cut.
func (a *Account) Follow(ctx context.Context, l Listener) error {
	computed := a.now()
	var coming []arrival
	for {
		if err := a.awaitTick(ctx); err != nil {
			return err
		}
		now := a.now()
		for computed.Before(now) {
			coming = append(coming, a.arrivals(computed, computed.Add(ahead))...)
			computed = computed.Add(ahead)
		}
		here := 0
		for here < len(coming) && !coming[here].sample.Received.After(now) {
			here++
		}
		if err := a.tell(ctx, l, coming[:here]); err != nil {
			return err
		}
		coming = coming[here:]
	}
}

// tell says what has arrived, the way that the push is disturbed.
func (a *Account) tell(ctx context.Context, l Listener, arrived []arrival) error {
	fault := a.disturbance()
	times := 1
	switch fault {
	case PushCut:
		return errPushCut
	case PushGarbage:
		if err := l.Garbage(); err != nil {
			return err
		}
	case pushSilent:
		<-ctx.Done()
		return ctx.Err()
	case PushRepeating:
		times = 2
	case PushShuffled:
		arrived = slices.Clone(arrived)
		slices.Reverse(arrived)
	}
	for _, n := range arrived {
		for range times {
			if err := l.Send(n.vehicle, n.sample); err != nil {
				return err
			}
		}
	}
	return l.Idle()
}

// arrivals returns what the vendor receives after from and up to to, in that order.
func (a *Account) arrivals(from, to time.Time) []arrival {
	var all []arrival
	for _, v := range a.fleet.Vehicles() {
		for _, s := range a.fleet.Arrived(v, from.Add(time.Nanosecond), to.Add(time.Nanosecond)) {
			all = append(all, arrival{v, s})
		}
	}
	slices.SortStableFunc(all, func(x, y arrival) int { return x.sample.Received.Compare(y.sample.Received) })
	return all
}

// Disturb disturbs the pushes of the account; the empty text ends that.
func (a *Account) Disturb(d Disturbance) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.disturbed = d
}

// disturbance returns the one at hand, and ends it where it happens once.
func (a *Account) disturbance() Disturbance {
	a.mu.Lock()
	defer a.mu.Unlock()
	d := a.disturbed
	if d == PushCut || d == PushGarbage {
		a.disturbed = ""
	}
	return d
}

// Tick replaces the second that pushes wait before they look for what is new, for
// anyone who steers the clock.
func (a *Account) Tick(wait func(ctx context.Context) error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tick = wait
}

func (a *Account) awaitTick(ctx context.Context) error {
	a.mu.Lock()
	tick := a.tick
	a.mu.Unlock()
	if tick != nil {
		return tick(ctx)
	}
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
