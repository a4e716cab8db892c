package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// ReadingSeries is a series of a device's readings, with the value that it shows.
type ReadingSeries struct {
	ID                     string // what it is shown under, together with others of its kind and channel
	DeviceID, ConnectionID string
	Number                 int64 // within the device, from 1
	drover.ReadingSeries
	Shown drover.ReadingValue
	// Suspect says why the value is not believed; empty where it is.
	Suspect string
	// State is what the next value is judged by, as the rules write it. ReadingSeriesOf and SeriesStates alone read it.
	State string
}

// seriesTable has the readings that lists show, and their changes.
const seriesTable = "reading_series"

// seriesColumns of a device: the texts of a series and its numbers come one after the other, a text after
// its length; times are signed varints, other numbers unsigned ones.
var seriesColumns = []database.Column{
	database.ID("tenant_id"),
	database.ID("device_id"),
	database.ID("connection_id"),
	database.Number("series"),
	database.Text("ids"),
	database.Bytes("shown"),
	database.Bytes("states"),
}

// seriesRow is the row of one device, whose series these are.
func seriesRow(tenantID string, series []ReadingSeries) []any {
	highest := int64(0)
	ids := make([]byte, 0, idWidth*len(series)+1)
	shown, states := make([]byte, 0, 80*len(series)), []byte{}
	for i := range series {
		s := &series[i]
		highest = max(highest, s.Number)
		ids = append(append(append(ids, `,"`...), s.ID...), '"')
		shown = binary.AppendUvarint(shown, uint64(s.Number)) // which is positive
		for _, text := range []string{string(s.Kind), s.Channel, string(s.Source), s.NativeName, s.Suspect} {
			shown = appendText(shown, text)
		}
		shown = binary.AppendVarint(shown, s.Shown.At)
		shown = binary.LittleEndian.AppendUint64(shown, math.Float64bits(s.Shown.Value))
		states = appendText(states, s.State)
	}
	ids[0] = '['
	return []any{tenantID, series[0].DeviceID, series[0].ConnectionID, highest, string(append(ids, ']')), shown, states}
}

func appendText(to []byte, text string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}

// idWidth is what an id takes in a list of them: with its quotes and what is before them.
const idWidth = len(noID) + len(`,""`)

// splitIDs are the ids of a list.
func splitIDs(list string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for ; len(list) > idWidth; list = list[idWidth:] {
			if !yield(list[2 : idWidth-1]) {
				return
			}
		}
	}
}

var errSeries = errors.New("the series of a device cannot be read")

// fields reads texts and numbers one after the other.
type fields struct {
	rest   string
	broken bool
}

func (f *fields) next(n int) string {
	if f.broken = f.broken || n < 0 || n > len(f.rest); f.broken {
		return ""
	}
	text := f.rest[:n]
	f.rest = f.rest[n:]
	return text
}

func (f *fields) length() int {
	v, n := binary.Uvarint([]byte(f.rest[:min(len(f.rest), binary.MaxVarintLen64)]))
	if f.broken = f.broken || n <= 0 || v > math.MaxInt32; f.broken {
		return 0
	}
	f.rest = f.rest[n:]
	return int(v)
}

func (f *fields) text() string { return f.next(f.length()) }

func (f *fields) time() int64 {
	v, n := binary.Varint([]byte(f.rest[:min(len(f.rest), binary.MaxVarintLen64)]))
	f.next(n)
	return v
}

func (f *fields) float() float64 {
	if text := f.next(8); text != "" {
		return math.Float64frombits(binary.LittleEndian.Uint64([]byte(text)))
	}
	return 0
}

// seriesFields are what readSeries reads of a device.
const seriesFields = `r.device_id, r.connection_id, r.ids, r.shown`

// readSeries reads the series of devices in the order of the rows, by number, those of them that are
// wanted, with their states where the rows have them. It also returns how many rows there were, and the
// device of the last.
func readSeries(
	rows *sql.Rows,
	err error,
	doing string,
	states bool,
	wanted func(*ReadingSeries) bool,
) ([]ReadingSeries, int, string, error) {
	var ids, shown, state string
	var s ReadingSeries
	into := []any{&s.DeviceID, &s.ConnectionID, &ids, &shown}
	if states {
		into = append(into, &state)
	}
	series := []ReadingSeries{}
	all, err := database.ReadAll(rows, err, doing, func(row database.Scanner) (none struct{}, err error) {
		if err := row.Scan(into...); err != nil {
			return none, err
		}
		of, judged := fields{rest: shown}, fields{rest: state}
		for s.ID = range splitIDs(ids) {
			s.Number, s.Kind, s.Channel = int64(of.length()), drover.ReadingKind(of.text()), of.text()
			s.Source, s.NativeName, s.Suspect = drover.ReadingSource(of.text()), of.text(), of.text()
			s.Shown.At, s.Shown.Value = of.time(), of.float()
			if states {
				s.State = judged.text()
			}
			if wanted == nil || wanted(&s) {
				if len(series) == cap(series) { // append would make room for a quarter more, and copy many often
					series = slices.Grow(series, max(len(series), 8))
				}
				series = append(series, s)
			}
		}
		if of.broken || judged.broken || of.rest != "" {
			err = fmt.Errorf("device %s: %w", s.DeviceID, errSeries)
		}
		return none, err
	})
	return series, len(all), s.DeviceID, err
}

