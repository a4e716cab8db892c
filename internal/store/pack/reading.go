package pack

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/drover-fleet/drover"
)

// MaxReadings is the largest number of readings of one block.
const MaxReadings = 1 << 18

var readingMagic = [2]byte{'d', 'r'}

// ErrBrokenReadings is the error of a block of readings that cannot be read.
var ErrBrokenReadings = errors.New("broken block of readings")

// EncodeReadings packs readings of a device, at least one and at most MaxReadings, no two of
// one series and time. They are sorted by series and time.
func EncodeReadings(rows []drover.ReadingRow) ([]byte, error) {
	if len(rows) == 0 || len(rows) > MaxReadings {
		return nil, fmt.Errorf("a block holds 1 to %d readings, not %d", MaxReadings, len(rows))
	}
	slices.SortStableFunc(rows, func(a, b drover.ReadingRow) int {
		return cmp.Or(cmp.Compare(a.Series, b.Series), cmp.Compare(a.At, b.At))
	})
	raw := writer{}
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].Series == rows[0].Series {
			n++
		}
		raw.readings(rows[:n])
		rows = rows[n:]
	}
	if len(raw.b) > maxRaw {
		return nil, errors.New("a block of readings is too large")
	}
	header := binary.AppendUvarint([]byte{readingMagic[0], readingMagic[1], version}, uint64(len(raw.b)))
	return seal(header, raw.b), nil
}

// readings writes the readings of one series: their times, by how much each step is longer than
// the one before, and their values.
func (w *writer) readings(rows []drover.ReadingRow) {
	w.uvarint(uint64(rows[0].Series))
	w.uvarint(uint64(len(rows)))
	unit, values := int64(1000), make([]float64, len(rows))
	for i, r := range rows {
		if values[i] = r.Value; r.At%1000 != 0 {
			unit = 1
		}
	}
	w.uvarint(uint64(unit))
	last, step := int64(0), int64(0)
	for _, r := range rows {
		at := r.At / unit
		w.varint(at - last - step)
		last, step = at, at-last
	}
	w.values(values)
}

// DecodeReadings unpacks a block of readings, which are in the order of series and time.
func DecodeReadings(block []byte) ([]drover.ReadingRow, error) {
	if len(block) < len(readingMagic)+1 || [2]byte(block) != readingMagic || block[2] != version {
		return nil, fmt.Errorf("%w: it does not begin as one", ErrBrokenReadings)
	}
	head := reader{b: block[3:]}
	raw := head.length(maxRaw)
	columns, err := unseal(block, len(block)-len(head.b), raw, ErrBrokenReadings)
	if err != nil {
		return nil, err
	}
	r := reader{b: columns}
	var rows []drover.ReadingRow
	for len(r.b) > 0 {
		rows = r.readings(rows)
	}
	if r.bad {
		return nil, fmt.Errorf("%w: its columns do not fit", ErrBrokenReadings)
	}
	return rows, nil
}

func (r *reader) readings(rows []drover.ReadingRow) []drover.ReadingRow {
	series := int64(r.uvarint())
	n := r.length(MaxReadings)
	unit := int64(r.length(1000))
	first := len(rows)
	last, step := int64(0), int64(0)
	for range n {
		if r.bad {
			return rows
		}
		step += r.varint()
		last += step
		rows = append(rows, drover.ReadingRow{Series: series, ReadingValue: drover.ReadingValue{At: last * unit}})
	}
	for i, v := range r.values(n) {
		rows[first+i].Value = v
	}
	return rows
}
