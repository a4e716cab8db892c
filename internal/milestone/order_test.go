package milestone_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/geo"
	"github.com/drover-fleet/drover/internal/milestone"
)

// history is all of a milestone that positions decide.
type history struct {
	Status             drover.MilestoneStatus
	StartedAt, EndedAt *drover.Time
	Expired            bool
}

func historyOf(st milestone.State) history {
	return history{st.Status, st.StartedAt, st.EndedAt, st.Expired}
}

// tracker keeps a milestone as the collector does.
type tracker struct {
	m         drover.Milestone
	cfg       milestone.Config
	st        []byte
	positions []drover.Position
	told      []drover.MilestoneStatus
}

func (k *tracker) receive(t *testing.T, batch []drover.Position, now time.Time) {
	t.Helper()
	var st milestone.State
	if err := json.Unmarshal(k.st, &st); err != nil {
		t.Fatal(err)
	}
	before, replay := st.Status, false
	for _, p := range batch {
		replay = replay || milestone.NeedsReplay(k.m, k.cfg, st, p)
		if i, known := slices.BinarySearchFunc(k.positions, p, byTime); !known {
			k.positions = slices.Insert(k.positions, i, p)
		}
	}
	batch = slices.Clone(batch)
	slices.SortFunc(batch, byTime)
	if replay {
		st, batch = milestone.Fresh(), k.positions
	}
	st, transitions := milestone.Judge(k.m, k.cfg, st, batch)
	st, expired := milestone.Expire(k.m, k.cfg, st, now)
	for _, tr := range milestone.Beyond(before, append(transitions, expired...)) {
		k.told = append(k.told, tr.Status)
	}
	var err error
	if k.st, err = json.Marshal(st); err != nil {
		t.Fatal(err)
	}
}

func byTime(a, b drover.Position) int { return a.Time.Compare(b.Time.Time) }

func TestAnyOrderGivesTheSameHistory(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 11))
		m, positions := randomJourney(r)
		cfg := milestone.DefaultConfig()
		now := epoch.Add(time.Duration(r.IntN(30)) * time.Hour)
		want, _ := milestone.Judge(m, cfg, milestone.Fresh(), positions)
		want, _ = milestone.Expire(m, cfg, want, now)

		k := &tracker{m: m, cfg: cfg, st: []byte(`{}`)}
		shuffled := append(slices.Clone(positions), positions[:len(positions)/3]...)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		clock := epoch
		for len(shuffled) > 0 {
			n := 1 + r.IntN(min(6, len(shuffled)))
			clock = clock.Add(time.Duration(r.IntN(int(now.Sub(clock)/4) + 1)))
			k.receive(t, shuffled[:n], clock)
			shuffled = shuffled[n:]
		}
		k.receive(t, nil, now)
		var got milestone.State
		if err := json.Unmarshal(k.st, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(historyOf(want), historyOf(got)); diff != "" {
			t.Fatalf("seed %d: history depends on the order of arrival (-sorted +shuffled):\n%s", seed, diff)
		}
		if !slices.IsSortedFunc(k.told, func(a, b drover.MilestoneStatus) int {
			return slices.Index(drover.MilestoneStatuses, a) - slices.Index(drover.MilestoneStatuses, b)
		}) || len(slices.Compact(slices.Clone(k.told))) != len(k.told) {
			t.Fatalf("seed %d: statuses went back or came twice: %v", seed, k.told)
		}
	}
}

// randomJourney wanders about between two points, which may be the same place.
func randomJourney(r *rand.Rand) (drover.Milestone, []drover.Position) {
	m := journey()
	m.EndPoint = geo.Destination(depot, 90, []float64{0, 60, 250, 500, 3000}[r.IntN(5)])
	if r.IntN(4) == 0 {
		m.EndTime = nil
	}
	var positions []drover.Position
	minutes := -30.0
	for range 3 + r.IntN(30) {
		minutes += 1 + r.Float64()*60
		p := seen(minutes, r.Float64()*800-200)
		if r.IntN(3) == 0 {
			p = seen(minutes, geo.DistanceMetres(depot, m.EndPoint)+r.Float64()*400-200)
		}
		if r.IntN(4) == 0 {
			p = withSpeed(p, r.Float64()*12)
		}
		positions = append(positions, p)
	}
	return m, positions
}
