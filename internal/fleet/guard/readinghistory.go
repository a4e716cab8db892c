package guard

import (
	"context"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/reading"
	"github.com/drover-fleet/drover/internal/store"
)

// PlacedReading is a reading with its place in a device's history.
type PlacedReading struct {
	drover.Reading
	Place drover.ReadingTimeCursor
}

// History reads the device's readings of a time, which ends, in the order asked for, after the
// place given.
func (r Readings) History(
	ctx context.Context,
	from *store.Store,
	d drover.Device,
	f drover.ReadingHistoryFilter,
	after drover.ReadingTimeCursor,
	limit int,
) ([]PlacedReading, error) {
	h := readingHistory{
		ReadingRange: store.ReadingRange{From: f.From, To: *f.To, NewestFirst: f.Order == drover.NewestFirst},
		filter:       f, leave: r, store: from, device: d, series: map[int64]drover.ReadingSeries{}, kinds: map[int64]drover.ReadingKind{},
	}
	if after.Valid() {
		h.After = &after
	}
	series, err := r.Series(ctx, from)
	if err != nil {
		return nil, err
	}
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
	leave  Readings
	store  *store.Store
	device drover.Device
	series map[int64]drover.ReadingSeries
	kinds  map[int64]drover.ReadingKind
}

const (
	// aroundReadings is how many rows before and after a page its rows are judged by, of all
	// series that are asked for.
	aroundReadings = 250
	// aroundReach bounds how far from a page they are looked for: of a series that seldom has a
	// value, they would be found after a read of the whole history.
	aroundReach = reading.Reach
)

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

// around reads the rows next to one, oldest first. Where readings are thinned, those before it begin
// with its span of time, in which any may have been the first.
func (h *readingHistory) around(ctx context.Context, r reading.Row, before bool) ([]reading.Row, error) {
	of := store.ReadingRange{
		From: drover.Milli(r.At - aroundReach.Milliseconds()), To: drover.Milli(r.At + aroundReach.Milliseconds()),
		Series: h.Series, NewestFirst: before, After: &drover.ReadingTimeCursor{Time: drover.Milli(r.At), Series: r.Series},
	}
	var span []reading.Row
	if every := int64(h.filter.Every) * 1000; before && every > 0 {
		within := of
		within.From = drover.Milli(r.At - r.At%every)
		within.Limit = readingChunk
		for more := true; more; {
			rows, err := h.leave.Read(ctx, h.store, within)
			if err != nil {
				return nil, err
			}
			if span, more = append(span, rows...), len(rows) == within.Limit; more {
				last := rows[len(rows)-1]
				within.After = &drover.ReadingTimeCursor{Time: drover.Milli(last.At), Series: last.Series}
			}
		}
		of.After = &drover.ReadingTimeCursor{Time: within.From}
	}
	of.Limit = aroundReadings
	rows, err := h.leave.Read(ctx, h.store, of)
	if rows = append(span, rows...); before {
		slices.Reverse(rows)
	}
	return rows, err
}
