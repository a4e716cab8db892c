package simulate

import (
	"cmp"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing/synctest"
	"time"
)

// bus lets one part of the world go on at a time. Anyone who is about to touch what
// lies outside of its own memory (a statement, a call, a request) waits here. Once
// no one moves any more, the seed says whose turn it is, and after how long: that is
// all the concurrency there is, so it repeats.
type bus struct {
	random *rand.Rand
	trace  *trace

	mu      sync.Mutex
	waiting []*turn
	arrived chan struct{}
	halted  bool
}

// turn is someone who waits.
type turn struct {
	process  *process // nil where it is no one's of the service
	describe func() string
	label    string // what it wants, once everyone has come to rest
	number   int    // of the goroutine
	ready    chan struct{}
}

func newBus(seed uint64, t *trace) *bus {
	return &bus{random: stream(seed, "bus"), trace: t, arrived: make(chan struct{}, 1)}
}

// wait returns when it is the caller's turn.
func (b *bus) wait(label string) { b.waitFor(nil, nil, func() string { return label }) }

// waitFor is wait for a process, which gets no turn while it is frozen. What it wants
// is described when everyone has come to rest: what is known by then does not depend
// on who was faster. It returns early where done is closed: anyone who waits may hold a
// lock that someone else takes then, and who waits for a lock is not at rest.
func (b *bus) waitFor(p *process, done <-chan struct{}, describe func() string) {
	t := &turn{process: p, describe: describe, number: goroutine(), ready: make(chan struct{})}
	b.mu.Lock()
	if b.halted {
		b.mu.Unlock()
		return
	}
	b.waiting = append(b.waiting, t)
	b.mu.Unlock()
	select {
	case b.arrived <- struct{}{}:
	default:
	}
	select {
	case <-t.ready:
	case <-done:
		b.mu.Lock()
		defer b.mu.Unlock()
		b.waiting = slices.DeleteFunc(b.waiting, func(other *turn) bool { return other == t })
	}
}

// run gives turns until stop is closed, and lets everyone through then.
func (b *bus) run(stop <-chan struct{}) {
	for {
		synctest.Wait()
		b.trace.flush()
		t, frozen := b.next()
		if t != nil {
			time.Sleep(b.pause())
			b.trace.write(t.label)
			close(t.ready)
			continue
		}
		thaw := time.NewTimer(frozen)
		select {
		case <-b.arrived:
		case <-thaw.C:
		case <-stop:
			b.halt()
			return
		}
		thaw.Stop()
	}
}

// next picks whose turn it is, or says how long no one can have one. Those who wait
// are sorted by what they want, and then by who was made first: in which order they
// came here is the one thing that the seed does not decide.
func (b *bus) next() (*turn, time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	frozen := time.Hour
	var able []*turn
	for _, t := range b.waiting {
		if t.label == "" {
			t.label = t.describe()
		}
		if left := t.process.freezes(); left > 0 {
			frozen = min(frozen, left)
			continue
		}
		able = append(able, t)
	}
	if len(able) == 0 {
		return nil, frozen
	}
	slices.SortFunc(able, func(a, b *turn) int { return cmp.Or(cmp.Compare(a.label, b.label), a.number-b.number) })
	t := able[b.random.IntN(len(able))]
	b.waiting = slices.DeleteFunc(b.waiting, func(other *turn) bool { return other == t })
	return t, 0
}

// goroutine is the number of the caller's. Those that are made first have the lower
// ones, as long as one thread makes them all.
func goroutine() int {
	var text [64]byte
	n := 0
	for _, c := range text[len("goroutine "):runtime.Stack(text[:], false)] {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// pause is how long a turn takes: most are short, some are not.
func (b *bus) pause() time.Duration {
	if b.random.IntN(200) == 0 {
		return time.Duration(b.random.Int64N(int64(30 * time.Millisecond)))
	}
	return time.Duration(b.random.Int64N(int64(300 * time.Microsecond)))
}

func (b *bus) halt() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.halted = true
	for _, t := range b.waiting {
		close(t.ready)
	}
	b.waiting = nil
}
