package collect

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/rules/reading"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// readingAhead is how far a reading may be ahead of the present. One that is further would
// keep all that follow it from being the newest.
const readingAhead = 10 * time.Minute

// gauge is one of a device's series while a page is stored.
type gauge struct {
	device string
	drover.ReadingSeries
}

// shown is what all series of a kind and channel of a device have in common: it shows one.
func (g gauge) shown() gauge {
	return gauge{g.device, drover.ReadingSeries{Kind: g.Kind, Channel: g.Channel}}
}

// gaugeOf is the series that a reading is of.
func gaugeOf(r drover.Reading) gauge {
	g := gauge{r.DeviceID, drover.ReadingSeries{Kind: r.Kind, NativeName: r.NativeName}}
	if r.Channel != nil {
		g.Channel = *r.Channel
	}
	if r.Source != nil {
		g.Source = *r.Source
	}
	return g
}

// sample is a reading with its time.
type sample struct {
	gauge
	drover.ReadingValue
	with *provider.Position // that it came with, if any
	// outcome is what is said of it; nil where no one asks.
	outcome *drover.RecordOutcome
}

// say notes what became of a reading.
func (r *sample) say(o drover.RecordOutcome) {
	if r.outcome != nil {
		*r.outcome = o
	}
}

// saveReadings stores what came with a page of positions, or by itself. What was read before
// changes nothing: of a position that is known, only readings count that are newer than all of
// their series.
func (v *run) saveReadings(ctx context.Context, tx *store.Tx, p *positionPage, oldest time.Time) error {
	all := v.samples(p, oldest)
	if len(all) == 0 {
		return nil
	}
	devices := map[string]bool{}
	for _, r := range all {
		devices[r.device] = true
	}
	stored, err := tx.Vehicles.ReadingSeriesOf(ctx, v.claim.TenantID, slices.Sorted(maps.Keys(devices)))
	if err != nil {
		return err
	}
	b := readingBatch{
		run: v, page: p, series: make(map[gauge]*seriesState, len(stored)), numbers: make(map[string]int64, len(devices)),
		ids: make(map[gauge]string, len(stored)), kept: map[gauge]bool{}, changed: make(map[string]bool, len(devices)),
	}
	for i := range stored {
		s := &stored[i]
		state := &seriesState{gauge: gauge{s.DeviceID, s.ReadingSeries}, number: s.Number, text: s.State}
		if state.State, err = reading.ParseState(s.State, s.Shown, s.Suspect); err != nil {
			return err
		}
		b.series[state.gauge] = state
		b.numbers[s.DeviceID] = max(b.numbers[s.DeviceID], s.Number)
		b.ids[state.shown()] = s.ID
	}
	for _, r := range all {
		b.add(r)
	}
	if err := b.addLate(ctx, tx); err != nil {
		return err
	}
	// In one order, so that no two transactions wait for each other.
	changed := make([]*seriesState, 0, len(b.series))
	for _, s := range b.series {
		if b.changed[s.device] {
			changed = append(changed, s)
		}
	}
	slices.SortFunc(changed, func(a, b *seriesState) int {
		return cmp.Or(cmp.Compare(a.device, b.device), cmp.Compare(a.number, b.number))
	})
	rows := make([]store.ReadingSeries, len(changed))
	for i, s := range changed {
		if rows[i] = b.stored(s); s.changed {
			rows[i].State = s.Text()
		}
	}
	if err := tx.Vehicles.SetReadingSeries(ctx, v.claim.TenantID, rows); err != nil {
		return err
	}
	if err := tx.Vehicles.AddReadings(ctx, v.claim.TenantID, b.rows); err != nil {
		return err
	}
	return b.tellShown(ctx, tx, p.job)
}

// samples lists the readings of a page that are collected, oldest first.
func (v *run) samples(p *positionPage, oldest time.Time) []*sample {
	var all []sample
	newest := v.c.opts.Now().Add(readingAhead)
	for i := range p.records {
		r := &p.records[i]
		if len(r.Readings) == 0 || p.devices[r.SystemDeviceID] == "" {
			continue
		}
		device := p.devices[r.SystemDeviceID]
		for _, said := range r.Readings {
			at := said.Time
			if at.IsZero() {
				at = r.Time
			}
			if at.After(newest) || v.leftOut(at, oldest) != "" {
				continue
			}
			all = append(all, sample{
				gauge: gauge{device, said.ReadingSeries}, ReadingValue: drover.ReadingValue{At: at.UnixMilli(), Value: said.Value},
				with: r,
			})
		}
	}
	for i := range p.said {
		// What came before changes nothing: what is stored of its time shows it.
		said := &p.said[i]
		device, at := p.devices[said.SystemDeviceID], said.Time
		if device == "" || at.IsZero() || at.After(newest) || v.leftOut(at, oldest) != "" {
			continue
		}
		one := sample{
			gauge: gauge{device, said.ReadingSeries}, ReadingValue: drover.ReadingValue{At: at.UnixMilli(), Value: said.Value},
		}
		if i < len(p.outcomes) {
			one.outcome = p.outcomes[i]
		}
		all = append(all, one)
	}
	sorted := make([]*sample, len(all))
	for i := range all {
		sorted[i] = &all[i]
	}
	slices.SortStableFunc(sorted, func(a, b *sample) int { return cmp.Compare(a.At, b.At) })
	return sorted
}

