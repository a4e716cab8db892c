package window_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
)

func TestGone(t *testing.T) {
	t.Parallel()
	answered := func(status int) error {
		return fmt.Errorf("read: %w", provider.Errorf(provider.KindPermanent, "no: %w", &provider.StatusError{Status: status}))
	}
	for err, want := range map[error]bool{
		answered(404): true, answered(403): false, errors.New("not found"): false, nil: false,
	} {
		if got := window.Gone(err); got != want {
			t.Errorf("Gone(%v) = %t", err, got)
		}
	}
}
