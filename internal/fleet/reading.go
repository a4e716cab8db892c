package fleet

import (
	"cmp"
	"context"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/rules/reading"
	"github.com/drover-fleet/drover/internal/store"
)

// NewestReadings lists the newest reading of each kind and channel of the devices that the
// caller sees, by device, kind and channel, after the place given.
func (s *Service) NewestReadings(
	ctx context.Context,
	p drover.Principal,
	f drover.ReadingFilter,
	after drover.ReadingCursor,
	limit int,
) ([]drover.Reading, error) {
	f.Tags = drover.FoldTags(f.Tags)
	atOnce := 4*limit + reading.MaxSeries // a device is read whole
	list, from := []drover.Reading{}, after.DeviceID
	for {
		series, err := s.store.Fleet.NewestReadings(ctx, p.TenantID, f, from, atOnce)
		if err != nil {
			return nil, err
		}
		more := len(series) == atOnce
		if more { // the last device may have more
			from = series[len(series)-1].DeviceID
			series = series[:slices.IndexFunc(series, func(s store.ReadingSeries) bool { return s.DeviceID == from })]
		}
		for _, r := range shownReadings(series) {
			if !after.Valid() || compareReadings(r, after) > 0 {
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

// shownReadings chooses the series that devices show, one of each kind and channel, and
// orders what they say by device, kind and channel.
func shownReadings(series []store.ReadingSeries) []drover.Reading {
	key := func(s *store.ReadingSeries) drover.ReadingCursor {
		return drover.ReadingCursor{DeviceID: s.DeviceID, Kind: s.Kind, Channel: s.Channel}
	}
	sorted := slices.SortedStableFunc(slices.Values(series), func(a, b store.ReadingSeries) int {
		return cmp.Or(cmp.Compare(a.DeviceID, b.DeviceID), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Channel, b.Channel),
			cmp.Compare(a.Number, b.Number))
	})
	readings := make([]drover.Reading, 0, len(sorted))
	for i := 0; i < len(sorted); {
		end := i + 1
		for end < len(sorted) && key(&sorted[end]) == key(&sorted[i]) {
			end++
		}
		candidates := make([]reading.Candidate, 0, end-i)
		for _, s := range sorted[i:end] {
			candidates = append(candidates, reading.Candidate{Source: s.Source, At: s.Shown.At, Suspect: s.Suspect != ""})
		}
		readings = append(readings, shownReading(&sorted[i+reading.Best(candidates)]))
		i = end
	}
	return readings
}

// shownReading is what a series shows.
func shownReading(s *store.ReadingSeries) drover.Reading {
	return s.Reading(s.DeviceID, s.ConnectionID, drover.Milli(s.Shown.At), reading.Shown(s.Kind, s.Shown.Value), s.Suspect)
}

// DeviceReadings reads the newest reading of each kind and channel of a device.
func (s *Service) DeviceReadings(ctx context.Context, p drover.Principal, deviceID string) ([]drover.Reading, error) {
	_, leave, err := s.instrumented(ctx, p, deviceID)
	if err != nil {
		return nil, err
	}
	series, err := leave.Series(ctx, s.store)
	return shownReadings(series), err
}

// instrumented finds a device whose readings the caller may read.
func (s *Service) instrumented(ctx context.Context, p drover.Principal, deviceID string) (store.Device, guard.Readings, error) {
	d, err := s.device(ctx, p, deviceID)
	if err != nil {
		return d, guard.Readings{}, err
	}
	leave, err := guard.MayReadReadings(p, d.Access, d.ID)
	return d, leave, err
}

// PlacedReading is a reading with its place in a device's history.
type PlacedReading struct {
	drover.Reading
	Place drover.ReadingTimeCursor
}

// Readings reads a device's readings of a time, in the order asked for, after the place given.
func (s *Service) Readings(
	ctx context.Context,
	p drover.Principal,
	deviceID string,
	f drover.ReadingHistoryFilter,
	after drover.ReadingTimeCursor,
	limit int,
) ([]PlacedReading, error) {
	h := readingHistory{ReadingRange: store.ReadingRange{From: f.From, To: s.now(), NewestFirst: f.Order == drover.NewestFirst}, filter: f}
	if f.To != nil {
		h.To = *f.To
	}
	if h.To.Before(f.From.Time) {
		return nil, drover.InvalidValue("to must not be before from", "query", "to")
	}
	if after.Valid() {
		h.After = &after
	}
	d, leave, err := s.instrumented(ctx, p, deviceID)
	if err != nil {
		return nil, err
	}
	series, err := leave.Series(ctx, s.store)
	if err != nil {
		return nil, err
	}
	h.leave, h.store, h.device = leave, s.store, d.Device
	h.series, h.kinds = map[int64]drover.ReadingSeries{}, map[int64]drover.ReadingKind{}
	for _, of := range series {
		if len(f.Kinds) == 0 || slices.Contains(f.Kinds, of.Kind) {
			h.Series = append(h.Series, of.Number)
			h.series[of.Number], h.kinds[of.Number] = of.ReadingSeries, of.Kind
		}
	}
	list := []PlacedReading{}
	if len(h.Series) == 0 {
		return list, nil
	}
	for more := true; more && len(list) < limit; {
		var found []PlacedReading
		if found, more, err = h.next(ctx, limit); err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list[:min(limit, len(list))], nil
}

// readingHistory is a reading of a device's history. What is stored is judged when it is
// read, by what came before and after it: so a value that came late changes the judgement
// of others as if it had come in time.
type readingHistory struct {
	store.ReadingRange
	filter drover.ReadingHistoryFilter
	leave  guard.Readings
	store  *store.Store
	device drover.Device
	series map[int64]drover.ReadingSeries
	kinds  map[int64]drover.ReadingKind
}

// aroundReadings is how many rows before and after a page its rows are judged by, of all
// series that are asked for.
const aroundReadings = 250

// readingChunk is the number of rows that are read at once, at the least: many may be left
// out.
const readingChunk = 500

// next reads the next rows, and reports whether there may be more.
func (h *readingHistory) next(ctx context.Context, limit int) (found []PlacedReading, more bool, err error) {
	h.Limit = max(limit, readingChunk)
	rows, err := h.leave.Read(ctx, h.store, h.ReadingRange)
	if err != nil || len(rows) == 0 {
		return nil, false, err
	}
	last := rows[len(rows)-1]
	h.After = &drover.ReadingTimeCursor{Time: drover.Milli(last.At), Series: last.Series}
	more = len(rows) == h.Limit
	if h.NewestFirst {
		slices.Reverse(rows)
	}
	before, err := h.around(ctx, rows[0], true)
	if err != nil {
		return nil, false, err
	}
	after, err := h.around(ctx, rows[len(rows)-1], false)
	if err != nil {
		return nil, false, err
	}
	judged := reading.Judge(slices.Concat(before, rows, after), h.kinds, int64(h.filter.Every)*1000)[len(before):]
	for i, r := range rows {
		j := judged[i]
		if j.Suspect != "" && !h.filter.Suspect || j.Suspect == "" && !j.First {
			continue
		}
		at := drover.Milli(r.At)
		view := h.series[r.Series].Reading(h.device.ID, h.device.ConnectionID, at, reading.Shown(h.kinds[r.Series], r.Value), j.Suspect)
		found = append(found, PlacedReading{view, drover.ReadingTimeCursor{Time: at, Series: r.Series}})
	}
	if h.NewestFirst {
		slices.Reverse(found)
	}
	return found, more, nil
}

// around reads the rows next to one, oldest first.
func (h *readingHistory) around(ctx context.Context, r reading.Row, before bool) ([]reading.Row, error) {
	rows, err := h.leave.Read(ctx, h.store, store.ReadingRange{
		From: drover.Milli(0), To: drover.Milli(1 << 62), Series: h.Series, NewestFirst: before, Limit: aroundReadings,
		After: &drover.ReadingTimeCursor{Time: drover.Milli(r.At), Series: r.Series},
	})
	if before {
		slices.Reverse(rows)
	}
	return rows, err
}
