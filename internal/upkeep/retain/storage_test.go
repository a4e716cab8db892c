package retain_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/upkeep/retain"
)

func TestMetricsOfTheHistory(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		fill(t, s, account.Retention{TenantID: store.NewID()}, 10)
		present := now
		k := retain.New(retain.Options{Store: s, Now: func() time.Time { return present }, Logger: slog.New(slog.DiscardHandler)})
		if n := testutil.CollectAndCount(k.Metrics()); n != 0 {
			t.Errorf("%d metrics before anything was measured", n)
		}
		rows := func(want string) {
			t.Helper()
			if err := k.Measure(t.Context()); err != nil {
				t.Fatal(err)
			}
			text := "# HELP drover_storage_positions Positions that are kept, as rows and in packed days.\n# TYPE drover_storage_positions gauge\n" +
				"drover_storage_positions{form=\"packed\"} 0\ndrover_storage_positions{form=\"row\"} " + want + "\n"
			if err := testutil.CollectAndCompare(k.Metrics(), strings.NewReader(text), "drover_storage_positions"); err != nil {
				t.Error(err)
			}
		}
		rows("10")
		fill(t, s, account.Retention{TenantID: store.NewID()}, 5)
		rows("10") // the figures are still new
		present = present.Add(7 * time.Hour)
		rows("15")
	})
}

func TestHowLongTheDiskLasts(t *testing.T) {
	t.Parallel()
	if days := (retain.Storage{}).DaysUntil(1 << 40); days != nil {
		t.Errorf("%v days without any growth", *days)
	}
	if days := (retain.Storage{GrowthBytesPerDay: 100}).DaysUntil(4000); days == nil || *days != 40 {
		t.Errorf("%v days, not 40", days)
	}
}
