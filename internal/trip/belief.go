package trip

import (
	"github.com/drover-fleet/drover"
)

// Known is a stored position, and whether it is marked as a jump.
type Known struct {
	drover.Position
	Jump bool
}

// Mark is what a stored position becomes: a jump, or one that is believed.
type Mark struct {
	Time drover.Time
	Jump bool
}

// marker holds what the fold makes of positions against the marks that are stored.
// The position passed over last is open until the next one confirms it or does
// not.
type marker struct {
	odd     oddity
	changes []Mark
}

// oddity is a position that was passed over; its zero value is none.
type oddity struct {
	at     int64
	marked bool
}

// marker goes on from the state, whose odd position is stored as a jump.
func (s *State) marker() marker {
	return marker{odd: oddity{at: s.f.Odd.At, marked: s.f.Odd.At != 0}}
}

// note takes in what became of a position that is stored with a mark or without.
func (m *marker) note(at int64, marked bool, step Step) {
	m.settle(!step.Confirms)
	switch {
	case step.Jump:
		m.odd = oddity{at, marked}
	case marked:
		m.changes = append(m.changes, Mark{drover.Milli(at), false})
	}
}

// settle decides about the position passed over.
func (m *marker) settle(jump bool) {
	if m.odd.at != 0 && m.odd.marked != jump {
		m.changes = append(m.changes, Mark{drover.Milli(m.odd.at), jump})
	}
	m.odd = oddity{}
}

// end returns the marks that change, oldest first.
func (m *marker) end() []Mark {
	m.settle(true)
	return m.changes
}

// confirms reports whether p, which follows on a position that was passed over,
// shows that the vehicle is really there. After a long silence it shows nothing.
func (p *point) confirms(odd *point) bool {
	return odd.At != 0 && p.At-odd.At < forget && !jumps(odd, p)
}