// freshWith reports whether a reading came with a position that was not known, or with none.
func (p *positionPage) freshWith(r *sample) bool {
	if r.with == nil {
		return true
	}
	n, there := slices.BinarySearchFunc(p.rows, r, func(row history.Position, r *sample) int {
		return cmp.Or(cmp.Compare(row.DeviceID, r.device), row.Time.Compare(r.with.Time.Time))
	})
	for there && n+1 < len(p.rows) && p.rows[n+1].DeviceID == r.device && p.rows[n+1].Time.Equal(r.with.Time.Time) {
		n++
	}
	return there && p.fresh[n]
}

// leftOut says why what happened at a time is not collected: it lies outside of the
// connection's collection window, or before oldest, from which on positions are kept. It is
// empty where it is collected.
func (v *run) leftOut(at drover.Time, oldest time.Time) string {
	switch {
	case at.Before(v.conn.CollectionStartTime.Time):
		return "it is before the connection's collection_start_time"
	case v.conn.CollectionEndTime != nil && !at.Before(v.conn.CollectionEndTime.Time):
		return "it is not before the connection's collection_end_time"
	case at.Before(oldest):
		return "it is older than positions are kept"
	}
	return ""
}

// seriesState is a series on its way.
type seriesState struct {
	gauge
	number  int64
	changed bool
	text    string // of the state that is stored
	reading.State
}

// readingBatch is the readings of a page on their way into the store.
type readingBatch struct {
	run     *run
	page    *positionPage
	series  map[gauge]*seriesState
	numbers map[string]int64 // of the last series of a device
	ids     map[gauge]string // of what is shown
	kept    map[gauge]bool   // by the history, a value that it showed
	changed map[string]bool  // devices
	rows    []store.ReadingRow
	late    []*sample
}

func (b *readingBatch) add(r *sample) {
	s := b.series[r.gauge]
	switch {
	case s == nil && b.numbers[r.device] >= reading.MaxSeries:
		b.run.c.opts.Logger.Warn("a device has too many instruments", "connection", b.run.claim.ConnectionID, "device", r.device)
		r.say(drover.Refused("the device has too many instruments"))
		return
	case s == nil:
		b.numbers[r.device]++
		s = &seriesState{gauge: r.gauge, number: b.numbers[r.device]}
		b.series[r.gauge] = s
		if b.ids[r.shown()] == "" {
			b.ids[r.shown()] = store.NewID()
		}
	case r.At <= s.Newest:
		if r.say(drover.RecordOutcome{Outcome: drover.RecordKnown}); r.At < s.Newest && b.page.freshWith(r) {
			b.late = append(b.late, r)
		}
		return
	}
	r.say(drover.RecordOutcome{Outcome: drover.RecordStored})
	if s.Add(r.Kind, r.ReadingValue) {
		b.keep(r, s)
		b.kept[r.gauge] = b.kept[r.gauge] || s.Shown.At == r.At // what is not believed is not shown
	}
	s.changed, b.changed[r.device] = true, true
}

// stored is a series as it is stored, with the state that it had before.
func (b *readingBatch) stored(s *seriesState) store.ReadingSeries {
	return store.ReadingSeries{
		ID: b.ids[s.shown()], DeviceID: s.device, ConnectionID: b.run.claim.ConnectionID, Number: s.number,
		ReadingSeries: s.ReadingSeries, Shown: s.Shown, Suspect: s.Suspect, State: s.text,
	}
}

func (b *readingBatch) keep(r *sample, of *seriesState) {
	b.rows = append(b.rows, store.ReadingRow{
		DeviceID:   r.device,
		ReadingRow: drover.ReadingRow{Series: of.number, ReadingValue: r.ReadingValue},
	})
}

// addLate keeps what came late and is worth a place among what is stored.
func (b *readingBatch) addLate(ctx context.Context, tx *store.Tx) error {
	byDevice := map[string][]*sample{}
	for _, r := range b.late {
		byDevice[r.device] = append(byDevice[r.device], r)
	}
	for _, device := range slices.Sorted(maps.Keys(byDevice)) {
		late := byDevice[device]
		first, last := drover.Milli(late[0].At), drover.Milli(late[len(late)-1].At+1)
		stored, err := tx.Vehicles.Readings(ctx, store.ReadingRange{
			TenantID: b.run.claim.TenantID, DeviceID: device, From: drover.At(first.Add(-reading.LateReach)), To: last, Limit: lateRows,
		})
		if err != nil {
			return err
		}
		around := map[int64][]reading.Value{}
		for _, r := range stored {
			around[r.Series] = append(around[r.Series], r.ReadingValue)
		}
		for _, r := range b.rows { // of this page
			if r.DeviceID == device {
				around[r.Series] = append(around[r.Series], r.ReadingValue)
			}
		}
		for _, r := range late {
			s := b.series[r.gauge]
			var kept bool
			if around[s.number], kept = reading.AddLate(r.Kind, around[s.number], r.ReadingValue); kept {
				r.say(drover.RecordOutcome{Outcome: drover.RecordStored})
				b.keep(r, s)
			}
		}
	}
	return nil
}

// lateRows bounds the stored readings by which late ones of a device are judged. Beyond
// them, some are kept that need not be.
const lateRows = 20_000

// cleanReadings leaves out what a database refuses.
func cleanReadings(readings []provider.Reading) []provider.Reading {
	return slices.DeleteFunc(readings, func(r provider.Reading) bool { return !finite(r.Value) })
}

func cleanSaid(said []provider.DeviceReading) []provider.DeviceReading {
	said = slices.DeleteFunc(said, func(r provider.DeviceReading) bool { return !finite(r.Value) })
	for i := range said {
		said[i].SystemDeviceID = cleanText(said[i].SystemDeviceID)
	}
	return said
}
