package trip

import (
	"cmp"

	"github.com/drover-fleet/drover/internal/order"
)

// Changes turn stored trips into revised ones. They are indexes into the two
// lists that were compared. Applied in the order Remove, Revise, Add, no two
// trips ever have the same SystemTripID in between.
type Changes struct {
	Remove []int  // stored trips that are dissolved
	Revise []Pair // stored trips that keep their id and change
	Add    []int  // trips that are new
}

// Empty reports whether nothing changes.
func (c Changes) Empty() bool { return len(c.Remove)+len(c.Revise)+len(c.Add) == 0 }

// Pair is a stored trip and what it becomes.
type Pair struct{ Old, New int }

// Diff matches stored trips with revised ones, so that a revised trip keeps its
// id: the pair that shares the most time first, the earlier one of equals. Pairs
// that are the same are left out. Both lists are oldest first and have no overlaps
// within themselves.
func Diff(stored, revised []Derived) Changes {
	oldTaken, newTaken := make([]bool, len(stored)), make([]bool, len(revised))
	var c Changes
	for _, m := range overlaps(stored, revised) {
		if oldTaken[m.Old] || newTaken[m.New] {
			continue
		}
		oldTaken[m.Old], newTaken[m.New] = true, true
		if !stored[m.Old].Equal(revised[m.New]) {
			c.Revise = append(c.Revise, m.Pair)
		}
	}
	order.By(c.Revise, func(a, b Pair) int { return cmp.Compare(a.Old, b.Old) })
	c.Remove, c.Add = free(oldTaken), free(newTaken)
	return c
}

type match struct {
	Pair
	shared int64
}

// overlaps returns every pair that shares time, the best first.
func overlaps(stored, revised []Derived) []match {
	var all []match
	for i, k := 0, 0; i < len(stored) && k < len(revised); {
		a, b := stored[i].Span(), revised[k].Span()
		from := max(a.From.UnixMilli(), b.From.UnixMilli())
		to := min(a.To.UnixMilli(), b.To.UnixMilli())
		if from < to {
			all = append(all, match{Pair{i, k}, to - from})
		}
		if a.To.Before(b.To.Time) {
			i++
		} else {
			k++
		}
	}
	order.By(all, func(x, y match) int {
		return cmp.Or(
			cmp.Compare(y.shared, x.shared),
			cmp.Compare(x.Old, y.Old),
			cmp.Compare(x.New, y.New),
		)
	})
	return all
}

func free(taken []bool) []int {
	var out []int
	for i, t := range taken {
		if !t {
			out = append(out, i)
		}
	}
	return out
}
