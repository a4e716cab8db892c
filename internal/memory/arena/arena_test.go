package arena_test

import (
	"testing"

	"github.com/drover-fleet/drover/internal/memory/arena"
)

// TestKeep holds that each value has a place of its own, whatever comes after it.
func TestKeep(t *testing.T) {
	t.Parallel()
	const n = 5000
	var room arena.Of[int]
	kept := make([]*int, n)
	for i := range kept {
		kept[i] = room.Keep(i)
	}
	for i, p := range kept {
		if *p != i {
			t.Fatalf("value %d is %d", i, *p)
		}
		*p = -i
	}
	for i, p := range kept {
		if *p != -i {
			t.Fatalf("value %d is %d after the others were changed", i, *p)
		}
	}
}

// TestFewAllocations is what it is for. It runs alone: allocations of all are counted.
func TestFewAllocations(t *testing.T) {
	if got := testing.AllocsPerRun(10, func() {
		var room arena.Of[int]
		for i := range 5000 {
			room.Keep(i)
		}
	}); got > 20 {
		t.Errorf("5000 values take %.0f allocations", got)
	}
}

// TestReuse holds that room is taken again without asking for more.
func TestReuse(t *testing.T) {
	t.Parallel()
	var room arena.Of[int]
	room.Reuse(3)
	first := room.Keep(1)
	room.Reuse(3)
	if again := room.Keep(2); again != first || *first != 2 {
		t.Errorf("the first place has %d, want 2 in the same place", *first)
	}
}
