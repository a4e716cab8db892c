package sample_test

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover/test/mutate/testdata/sample"
)

func TestWithin(t *testing.T) {
	t.Parallel()
	for v, want := range map[int]int{-1: 1, 1: 1, 9: 9, 11: 9} {
		if got := sample.Within(v); got != want {
			t.Errorf("Within(%d) is %d, not %d", v, got, want)
		}
	}
}

func TestHours(t *testing.T) {
	t.Parallel()
	if one, two := sample.Hours(time.Hour), sample.Hours(179*time.Minute); one != 1 || two != 2 {
		t.Errorf("got %d and %d", one, two)
	}
}

func TestWord(t *testing.T) {
	t.Parallel()
	if word, ok := sample.Word([]string{"a", "b"}); word != "a.b." || !ok {
		t.Errorf("got %q, %v", word, ok)
	}
	if word, ok := sample.Word(nil); word != "" || ok {
		t.Errorf("of nothing: %q, %v", word, ok)
	}
}

func TestTwelfth(t *testing.T) {
	t.Parallel()
	if share, _ := sample.Twelfth(); share != 12 {
		t.Errorf("got %d", share)
	}
}
