package simulate

import (
	"sync"
	"time"
)

// certainty is what is known of something that is changed over a network.
type certainty int

const (
	no certainty = iota
	maybe
	yes
)

// timeline is what was known when.
type timeline struct {
	mu    sync.Mutex
	marks []mark
}

type mark struct {
	at    time.Time
	state certainty
}

// begin notes that a change is under way: from now on either may be true.
func (t *timeline) begin() { t.set(maybe) }

// end notes that the change was acknowledged.
func (t *timeline) end(is bool) {
	if is {
		t.set(yes)
		return
	}
	t.set(no)
}

func (t *timeline) set(s certainty) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.marks = append(t.marks, mark{time.Now(), s})
}

// during is what was known all the time from one moment to another. What changes at
// the very moments themselves is not known.
func (t *timeline) during(from, to time.Time) certainty {
	t.mu.Lock()
	defer t.mu.Unlock()
	state := no
	for _, m := range t.marks {
		switch {
		case m.at.Before(from):
			state = m.state
		case !m.at.After(to) && m.state != state:
			return maybe
		}
	}
	return state
}

// now is what is known at present.
func (t *timeline) now() certainty {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.marks) == 0 {
		return no
	}
	return t.marks[len(t.marks)-1].state
}

// access is who shares with whom.
type access struct {
	mu    sync.Mutex
	pairs map[[2]int]*pair
}

// pair is an owner and one who may read the owner's connection.
type pair struct {
	busy      bool   // someone changes it
	share     string // id of the share that is offered
	scopes    string // what it is offered with, as JSON
	records   timeline
	positions timeline
}

func newAccess() *access { return &access{pairs: map[[2]int]*pair{}} }

func (a *access) of(owner, reader int) *pair {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := [2]int{owner, reader}
	if a.pairs[key] == nil {
		a.pairs[key] = &pair{}
	}
	return a.pairs[key]
}

// take keeps others from changing a pair, and reports whether no one else does.
func (a *access) take(p *pair) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p.busy {
		return false
	}
	p.busy = true
	return true
}

func (a *access) leave(p *pair) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p.busy = false
}

// grants reports whether the share that is offered is one of positions.
func (p *pair) grants() bool { return p.scopes != `[]` && p.scopes != `["drivers"]` }
