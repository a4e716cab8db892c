package export

import (
	"context"
	"encoding/hex"
	"io"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// batch is how many records are read at once.
const batch = 1000

// source reads records in batches: the next one and how much of the whole it ends
// at, from 0 to 1. After the last it is io.EOF.
type source[R any] func(ctx context.Context) ([]R, float64, error)

// span says how much of a stretch of time is behind a point of it.
type span struct{ first, last time.Time }

func (s *span) at(t time.Time) float64 {
	if s.first.IsZero() {
		s.first = t
	}
	whole := s.last.Sub(s.first)
	if whole <= 0 {
		return 0
	}
	return min(1, max(0, t.Sub(s.first).Seconds()/whole.Seconds()))
}

// madeAt is when an id was made: a UUIDv7 begins with it.
func madeAt(id string) time.Time {
	raw, err := hex.DecodeString(strings.ReplaceAll(id, "-", "")[:12])
	if err != nil {
		return time.Time{}
	}
	var ms int64
	for _, b := range raw {
		ms = ms<<8 | int64(b)
	}
	return time.UnixMilli(ms)
}

// end is where a list by time ends: what is asked for, or the present.
func end(to *drover.Time, now time.Time) time.Time {
	if to != nil && to.Before(now) {
		return to.Time
	}
	return now
}

// pages makes a source of a list that is read page by page.
func pages[R any](read func(ctx context.Context, after *R) ([]R, error), place func(R) float64) source[R] {
	var last *R
	ended := false
	return func(ctx context.Context) ([]R, float64, error) {
		if ended {
			return nil, 1, io.EOF
		}
		records, err := read(ctx, last)
		if err != nil {
			return nil, 0, err
		}
		n := len(records)
		if ended = n < batch; n == 0 {
			return nil, 1, io.EOF
		}
		last = new(records[n-1])
		return records, place(*last), nil
	}
}

// byID makes a source of a list that is ordered by id.
func byID[R any](a *attempt, id func(R) string, read func(ctx context.Context, from *store.Store, after string) ([]R, error)) source[R] {
	progress := span{last: a.r.Now()}
	return pages(func(ctx context.Context, after *R) ([]R, error) {
		from := ""
		if after != nil {
			from = id(*after)
		}
		return store.Read(ctx, a.r.Store, a.e.TenantID, func(s *store.Store) ([]R, error) { return read(ctx, s, from) })
	}, func(r R) float64 { return progress.at(madeAt(id(r))) })
}

func (a *attempt) devices(_ context.Context, f drover.DeviceFilter) (source[located], error) {
	return a.devicesOf(f, a.e.Format == drover.ExportGeoJSON), nil
}

func (a *attempt) devicesOf(f drover.DeviceFilter, withPlace bool) source[located] {
	f.Tag = drover.NormalizeTag(f.Tag)
	return byID(a, func(d located) string { return d.ID }, func(ctx context.Context, from *store.Store, after string) ([]located, error) {
		list, err := from.Fleet.Devices(ctx, a.e.TenantID, f, after, batch)
		out := make([]located, len(list))
		for i, d := range list {
			out[i].Device = d
			if withPlace && err == nil {
				out[i].position, err = a.r.newest(ctx, a.e.TenantID, d.ID)
			}
		}
		return out, err
	})
}

func (a *attempt) milestones(_ context.Context, f drover.MilestoneFilter) (source[drover.Milestone], error) {
	return byID(a, func(m drover.Milestone) string { return m.ID },
		func(ctx context.Context, from *store.Store, after string) ([]drover.Milestone, error) {
			return from.Trips.Milestones(ctx, a.e.TenantID, f, after, batch)
		}), nil
}

func (a *attempt) drivers(_ context.Context, f drover.DriverFilter) (source[drover.Driver], error) {
	f.Tag = drover.NormalizeTag(f.Tag)
	return byID(a, func(d drover.Driver) string { return d.ID },
		func(ctx context.Context, from *store.Store, after string) ([]drover.Driver, error) {
			return from.Drivers.Drivers(ctx, a.e.TenantID, f, after, batch)
		}), nil
}

func (a *attempt) faults(_ context.Context, f drover.FaultFilter) (source[drover.Fault], error) {
	f.Tags = drover.FoldTags(f.Tags)
	return byID(a, func(f drover.Fault) string { return f.ID },
		func(ctx context.Context, from *store.Store, after string) ([]drover.Fault, error) {
			return from.Vehicles.Faults(ctx, a.e.TenantID, f, after, batch)
		}), nil
}

func (a *attempt) safetyEvents(_ context.Context, f drover.SafetyFilter) (source[drover.SafetyEvent], error) {
	f.Tags = drover.FoldTags(f.Tags)
	return byID(a, func(e drover.SafetyEvent) string { return e.ID },
		func(ctx context.Context, from *store.Store, after string) ([]drover.SafetyEvent, error) {
			return from.Vehicles.SafetyEvents(ctx, a.e.TenantID, f, after, batch)
		}), nil
}

// newest is the newest position of a device, nil where the tenant may not read it or
// there is none.
func (r *Runner) newest(ctx context.Context, tenantID, deviceID string) (*drover.CurrentPosition, error) {
	places, may, err := r.places(ctx, tenantID, deviceID)
	if err != nil || !may {
		return nil, err
	}
	p, err := places.Newest(ctx, r.Store)
	if err != nil {
		return nil, unlessGone(err)
	}
	return p.View(), nil
}

// places is the leave to read where a device was, and whether the tenant has it now.
func (r *Runner) places(ctx context.Context, tenantID, deviceID string) (l guard.Positions, may bool, err error) {
	d, err := r.Store.Fleet.Device(ctx, tenantID, deviceID)
	if err != nil {
		return l, false, unlessGone(err)
	}
	l, err = guard.MayReadPositions(drover.Principal{TenantID: tenantID}, d.Access, deviceID)
	return l, err == nil, nil // what may not be read is left out
}

func (a *attempt) trips(_ context.Context, f tripFilter) (source[drivenTrip], error) {
	r, tenantID, progress := a.r, a.e.TenantID, span{last: end(f.To, a.r.Now())}
	return pages(func(ctx context.Context, after *drivenTrip) ([]drivenTrip, error) {
		var place *drover.TripCursor
		if after != nil {
			place = &drover.TripCursor{StartTime: after.StartTime, ID: after.ID}
		}
		views, err := store.Read(ctx, r.Store, tenantID, func(from *store.Store) ([]drover.TripView, error) {
			return from.Trips.TripViews(ctx, tenantID, f.TripFilter, place, batch)
		})
		return drivenTrips(views, f.Include != ""), err
	}, func(t drivenTrip) float64 { return progress.at(t.StartTime.Time) }), nil
}

func (a *attempt) stops(_ context.Context, f drover.StopFilter) (source[drover.Stop], error) {
	r, tenantID, progress := a.r, a.e.TenantID, span{last: end(f.To, a.r.Now())}
	return pages(func(ctx context.Context, after *drover.Stop) ([]drover.Stop, error) {
		var place *drover.TripCursor
		if after != nil {
			place = &drover.TripCursor{StartTime: after.StartTime, ID: after.ID}
		}
		return store.Read(ctx, r.Store, tenantID, func(from *store.Store) ([]drover.Stop, error) {
			return from.Trips.Stops(ctx, tenantID, f, place, batch)
		})
	}, func(s drover.Stop) float64 { return progress.at(s.StartTime.Time) }), nil
}

// events reads the feed up to where it ended when the export began.
func (a *attempt) events(ctx context.Context, f eventFilter) (source[drover.Event], error) {
	r, tenantID := a.r, a.e.TenantID
	last, err := r.Store.Feed.LastEvent(ctx, tenantID)
	filter := drover.EventFilter{Types: f.Types, DeviceID: f.DeviceID, ConnectionID: f.ConnectionID, To: f.To}
	if f.From != nil {
		filter.From = &drover.EventStart{At: *f.From}
	}
	var after int64
	return func(ctx context.Context) ([]drover.Event, float64, error) {
		if after >= last {
			return nil, 1, io.EOF
		}
		list, err := store.Read(ctx, r.Store, tenantID, func(from *store.Store) ([]drover.Event, error) {
			return from.Feed.Events(ctx, tenantID, filter, work.EventRange{After: after, To: last, Limit: batch})
		})
		if err != nil {
			return nil, 0, err
		}
		if after = last; len(list) == batch {
			after = list[batch-1].Sequence
		}
		list, err = journal.Readable(ctx, r.Store.Shares, tenantID, list)
		return list, float64(after) / float64(last), err
	}, err
}
