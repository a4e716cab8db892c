package window_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider/kit/window"
)

// seconds are rows, each at so many seconds from the start.
func seconds(from, to int) []int {
	var rows []int
	for i := from; i < to; i++ {
		rows = append(rows, i)
	}
	return rows
}

func second(n int) time.Time { return start.Add(time.Duration(n) * time.Second) }

func since(t time.Time) int { return int(t.Sub(start) / time.Second) }

func TestHalves(t *testing.T) {
	t.Parallel()
	calls := 0
	got, err := window.Halves(second(0), second(100), 2*time.Second, func(from, to time.Time) ([]int, bool, error) {
		calls++
		rows := seconds(since(from), since(to))
		return rows, len(rows) > 30, nil
	})
	if diff := cmp.Diff(seconds(0, 100), got); err != nil || diff != "" || calls != 7 {
		t.Errorf("%d calls, %v %s", calls, err, diff)
	}
	if got, err := window.Halves(second(0), second(8), 2*time.Second, func(from, _ time.Time) ([]int, bool, error) {
		return []int{since(from)}, true, nil
	}); err != nil || len(got) != 4 {
		t.Errorf("what is always cut: %v, %v", got, err)
	}
	broken := errors.New("broken")
	if _, err := window.Halves(second(0), second(8), 0, func(from, to time.Time) ([]int, bool, error) {
		if since(to)-since(from) == 8 {
			return nil, true, nil
		}
		return nil, false, broken
	}); !errors.Is(err, broken) {
		t.Error(err)
	}
}

func TestOnward(t *testing.T) {
	t.Parallel()
	const full = 3
	for name, test := range map[string]struct {
		rows, want []int
		calls      int
	}{
		"short":        {[]int{1, 2}, []int{1, 2}, 1},
		"goes on":      {[]int{1, 2, 3, 4, 5, 6}, []int{1, 2, 3, 3, 4, 5, 5, 6}, 3},
		"one time":     {[]int{1, 1, 1, 1, 2}, []int{1, 1, 1, 1, 1, 1, 2}, 3},
		"out of order": {[]int{3, 1, 2, 4}, []int{3, 1, 2, 3, 4}, 2},
	} {
		calls := 0
		got, err := window.Onward(second(0), full, second, func(from time.Time) ([]int, error) {
			calls++
			var rows []int
			for _, row := range test.rows {
				if row >= since(from) && len(rows) < full {
					rows = append(rows, row)
				}
			}
			return rows, nil
		})
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" || calls != test.calls {
			t.Errorf("%s: %d calls, %v %s", name, calls, err, diff)
		}
	}
}

func TestOnwardEnds(t *testing.T) {
	t.Parallel()
	calls := 0
	_, err := window.Onward(second(0), 1, second, func(time.Time) ([]int, error) {
		calls++
		return []int{5}, nil // whatever is asked for
	})
	if err != nil || calls != 3 {
		t.Errorf("%d calls, %v", calls, err)
	}
	broken := errors.New("broken")
	if _, err := window.Onward(second(0), 1, second, func(time.Time) ([]int, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// TestOnwardBelow has vendors whose largest answer is not known: nothing is left out,
// and what a former answer has shown saves a call.
func TestOnwardBelow(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		most       int // before
		full       int // of the vendor
		rows, want []int
		calls      int
	}{
		"nothing":                {0, 3, nil, nil, 1},
		"cut":                    {0, 3, []int{1, 2, 3, 4, 5, 6}, []int{1, 2, 3, 3, 4, 5, 5, 6}, 3},
		"cut at the very end":    {0, 3, []int{1, 2, 3}, []int{1, 2, 3, 3}, 2},
		"cut to one":             {0, 1, []int{1, 2}, []int{1, 1, 2}, 4},
		"fewer than known":       {4, 9, []int{1, 2, 3}, []int{1, 2, 3}, 1},
		"as many as known":       {3, 9, []int{1, 2, 3}, []int{1, 2, 3, 3}, 2},
		"more than known, whole": {2, 9, []int{1, 2, 3}, []int{1, 2, 3, 3}, 2},
	} {
		calls, most := 0, test.most
		got, err := window.OnwardBelow(second(0), &most, second, func(from time.Time) ([]int, error) {
			calls++
			var rows []int
			for _, row := range test.rows {
				if row >= since(from) && len(rows) < test.full {
					rows = append(rows, row)
				}
			}
			return rows, nil
		})
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" || calls != test.calls {
			t.Errorf("%s: %d calls, want %d, %v %s", name, calls, test.calls, err, diff)
		}
	}
}
