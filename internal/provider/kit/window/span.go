package window

import "time"

// Span is how much a vendor is asked for at once, where a setting of the server or
// of the account bounds that and is not known before: Length is the window, and
// Margin what is asked for on both sides of it.
type Span struct{ Length, Margin time.Duration }

// shortest is where a span is not narrowed further: trips are longer.
const shortest = time.Hour

// Narrow halves the span after a vendor has refused it as too long. It is false
// where that would leave too little; the refusal is then meant otherwise.
func (s *Span) Narrow() bool {
	if s.Length+2*s.Margin < 2*shortest {
		return false
	}
	s.Length, s.Margin = s.Length/2, s.Margin/2
	return true
}
