package memory

import (
	"errors"
	"os"
	"testing"
)

func TestDefault(t *testing.T) {
	t.Parallel()
	const machine = "MemTotal:       24683192 kB\nMemFree: 1 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"control group":                 {map[string]string{"/sys/fs/cgroup/memory.max": "536870912\n", "/proc/meminfo": machine}, 512 << 20},
		"control group without one":     {map[string]string{"/sys/fs/cgroup/memory.max": "max\n", "/proc/meminfo": machine}, 24683192 << 10 / 4},
		"older control group":           {map[string]string{"/sys/fs/cgroup/memory/memory.limit_in_bytes": "268435456\n"}, 256 << 20},
		"older control group, no limit": {map[string]string{"/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 1 << 30},
		"small machine":                 {map[string]string{"/proc/meminfo": "MemTotal: 1000 kB\n"}, 1 << 30},
		"nothing known":                 {nil, 1 << 30},
	} {
		got := defaultOf(func(name string) ([]byte, error) {
			if text, ok := c.files[name]; ok {
				return []byte(text), nil
			}
			return nil, errors.Join(os.ErrNotExist)
		})
		if got != c.want {
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
