package collect

import (
	"strconv"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

// TestListWithoutEnd follows a vendor that always says that there is more.
func TestListWithoutEnd(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]int{1: mostPages, 100: longestList / 100, 0: mostPages} {
		l, err := listingOf("", drover.At(time.Unix(0, 0)))
		pages := 0
		for err == nil && pages <= mostPages {
			pages++
			l, err = l.advance(store.JobDevices, longestList, strconv.Itoa(pages), true, size)
		}
		if pages != want || provider.KindOf(err) != provider.KindTemporary {
			t.Errorf("pages of %d devices: given up after %d, want %d: %v", size, pages, want, err)
		}
	}
	full := listing{Pages: mostPages - 1, Records: longestList - 1}
	if _, err := full.advance(store.JobDevices, longestList, "", false, 1); err != nil {
		t.Errorf("a list that ends there: %v", err)
	}
}
