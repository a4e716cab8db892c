package app

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/store/storetest"
)

// TestClockWatch holds clocks against PostgreSQL's.
func TestClockWatch(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.Options(t, "postgres"))
	for ahead, want := range map[time.Duration]string{
		0: "ok", 3 * time.Second: "ok", 2 * time.Minute: "the clock differs from the database's by 2m0s", -time.Hour: "the clock differs from the database's by 1h0m0s",
	} {
		var log bytes.Buffer
		step := ahead
		w := newClockWatch(s, func() time.Time { return time.Now().Add(step) }, slog.New(slog.NewTextHandler(&log, nil)))
		w.look(t.Context())
		w.look(t.Context())
		if got := w.state(); got != want {
			t.Errorf("%s ahead: %q, want %q", ahead, got, want)
		}
		if n := strings.Count(log.String(), "level=WARN"); n != min(1, len(want)-2) {
			t.Errorf("%s ahead: %d warnings in\n%s", ahead, n, &log)
		}
		step = 0
		if w.look(t.Context()); w.state() != "ok" {
			t.Errorf("put right: %q", w.state())
		}
	}
}
