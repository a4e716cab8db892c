package collect_test

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/store/work"
)

// writers notes which tenants the transactions write of.
type writers struct {
	mu      sync.Mutex
	tenants []string
	wrote   map[int64]string
	faults  []string
}

// look is for store.Options.Trace. The tenant whose row is written is the first
// parameter.
func (w *writers) look(s database.Statement) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, tenant := range w.tenants {
		if s.Table == "" || len(s.Args) == 0 || s.Args[0] != tenant {
			continue
		}
		if before := w.wrote[s.Tx]; before != "" && before != tenant {
			w.faults = append(w.faults, s.Query)
		}
		w.wrote[s.Tx] = tenant
	}
}

func (w *writers) watch(tenants ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tenants = tenants
}

// track gives another tenant a share of a connection and a milestone of one of its
// devices, from where driven begins to where it is after five minutes.
func (r *rig) track(conn drover.Connection, device string) store.Milestone {
	r.t.Helper()
	other := store.NewID()
	share := drover.Share{
		ID: store.NewID(), ConnectionID: conn.ID, OwnerTenantID: r.principal.TenantID, TenantID: other,
		CreatedAt: drover.At(noon),
	}
	url := "https://hooks.example/journey"
	m := store.Milestone{
		Milestone: drover.Milestone{
			ID: store.NewID(), TenantID: other, DeviceID: device, Status: drover.TripNotStarted,
			StartTime: drover.At(noon.Add(-time.Hour)), StartPoint: drover.Coordinate{Latitude: -37, Longitude: 145},
			EndPoint:   drover.Coordinate{Latitude: -36.96, Longitude: 145},
			WebhookURL: &url, WebhookEnabled: true,
		},
		DeviceTenantID: r.principal.TenantID, ConnectionID: &conn.ID, State: []byte(`{}`),
	}
	r.update(func(ctx context.Context, tx *store.Tx) error {
		return errors.Join(tx.Accounts.AddTenant(ctx, drover.Tenant{ID: other, Name: "other", CreatedAt: drover.At(noon)}),
			tx.Shares.AddShare(ctx, share, drover.FullGrant), tx.Shares.AcceptShare(ctx, share, drover.At(noon)), tx.Trips.AddMilestone(ctx, m))
	})
	return m
}

// TestMilestoneOfARecipient holds that positions of a shared device move the milestone
// of another tenant on in transactions of its own, after the positions themselves, once,
// and also where the first attempt fails; and that the owner learns of the journey.
func TestMilestoneOfARecipient(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &writers{wrote: map[int64]string{}}
			o := storetest.Options(t, name)
			o.Trace = w.look
			r := newRig(t, storetest.Open(t, o))
			s, conn := r.stub("s", noon.Add(-time.Hour), []string{"a"})
			r.run()
			m := r.track(conn, r.devices(conn)["a"].ID)
			w.watch(r.principal.TenantID, m.TenantID)
			fail := true
			relay := journal.NewRelay(r.store, func(ctx context.Context, tx *store.Tx, route work.Route, q work.Message) error {
				if err := r.options.Tracker.Receive(ctx, tx, route, q); err != nil || !fail {
					return err
				}
				fail = false
				return errors.New("the first attempt fails at its end")
			}, slog.New(slog.DiscardHandler))
			for _, minutes := range [][2]int{{0, 1}, {1, 3}, {3, 6}, {6, 7}} {
				page := driven(noon.Add(-30*time.Minute), minutes[0], minutes[1])
				if minutes[0] == 3 {
					page[2].SpeedKPH = new(0.0) // at the end
				}
				s.next(page...)
				r.pass(time.Minute)
				if minutes[0] == 1 {
					if err := relay.Flush(t.Context()); err == nil {
						t.Error("the attempt that fails is not reported")
					}
				}
			}
			for range 2 { // on both ways
				if err := relay.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			expectArrival(r, m)
			for _, query := range w.faults {
				t.Errorf("one transaction writes of both tenants: %s", query)
			}
			learned, err := r.store.History.JourneysOf(t.Context(), r.principal.TenantID, m.DeviceID, history.MilestoneJourney, 10)
			if err != nil || len(learned) != 1 {
				t.Errorf("the owner has learned of %d journeys: %v", len(learned), err)
			}
			if left, err := r.store.Feed.Routes(t.Context()); err != nil || len(left) > 0 {
				t.Errorf("something waits on %v: %v", left, err)
			}
		})
	}
}

// TestNoPositionsWithoutTheScope holds that a tenant whose share has lost the positions is sent
// none, whatever milestones it has.
func TestNoPositionsWithoutTheScope(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("s", noon.Add(-time.Hour), []string{"a"})
		r.run()
		m := r.track(conn, r.devices(conn)["a"].ID)
		sent := func(minutes int) int {
			s.next(driven(noon.Add(-30*time.Minute), minutes, minutes+1)...)
			r.pass(time.Minute)
			messages, err := r.store.Feed.Messages(t.Context(), work.Route{OwnerID: r.principal.TenantID, RecipientID: m.TenantID}, 0, 10)
			if err != nil {
				t.Fatal(err)
			}
			return len(messages)
		}
		before := sent(0)
		r.update(func(ctx context.Context, tx *store.Tx) error {
			share, err := tx.Shares.ShareWith(ctx, r.principal.TenantID, conn.ID, m.TenantID)
			if err != nil {
				return err
			}
			_, err = tx.Shares.DropShare(ctx, share)
			return errors.Join(err, tx.Shares.AddShare(ctx, share, drover.GrantRecords|drover.GrantDrivers),
				tx.Shares.AcceptShare(ctx, share, drover.At(noon)))
		})
		if after := sent(1); before != 1 || after != 1 {
			t.Errorf("%d messages with the scope, %d in all, want 1 and 1", before, after)
		}
	})
}

// expectArrival holds what a milestone's own webhook was sent, and that it has ended.
func expectArrival(r *rig, m store.Milestone) {
	r.t.Helper()
	sent, err := r.store.Feed.DueDeliveries(r.t.Context(), drover.Target{TenantID: m.TenantID, ID: m.ID}, drover.At(r.clock.Now()), nil, 100)
	if err != nil {
		r.t.Fatal(err)
	}
	// They became due at different times, and are sent in the order of the feed.
	slices.SortFunc(sent, func(a, b drover.Delivery) int { return cmp.Compare(a.Sequence, b.Sequence) })
	var types []drover.EventType
	for _, d := range sent {
		types = append(types, d.Type)
	}
	want := []drover.EventType{
		drover.EventPositionUpdated, drover.EventPositionUpdated, drover.EventMilestoneStarted, drover.EventPositionUpdated,
		drover.EventMilestoneEntered, drover.EventMilestoneEnded,
	}
	if d := diff.Diff(want, types); d != "" {
		r.t.Errorf("what was sent (-want +got):\n%s", d)
	}
	if after, err := r.store.Trips.Milestone(r.t.Context(), m.TenantID, m.ID); err != nil || after.Status != drover.TripEnded {
		r.t.Errorf("the milestone is %s: %v", after.Status, err)
	}
}
