package fleet

import (
	"cmp"
	"context"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/rules/reading"
	"github.com/drover-fleet/drover/internal/store"
)

// NewestReadings lists the newest reading of each kind and channel of the devices that the
// caller sees, by device, kind and channel, after the place given.
func (s Vehicles) NewestReadings(
	ctx context.Context,
	p drover.Principal,
	f drover.ReadingFilter,
	after drover.ReadingCursor,
	limit int,
) ([]drover.NewestReading, error) {
	f.Tags = drover.FoldTags(f.Tags)
	atOnce := limit + reading.MaxSeries // a device is read whole
	list, from := []drover.NewestReading{}, after.DeviceID
	for {
		series, err := s.store.Vehicles.NewestReadings(ctx, p.TenantID, f, from, atOnce)
		if err != nil {
			return nil, err
		}
		more := len(series) == atOnce
		if more { // the last device may have more
			from = series[len(series)-1].DeviceID
			series = series[:slices.IndexFunc(series, func(s store.ReadingSeries) bool { return s.DeviceID == from })]
		}
		for _, r := range track.ShownReadings(series) {
			if !after.Valid() || compareReadings(r.Reading, after) > 0 {
				list = append(list, r)
			}
		}
		if !more || len(list) >= limit {
			return list[:min(limit, len(list))], nil
		}
	}
}

func compareReadings(r drover.Reading, c drover.ReadingCursor) int {
	return cmp.Or(cmp.Compare(r.DeviceID, c.DeviceID), cmp.Compare(r.Kind, c.Kind), cmp.Compare(channelOf(r), c.Channel))
}

func channelOf(r drover.Reading) string {
	if r.Channel == nil {
		return ""
	}
	return *r.Channel
}

// PlaceOf is the place of a reading in the list of newest ones.
func PlaceOf(r drover.Reading) drover.ReadingCursor {
	return drover.ReadingCursor{DeviceID: r.DeviceID, Kind: r.Kind, Channel: channelOf(r)}
}

// DeviceReadings reads the newest reading of each kind and channel of a device.
func (s Vehicles) DeviceReadings(ctx context.Context, p drover.Principal, deviceID string) ([]drover.NewestReading, error) {
	_, leave, err := s.instrumented(ctx, p, deviceID)
	if err != nil {
		return nil, err
	}
	series, err := leave.Series(ctx, s.store)
	return track.ShownReadings(series), err
}

// instrumented finds a device whose readings the caller may read.
func (s *core) instrumented(ctx context.Context, p drover.Principal, deviceID string) (store.Device, guard.Readings, error) {
	d, err := s.device(ctx, p, deviceID)
	if err != nil {
		return d, guard.Readings{}, err
	}
	leave, err := guard.MayReadReadings(p, d.Access, d.ID)
	return d, leave, err
}

// Readings reads a device's readings of a time, in the order asked for, after the place given.
func (s Vehicles) Readings(
	ctx context.Context,
	p drover.Principal,
	deviceID string,
	f drover.ReadingHistoryFilter,
	after drover.ReadingTimeCursor,
	limit int,
) ([]guard.PlacedReading, error) {
	if f.To == nil {
		f.To = new(s.now())
	}
	if err := guard.InOrder(&f.From, f.To); err != nil {
		return nil, err
	}
	d, leave, err := s.instrumented(ctx, p, deviceID)
	if err != nil {
		return nil, err
	}
	return leave.History(ctx, s.store, d.Device, f, after, limit)
}
