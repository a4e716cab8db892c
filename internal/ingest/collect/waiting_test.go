package collect

import (
	"testing"
	"time"
)

// TestLooks holds that anyone who waits for another process does not keep the
// database busy.
func TestLooks(t *testing.T) {
	t.Parallel()
	var tries int
	var last, waited time.Duration
	for wait := range looks() {
		if wait < last || wait > time.Second {
			t.Fatalf("a pause of %v follows one of %v", wait, last)
		}
		tries++
		last, waited = wait, waited+wait
		if waited >= busyWait {
			break
		}
	}
	if tries > 100 {
		t.Errorf("%d tries in %v", tries, busyWait)
	}
}
