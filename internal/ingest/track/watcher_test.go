package track_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/store/work"
)

func TestMain(m *testing.M) { storetest.PlannedMain(m) }

// rig is a stored milestone of a tenant with one device.
type rig struct {
	t       *testing.T
	store   *store.Store
	tracker *track.Tracker
	now     time.Time
	m       store.Milestone
}

func newRig(t *testing.T, s *store.Store, m drover.Milestone) *rig {
	t.Helper()
	r := &rig{t: t, store: s, now: epoch}
	r.tracker = &track.Tracker{Config: milestone.DefaultConfig(), Now: func() time.Time { return r.now }}
	m.ID, m.TenantID, m.DeviceID = store.NewID(), store.NewID(), store.NewID()
	connection := store.NewID()
	r.m = store.Milestone{Milestone: m, DeviceTenantID: m.TenantID, ConnectionID: &connection}
	ctx := t.Context()
	r.update(func(tx *store.Tx) error {
		if err := tx.Accounts.AddTenant(ctx, drover.Tenant{ID: m.TenantID, Name: m.TenantID, CreatedAt: drover.At(epoch)}); err != nil {
			return err
		}
		if err := tx.Fleet.AddConnection(ctx, drover.Connection{
			ID: connection, TenantID: m.TenantID, IntegrationName: drover.Traccar, BusinessName: "b", CollectionStartTime: drover.At(epoch),
		}, []byte("sealed"), drover.At(epoch)); err != nil {
			return err
		}
		if err := tx.Fleet.AddDevice(ctx, m.TenantID, drover.Device{ID: m.DeviceID, ConnectionID: connection, SystemDeviceID: "d"},
			drover.At(epoch)); err != nil {
			return err
		}
		if err := r.tracker.Restart(ctx, tx.History, &r.m); err != nil {
			return err
		}
		return tx.Trips.AddMilestone(ctx, r.m)
	})
	return r
}

func (r *rig) update(f func(tx *store.Tx) error) {
	r.t.Helper()
	if err := r.store.Update(r.t.Context(), f); err != nil {
		r.t.Fatal(err)
	}
}

// receive stores a batch as the collector does.
func (r *rig) receive(batch ...drover.Position) {
	r.t.Helper()
	ctx, tenant, device := r.t.Context(), r.m.TenantID, r.m.DeviceID
	batch = slices.Clone(batch)
	slices.SortStableFunc(batch, byTime)
	r.update(func(tx *store.Tx) error {
		rows := make([]history.Position, len(batch))
		for i, p := range batch {
			rows[i] = history.Of(device, p)
		}
		fresh, err := tx.History.AddPositions(ctx, tenant, rows)
		if err != nil {
			return err
		}
		var added []drover.Position
		for i, p := range batch {
			if fresh[i] {
				added = append(added, p)
			}
		}
		if len(added) == 0 {
			return nil
		}
		states, err := tx.Fleet.DeviceStates(ctx, tenant, []string{device})
		if err != nil {
			return err
		}
		b := track.Batch{
			TenantID: tenant, ConnectionID: *r.m.ConnectionID,
			Positions: map[string][]drover.Position{device: added}, Before: map[string]drover.Time{},
		}
		state := states[device]
		if state == nil {
			state = &store.DeviceState{DeviceID: device}
		}
		if state.Latest != nil {
			b.Before[device] = state.Latest.Time
		}
		if newest := added[len(added)-1]; state.Latest == nil || newest.Time.After(state.Latest.Time.Time) {
			state.Latest = &newest
		}
		if err := tx.Fleet.SetDeviceStates(ctx, tenant, []*store.DeviceState{state}); err != nil {
			return err
		}
		return r.tracker.Judge(ctx, tx, b)
	})
}

func (r *rig) watcher() *track.Watcher {
	return track.NewWatcher(r.store, r.tracker, slog.New(slog.DiscardHandler))
}

