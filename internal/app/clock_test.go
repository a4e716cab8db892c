package app

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/store/storetest"
)

// TestClockWatch holds clocks against PostgreSQL's. What is said of one may be wrong by
// half of the time that a busy machine takes to ask.
func TestClockWatch(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.Options(t, "postgres"))
	for ahead, differs := range map[time.Duration]bool{0: false, time.Second: false, 10 * time.Minute: true, -time.Hour: true} {
		var log bytes.Buffer
		step := ahead
		w := newClockWatch(s, func() time.Time { return time.Now().Add(step) }, slog.New(slog.NewTextHandler(&log, nil)))
		w.look(t.Context())
		w.look(t.Context())
		by, said := strings.CutPrefix(w.state(), "the clock differs from the database's by ")
		if said != differs || !said && by != "ok" {
			t.Errorf("%s ahead: %q", ahead, w.state())
		}
		if d, err := time.ParseDuration(by); said && (err != nil || (d-ahead.Abs()).Abs() > time.Minute) {
			t.Errorf("%s ahead: it differs by %q", ahead, by)
		}
		if n := strings.Count(log.String(), "level=WARN"); (n == 1) != differs || n > 1 {
			t.Errorf("%s ahead: %d warnings in\n%s", ahead, n, &log)
		}
		step = 0
		if w.look(t.Context()); w.state() != "ok" {
			t.Errorf("put right: %q", w.state())
		}
	}
}

// TestClockThatDiffers is past five seconds, either way.
func TestClockThatDiffers(t *testing.T) {
	t.Parallel()
	for skew, want := range map[time.Duration]string{
		5 * time.Second: "ok", -5 * time.Second: "ok",
		5*time.Second + 1: "the clock differs from the database's by 5s", -5*time.Second - 1: "the clock differs from the database's by 5s",
		2 * time.Minute: "the clock differs from the database's by 2m0s",
	} {
		var log bytes.Buffer
		w := newClockWatch(nil, time.Now, slog.New(slog.NewTextHandler(&log, nil)))
		w.note(t.Context(), skew)
		w.note(t.Context(), skew)
		if got := w.state(); got != want {
			t.Errorf("%s: %q, want %q", skew, got, want)
		}
		if n := strings.Count(log.String(), "level=WARN"); (n == 1) != (want != "ok") || n > 1 {
			t.Errorf("%s: %d warnings in\n%s", skew, n, &log)
		}
	}
}
