package history_test

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// model is what a history must read like: a plain table.
type model map[string]map[int64]history.Position

func (m model) read(r history.Range) []history.Position {
	list := slices.SortedFunc(maps.Values(m[r.DeviceID]),
		func(a, b history.Position) int { return cmp.Compare(a.Time.UnixMilli(), b.Time.UnixMilli()) })
	list = slices.DeleteFunc(list, func(p history.Position) bool {
		return p.Time.Before(r.From.Time) || !p.Time.Before(r.To.Time) || p.Suspect != "" && !r.WithSuspect
	})
	if r.Limit > 0 && len(list) > r.Limit {
		list = list[:r.Limit]
	}
	return slices.Clip(list)
}

// TestAnyOrderOfWork does what it likes in any order, and compares each answer with
// the plain table's.
func TestAnyOrderOfWork(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b bench) {
		t.Helper()
		for seed := range uint64(6) {
			run := walk{bench: b, r: rand.New(rand.NewPCG(seed, 15)), want: model{}}
			for _, d := range b.devices {
				run.want[d] = map[int64]history.Position{}
			}
			for step := range 60 {
				if run.step(); t.Failed() {
					t.Fatalf("seed %d, step %d", seed, step)
				}
			}
			cut := drover.At(start.Add(500 * day))
			if _, err := b.History.ForgetPositions(t.Context(), []history.Cut{{TenantID: b.tenant, Before: &cut}}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

type walk struct {
	bench
	r    *rand.Rand
	want model
}

func (w *walk) step() {
	switch n := w.r.IntN(10); {
	case n < 4:
		w.insert()
	case n == 4:
		w.mark()
	case n == 5:
		w.pass(time.Duration(w.r.IntN(40)) * time.Hour)
	case n == 6:
		w.pack()
	case n == 7:
		w.forget()
	default:
		w.compare()
	}
}

func (w *walk) device() string { return w.devices[w.r.IntN(len(w.devices))] }

func (w *walk) insert() {
	var batch []history.Position
	var want []bool
	from := time.Duration(w.r.IntN(12*24)) * time.Hour
	for range 1 + w.r.IntN(40) {
		p := at(w.device(), from+time.Duration(w.r.IntN(600))*time.Minute)
		p.Latitude = float64(w.r.IntN(90)) // the first stays
		if w.r.IntN(8) == 0 {
			p.Suspect = "speed"
		}
		_, known := w.want[p.DeviceID][p.Time.UnixMilli()]
		if !known {
			w.want[p.DeviceID][p.Time.UnixMilli()] = p
		}
		batch, want = append(batch, p), append(want, !known)
	}
	if fresh := w.add(batch...); !slices.Equal(fresh, want) {
		w.t.Errorf("new were %t, not %t", fresh, want)
	}
}

func (w *walk) mark() {
	device := w.device()
	var marks []history.Mark
	for milli, p := range w.want[device] {
		if len(marks) == 3 {
			break
		}
		if p.Suspect == "" {
			p.Suspect = "jump"
			w.want[device][milli] = p
			marks = append(marks, history.Mark{DeviceID: device, Time: p.Time, Suspect: "jump"})
		}
	}
	w.update(func(tx *store.Tx) error { return tx.History.MarkPositions(w.t.Context(), w.tenant, marks) })
}

func (w *walk) forget() {
	if w.r.IntN(3) > 0 {
		return
	}
	cut := drover.At(start.Add(time.Duration(w.r.IntN(10)) * day))
	if _, err := w.History.ForgetPositions(w.t.Context(), []history.Cut{{TenantID: w.tenant, Before: &cut}}); err != nil {
		w.t.Fatal(err)
	}
	const week = int64(7 * day / time.Millisecond)
	before := cut.UnixMilli() / week * week
	for _, rows := range w.want {
		maps.DeleteFunc(rows, func(milli int64, _ history.Position) bool { return milli < before })
	}
}

func (w *walk) compare() {
	from := start.Add(time.Duration(w.r.IntN(14*24)-24) * time.Hour)
	r := history.Range{
		TenantID: w.tenant, DeviceID: w.device(), From: drover.At(from),
		To: drover.At(from.Add(time.Duration(w.r.IntN(200)) * time.Hour)), WithSuspect: w.r.IntN(2) == 0,
	}
	if w.r.IntN(2) == 0 {
		r.Limit = 1 + w.r.IntN(50)
	}
	same(w.t, w.read(r), w.want.read(r))
}
