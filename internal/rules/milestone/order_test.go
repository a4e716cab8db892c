package milestone_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/rules/trip"
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
	positions []trip.Known
	fold      trip.State
	reported  []drover.MilestoneStatus
}

func (k *tracker) find(at drover.Time) (int, bool) {
	return slices.BinarySearchFunc(k.positions, at, func(p trip.Known, at drover.Time) int { return p.Time.Compare(at.Time) })
}

func (k *tracker) load(s trip.Span) ([]trip.Known, error) {
	from, _ := k.find(s.From)
	to, _ := k.find(s.To)
	return k.positions[from:to], nil
}

// accept stores a batch and returns what is newly accepted, and what no longer is.
func (k *tracker) accept(t *testing.T, batch []drover.Position) (accepted []drover.Position, withdrawn []drover.Time) {
	t.Helper()
	for _, p := range batch {
		if i, known := k.find(p.Time); !known {
			k.positions = slices.Insert(k.positions, i, trip.Known{Position: p})
			accepted = append(accepted, p)
		}
	}
	out, err := k.fold.Absorb(accepted, k.load)
	if err != nil {
		t.Fatal(err)
	}
	for _, mark := range out.Marks {
		i, _ := k.find(mark.Time)
		k.positions[i].Jump = mark.Jump
		fresh := slices.IndexFunc(accepted, func(p drover.Position) bool { return p.Time == mark.Time })
		switch {
		case !mark.Jump:
			accepted = append(accepted, k.positions[i].Position)
		case fresh >= 0:
			accepted = slices.Delete(accepted, fresh, fresh+1)
		default:
			withdrawn = append(withdrawn, mark.Time)
		}
	}
	slices.SortFunc(accepted, byTime)
	return accepted, withdrawn
}

func (k *tracker) receive(t *testing.T, batch []drover.Position, now time.Time) {
	t.Helper()
	var st milestone.State
	if err := json.Unmarshal(k.st, &st); err != nil {
		t.Fatal(err)
	}
	before := st
	positions, withdrawn := k.accept(t, batch)
	if slices.ContainsFunc(positions, func(p drover.Position) bool { return milestone.NeedsReplay(k.m, k.cfg, st, p) }) ||
		slices.ContainsFunc(withdrawn, func(at drover.Time) bool { return milestone.Concerns(k.m, st, at) }) {
		st, positions = milestone.Fresh(), accepted(k.positions)
	}
	st, transitions := milestone.Judge(k.m, k.cfg, st, positions)
	st, expired := milestone.Expire(k.m, k.cfg, st, now)
	for _, tr := range milestone.Beyond(before, append(transitions, expired...)) {
		if !tr.Entered {
			k.reported = append(k.reported, tr.Status)
		}
	}
	// What is undone may be reported again.
	k.reported = slices.DeleteFunc(k.reported, func(s drover.MilestoneStatus) bool { return rank(s) > rank(st.Status) })
	var err error
	if k.st, err = json.Marshal(st); err != nil {
		t.Fatal(err)
	}
}

func rank(s drover.MilestoneStatus) int { return slices.Index(drover.MilestoneStatuses, s) }

// accepted leaves the jumps out.
func accepted(known []trip.Known) (out []drover.Position) {
	for _, p := range known {
		if !p.Jump {
			out = append(out, p.Position)
		}
	}
	return out
}

// sorted is the device's history as it is known in the end.
func sorted(t *testing.T, positions []drover.Position) []trip.Known {
	t.Helper()
	k := &tracker{}
	k.accept(t, positions)
	return k.positions
}

func byTime(a, b drover.Position) int { return a.Time.Compare(b.Time.Time) }

func TestAnyOrderGivesTheSameHistory(t *testing.T) {
	t.Parallel()
	jumps := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 11))
		m, positions := randomJourney(r)
		cfg := milestone.DefaultConfig()
		now := epoch.Add(time.Duration(r.IntN(30)) * time.Hour)
		known := sorted(t, positions)
		want, _ := milestone.Judge(m, cfg, milestone.Fresh(), accepted(known))
		jumps += len(known) - len(accepted(known))
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
		if diff := cmp.Diff(known, k.positions); diff != "" {
			t.Fatalf("seed %d: jumps depend on the order of arrival (-sorted +shuffled):\n%s", seed, diff)
		}
		if !slices.IsSortedFunc(k.reported, func(a, b drover.MilestoneStatus) int { return rank(a) - rank(b) }) ||
			len(slices.Compact(slices.Clone(k.reported))) != len(k.reported) {
			t.Fatalf("seed %d: statuses went back or came twice: %v", seed, k.reported)
		}
	}
	if jumps < 3000 {
		t.Errorf("%d jumps prove little", jumps)
	}
}

// far is a distance that no vehicle makes between most positions.
const far = 400_000

// randomJourney wanders about between two points, which may be the same place. Its
// receiver errs at times, now and then for some positions in a row.
func randomJourney(r *rand.Rand) (drover.Milestone, []drover.Position) {
	m := journey()
	m.EndPoint = geo.Destination(depot, 90, []float64{0, 60, 250, 500, 3000, far}[r.IntN(6)])
	if r.IntN(4) == 0 {
		m.EndTime = nil
	}
	var positions []drover.Position
	minutes := -30.0
	for range 3 + r.IntN(30) {
		minutes += 0.2 + r.Float64()*[]float64{3, 60}[r.IntN(2)]
		p := seen(minutes, r.Float64()*800-200)
		if r.IntN(3) == 0 {
			p = seen(minutes, geo.DistanceMetres(depot, m.EndPoint)+r.Float64()*400-200)
		}
		if r.IntN(8) == 0 || len(positions) > 0 && geo.DistanceMetres(depot, positions[len(positions)-1].Point()) > far/2 && r.IntN(3) == 0 {
			p = seen(minutes, far+r.Float64()*100)
		}
		if r.IntN(4) == 0 {
			p = withSpeed(p, r.Float64()*12)
		}
		positions = append(positions, p)
	}
	return m, positions
}
