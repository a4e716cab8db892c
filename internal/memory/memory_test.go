package memory

import (
	"math"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

func TestDefault(t *testing.T) {
	t.Parallel()
	unknown := func() (uint64, error) { return 0, memlimit.ErrNoLimit }
	for name, c := range map[string]struct {
		group, machine memlimit.Provider
		want           int64
	}{
		"control group":             {memlimit.Limit(512 << 20), memlimit.Limit(24 << 30), 512 << 20},
		"control group without one": {unknown, memlimit.Limit(24 << 30), 6 << 30},
		"small machine":             {unknown, memlimit.Limit(1 << 20), 1 << 30},
		"nothing known":             {unknown, unknown, 1 << 30},
		"no sensible number":        {memlimit.Limit(math.MaxUint64), memlimit.Limit(math.MaxUint64), math.MaxInt64 / 4},
	} {
		if got := defaultOf(c.group, c.machine); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestBudgetIsHalfOfTheLimit adds the parts up, with what they keep in reserve.
func TestBudgetIsHalfOfTheLimit(t *testing.T) {
	t.Parallel()
	const limit = 512 << 20
	b := NewBudget(limit)
	all := b.Answers
	for _, size := range []int64{b.Requests.Most(), b.Streams.Most()} {
		all += size
	}
	if all > limit/2 || all < limit/2-limit/64 {
		t.Errorf("all parts have %d of %d", all, limit)
	}
}