// at sets the clock to minutes after the start and looks at what is due.
func (r *rig) at(minutes float64) {
	r.t.Helper()
	r.now = epoch.Add(time.Duration(minutes * float64(time.Minute)))
	if err := r.watcher().RunDue(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

// reported is what the tenant was notified of, with the minutes after the start.
func (r *rig) reported() string {
	r.t.Helper()
	events, err := r.store.Feed.Events(r.t.Context(), r.m.TenantID, drover.EventFilter{MilestoneID: r.m.ID},
		work.EventRange{To: 1 << 40, Limit: 100})
	if err != nil {
		r.t.Fatal(err)
	}
	var out []string
	for _, e := range events {
		var data drover.MilestoneStep
		if err := json.Unmarshal(e.Data, &data); err != nil {
			r.t.Fatal(err)
		}
		if data.OccurredAt.IsZero() { // of being late the event's own time is all there is
			data.OccurredAt = e.Timestamp
		}
		out = append(out, fmt.Sprintf("%s %g", strings.TrimPrefix(string(e.Type), "milestone."), data.OccurredAt.Sub(epoch).Minutes()))
	}
	return strings.Join(out, ", ")
}

func (r *rig) stored() (store.Milestone, milestone.State) {
	r.t.Helper()
	m, err := r.store.Trips.Milestone(r.t.Context(), r.m.TenantID, r.m.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	var state milestone.State
	if err := json.Unmarshal(m.State, &state); err != nil {
		r.t.Fatal(err)
	}
	return m, state
}

func (r *rig) predictions() []store.Prediction {
	r.t.Helper()
	list, err := r.store.Trips.Predictions(r.t.Context(), r.m.TenantID, r.m.ID, drover.Time{}, 1000)
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

func onBoth(t *testing.T, f func(r *rig)) {
	t.Helper()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		f(newRig(t, s, journey()))
	})
}

func TestTimeoutIsToldOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		r.at(1)
		r.receive(seen(0, 0), seen(2, 1000))
		r.at(2)
		r.receive(seen(4, 2000))
		for minutes := 4.0; minutes < 19; minutes++ {
			r.at(minutes)
		}
		if got := r.reported(); got != "started 2" {
			r.t.Errorf("before the timeout: %s", got)
		}
		r.at(18.999)
		r.at(19)
		for minutes := 20.0; minutes < 60; minutes += 5 {
			r.at(minutes)
		}
		if got := r.reported(); got != "started 2, timed_out 19" {
			r.t.Errorf("after the timeout: %s", got)
		}
		// It comes back, falls silent again and is back once more to arrive.
		r.receive(seen(60, 5000))
		r.at(61)
		r.at(75)
		r.at(80)
		r.receive(withSpeed(seen(79, 19_950), 0))
		r.at(200)
		if got := r.reported(); got != "started 2, timed_out 19, timed_out 75, entered 79, ended 79" {
			r.t.Errorf("in the end: %s", got)
		}
		if m, _ := r.stored(); m.DueAt != nil || m.ArrivedAt == nil || !m.ArrivedAt.Equal(seen(79, 0).Time.Time) {
			r.t.Errorf("in the end it is due at %v and arrived at %v", m.DueAt, m.ArrivedAt)
		}
	})
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		r.at(16*60 - 1)
		if m, _ := r.stored(); m.Status != drover.TripNotStarted {
			r.t.Errorf("before its deadline it is %s", m.Status)
		}
		r.at(16 * 60)
		r.at(17 * 60)
		if got := r.reported(); got != "late 959, ended 960" {
			r.t.Errorf("reported %s", got)
		}
		if m, state := r.stored(); m.Status != drover.TripEnded || !state.Expired || m.ArrivedAt != nil || m.DueAt != nil {
			r.t.Errorf("after its deadline: %s %+v, due %v", m.Status, state, m.DueAt)
		}
	})
}

// Predictions are kept every five minutes while the device is heard of.
func TestPredictions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		for minutes := 0.0; minutes <= 21; minutes++ {
			kph := 57.0
			if minutes == 21 {
				kph = 0
			}
			r.receive(withSpeed(seen(minutes, minutes*950), kph))
			r.at(minutes)
		}
		r.at(60)
		var at []float64
		for _, p := range r.predictions() {
			at = append(at, p.Time.Sub(epoch).Minutes())
			if p.DistanceKM <= 0 || p.ETA.Before(p.Time.Time) {
				r.t.Errorf("predicted %+v", p)
			}
		}
		if diff := cmp.Diff([]float64{1, 6, 11, 16}, at); diff != "" {
			r.t.Errorf("times of predictions (-want +got):\n%s", diff)
		}
		outcomes, err := r.store.Trips.Outcomes(r.t.Context(), "", drover.At(epoch))
		if err != nil {
			r.t.Fatal(err)
		}
		if len(outcomes) != 4 || !outcomes[3].ArrivedAt.Equal(seen(21, 0).Time.Time) {
			r.t.Errorf("outcomes are %+v", outcomes)
		}
		if _, err := r.store.Trips.Outcomes(r.t.Context(), store.NewID(), drover.At(epoch)); err != nil {
			r.t.Error(err)
		}
	})
}

// Several processes that look at the same time notify of each thing once.
func TestManyWatchers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		r.receive(seen(0, 0), seen(2, 1000))
		r.at(2)
		r.now = epoch.Add(time.Hour)
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				if err := r.watcher().RunDue(r.t.Context()); err != nil {
					r.t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := r.reported(); got != "started 2, timed_out 17" {
			r.t.Errorf("reported %s", got)
		}
	})
}

// Shuffled, repeated and late positions lead to the same stored history as the
// same positions in order, and nothing is reported twice.
func TestStoredHistoryKnowsNoOrder(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.Options(t, "sqlite"))
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 23))
		m, positions := randomJourney(random)
		end := epoch.Add(60 * time.Hour)
		want, _ := milestone.Judge(m, milestone.DefaultConfig(), milestone.Fresh(), positions)
		want, _ = milestone.Expire(m, milestone.DefaultConfig(), want, end)

		r := newRig(t, s, m)
		r.now = epoch.Add(50 * time.Hour) // all of them come late
		shuffled := append(slices.Clone(positions), positions[:len(positions)/3]...)
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		for len(shuffled) > 0 {
			n := 1 + random.IntN(min(6, len(shuffled)))
			r.receive(shuffled[:n]...)
			shuffled = shuffled[n:]
			if random.IntN(3) == 0 {
				if err := r.watcher().RunDue(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		r.at(60 * 60)
		stored, got := r.stored()
		if diff := cmp.Diff(outcomeOf(want), outcomeOf(got)); diff != "" || stored.Status != want.Status {
			t.Fatalf("seed %d: the history depends on the order (-sorted +shuffled):\n%s", seed, diff)
		}
		reported := r.reported()
		for _, step := range []string{"started", "ended"} {
			if strings.Count(reported, step) > 1 {
				t.Fatalf("seed %d: reported twice: %s", seed, reported)
			}
		}
		if want.Status == drover.TripEnded && strings.Count(reported, "ended") != 1 {
			t.Fatalf("seed %d: the end was not reported: %s", seed, reported)
		}
	}
}
