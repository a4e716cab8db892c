package export

import (
	"context"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
)

// part reads the next records of one device, and reports whether there may be more.
type part[R any] func(ctx context.Context) (records []R, more bool, err error)

// walk goes through devices, and through the records of each.
type walk[R any] struct {
	devices source[located]
	wanted  func(located) bool
	// open begins a device; nil where the tenant may not read these records of it.
	open func(ctx context.Context, deviceID string) (part[R], error)

	page     []located // devices that are still to be read, the first under way
	progress float64   // at the end of page
	began    float64   // at its beginning
	size     int
	read     part[R] // of the device under way
	rest     []R     // read, and not handed out yet
}

// walkOf goes through the devices of connections, or of all, and of those through some.
func walkOf[R any](
	a *attempt,
	tag string,
	connectionIDs, deviceIDs []string,
	open func(ctx context.Context, deviceID string) (part[R], error),
) source[R] {
	f := drover.DeviceFilter{Tag: tag}
	if len(connectionIDs) == 1 {
		f.ConnectionID = connectionIDs[0]
	}
	w := &walk[R]{devices: a.devicesOf(f, false), open: open, wanted: func(d located) bool {
		return (len(deviceIDs) == 0 || slices.Contains(deviceIDs, d.ID)) &&
			(len(connectionIDs) == 0 || slices.Contains(connectionIDs, d.ConnectionID))
	}}
	return w.next
}

// next reads once, also where nothing of it is wanted: between two readings others have their turn.
func (w *walk[R]) next(ctx context.Context) ([]R, float64, error) {
	if len(w.rest) == 0 {
		if err := w.turn(ctx); err != nil {
			return nil, 1, err
		}
		records, more, err := w.read(ctx)
		if err != nil {
			return nil, 1, err
		}
		if w.rest = records; !more {
			w.page, w.read = w.page[1:], nil
		}
	}
	part := w.rest[:min(batch, len(w.rest))]
	w.rest = w.rest[len(part):]
	return part, w.began + (w.progress-w.began)*float64(w.size-len(w.page))/float64(w.size), nil
}

// turn finds the device to read: the one under way, or the next that the tenant may read.
func (w *walk[R]) turn(ctx context.Context) (err error) {
	for w.read == nil {
		for len(w.page) == 0 {
			w.began = w.progress
			if w.page, w.progress, err = w.devices(ctx); err != nil {
				return err
			}
			w.size = len(w.page)
		}
		if w.wanted(w.page[0]) {
			if w.read, err = w.open(ctx, w.page[0].ID); err != nil {
				return err
			}
		}
		if w.read == nil {
			w.page = w.page[1:]
		}
	}
	return nil
}

// positions reads the positions of one device after another, each by time.
func (a *attempt) positions(_ context.Context, f positionFilter) (source[devicePosition], error) {
	window := guard.Window{Limit: batch, WithSuspect: f.IncludeSuspect, From: drover.Milli(0), To: drover.At(end(f.To, a.r.Now()))}
	if f.From != nil {
		window.From = *f.From
	}
	return walkOf(a, f.Tag, f.ConnectionIDs, f.DeviceIDs, func(ctx context.Context, deviceID string) (part[devicePosition], error) {
		places, may, err := a.r.places(ctx, a.e.TenantID, deviceID)
		if err != nil || !may {
			return nil, err
		}
		window := window
		return func(ctx context.Context) ([]devicePosition, bool, error) {
			var next drover.Time
			stored, err := store.Read(ctx, a.r.Store, places.Owner(), func(from *store.Store) (positions []drover.StoredPosition, err error) {
				positions, next, err = places.Chunk(ctx, from, window)
				return positions, err
			})
			window.From = next
			if f.DriverID != "" {
				stored = slices.DeleteFunc(stored, func(p drover.StoredPosition) bool { return p.DriverID == nil || *p.DriverID != f.DriverID })
			}
			return positionsOf(deviceID, stored), window.From.Before(window.To.Time), err
		}, nil
	}), nil
}

// positionsOf are positions with their device.
func positionsOf(deviceID string, stored []drover.StoredPosition) []devicePosition {
	out := make([]devicePosition, len(stored))
	for i, p := range stored {
		out[i] = devicePosition{deviceID, p}
	}
	return out
}

// readings reads the readings of one device after another, each by time.
func (a *attempt) readings(_ context.Context, f readingFilter) (source[drover.Reading], error) {
	filter := drover.ReadingHistoryFilter{
		Kinds: f.Kinds, From: drover.Milli(0), To: new(drover.At(end(f.To, a.r.Now()))), Suspect: f.Suspect, Every: f.Every,
	}
	if f.From != nil {
		filter.From = *f.From
	}
	return walkOf(a, f.Tag, f.ConnectionIDs, f.DeviceIDs, func(ctx context.Context, deviceID string) (part[drover.Reading], error) {
		d, err := a.r.Store.Fleet.Device(ctx, a.e.TenantID, deviceID)
		if err != nil {
			return nil, unlessGone(err)
		}
		leave, err := guard.MayReadReadings(drover.Principal{TenantID: a.e.TenantID}, d.Access, deviceID)
		if err != nil {
			return nil, nil //nolint:nilerr // what may not be read is left out
		}
		var after drover.ReadingTimeCursor
		return func(ctx context.Context) ([]drover.Reading, bool, error) {
			placed, err := leave.History(ctx, a.r.Store, d.Device, filter, after, batch)
			records := make([]drover.Reading, len(placed))
			for i, r := range placed {
				records[i], after = r.Reading, r.Place
			}
			return records, len(placed) == batch, err
		}, nil
	}), nil
}
