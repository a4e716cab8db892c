package store_test

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// TestPositionsOfABrokenClock stores positions of many weeks to come. They make
// no partitions on PostgreSQL: they are forgotten row by row, all but those of a
// week that a believed position has come for.
func TestPositionsOfABrokenClock(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		const weeks = 300
		ctx, device := f.t.Context(), f.addDevice().ID
		at := func(n int, after time.Duration, suspect string) history.Position {
			when := noon.Add(time.Duration(n)*week + after)
			p := history.Of(device, drover.Position{Time: drover.At(when), Latitude: 1, Longitude: 2})
			p.Suspect = suspect
			return p
		}
		add := func(positions ...history.Position) (fresh []bool) {
			f.update(func(tx *store.Tx) (err error) {
				fresh, err = tx.History.AddPositions(ctx, f.own, positions)
				return err
			})
			return fresh
		}
		var want []history.Position
		for n := range weeks {
			want = append(want, at(n, 0, "future"))
		}
		add(want...)
		believed := at(weeks-1, time.Minute, "")
		check(f.t, add(at(weeks-1, 0, ""), believed, at(0, 0, "future")), []bool{false, true, false})
		r := history.Range{TenantID: f.own, DeviceID: device, From: noon, To: at(weeks, 0, "").Time, WithSuspect: true}
		check(f.t, must[[]drover.StoredPosition](f.t)(f.History.Positions(ctx, r)), stored(append(want, believed)...))

		forget := func(n int) history.Forgotten {
			cut := at(n, 0, "").Time
			return must[history.Forgotten](f.t)(f.History.ForgetPositions(ctx, []history.Cut{{TenantID: f.own, Before: &cut}, {TenantID: f.other}}))
		}
		check(f.t, forget(10), history.Forgotten{Rows: 10})
		rest := history.Forgotten{Rows: weeks - 11, Weeks: 1}
		if f.Database() == "sqlite" {
			rest = history.Forgotten{Rows: weeks - 9}
		}
		check(f.t, forget(weeks), rest)
		check(f.t, must[[]drover.StoredPosition](f.t)(f.History.Positions(ctx, r)), stored())
	})
}

// TestMarkPositions changes the marks of a device's positions, in several weeks.
func TestMarkPositions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx, device, another := f.t.Context(), f.addDevice().ID, f.addDevice().ID
		at := func(device string, weeks int, suspect string) history.Position {
			p := history.Of(device, drover.Position{Time: drover.At(noon.Add(time.Duration(weeks) * week)), Latitude: 1, Longitude: 2})
			p.Suspect = suspect
			return p
		}
		mark := func(marks ...history.Mark) {
			f.update(func(tx *store.Tx) error { return tx.History.MarkPositions(ctx, f.own, marks) })
		}
		f.update(func(tx *store.Tx) error {
			_, err := tx.History.AddPositions(ctx, f.own, []history.Position{
				at(device, 0, ""), at(device, 1, ""), at(device, 5, ""),
				at(another, 0, ""),
			})
			return err
		})
		jump := func(weeks int, suspect string) history.Mark {
			return history.Mark{DeviceID: device, Time: at(device, weeks, "").Time, Suspect: suspect}
		}
		mark()
		mark(jump(0, "jump"), jump(1, "jump"))
		mark(jump(5, "jump"), jump(1, ""))
		all := func(device string) []drover.StoredPosition {
			r := history.Range{TenantID: f.own, DeviceID: device, From: noon, To: at(device, 9, "").Time, WithSuspect: true}
			return must[[]drover.StoredPosition](f.t)(f.History.Positions(ctx, r))
		}
		check(f.t, all(device), stored(at(device, 0, "jump"), at(device, 1, ""), at(device, 5, "jump")))
		check(f.t, all(another), stored(at(another, 0, "")))
	})
}
