package track_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// restart starts the tracking again, as a change of the milestone does.
func (r *rig) restart() {
	r.t.Helper()
	r.update(func(tx *store.Tx) error {
		m, err := tx.Trips.MilestoneForUpdate(r.t.Context(), r.m.TenantID, r.m.ID)
		if err != nil {
			return err
		}
		if err := r.tracker.Restart(r.t.Context(), tx.History, &m); err != nil {
			return err
		}
		return tx.Trips.SetMilestone(r.t.Context(), m)
	})
}

// drive is a position every minute, from the depot to the site and back for days.
func drive(minutes int) []drover.Position {
	positions := []drover.Position{seen(0, 0)}
	for minute := 1; minute < minutes; minute++ {
		metres := float64(min(minute, 40)) * 500
		if minute > 60 {
			metres = 3000
		}
		positions = append(positions, seen(float64(minute), metres))
	}
	return positions
}

// TestRestartAnswersAtOnce holds that a long past is not judged in the transaction
// of the one who asks, but soon after.
func TestRestartAnswersAtOnce(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		m := journey()
		m.EndTime = nil
		r := newRig(t, s, m)
		r.tracker.ReplayPage = 10
		r.now = epoch.Add(10 * time.Hour)
		r.receive(drive(500)...)
		r.restart()
		if m, _ := r.stored(); m.Status != drover.TripNotStarted || m.DueAt == nil || m.DueAt.After(r.now) {
			t.Fatalf("it is %s and due at %v", m.Status, m.DueAt)
		}
		before := r.reported()
		r.at(600)
		m2, _ := r.stored()
		if m2.Status != drover.TripEnded || m2.ArrivedAt == nil || !m2.ArrivedAt.Equal(seen(40, 0).Time.Time) {
			t.Errorf("in the end it is %s, arrived at %v", m2.Status, m2.ArrivedAt)
		}
		if got := strings.TrimPrefix(r.reported(), before); !strings.Contains(got, "started 1") || !strings.Contains(got, "ended 40") {
			t.Errorf("reported %q", got)
		}
	})
}

// TestLateWhileJudging holds that a position which arrives behind a past that is
// being judged is not missed.
func TestLateWhileJudging(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		m := journey()
		m.EndTime = nil
		r := newRig(t, s, m)
		r.tracker.ReplayPage = 10
		r.now = epoch.Add(10 * time.Hour)
		positions := drive(40)[1:]
		r.receive(positions[1:]...)
		r.restart()
		r.receive(positions[0])
		r.receive(seen(39.5, 20_000), seen(50, 20_000))
		r.at(601)
		want, _ := milestone.Judge(m, r.tracker.Config, milestone.Fresh(), append(slices.Clone(positions), seen(39.5, 20_000), seen(50, 20_000)))
		if _, got := r.stored(); !cmp.Equal(outcomeOf(want), outcomeOf(got)) || got.Status != drover.TripEnded {
			t.Errorf("the history (-want +got):\n%s", cmp.Diff(outcomeOf(want), outcomeOf(got)))
		}
	})
}

// TestPagesChangeNothing holds that the length of the pages in which a past is
// judged does not matter, whatever arrives meanwhile.
func TestPagesChangeNothing(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.Options(t, "sqlite"))
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 31))
		m, positions := randomJourney(random)
		want, _ := milestone.Judge(m, milestone.DefaultConfig(), milestone.Fresh(), positions)
		want, _ = milestone.Expire(m, milestone.DefaultConfig(), want, epoch.Add(60*time.Hour))
		r := newRig(t, s, m)
		r.tracker.ReplayPage = 1 + random.IntN(4)
		r.now = epoch.Add(50 * time.Hour)
		random.Shuffle(len(positions), func(i, j int) { positions[i], positions[j] = positions[j], positions[i] })
		for len(positions) > 0 {
			n := 1 + random.IntN(min(4, len(positions)))
			r.receive(positions[:n]...)
			positions = positions[n:]
			if random.IntN(3) == 0 {
				if err := r.watcher().RunDue(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		r.at(60 * 60)
		stored, got := r.stored()
		if diff := cmp.Diff(outcomeOf(want), outcomeOf(got)); diff != "" || stored.Status != want.Status {
			t.Fatalf("seed %d: the history (-at once +in pages):\n%s", seed, diff)
		}
		for _, step := range []string{"started", "ended"} {
			if reported := r.reported(); strings.Count(reported, step) > 1 {
				t.Fatalf("seed %d: reported twice: %s", seed, reported)
			}
		}
	}
}

// TestReplayStopsAtTheEnd holds that nothing is read behind the end of a journey.
func TestReplayStopsAtTheEnd(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.Options(t, "sqlite"))
	r := newRig(t, s, journey())
	r.tracker.ReplayPage = 50
	r.now = epoch.Add(10 * time.Hour)
	r.receive(drive(500)...)
	r.restart() // the end lies in the first page
	if m, _ := r.stored(); m.Status != drover.TripEnded {
		t.Errorf("it is %s, and the rest of the past is read for nothing", m.Status)
	}
}
