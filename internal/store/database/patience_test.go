package database

import (
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// TestPatientConn waits for a server that is silent.
func TestPatientConn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer near.Close()
		defer far.Close()
		c := &patientConn{Conn: near, limit: time.Minute, now: time.Now}
		wait := func() time.Duration {
			begun := time.Now()
			if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("it ended with %v", err)
			}
			return time.Since(begun)
		}
		if got := wait(); got != time.Minute {
			t.Errorf("it waited for %s", got)
		}
		if err := c.SetDeadline(time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		if got := wait(); got != time.Second {
			t.Errorf("with a bound of the reader's it waited for %s", got)
		}
		if err := c.SetDeadline(time.Time{}); err != nil {
			t.Fatal(err)
		}
		if got := wait(); got != time.Minute {
			t.Errorf("without it, again, it waited for %s", got)
		}
	})
}
