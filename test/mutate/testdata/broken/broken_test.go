package broken_test

import (
	"testing"

	"github.com/drover-fleet/drover/test/mutate/testdata/broken"
)

func TestTwice(t *testing.T) {
	t.Parallel()
	if got := broken.Twice(2); got != 4 {
		t.Errorf("got %d", got)
	}
}
