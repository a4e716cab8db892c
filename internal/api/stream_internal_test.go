package api

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/keys/vault"
)

// TestRevocationWithinASecond holds that what one process has ended ends at all others
// within a second: first they have to notice it, then a stream has to look.
func TestRevocationWithinASecond(t *testing.T) {
	t.Parallel()
	s := &server{Options: Options{Heartbeat: heartbeat}}
	if most := vault.WatchInterval + s.lookEvery(); most >= time.Second {
		t.Errorf("a stream ends up to %v after its token was revoked at another process", most)
	}
	if linkCheck > time.Second {
		t.Errorf("a stream of a link ends up to %v after the link", linkCheck)
	}
}
