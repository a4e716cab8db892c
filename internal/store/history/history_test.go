package history_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/pack"
)

func TestPackedDaysReadTheSame(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b bench) {
		t.Helper()
		device := b.devices[0]
		want := every(device, 0, 3*day, 7*time.Minute)
		b.add(want...)
		done := b.pack()
		if done.Positions != len(want) || done.Blocks != 3 {
			t.Errorf("%+v was packed of %d positions in 3 days", done, len(want))
		}
		same(t, b.read(b.all(device)), want)
		if again := b.pack(); again != (history.Packed{}) {
			t.Errorf("%+v was packed the second time", again)
		}
		for _, limit := range []int{1, 2, 200, 206, 207, 1000} {
			r := b.all(device)
			r.Limit, r.From = limit, drover.At(start.Add(time.Hour))
			rest := want[9:] // from 63 minutes on
			same(t, b.read(r), rest[:min(limit, len(rest))])
		}
	})
}

// TestStorage counts rows, blocks and what they take, of the tenant alone.
func TestStorage(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b bench) {
		t.Helper()
		b.add(every(b.devices[0], 0, 3*day, 10*time.Minute)...)
		b.pack()
		b.add(every(b.devices[1], 20*day, 20*day+time.Hour, time.Minute)...)
		got, growth, err := b.History.Storage(t.Context(), b.tenant)
		if err != nil {
			t.Fatal(err)
		}
		if got.Rows != 60 || got.Packed != 432 || got.Blocks != 3 || got.PackedBytes < 3*250 || got.PackedBytes > 432*8 || *got.PerDay < 61 ||
			*got.PerDay > 62 || *growth != got.PackedBytes/7 {
			t.Errorf("%+v, growing by %d", got, *growth)
		}
		if other, growth, err := b.History.Storage(t.Context(), store.NewID()); err != nil || other != (drover.PositionStorage{}) ||
			growth != nil {
			t.Errorf("another tenant has %+v, %v, %v", other, growth, err)
		}
	})
}

// TestLargeDay has more positions than a block.
func TestLargeDay(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b bench) {
		t.Helper()
		device := b.devices[0]
		want := every(device, 0, pack.MaxRows*2*5*time.Second+time.Minute, 5*time.Second)
		b.add(want...)
		if done := b.pack(); done.Positions != len(want) || done.Blocks != 3 {
			t.Errorf("%+v was packed of %d positions", done, len(want))
		}
		same(t, b.read(b.all(device)), want)
		late := at(device, 3*time.Second)
		b.add(late)
		b.pass(2 * day)
		b.pack()
		same(t, b.read(b.all(device)), slices.Insert(slices.Clone(want), 1, late))
	})
}

func TestLateDataOfAPackedDay(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b bench) {
		t.Helper()
		device := b.devices[0]
		want := every(device, 0, day, time.Hour)
		b.add(want...)
		b.pack()
		late := at(device, 90*time.Minute)
		if fresh := b.add(want[3], late, want[4], late, at(device, 20*day)); !slices.Equal(fresh, []bool{false, true, false, false, true}) {
			t.Errorf("new were %t", fresh)
		}
		want = append(slices.Insert(want, 2, late), at(device, 20*day))
		same(t, b.read(b.all(device)), want)
		if done := b.pack(); done.Positions != 0 {
			t.Errorf("%+v was packed of a day that has just changed", done)
		}
		b.pass(day + time.Hour)
		if done := b.pack(); done.Positions != 1 || done.Blocks != 1 {
			t.Errorf("%+v was packed of a day that has settled", done)
		}
		same(t, b.read(b.all(device)), want)
	})
}

func TestMarkOfAPackedPosition(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b bench) {
		t.Helper()
		device := b.devices[0]
		want := every(device, 0, 2*day, time.Hour)
		b.add(want...)
		b.pack()
		want[5].Suspect = "jump"
		b.update(func(tx *store.Tx) error {
			return tx.History.MarkPositions(t.Context(), b.tenant, []history.Mark{{DeviceID: device, Time: want[5].Time, Suspect: "jump"}})
		})
		same(t, b.read(b.all(device)), want)
		believed := b.all(device)
		believed.WithSuspect = false
		same(t, b.read(believed), slices.Delete(slices.Clone(want), 5, 6))
		b.pass(2 * day)
		if done := b.pack(); done.Positions != 24 {
			t.Errorf("%+v was packed of a day of 24 positions that was changed", done)
		}
		same(t, b.read(b.all(device)), want)
		same(t, b.read(believed), slices.Delete(slices.Clone(want), 5, 6))
	})
}

