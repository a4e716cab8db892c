package memory

import "testing"

// TestRest gives memory back once after each burst, and not while there is work.
func TestRest(t *testing.T) {
	t.Parallel()
	var allocated uint64
	given := 0
	r := &Rest{allocated: func() uint64 { return allocated }, giveBack: func() { given++ }}
	for i, step := range []struct {
		more uint64 // allocated since the last look
		want int    // times that memory was given back so far
	}{
		{44 * mib, 0}, // it starts
		{1 * mib, 1},  // and rests
		{1 * mib, 1},
		{2 * mib, 1},
		{20 * mib, 1}, // a login
		{20 * mib, 1},
		{0, 2},
		{0, 2},
		{1 * mib, 2},
		{1 * mib, 2},
		{1 * mib, 2},
		{1 * mib, 2},
		{1 * mib, 2},
		{1 * mib, 2},
		{1 * mib, 2},
		{1 * mib, 3}, // small things add up
		{0, 3},
	} {
		allocated += step.more
		r.Look(t.Context())
		if given != step.want {
			t.Errorf("look %d: memory was given back %d times, want %d", i, given, step.want)
		}
	}
}

// TestRestReads reads what this process allocates.
func TestRestReads(t *testing.T) {
	t.Parallel()
	r := NewRest()
	before := r.allocated()
	kept = make([]byte, 64<<10)
	if after := r.allocated(); after < before+64<<10 {
		t.Errorf("allocated %d, then %d", before, after)
	}
}

var kept []byte
