package export

import (
	"context"
	"encoding/hex"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
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
		last = &records[n-1]
		return records, place(*last), nil
	}
}

func (r *Runner) devices(tenantID string, f drover.DeviceFilter, withPlace bool) source[located] {
	progress := span{last: r.Now()}
	return pages(func(ctx context.Context, after *located) ([]located, error) {
		id := ""
		if after != nil {
			id = after.ID
		}
		list, err := r.Store.Fleet.Devices(ctx, tenantID, f, id, batch)
		out := make([]located, len(list))
		for i, d := range list {
			out[i].Device = d
			if withPlace && err == nil {
				out[i].position, err = r.newest(ctx, tenantID, d.ID)
			}
		}
		return out, err
	}, func(d located) float64 { return progress.at(madeAt(d.ID)) })
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

func (r *Runner) trips(tenantID string, f tripFilter) source[drivenTrip] {
	progress := span{last: end(f.To, r.Now())}
	return pages(func(ctx context.Context, after *drivenTrip) ([]drivenTrip, error) {
		var place *drover.TripCursor
		if after != nil {
			place = &drover.TripCursor{StartTime: after.StartTime, ID: after.ID}
		}
		views, err := store.Read(ctx, r.Store, tenantID, func(from *store.Store) ([]drover.TripView, error) {
			return from.Trips.TripViews(ctx, tenantID, f.TripFilter, place, batch)
		})
		return drivenTrips(views, f.Include != ""), err
	}, func(t drivenTrip) float64 { return progress.at(t.StartTime.Time) })
}

func (r *Runner) stops(tenantID string, f drover.StopFilter) source[drover.Stop] {
	progress := span{last: end(f.To, r.Now())}
	return pages(func(ctx context.Context, after *drover.Stop) ([]drover.Stop, error) {
		var place *drover.TripCursor
		if after != nil {
			place = &drover.TripCursor{StartTime: after.StartTime, ID: after.ID}
		}
		return store.Read(ctx, r.Store, tenantID, func(from *store.Store) ([]drover.Stop, error) {
			return from.Trips.Stops(ctx, tenantID, f, place, batch)
		})
	}, func(s drover.Stop) float64 { return progress.at(s.StartTime.Time) })
}

func (r *Runner) milestones(tenantID string, f drover.MilestoneFilter) source[drover.Milestone] {
	progress := span{last: r.Now()}
	return pages(func(ctx context.Context, after *drover.Milestone) ([]drover.Milestone, error) {
		id := ""
		if after != nil {
			id = after.ID
		}
		return r.Store.Trips.Milestones(ctx, tenantID, f, id, batch)
	}, func(m drover.Milestone) float64 { return progress.at(madeAt(m.ID)) })
}

// events reads the feed up to where it ended when the export began.
func (r *Runner) events(ctx context.Context, tenantID string, f eventFilter) (source[drover.Event], error) {
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
		list, err = journal.Readable(ctx, r.Store.Fleet, tenantID, list)
		return list, float64(after) / float64(last), err
	}, err
}

// positions reads the positions of one device after another, each by time.
func (r *Runner) positions(tenantID string, f positionFilter) source[devicePosition] {
	all := r.devices(tenantID, drover.DeviceFilter{Tag: drover.NormalizeTag(f.Tag)}, false)
	if len(f.ConnectionIDs) == 1 {
		all = r.devices(tenantID, drover.DeviceFilter{Tag: drover.NormalizeTag(f.Tag), ConnectionID: f.ConnectionIDs[0]}, false)
	}
	w := &walk{r: r, tenantID: tenantID, filter: f, devices: all, window: guard.Window{Limit: batch, WithSuspect: f.IncludeSuspect}}
	if f.From != nil {
		w.window.From = *f.From
	} else {
		w.window.From = drover.Milli(0)
	}
	w.window.To = drover.At(end(f.To, r.Now()))
	return w.next
}

// walk goes through devices, and through the positions of each.
type walk struct {
	r        *Runner
	tenantID string
	filter   positionFilter
	devices  source[located]
	window   guard.Window

	page     []located // devices that are still to be read, the first under way
	progress float64   // at the end of page
	began    float64   // at its beginning
	size     int
	from     drover.Time // where the first device is read on from; zero at its beginning
	places   guard.Positions
	rest     []history.Position // read, and not handed out yet
}

func (w *walk) next(ctx context.Context) ([]devicePosition, float64, error) {
	for len(w.rest) == 0 {
		if err := w.read(ctx); err != nil {
			return nil, 1, err
		}
	}
	part := w.rest[:min(batch, len(w.rest))]
	w.rest = w.rest[len(part):]
	return shown(part), w.began + (w.progress-w.began)*float64(w.size-len(w.page))/float64(w.size), nil
}

// read reads some positions of the device under way, or of the next.
func (w *walk) read(ctx context.Context) error {
	if err := w.turn(ctx); err != nil {
		return err
	}
	window := w.window
	if !w.from.IsZero() {
		window.From = w.from
	}
	var next drover.Time
	stored, err := store.Read(ctx, w.r.Store, w.places.Owner(), func(from *store.Store) (positions []history.Position, err error) {
		positions, next, err = w.places.Chunk(ctx, from, window)
		return positions, err
	})
	if err != nil {
		return err
	}
	if w.filter.DriverID != "" {
		stored = slices.DeleteFunc(stored, func(p history.Position) bool { return p.DriverID == nil || *p.DriverID != w.filter.DriverID })
	}
	w.rest = stored
	if next.Before(window.To.Time) {
		w.from = next
	} else {
		w.page, w.from = w.page[1:], drover.Time{}
	}
	return nil
}

// shown are positions as the interface shows them.
func shown(stored []history.Position) []devicePosition {
	out := make([]devicePosition, len(stored))
	for i, p := range stored {
		out[i] = devicePosition{p.DeviceID, p.History(p.Suspect)}
	}
	return out
}

// turn finds the device to read: the one under way, or the next whose positions the
// tenant may read.
func (w *walk) turn(ctx context.Context) error {
	for {
		if len(w.page) > 0 && !w.from.IsZero() {
			return nil
		}
		for len(w.page) == 0 {
			if err := w.turnPage(ctx); err != nil {
				return err
			}
		}
		if w.wanted(w.page[0]) {
			var may bool
			var err error
			if w.places, may, err = w.r.places(ctx, w.tenantID, w.page[0].ID); err != nil || may {
				return err
			}
		}
		w.page = w.page[1:]
	}
}

func (w *walk) turnPage(ctx context.Context) (err error) {
	w.began = w.progress
	w.page, w.progress, err = w.devices(ctx)
	w.size = len(w.page)
	return err
}

func (w *walk) wanted(d located) bool {
	return (len(w.filter.DeviceIDs) == 0 || slices.Contains(w.filter.DeviceIDs, d.ID)) &&
		(len(w.filter.ConnectionIDs) == 0 || slices.Contains(w.filter.ConnectionIDs, d.ConnectionID))
}