// TestBrokenBlock is an error that names the block, and hides no other.
func TestBrokenBlock(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b bench) {
		t.Helper()
		device := b.devices[0]
		want := every(device, 0, 3*day, time.Hour)
		b.add(want...)
		b.pack()
		b.update(func(tx *store.Tx) error { return tx.History.DamageBlock(t.Context(), b.tenant, device, start.Add(day)) })
		_, err := b.History.Positions(t.Context(), history.Range{
			TenantID: b.tenant, DeviceID: device, From: drover.At(start),
			To: drover.At(start.Add(3 * day)),
		})
		if !errors.Is(err, pack.ErrBroken) || !strings.Contains(err.Error(), device) || !strings.Contains(err.Error(), "2026-05-05T00:00:00Z") {
			t.Errorf("the error is %v", err)
		}
		first, last := b.all(device), b.all(device)
		first.To, last.From = drover.At(start.Add(day)), drover.At(start.Add(2*day))
		same(t, b.read(first), want[:24])
		same(t, b.read(last), want[48:])
	})
}

// TestForgetBlocks forgets whole weeks of blocks and of rows alike.
func TestForgetBlocks(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b bench) {
		t.Helper()
		b.pass(40 * day)
		device := b.devices[0]
		want := every(device, 0, 28*day, 8*time.Hour)
		b.add(want...)
		b.pack()
		late := at(device, time.Hour)
		b.add(late)
		cut := drover.At(start.Add(15 * day))
		got, err := b.History.ForgetPositions(t.Context(), []history.Cut{{TenantID: b.tenant, Before: &cut}})
		if err != nil {
			t.Fatal(err)
		}
		kept := b.read(b.all(device))
		oldest := kept[0].Time
		if oldest.After(cut.Time) || cut.Sub(oldest.Time) > 7*day || len(kept)%21 != 0 && len(kept) < 39 {
			t.Errorf("kept from %s on, the cut is %s", oldest, cut)
		}
		same(t, kept, want[len(want)-len(kept):])
		if got.Rows == 0 || got.Blocks != (len(want)-len(kept))/3 {
			t.Errorf("%+v was forgotten, %d of %d are kept", got, len(kept), len(want))
		}
	})
}

// TestEmptyPartitionsAreDropped leaves no partition without a row behind.
func TestEmptyPartitionsAreDropped(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b bench) {
		t.Helper()
		b.pass(30 * day)
		b.add(every(b.devices[0], 0, 21*day, 6*time.Hour)...)
		done := b.pack()
		want := 0
		if b.Database() == "postgres" {
			want = 4 // 21 days that begin on a Monday lie in four weeks that begin on a Thursday
		}
		if done.Weeks != want {
			t.Errorf("%d partitions were dropped, not %d", done.Weeks, want)
		}
		if fresh := b.add(at(b.devices[0], time.Minute)); !fresh[0] {
			t.Error("a late position of a dropped week is not stored")
		}
		if got := b.read(b.all(b.devices[0])); len(got) != 85 {
			t.Errorf("%d positions are read, not 85", len(got))
		}
	})
}

// TestChangesWithinAMillisecond are seen apart by a packing that has read the day between
// them.
func TestChangesWithinAMillisecond(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b bench) {
		t.Helper()
		device := b.devices[0]
		b.add(every(device, 0, day, time.Hour)...)
		b.pack()
		mark := func(suspect string) (changed int64) {
			b.update(func(tx *store.Tx) (err error) {
				if err := tx.History.MarkPositions(t.Context(), b.tenant,
					[]history.Mark{{DeviceID: device, Time: drover.At(start), Suspect: suspect}}); err != nil {
					return err
				}
				changed, err = tx.History.ChangedAt(t.Context(), b.tenant, device, start)
				return err
			})
			return changed
		}
		if first, second := mark("jump"), mark(""); first != b.present().UnixMilli() || second <= first {
			t.Errorf("the day has changed at %d and then at %d, at %d", first, second, b.present().UnixMilli())
		}
	})
}

