package all_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider/all"
)

func TestTableEqualsTheEnum(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(drover.ProviderNames, slices.Sorted(maps.Keys(all.Providers()))); diff != "" {
		t.Errorf("the adapters differ from the enum (-want +got):\n%s", diff)
	}
	for name, info := range all.Providers() {
		if info.New == nil {
			t.Errorf("%s has no adapter", name)
		}
	}
}
