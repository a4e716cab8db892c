package main

import (
	"slices"
	"strings"
	"testing"
)

// TestMeasure holds what is found in a package whose tests notice all changes but two, one of them by running too long,
// and in which one does not compile.
func TestMeasure(t *testing.T) {
	t.Parallel()
	r, err := measure(t.Context(), "./testdata/sample")
	if err != nil {
		t.Fatal(err)
	}
	var survived []string
	for _, m := range r.survived {
		survived = append(survived, m.place+" "+m.change)
	}
	want := []string{"sample.go:13:9 > to >=", "sample.go:15:9 < to <="}
	if !slices.Equal(survived, want) {
		t.Errorf("these survived: %q, not %q", survived, want)
	}
	if r.all != 15 || r.leftOut != 1 || r.hung != 1 {
		t.Errorf("of %d changes %d were left out and %d ran too long, not of 15, 1 and 1", r.all, r.leftOut, r.hung)
	}
}

func TestMeasureWhatFails(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"./testdata/broken": "the tests fail without a change",
		"./testdata/none":   "exit status",
	} {
		if _, err := measure(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %s", path, err, want)
		}
	}
}
