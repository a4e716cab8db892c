package main

import (
	"slices"
	"time"
)

// slice is a short piece of work that is measured.
type slice struct {
	count      int
	took, used time.Duration // the time that passed, and that of the processors
}

// measured is what slices have done a second, and in a second of a processor.
type measured struct {
	rates, ofCore []float64
}

func (m *measured) add(s slice, err error) error {
	if err != nil {
		return err
	}
	m.rates = append(m.rates, float64(s.count)/s.took.Seconds())
	m.ofCore = append(m.ofCore, float64(s.count)/s.used.Seconds())
	return nil
}

// inTurn measures two kinds of work in short slices, one pair after another and each the
// other way round than the one before it: whatever makes the machine slower or faster for a
// while does so for both, and only the ratio within a pair says how they differ.
func inTurn(pairs int, first, second func() (slice, error)) (one, two measured, err error) {
	for n := range pairs {
		work := []func() error{
			func() error { return one.add(first()) },
			func() error { return two.add(second()) },
		}
		if n%2 == 1 {
			slices.Reverse(work)
		}
		for _, do := range work {
			if err := do(); err != nil {
				return one, two, err
			}
		}
	}
	return one, two, nil
}

// ratio is the median of the ratios of pairs.
func ratio(of, to []float64) float64 {
	ratios := make([]float64, len(of))
	for n := range of {
		ratios[n] = of[n] / to[n]
	}
	return median(ratios)
}

// median leaves values in their order.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if n := len(sorted); n%2 == 0 {
		return (sorted[n/2-1] + sorted[n/2]) / 2
	}
	return sorted[len(sorted)/2]
}
