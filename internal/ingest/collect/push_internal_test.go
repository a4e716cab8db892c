package collect

import (
	"log/slog"
	"testing"

	"github.com/drover-fleet/drover/internal/provider"
)

// TestServerWithoutPushIsInOrder holds that a push that was cut is a warning, and
// that a server that has none is not.
func TestServerWithoutPushIsInOrder(t *testing.T) {
	t.Parallel()
	for kind, want := range map[provider.Kind]slog.Level{
		provider.KindPermanent: slog.LevelInfo, provider.KindTemporary: slog.LevelWarn,
		provider.KindCredentials: slog.LevelWarn, provider.KindRateLimited: slog.LevelWarn,
	} {
		if got, text := pushEnd(kind); got != want || text == "" {
			t.Errorf("the end of kind %s is logged as %s %q, want %s", kind, got, text, want)
		}
	}
}
