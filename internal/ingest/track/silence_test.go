package track_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/work"
)

// absorb stores positions and all that follows from them.
func (r *rig) absorb(backfill bool, batch ...drover.Position) {
	r.t.Helper()
	stored, err := r.store.Fleet.Device(r.t.Context(), r.m.TenantID, r.m.DeviceID)
	if err != nil {
		r.t.Fatal(err)
	}
	r.absorbFrom(track.Source{
		TenantID: r.m.TenantID, ConnectionID: stored.ConnectionID, Poll: time.Minute,
		Oldest: func(context.Context, *store.Tx) (time.Time, error) { return time.Time{}, nil },
	}, backfill, batch...)
}

// absorbFrom is absorb of a source's positions.
func (r *rig) absorbFrom(source track.Source, backfill bool, batch ...drover.Position) {
	r.t.Helper()
	ctx, tenant, device := r.t.Context(), r.m.TenantID, r.m.DeviceID
	r.update(func(tx *store.Tx) error {
		rows := make([]history.Position, len(batch))
		for i, p := range batch {
			rows[i] = history.Of(device, p)
		}
		if _, err := tx.History.AddPositions(ctx, tenant, rows); err != nil {
			return err
		}
		f, err := r.tracker.Absorb(ctx, tx, source, map[string][]drover.Position{device: batch}, backfill)
		if err != nil {
			return err
		}
		if err := f.Keep(ctx, tx.Fleet); err != nil {
			return err
		}
		return journal.Append(ctx, tx, tenant, f.Events)
	})
}

// states are the changes of state that the tenant was notified of.
func (r *rig) states() string {
	r.t.Helper()
	events, err := r.store.Feed.Events(r.t.Context(), r.m.TenantID,
		drover.EventFilter{Types: []drover.EventType{drover.EventDeviceStateChanged}}, work.EventRange{To: 1 << 40, Limit: 100})
	if err != nil {
		r.t.Fatal(err)
	}
	var out []string
	for _, e := range events {
		var c drover.StateChange
		if err := json.Unmarshal(e.Data, &c); err != nil || c.DeviceID != r.m.DeviceID || e.DeviceID == nil || *e.DeviceID != c.DeviceID {
			r.t.Fatalf("event %+v: %v", e, err)
		}
		previous := "nothing"
		if c.Previous != nil {
			previous = string(*c.Previous)
		}
		out = append(out, fmt.Sprintf("%s→%s@%g", previous, c.State, c.StateSince.Sub(epoch).Minutes()))
	}
	return strings.Join(out, " ")
}

// listen sets the clock and looks for silent devices.
func (r *rig) listen(minutes float64) {
	r.t.Helper()
	r.now = epoch.Add(time.Duration(minutes * float64(time.Minute)))
	if err := track.NewSilence(r.store, r.tracker, slog.New(slog.DiscardHandler)).RunDue(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) wantStates(want string) {
	r.t.Helper()
	if got := r.states(); got != want {
		r.t.Errorf("notified of %q, want %q", got, want)
	}
}

func TestStateChanges(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		drive, stop := func(m float64) drover.Position { return withSpeed(seen(m, 100*m), 50) },
			func(m float64) drover.Position { return withSpeed(seen(m, 1000), 0) }
		r.absorb(false, drive(0))
		want := "nothing→driving@0"
		r.wantStates(want)
		r.listen(2)
		r.absorb(false, drive(1), drive(2))
		r.wantStates(want)
		r.listen(17) // 15 minutes after the newest, which came after the time to look was set
		r.wantStates(want)
		r.listen(17.01)
		want += " driving→silent@2"
		r.wantStates(want)
		r.listen(18)
		r.wantStates(want)
		r.absorb(false, drive(18))
		want += " silent→driving@18"
		r.wantStates(want)
		r.listen(20)
		r.absorb(false, drive(19), stop(20))
		want += " driving→stopped@20"
		r.wantStates(want)
		r.absorb(true, drive(19.5)) // an older one changes nothing
		r.listen(24*60 + 20)
		r.wantStates(want)
		r.listen(24*60 + 20.01)
		r.wantStates(want + " stopped→silent@20")
	})
}

func TestHistoryChangesNoState(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		r.now = epoch.Add(5 * time.Minute)
		r.absorb(true, withSpeed(seen(0, 0), 50))
		r.wantStates("")
		r.listen(30)
		r.wantStates("driving→silent@0")
	})
}
