package trip

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// Known is a stored position, and whether it is marked as a jump.
type Known struct {
	drover.Position
	Jump bool
}

// Mark is what a stored position becomes: a jump, or one that is accepted.
type Mark struct {
	Time drover.Time
	Jump bool
}

// chain is a number of positions in a row that agree with each other on another
// place than what is accepted. They are jumps until the chain is long enough.
type chain struct {
	From  int64 `json:"from"`
	Last  point `json:"last"`
	Count int32 `json:"count"`
	// Doubted says that it is one position, which the next one decides about.
	Doubted bool `json:"doubted"`
}

func (c *chain) agrees(p *point, l *limits) bool { return c.Count > 0 && !l.jumps(&c.Last, p) }

func (c *chain) add(p *point) {
	c.Last = *p
	c.Count++
}

func (c *chain) confirmed() bool {
	return c.Count >= ConfirmPositions && c.Last.At-c.From >= confirmFor
}

// marker holds what the fold makes of positions against the marks that are stored.
// The positions of a chain are open until it is confirmed or broken.
type marker struct {
	chain   []oddity
	changes []Mark
	// earlier is where a chain began whose positions were stored before, marked as
	// jumps; zero where there is none.
	earlier int64
	load    Loader
}

// oddity is a position of a chain.
type oddity struct {
	at     int64
	marked bool
}

// marker goes on from the state.
func (s *State) marker(load Loader) marker {
	return marker{load: load, earlier: s.f.Odd.From}
}

// note takes in what became of a position that is stored with a mark or without.
func (m *marker) note(at int64, marked bool, step Step) error {
	if step.Confirms {
		if err := m.confirm(at); err != nil {
			return err
		}
	} else if step.First || !step.Jump {
		m.settle(true)
		m.earlier = 0
	}
	switch {
	case step.Jump:
		m.chain = append(m.chain, oddity{at, marked})
	case marked:
		m.changes = append(m.changes, Mark{drover.Milli(at), false})
	}
	return nil
}

// confirm accepts the chain that ends before a time.
func (m *marker) confirm(at int64) error {
	if m.earlier != 0 {
		stored, err := m.load(milliSpan(m.earlier, at))
		if err != nil {
			return err
		}
		for _, p := range stored {
			if p.Jump {
				m.changes = append(m.changes, Mark{p.Time, false})
			}
		}
		m.chain, m.earlier = nil, 0
	}
	m.settle(false)
	return nil
}

// settle decides about the chain.
func (m *marker) settle(jump bool) {
	for _, o := range m.chain {
		if o.marked != jump {
			m.changes = append(m.changes, Mark{drover.Milli(o.at), jump})
		}
	}
	m.chain = m.chain[:0]
}

// end returns the marks that change, oldest first.
func (m *marker) end() []Mark {
	m.settle(true)
	return m.changes
}

func plausible(p *point) bool { return geo.Plausible(p.place()) }
