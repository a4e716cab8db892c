package track

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/rules/motion"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	// listenEvery is how often devices are looked for that have fallen silent.
	listenEvery = 10 * time.Second
	// listenLimit bounds those that are looked at in one go.
	listenLimit = 500
)

// Silence notices devices that nothing was heard of for too long, also where their
// provider fails or is no longer asked. It is background work, of any number of
// processes: who comes second finds nothing to do.
type Silence struct {
	background.Work
	store   *store.Store
	tracker *Tracker
	logger  *slog.Logger
}

// NewSilence makes a Silence.
func NewSilence(s *store.Store, t *Tracker, logger *slog.Logger) *Silence {
	w := &Silence{store: s, tracker: t, logger: logger}
	w.Run = func(ctx context.Context) { s.EachPlace(ctx, w.run) }
	return w
}

func (w *Silence) run(ctx context.Context) {
	background.Every(ctx, listenEvery, func(ctx context.Context) {
		if err := w.RunDue(ctx); err != nil && ctx.Err() == nil && !store.Silent(err) {
			w.logger.ErrorContext(ctx, "look for silent devices", "err", err)
		}
	})
}

// RunDue looks at every device that is due now.
func (w *Silence) RunDue(ctx context.Context) error {
	for {
		due, err := w.store.Fleet.DueSilences(ctx, drover.At(w.tracker.Now()), listenLimit)
		if err != nil || len(due) == 0 {
			return err
		}
		byConnection := map[store.SilenceSource][]string{}
		var sources []store.SilenceSource // those that have waited longest first
		for _, d := range due {
			if byConnection[d.SilenceSource] == nil {
				sources = append(sources, d.SilenceSource)
			}
			byConnection[d.SilenceSource] = append(byConnection[d.SilenceSource], d.DeviceID)
		}
		for _, source := range sources {
			err := w.store.Update(ctx, func(tx *store.Tx) error { return w.look(ctx, tx, source, byConnection[source]) })
			if err != nil {
				return err
			}
		}
	}
}

// look decides with the devices locked: positions may have come meanwhile, or since
// the time to look was set.
func (w *Silence) look(ctx context.Context, tx *store.Tx, from store.SilenceSource, ids []string) error {
	states, err := tx.Fleet.DeviceStates(ctx, from.TenantID, ids)
	if err != nil {
		return err
	}
	var events []drover.Event
	var looked []*store.DeviceState
	for _, id := range slices.Sorted(maps.Keys(states)) {
		d := w.tracker.device(tx, Source{TenantID: from.TenantID, ConnectionID: from.ConnectionID, Poll: from.Poll}, states[id], false)
		if d.state.Latest == nil || d.state.SilentDue == nil {
			continue
		}
		now := motion.Now(motion.Status{State: d.state.State, Since: *d.state.StateSince}, d.state.Latest.Time, w.tracker.Now(), from.Poll)
		if err := d.setState(now); err != nil {
			return err
		}
		looked, events = append(looked, d.state), append(events, d.events...)
	}
	if err := tx.Fleet.SetDeviceStates(ctx, from.TenantID, looked); err != nil || len(events) == 0 {
		return err
	}
	return journal.Publish(ctx, tx, from.TenantID, from.ConnectionID, events)
}
