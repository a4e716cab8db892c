package app

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/store"
)

// clockInterval is how often the clock is held against the database's.
const clockInterval = 30 * time.Second

// clockWatch holds the process's clock against the database's: times of processes
// that differ are stored as if they did not.
type clockWatch struct {
	background.Work
	store  *store.Store
	now    func() time.Time
	logger *slog.Logger
	skew   atomic.Int64 // nanoseconds
}

func newClockWatch(s *store.Store, now func() time.Time, logger *slog.Logger) *clockWatch {
	w := &clockWatch{store: s, now: now, logger: logger}
	w.Run = func(ctx context.Context) {
		w.look(ctx)
		background.Every(ctx, clockInterval, w.look)
	}
	return w
}

// look measures. A database that does not answer is others' to report.
func (w *clockWatch) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, clockInterval/2)
	defer cancel()
	if skew, err := w.store.Skew(ctx, w.now); err == nil {
		w.note(ctx, skew)
	}
}

// note keeps what was measured. It logs when the clock begins to differ, and when it has
// been put right.
func (w *clockWatch) note(ctx context.Context, skew time.Duration) {
	before := time.Duration(w.skew.Swap(int64(skew)))
	switch {
	case skew.Abs() > store.MaxSkew && before.Abs() <= store.MaxSkew:
		w.logger.WarnContext(ctx, "the clock differs from the database's", "ahead", skew.Round(time.Millisecond).String())
	case skew.Abs() <= store.MaxSkew && before.Abs() > store.MaxSkew:
		w.logger.InfoContext(ctx, "the clock agrees with the database's again")
	}
}

// state is what health says of it.
func (w *clockWatch) state() string {
	if skew := time.Duration(w.skew.Load()); skew.Abs() > store.MaxSkew {
		return fmt.Sprintf("the clock differs from the database's by %s", skew.Abs().Round(time.Second))
	}
	return "ok"
}

func (w *clockWatch) metric() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "drover_clock_skew_seconds", Help: "By how much this process's clock is ahead of the database's.",
	}, func() float64 { return time.Duration(w.skew.Load()).Seconds() })
}