// TestPackingBesideWriters packs over and over while others add, repeat, mark and
// read: nothing is lost, doubled or hidden at any moment.
func TestPackingBesideWriters(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b bench) {
		t.Helper()
		base, added := map[string][]history.Position{}, map[string][]history.Position{}
		for _, device := range b.devices {
			base[device] = every(device, 0, 2*day, 10*time.Minute)
			b.add(base[device]...)
		}
		// The border stands long before anything below it is packed, so that anyone who
		// writes knows it. Here a day passes while someone writes.
		if done, err := b.History.Pack(t.Context(), b.present(), b.present().Add(-day), 0); err != nil || done != (history.Packed{}) {
			t.Fatalf("%+v was packed when the border moved, %v", done, err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var packers sync.WaitGroup
		for range 2 {
			packers.Go(func() {
				for ctx.Err() == nil {
					b.pass(25 * time.Hour)
					if _, err := b.History.Pack(ctx, b.present(), b.present().Add(-day), 0); err != nil && ctx.Err() == nil {
						t.Errorf("pack: %v", err)
						return
					}
				}
			})
		}
		for i := range 60 {
			var page []history.Position
			var want []bool
			for _, device := range b.devices {
				late := at(device, time.Duration(i)*time.Hour/2+time.Minute)
				page, want = append(page, base[device][i], late, late), append(want, false, true, false)
				added[device] = append(added[device], late)
			}
			if fresh := b.add(page...); !slices.Equal(fresh, want) {
				t.Errorf("round %d: new were %t", i, fresh)
			}
			device := b.devices[i%len(b.devices)]
			b.update(func(tx *store.Tx) error {
				return tx.History.MarkPositions(t.Context(), b.tenant,
					[]history.Mark{{DeviceID: device, Time: base[device][200].Time, Suspect: []string{"jump", ""}[i/len(b.devices)%2]}})
			})
			if got := b.read(b.all(device)); len(got) != len(base[device])+len(added[device]) {
				t.Errorf("round %d: %d positions are read of %d", i, len(got), len(base[device])+len(added[device]))
			}
		}
		stop()
		packers.Wait()
		for _, device := range b.devices {
			want := append(base[device], added[device]...)
			slices.SortFunc(want, func(a, b history.Position) int { return a.Time.Compare(b.Time.Time) })
			same(t, b.read(b.all(device)), want)
		}
	})
}

// TestDayThatChangesWhilePacked adds to a device's day after it was read to be packed, with
// days of others in the same transaction: those are packed, and that one waits.
func TestDayThatChangesWhilePacked(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b bench) {
		t.Helper()
		for _, device := range b.devices {
			b.add(every(device, 0, day, time.Hour)...)
		}
		late := at(b.devices[0], 90*time.Minute)
		b.seeing(func(s database.Statement) {
			if strings.Contains(s.Query, "FROM position_block") && slices.Contains(s.Args, any(b.devices[2])) {
				b.seeing(nil)
				b.add(late)
			}
		})
		if done := b.pack(); done.Positions != 48 || done.Blocks != 2 {
			t.Errorf("%+v was packed, want 48 positions of two devices", done)
		}
		b.pass(2 * day)
		if done := b.pack(); done.Positions != 25 || done.Blocks != 1 {
			t.Errorf("%+v was packed when all had settled, want 25 positions of one device", done)
		}
		want := slices.Insert(every(b.devices[0], 0, day, time.Hour), 2, late)
		same(t, b.read(b.all(b.devices[0])), want)
	})
}

// TestLimits reads the first positions of days of which some are packed, some are rows, and
// some both, for every limit and from several times.
func TestLimits(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b bench) {
		t.Helper()
		device := b.devices[0]
		b.add(every(device, 0, 7*day, 3*time.Hour)...)
		b.pack()
		b.add(every(device, time.Hour, 9*day, 5*time.Hour)...) // late ones and new ones
		suspect := at(device, 30*time.Minute)
		suspect.Suspect = "jump"
		b.add(suspect)
		all := b.all(device)
		for _, all.WithSuspect = range []bool{true, false} {
			for _, from := range []time.Duration{0, 90 * time.Minute, 2*day + time.Minute, 8 * day} {
				all.From, all.Limit = drover.At(start.Add(from)), 0
				whole := b.read(all)
				for n := 1; n <= len(whole)+1; n++ {
					all.Limit = n
					same(t, b.read(all), whole[:min(n, len(whole))])
				}
			}
		}
	})
}

// TestWeeksAhead holds pages of positions to making no partition where upkeep has: this week's
// and the next.
func TestWeeksAhead(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b bench) {
		t.Helper()
		now := b.present()
		stray := at(b.devices[0], now.Add(7*day).Sub(start))
		stray.Suspect = "jump"
		b.add(stray) // goes to the default partition
		for range 2 {
			if err := b.History.MakeWeeks(t.Context(), now); err != nil {
				t.Fatal(err)
			}
		}
		var made atomic.Int64
		b.seeing(func(s database.Statement) {
			if strings.Contains(s.Query, "LOCK TABLE") || strings.Contains(s.Query, "CREATE TABLE") {
				made.Add(1)
			}
		})
		b.add(at(b.devices[1], now.Sub(start)), at(b.devices[1], now.Add(7*day).Sub(start)))
		if n := made.Load(); n != 0 {
			t.Errorf("%d statements made a partition", n)
		}
		b.seeing(nil)
		if got := len(b.read(history.Range{DeviceID: b.devices[1], From: drover.At(now), To: drover.At(now.Add(8 * day))})); got != 2 {
			t.Errorf("%d positions are there, want 2", got)
		}
	})
}
