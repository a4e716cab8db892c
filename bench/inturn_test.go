package main

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// TestInTurn halves the speed of the machine after each pair: the ratio stays.
func TestInTurn(t *testing.T) {
	t.Parallel()
	var order []string
	second := time.Second
	work := func(name string, count int) func() (slice, error) {
		return func() (slice, error) {
			order = append(order, name)
			s := slice{count: count, took: second, used: 2 * second}
			if len(order)%2 == 0 {
				second *= 2
			}
			return s, nil
		}
	}
	one, two, err := inTurn(4, work("a", 100), work("b", 80))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a", "b", "b", "a", "a", "b", "b", "a"}; !slices.Equal(order, want) {
		t.Errorf("the order was %v, want %v", order, want)
	}
	if got := ratio(two.rates, one.rates); got != 0.8 {
		t.Errorf("the ratio is %v, want 0.8", got)
	}
	if got := ratio(two.ofCore, one.ofCore); got != 0.8 {
		t.Errorf("the ratio of a core is %v, want 0.8", got)
	}
	if got, want := one.rates, []float64{100, 50, 25, 12.5}; !slices.Equal(got, want) {
		t.Errorf("the rates are %v, want %v", got, want)
	}
}

func TestInTurnEndsWithAnError(t *testing.T) {
	t.Parallel()
	broken, n := errors.New("broken"), 0
	_, _, err := inTurn(4, func() (slice, error) { n++; return slice{}, nil }, func() (slice, error) { return slice{}, broken })
	if !errors.Is(err, broken) || n != 1 {
		t.Errorf("got %v after %d slices", err, n)
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	values := []float64{9, 1, 5}
	if got := median(values); got != 5 || values[0] != 9 {
		t.Errorf("the median is %v, the values %v", got, values)
	}
	if got := median([]float64{4, 1, 2, 9}); got != 3 {
		t.Errorf("the median of four is %v, want 3", got)
	}
}
