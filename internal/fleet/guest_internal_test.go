package fleet

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// TestGuestSeesNoPorts holds that a guest who names an address sees the same of a port that is
// closed, of one that is open, and of one that speaks HTTP.
func TestGuestSeesNoPorts(t *testing.T) {
	t.Parallel()
	at := map[string]string{provider.BaseURLField: "https://10.0.0.7:9"}
	var first drover.ConnectionTrial
	for i, words := range []string{"connection refused", "EOF", "status 404"} {
		trial := drover.ConnectionTrial{Error: &words, ErrorKind: &words, Devices: i}
		seen := shownToGuest(trial, at)
		if i == 0 {
			first = seen
		}
		if diff := cmp.Diff(first, seen); diff != "" || seen.Error == nil || *seen.Error == words {
			t.Errorf("%s is seen: %s", words, diff)
		}
		if diff := cmp.Diff(trial, shownToGuest(trial, nil)); diff != "" {
			t.Errorf("what the vendor itself says is hidden: %s", diff)
		}
	}
	if good := (drover.ConnectionTrial{OK: true}); !shownToGuest(good, at).OK {
		t.Error("what works is hidden")
	}
}