// ReadingSeriesOf reads the series of devices with their states, and keeps other
// transactions from changing them.
func (tx VehiclesTx) ReadingSeriesOf(ctx context.Context, tenantID string, deviceIDs []string) ([]ReadingSeries, error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT `+seriesFields+`, r.states FROM reading_series r
		WHERE r.tenant_id = $1 AND r.device_id `+tx.d.InList(2)+` ORDER BY r.device_id`+tx.d.ForUpdate(), tenantID, tx.d.List(deviceIDs))
	series, _, _, err := readSeries(rows, err, "read series of readings", true, nil)
	return series, err
}

// SeriesStates reads a connection's series of a kind with their states.
func (q VehiclesReader) SeriesStates(
	ctx context.Context,
	tenantID, connectionID string,
	kind drover.ReadingKind,
) ([]ReadingSeries, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+seriesFields+`, r.states FROM reading_series r
		WHERE r.tenant_id = $1 AND r.connection_id = $2`, tenantID, connectionID)
	series, _, _, err := readSeries(rows, err, "read states of series", true, func(s *ReadingSeries) bool { return s.Kind == kind })
	return series, err
}

// SetReadingSeries stores all series of some devices of a tenant, those of a device one after the other.
func (tx VehiclesTx) SetReadingSeries(ctx context.Context, tenantID string, series []ReadingSeries) error {
	if len(series) == 0 {
		return nil
	}
	var rows [][]any
	for len(series) > 0 {
		n := 1
		for n < len(series) && series[n].DeviceID == series[0].DeviceID {
			n++
		}
		rows = append(rows, seriesRow(tenantID, series[:n]))
		series = series[n:]
	}
	number := `excluded.change`
	if tx.d.Name() == "sqlite" {
		number = `(SELECT number FROM change_clock)`
		if _, err := tx.write("change_clock").ExecContext(ctx, `UPDATE change_clock SET number = number + 1`); err != nil {
			return fmt.Errorf("number a change: %w", err)
		}
	}
	err := tx.tx.InsertRows(ctx, seriesTable, seriesColumns, rows, `ON CONFLICT (tenant_id, device_id) DO UPDATE
		SET series = excluded.series, ids = excluded.ids, shown = excluded.shown, states = excluded.states,
		change = CASE WHEN reading_series.shown = excluded.shown THEN reading_series.change ELSE `+number+` END`)
	if err != nil {
		return fmt.Errorf("store series of readings: %w", err)
	}
	return nil
}

// DeviceReadings reads the series of a device, without what their next value is judged by.
func (q VehiclesReader) DeviceReadings(ctx context.Context, tenantID, deviceID string) ([]ReadingSeries, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+seriesFields+` FROM reading_series r WHERE r.tenant_id = $1 AND r.device_id = $2`, tenantID,
		deviceID)
	series, _, _, err := readSeries(rows, err, "read readings of a device", false, nil)
	return series, err
}

// ReadingCoverage is what the devices of a connection have of a kind of reading.
type ReadingCoverage struct {
	Kind    drover.ReadingKind
	Devices int // with a reading since the time asked for
	Newest  drover.Time
	// Names and sources of the series.
	Names   []string
	Sources []drover.ReadingSource
}

// ReadingCoverage reads which kinds of readings the devices of a connection have, by kind.
func (q VehiclesReader) ReadingCoverage(ctx context.Context, tenantID, connectionID string, since drover.Time) ([]ReadingCoverage, error) {
	type series struct{ name, source string }
	byKind, counted := map[drover.ReadingKind]*ReadingCoverage{}, map[drover.ReadingKind]string{}
	of := map[drover.ReadingKind]map[series]bool{}
	rows, err := q.db.QueryContext(ctx, `SELECT `+seriesFields+` FROM reading_series r WHERE r.tenant_id = $1 AND r.connection_id = $2`,
		tenantID, connectionID)
	_, _, _, err = readSeries(rows, err, "read the coverage of readings", false, func(s *ReadingSeries) bool {
		c := byKind[s.Kind]
		if c == nil {
			c = &ReadingCoverage{Kind: s.Kind}
			byKind[s.Kind], of[s.Kind] = c, map[series]bool{}
		}
		if s.Shown.At >= since.UnixMilli() && counted[s.Kind] != s.DeviceID {
			counted[s.Kind] = s.DeviceID
			c.Devices++
		}
		if at := drover.Milli(s.Shown.At); at.After(c.Newest.Time) {
			c.Newest = at
		}
		of[s.Kind][series{s.NativeName, string(s.Source)}] = true
		return false
	})
	found := []ReadingCoverage{}
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		c := *byKind[kind]
		for _, s := range slices.SortedFunc(maps.Keys(of[kind]), func(a, b series) int {
			return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.source, b.source))
		}) {
			if !slices.Contains(c.Names, s.name) {
				c.Names = append(c.Names, s.name)
			}
			if source := drover.ReadingSource(s.source); source != "" && !slices.Contains(c.Sources, source) {
				c.Sources = append(c.Sources, source)
			}
		}
		found = append(found, c)
	}
	return found, err
}

// NewestReadings reads series of the devices whose readings asker may see, by device from
// the one given on, and number, without what their next value is judged by.
func (q VehiclesReader) NewestReadings(
	ctx context.Context,
	asker string,
	f drover.ReadingFilter,
	from string,
	limit int,
) ([]ReadingSeries, error) {
	inOrder := func(a, b ReadingSeries) int {
		return cmp.Or(cmp.Compare(a.DeviceID, b.DeviceID), cmp.Compare(a.Number, b.Number))
	}
	return readOwners(ctx, q.queries, asker, limit, inOrder, func(ctx context.Context, p part) ([]ReadingSeries, error) {
		if p.own {
			own := database.Where{Args: []any{asker}, Parts: []string{`r.tenant_id = $1`}}
			return q.newestReadings(ctx, p, ` FROM reading_series r`, own, f, from, limit)
		}
		shared := p.where(shares() + ` AND cs.readings = TRUE` + p.only("cs.tenant_id") + p.only("r.tenant_id"))
		return q.newestReadings(ctx, p,
			` FROM connection_share cs JOIN reading_series r ON r.tenant_id = cs.tenant_id AND r.connection_id = cs.connection_id`, shared, f,
			from, limit)
	})
}

const (
	// usualSeries is how many series devices are taken to have, until some were read.
	usualSeries = 8
	// seriesDevices bounds the devices that are read at once after the first.
	seriesDevices = 1000
)

// newestReadings reads devices until there are enough series, or no more devices.
func (q queries) newestReadings(
	ctx context.Context,
	p part,
	source string,
	w database.Where,
	f drover.ReadingFilter,
	from string,
	limit int,
) ([]ReadingSeries, error) {
	w.AnyID(q.d, "r.connection_id", f.ConnectionIDs)
	w.AnyID(q.d, "r.device_id", f.DeviceIDs)
	if len(f.Tags) > 0 {
		source += ` JOIN device d ON d.tenant_id = r.tenant_id AND d.id = r.device_id` + p.only("d.tenant_id")
		anyTag(&w, q.d, f.Tags, p)
	}
	ids := make(map[string]bool, len(f.IDs))
	for _, id := range f.IDs {
		ids[id] = true
	}
	wanted := func(s *ReadingSeries) bool {
		return (len(ids) == 0 || ids[s.ID]) && (len(f.Kinds) == 0 || slices.Contains(f.Kinds, s.Kind))
	}
	all, beyond := []ReadingSeries{}, "r.device_id >="
	for devices, read := limit/usualSeries+2, 0; ; {
		page := database.Where{Parts: slices.Clone(w.Parts), Args: slices.Clone(w.Args)}
		page.ID(beyond, from)
		rows, err := q.db.QueryContext(ctx, `SELECT `+seriesFields+source+page.SQL()+page.Limit(p.by("r.device_id"), devices), page.Args...)
		some, n, last, err := readSeries(rows, err, "list newest readings", false, wanted)
		if err != nil {
			return nil, err
		}
		if all = append(all, some...); n < devices || len(all) >= limit {
			return all, nil
		}
		from, beyond, read = last, "r.device_id >", read+n
		devices = min((limit-len(all))*read/max(1, len(all))+2, seriesDevices)
	}
}
