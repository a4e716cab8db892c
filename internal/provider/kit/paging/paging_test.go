package paging_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
)

var errOut = errors.New("out of order")

func TestByCursor(t *testing.T) {
	t.Parallel()
	for last, want := range map[string][]string{"": {"", "b", "c"}, "c": {"", "b", "c"}} {
		got, err := paging.ByCursor(func(cursor string) ([]string, string, error) {
			return []string{cursor}, map[string]string{"": "b", "b": "c", "c": last}[cursor], nil
		})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("last cursor %q: %v %s", last, err, diff)
		}
	}
	calls := 0
	_, err := paging.ByCursor(func(cursor string) ([]int, string, error) {
		calls++
		return nil, map[string]string{"": "b", "b": "c", "c": "b"}[cursor], nil
	})
	if err == nil || provider.KindOf(err) != provider.KindTemporary || calls != paging.MaxPages {
		t.Errorf("a list in circles: %v after %d calls", err, calls)
	}
	if _, err := paging.ByCursor(func(string) ([]int, string, error) { return nil, "", errOut }); !errors.Is(err, errOut) {
		t.Error(err)
	}
}

func TestByNumber(t *testing.T) {
	t.Parallel()
	got, err := paging.ByNumber(func(number int) ([]int, bool, error) { return []int{number}, number < 3, nil })
	if diff := cmp.Diff([]int{1, 2, 3}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if _, err := paging.ByNumber(func(int) ([]int, bool, error) { return nil, true, nil }); provider.KindOf(err) != provider.KindTemporary ||
		err == nil {
		t.Errorf("an endless list: %v", err)
	}
	if _, err := paging.ByNumber(func(int) ([]int, bool, error) { return nil, true, errOut }); !errors.Is(err, errOut) {
		t.Error(err)
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for cursor, want := range map[string]int{"": 1, "x": 1, "0": 1, paging.Cursor(7): 7} {
		if got := paging.Number(cursor); got != want {
			t.Errorf("%q is %d, want %d", cursor, got, want)
		}
	}
}

func TestPlace(t *testing.T) {
	t.Parallel()
	second, ok := paging.PlaceOf("").Next("a", 2)
	if place := paging.PlaceOf(second); !ok || place.Read != 2 {
		t.Fatalf("%q, %t", second, ok)
	}
	third, ok := paging.PlaceOf(second).Next("c", 1)
	if place := paging.PlaceOf(third); !ok || place.Read != 3 {
		t.Errorf("%q, %t", third, ok)
	}
	if cursor, ok := paging.PlaceOf(third).Next("a", 2); ok {
		t.Errorf("the first page again leads to %q", cursor)
	}
}

// TestResumed has the third of four pages fail once.
func TestResumed(t *testing.T) {
	t.Parallel()
	var r paging.Resumed[int]
	now, broken := time.Unix(0, 0), true
	var read []int
	fetch := func(number int) ([]int, bool, error) {
		read = append(read, number)
		if number == 3 && broken {
			return nil, false, errors.New("out of order")
		}
		return []int{number}, number < 4, nil
	}
	if _, err := r.ByNumber("a", now, fetch); err == nil {
		t.Fatal("no error")
	}
	broken = false
	rows, err := r.ByNumber("a", now.Add(time.Minute), fetch)
	if diff := cmp.Diff([]int{1, 2, 3, 4}, rows); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if diff := cmp.Diff([]int{1, 2, 3, 3, 4}, read); diff != "" {
		t.Errorf("pages read (-want +got): %s", diff)
	}
	broken, read = true, nil
	if _, err := r.ByNumber("a", now, fetch); err == nil {
		t.Fatal("no error")
	}
	broken = false
	for _, other := range []struct {
		list string
		at   time.Time
	}{{"b", now}, {"b", now.Add(time.Hour)}} {
		if rows, err := r.ByNumber(other.list, other.at, fetch); err != nil || len(rows) != 4 {
			t.Errorf("another list, or much later: %v, %v", rows, err)
		}
	}
}
