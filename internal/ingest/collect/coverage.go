package collect

import (
	"context"
	"maps"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/reading"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	coverageEvery = time.Hour
	// lostForm begins the names of the kinds of readings whose absence was announced.
	lostForm = "lost "
)

// judgeCoverage announces the kinds of readings that have stopped coming, each once until it comes
// again: a scope that was taken from the account, or a change at the provider, looks like that.
func (v *run) judgeCoverage(ctx context.Context) error {
	if v.adapter == nil || v.c.opts.Now().Sub(v.adapter.watch.coverageAt) < coverageEvery {
		return nil
	}
	fresh, present, err := v.lostReadings(ctx)
	if err != nil {
		return err
	}
	v.adapter.watch.coverageAt = v.c.opts.Now()
	forms := maps.Clone(v.conn.Configuration.Forms)
	if forms == nil {
		forms = map[string]string{}
	}
	for _, kind := range present {
		delete(forms, lostForm+kind)
	}
	for _, kind := range fresh {
		forms[lostForm+kind] = v.c.now().String()
	}
	if maps.Equal(forms, v.conn.Configuration.Forms) {
		return nil
	}
	err = v.c.opts.Store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.Jobs.HoldLease(ctx, v.claim, v.c.leaseEnd()); err != nil {
			return err
		}
		if err := v.storeMet(ctx, tx, forms); err != nil || len(fresh) == 0 {
			return err
		}
		e, err := drover.NewEvent(drover.EventCoverageLost, v.c.now(), drover.CoverageLoss{Connection: v.conn, Fields: fresh})
		if err != nil {
			return err
		}
		return v.tell(ctx, tx, []drover.Event{e})
	})
	if err == nil {
		v.conn.Configuration.Forms = forms
	}
	return err
}

// lostReadings are the kinds of readings that do not come any more and were not announced as such,
// and those that do come.
func (v *run) lostReadings(ctx context.Context) (fresh, present []string, err error) {
	s, tenant, conn, now := v.c.opts.Store, v.claim.TenantID, v.claim.ConnectionID, v.c.opts.Now()
	had, err := s.Vehicles.ReadingCoverage(ctx, tenant, conn, drover.At(now.Add(-reading.HadWithin)))
	if err != nil || len(had) == 0 {
		return nil, nil, err
	}
	yesterday := drover.At(now.Add(-reading.LostAfter))
	have, err := s.Vehicles.ReadingCoverage(ctx, tenant, conn, yesterday)
	if err != nil {
		return nil, nil, err
	}
	devices, driven, err := s.Fleet.CountDriven(ctx, tenant, conn, yesterday, drover.At(now.Add(-reading.LostDelay)))
	if err != nil {
		return nil, nil, err
	}
	has := map[drover.ReadingKind]int{}
	for _, c := range have {
		has[c.Kind] = c.Devices
	}
	for _, c := range had {
		kind := string(c.Kind)
		switch {
		case has[c.Kind] > 0:
			present = append(present, kind)
		case v.conn.Configuration.Forms[lostForm+kind] != "" || !reading.Lost(devices, driven, c.Devices, has[c.Kind]):
		default:
			comes, err := v.comes(ctx, c.Kind, yesterday)
			if err != nil {
				return nil, nil, err
			}
			if !comes {
				fresh = append(fresh, kind)
			}
		}
	}
	return fresh, present, nil
}

// comes reports whether a kind of readings has come since a time, believed or not.
func (v *run) comes(ctx context.Context, kind drover.ReadingKind, since drover.Time) (bool, error) {
	series, err := v.c.opts.Store.Vehicles.SeriesStates(ctx, v.claim.TenantID, v.claim.ConnectionID, kind)
	if err != nil {
		return false, err
	}
	for i := range series {
		s, err := reading.ParseState(series[i].State, series[i].Shown, series[i].Suspect)
		if err != nil {
			return false, err
		}
		if s.Newest >= since.UnixMilli() {
			return true, nil
		}
	}
	return false, nil
}
