package database

import "testing"

// TestBulkWaits looks who is written next while others wait too.
func TestBulkWaits(t *testing.T) {
	t.Parallel()
	d := &sqliteDB{writes: make(chan *sqliteWrite, 2), bulk: make(chan *sqliteWrite, 2)}
	first, second, large := &sqliteWrite{}, &sqliteWrite{}, &sqliteWrite{}
	d.bulk <- large
	d.writes <- first
	d.writes <- second
	steps := []struct {
		bulk bool
		want *sqliteWrite
	}{{true, first}, {false, second}, {false, nil}, {true, large}, {true, nil}}
	for i, step := range steps {
		if got := d.waiting(step.bulk); got != step.want {
			t.Errorf("step %d: got %p, want %p of %p, %p and %p", i, got, step.want, first, second, large)
		}
	}
}
