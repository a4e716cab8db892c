package wire_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

func TestRows(t *testing.T) {
	t.Parallel()
	if got := wire.All([]int{1, 2}, strconv.Itoa); !cmp.Equal(got, []string{"1", "2"}) {
		t.Errorf("all are %v", got)
	}
	even := func(n int) (string, bool) { return strconv.Itoa(n), n%2 == 0 }
	if got := wire.Records([]int{1, 2, 3, 4}, even); !cmp.Equal(got, []string{"2", "4"}) {
		t.Errorf("the even ones are %v", got)
	}
}
