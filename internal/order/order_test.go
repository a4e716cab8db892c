package order_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/drover-fleet/drover/internal/order"
)

// TestBy holds it to the order of slices.SortStableFunc.
func TestBy(t *testing.T) {
	t.Parallel()
	type row struct{ key, place int }
	byKey := func(a, b row) int { return cmp.Compare(a.key, b.key) }
	var rows []row
	for i := range 1000 {
		rows = append(rows, row{key: i * 7919 % 31, place: i})
	}
	want := slices.Clone(rows)
	slices.SortStableFunc(want, byKey)
	order.By(rows, byKey)
	if !slices.Equal(rows, want) {
		t.Errorf("%v", rows)
	}
	order.By(nil, byKey)
}
