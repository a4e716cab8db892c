package app

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/drover-fleet/drover/internal/store"
)

// quietTime is how long a fault that is logged stays unrepeated in the log.
const quietTime = time.Minute

// quietHandler keeps a log readable while something fails again and again: a fault
// is logged once, and then counted for a while. While the database is in trouble all
// work fails for one reason, so then the message alone tells faults apart.
type quietHandler struct {
	slog.Handler
	seen *quietFaults
}

type quietFaults struct {
	mu     sync.Mutex
	faults map[string]*quietFault
}

// quietFault is a fault that was logged, and how often it came again.
type quietFault struct {
	record   slog.Record
	repeated int
}

// quiet makes a logger of which faults are not repeated.
func quiet(l *slog.Logger) *slog.Logger {
	return slog.New(quietHandler{l.Handler(), &quietFaults{faults: map[string]*quietFault{}}})
}

// Handle passes a record on, unless it is a fault that was logged a moment ago.
func (h quietHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn {
		return h.Handler.Handle(ctx, r)
	}
	key := faultKey(r)
	h.seen.mu.Lock()
	known := h.seen.faults[key]
	if known != nil {
		known.repeated++
	} else {
		h.seen.faults[key] = &quietFault{record: r.Clone()}
		time.AfterFunc(quietTime, func() { h.tell(context.WithoutCancel(ctx), key) })
	}
	h.seen.mu.Unlock()
	if known != nil {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// tell logs how often a fault came again, and lets the next one through.
func (h quietHandler) tell(ctx context.Context, key string) {
	h.seen.mu.Lock()
	f := h.seen.faults[key]
	delete(h.seen.faults, key)
	h.seen.mu.Unlock()
	if f.repeated == 0 {
		return
	}
	f.record.AddAttrs(slog.Int("repeated", f.repeated))
	_ = h.Handler.Handle(ctx, f.record) // there is nowhere else to tell it
}

// WithAttrs and WithGroup share what was seen.
func (h quietHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quietHandler{h.Handler.WithAttrs(attrs), h.seen}
}

// WithGroup begins a group.
func (h quietHandler) WithGroup(name string) slog.Handler {
	return quietHandler{h.Handler.WithGroup(name), h.seen}
}

// passing are the attributes that differ each time.
var passing = []string{"request_id", "remote", "duration", "bytes", "user"}

// faultKey is the same for faults that are one.
func faultKey(r slog.Record) string {
	key := []string{r.Message}
	database := false
	r.Attrs(func(a slog.Attr) bool {
		if err, ok := a.Value.Any().(error); ok && store.Unavailable(err) {
			database = true
		}
		if !slices.Contains(passing, a.Key) {
			key = append(key, a.Key, a.Value.String())
		}
		return true
	})
	if database {
		return r.Message + "\x00database"
	}
	return strings.Join(key, "\x00")
}
