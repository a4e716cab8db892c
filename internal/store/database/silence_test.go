package database

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestSilentServer waits for one of several servers that says nothing: while it answers on
// another connection it is waited for, and given up once it does not, by all connections.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var alive atomic.Bool
		alive.Store(true)
		known := newServers(func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			go func() {
				defer far.Close()
				question := make([]byte, 8)
				if n, err := far.Read(question); err == nil && n == 8 && alive.Load() {
					_, _ = far.Write([]byte("N")) // who asks may have gone
				}
				_, _ = far.Read(question) // until it is closed
			}()
			return near, nil
		})
		connect := func() *patientConn {
			near, far := net.Pipe()
			t.Cleanup(func() { _, _ = near.Close(), far.Close() })
			return &patientConn{Conn: near, limit: 25 * time.Second, now: time.Now, made: time.Now(), server: known.at("tcp", "a")}
		}
		read := func(c *patientConn) (time.Duration, error) {
			begun := time.Now()
			_, err := c.Read(make([]byte, 1))
			return time.Since(begun), err
		}
		first, second := connect(), connect()
		if took, err := read(first); took != 25*time.Second || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("while the server answers it waited for %s, %v", took, err)
		}
		alive.Store(false)
		var all sync.WaitGroup
		for _, c := range []*patientConn{first, connect(), connect()} {
			all.Go(func() {
				if took, err := read(c); took != postgresDoubt+postgresAnswer || err == nil {
					t.Errorf("where it does not, it waited for %s, %v", took, err)
				}
			})
		}
		all.Wait()
		if took, err := read(second); took != 0 || !errors.Is(err, errSilent) {
			t.Errorf("another connection waited for %s, %v", took, err)
		}
		alive.Store(true)
		time.Sleep(time.Minute)
		if took, err := read(connect()); took != 25*time.Second || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a new connection to a server that is back waited for %s, %v", took, err)
		}
	})
}

// TestReaderBoundsItself leaves the bound of the one who reads alone.
func TestReaderBoundsItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer near.Close()
		defer far.Close()
		asked := newServers(func(context.Context, string, string) (net.Conn, error) {
			t.Error("the server was asked")
			return nil, os.ErrClosed
		})
		c := &patientConn{Conn: near, limit: 25 * time.Second, now: time.Now, made: time.Now(), server: asked.at("tcp", "a")}
		if err := c.SetDeadline(time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begun) != time.Second {
			t.Errorf("it ended after %s with %v", time.Since(begun), err)
		}
	})
}
