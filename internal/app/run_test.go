package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/config"
)

// newTestApp is an App with settings for its addresses.
func newTestApp(t *testing.T, role, listen, operator string) *App {
	t.Helper()
	a, err := New(t.Context(), config.Serve{
		Store: config.Store{Data: t.TempDir()}, Role: role, Listen: listen, OperatorListen: operator, MaxInFlight: 1,
		AccessTokenLifetime: time.Hour, RefreshTokenLifetime: time.Hour, MilestoneTimeout: time.Hour, MilestoneRadius: 200,
	}, Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

const anyPort = "127.0.0.1:0"

// TestServerBounds wants every way in which a client can be slow to be bounded.
func TestServerBounds(t *testing.T) {
	t.Parallel()
	s, err := newServer(t.Context(), config.Serve{}, slog.New(slog.DiscardHandler), anyPort, http.NotFoundHandler())
	if err != nil {
		t.Fatal(err)
	}
	defer s.listener.Close()
	for name, got := range map[string]time.Duration{
		"header": s.http.ReadHeaderTimeout, "request": s.http.ReadTimeout, "answer": s.http.WriteTimeout, "idle connection": s.http.IdleTimeout,
	} {
		if got <= 0 || got > 2*time.Minute {
			t.Errorf("the time for a %s is %s, want a bound of at most two minutes", name, got)
		}
	}
	if s.http.ReadHeaderTimeout > s.http.ReadTimeout {
		t.Errorf("the header may take %s, the whole request %s", s.http.ReadHeaderTimeout, s.http.ReadTimeout)
	}
	if got := s.http.MaxHeaderBytes; got != 64<<10 {
		t.Errorf("a header may have %d bytes, want 64 KiB", got)
	}
}

// TestSlowHeaderIsCutOff sends a header byte by byte.
func TestSlowHeaderIsCutOff(t *testing.T) {
	t.Parallel()
	s, err := newServer(t.Context(), config.Serve{}, slog.New(slog.DiscardHandler), anyPort, http.NotFoundHandler())
	if err != nil {
		t.Fatal(err)
	}
	s.http.ReadHeaderTimeout = 50 * time.Millisecond
	served := make(chan error, 1)
	go func() { served <- s.serve() }()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(3 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	drip := time.NewTicker(5 * time.Millisecond)
	defer drip.Stop()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nX-Slow: "); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, conn)
		ended <- err
	}()
	for cut := false; !cut; {
		select {
		case err := <-ended:
			var late net.Error
			if errors.As(err, &late) && late.Timeout() {
				t.Fatal("the service let the client go on")
			}
			cut = true
		case <-drip.C:
			_, _ = io.WriteString(conn, "x") // it fails once the service has had enough
		}
	}
	if err := errors.Join(s.shutdown(time.Minute), <-served); err != nil {
		t.Error(err)
	}
}

// TestListen opens the addresses that each role needs.
func TestListen(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		role, operator string
		addresses      int
	}{
		"Together":    {"all", "", 1},
		"Apart":       {"all", anyPort, 2},
		"Worker":      {"worker", "", 1},
		"WorkerApart": {"worker", anyPort, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := config.Serve{Store: config.Store{Data: t.TempDir()}, Role: test.role, Listen: anyPort, OperatorListen: test.operator}
			front, err := Listen(t.Context(), c, Options{Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			defer front.Close()
			if len(front.servers) != test.addresses {
				t.Errorf("%d addresses are open, want %d", len(front.servers), test.addresses)
			}
		})
	}
}

// TestListenIsAllOrNothing gives the first address back where the second fails. Another
// program may take the first one at any moment: then it is tried with another.
func TestListenIsAllOrNothing(t *testing.T) {
	t.Parallel()
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for range 5 {
		if err = listenBeside(t, taken.Addr().String()); err == nil {
			return
		}
	}
	t.Fatal(err)
}

// listenBeside runs a service on a free address and on one that is taken.
func listenBeside(t *testing.T, taken string) error {
	t.Helper()
	first := freeAddress(t)
	a := newTestApp(t, "all", first, taken)
	want := "listen at " + taken + ": the address is in use"
	if err := a.Run(context.WithoutCancel(t.Context()), nil); err == nil || err.Error() != want {
		return fmt.Errorf("with an address that is taken: %q, want %s", fmt.Sprint(err), want)
	}
	again, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", first)
	if err != nil {
		return fmt.Errorf("the first address is still held: %w", err)
	}
	return again.Close()
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
