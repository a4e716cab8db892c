package fleet

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/rules/reading"
	"github.com/drover-fleet/drover/internal/store"
)

// span is a trip or a day whose counters are asked for.
type span struct {
	from, to, next int64
	trip           bool
	into           *drover.Counters
}

// AddTripCounters adds to trips of one device what its counters show of them.
func (s Trips) AddTripCounters(ctx context.Context, p drover.Principal, deviceID string, trips []drover.TripView) error {
	spans := make([]span, len(trips))
	for i := range trips {
		t := &trips[i]
		t.Counters = noCounters()
		spans[i] = span{from: t.StartTime.UnixMilli(), to: t.EndTime.UnixMilli(), next: math.MaxInt64, trip: true, into: &t.Counters}
	}
	order.By(spans, func(a, b span) int { return int(a.from - b.from) })
	if len(trips) == 0 {
		return nil
	}
	d, err := s.device(ctx, p, deviceID)
	if err != nil {
		return err
	}
	return s.addCounters(ctx, p, d, spans)
}

// addDayCounters adds to days of a device what its counters show of them.
func (s *core) addDayCounters(ctx context.Context, p drover.Principal, d store.Device, days []drover.DeviceDay) error {
	now := s.now()
	spans := make([]span, 0, len(days))
	for i := range days {
		day := &days[i]
		day.Counters = noCounters()
		if end := min(day.EndTime.UnixMilli(), now.UnixMilli()); day.StartTime.UnixMilli() < end {
			spans = append(spans, span{from: day.StartTime.UnixMilli(), to: end, next: math.MaxInt64, into: &day.Counters})
		}
	}
	return s.addCounters(ctx, p, d, spans)
}

func noCounters() drover.Counters {
	none := drover.Null[float64]()
	return drover.Counters{FuelUsedLitres: none, EngineSeconds: none, OdometerStartMetres: none, OdometerEndMetres: none}
}

// counterKinds are those of which spans have something.
var counterKinds = []drover.ReadingKind{drover.ReadingOdometer, drover.ReadingEngine, drover.ReadingFuelUsed}

const (
	// counterWindow bounds what is read of a device's history at once.
	counterWindow = 31 * 24 * time.Hour
	counterRows   = 20_000
)

// addCounters fills in spans, which are in the order of time. A caller who may not read the
// device's readings is shown none.
func (s *core) addCounters(ctx context.Context, p drover.Principal, d store.Device, spans []span) error {
	leave, err := guard.MayReadReadings(p, d.Access, d.ID)
	if denied, ok := errors.AsType[*drover.Error](err); ok && denied.Kind == drover.KindForbidden {
		return nil
	}
	if err != nil {
		return err
	}
	all, err := leave.Series(ctx, s.store)
	if err != nil {
		return err
	}
	h := counterHistory{leave: leave, store: s.store, device: d, kinds: map[int64]drover.ReadingKind{}}
	// The best come first: of each kind the first series counts that shows the whole span.
	order.By(all, func(a, b store.ReadingSeries) int { return reading.Rank(a.Source) - reading.Rank(b.Source) })
	for _, of := range all {
		if slices.Contains(counterKinds, of.Kind) && of.Channel == "" {
			h.series, h.kinds[of.Number] = append(h.series, of.Number), of.Kind
		}
	}
	for len(spans) > 0 && len(h.series) > 0 {
		edge, n := spans[0].from+counterWindow.Milliseconds(), 1
		for n < len(spans) && spans[n].to <= edge {
			n++
		}
		if err := h.add(ctx, spans[:n]); err != nil {
			return err
		}
		spans = spans[n:]
	}
	return nil
}

// counterHistory are the counters of a device, the best first.
type counterHistory struct {
	leave  guard.Readings
	store  *store.Store
	device store.Device
	series []int64
	kinds  map[int64]drover.ReadingKind
}

// add fills in spans that are read together.
func (h *counterHistory) add(ctx context.Context, spans []span) error {
	to := int64(0)
	for _, s := range spans {
		to = max(to, s.to)
	}
	end := drover.Milli(to + reading.GrowthAfter.Milliseconds() + 1)
	if err := h.bound(ctx, spans, end); err != nil {
		return err
	}
	of := store.ReadingRange{
		From: drover.Milli(spans[0].from - reading.GrowthBefore.Milliseconds()), To: end, Series: h.series, Limit: counterRows,
	}
	var rows []reading.Row
	for {
		read, err := h.leave.Read(ctx, h.store, of)
		if err != nil {
			return err
		}
		rows = append(rows, read...)
		if len(read) < counterRows {
			break
		}
		last := read[len(read)-1]
		of.After = &drover.ReadingTimeCursor{Time: drover.Milli(last.At), Series: last.Series}
	}
	points := reading.Points(rows, h.kinds)
	for _, s := range spans {
		if g, ok := h.growth(points, drover.ReadingOdometer, s); ok {
			s.into.OdometerStartMetres.Value, s.into.OdometerEndMetres.Value = g.Start, g.End
		}
		if g, ok := h.growth(points, drover.ReadingEngine, s); ok {
			s.into.EngineSeconds.Value = g.Grown
		}
		if g, ok := h.growth(points, drover.ReadingFuelUsed, s); ok {
			s.into.FuelUsedLitres.Value = g.Grown
		}
	}
	return nil
}

// bound finds when the device's next trip began after each trip, which need not be one of those
// asked for.
func (h *counterHistory) bound(ctx context.Context, spans []span, end drover.Time) error {
	if !spans[0].trip {
		return nil
	}
	starts, err := h.store.Trips.TripStarts(ctx, h.device.TenantID, h.device.ID, drover.Milli(spans[0].from+1), end)
	for i := range spans {
		for len(starts) > 0 && starts[0] <= spans[i].from {
			starts = starts[1:]
		}
		if len(starts) > 0 {
			spans[i].next = starts[0]
		}
	}
	return err
}

// growth is what the best series of a kind shows that knows both ends of a span; false where
// none does.
func (h *counterHistory) growth(points map[int64][]reading.Point, kind drover.ReadingKind, s span) (reading.Growth, bool) {
	for _, number := range h.series {
		if h.kinds[number] != kind {
			continue
		}
		if g := reading.Of(points[number], s.from, s.to, s.next, s.trip); g.Grown != nil {
			return g, true
		}
	}
	return reading.Growth{}, false
}
