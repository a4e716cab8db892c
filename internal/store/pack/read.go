package pack

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/drover-fleet/drover"
)

// reader takes columns from the front. Once something does not fit, bad is set, and
// whatever is read after that is zero.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) fail() { r.b, r.bad = nil, true }

func (r *reader) uvarint() uint64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[size:]
	return n
}

func (r *reader) varint() int64 {
	n, size := binary.Varint(r.b)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[size:]
	return n
}

// length reads a number of which a limit is known.
func (r *reader) length(limit int) int {
	n := r.uvarint()
	if n > uint64(limit) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *reader) take(n int) []byte {
	if n > len(r.b) {
		r.fail()
		return nil
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) fixed() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) rows(rows []drover.StoredPosition, n int, first int64) []drover.StoredPosition {
	rows = slices.Grow(rows[:0], n)[:n]
	clear(rows)
	r.times(rows, first)
	r.coordinates(rows)
	r.numbers(n, func(i int, v *float64) { rows[i].Heading = v })
	r.numbers(n, func(i int, v *float64) { rows[i].SpeedKPH = v })
	r.numbers(n, func(i int, v *float64) { rows[i].OdometerMetres = v })
	r.flags(n, func(i int, v *bool) { rows[i].Ignition = v })
	r.flags(n, func(i int, v *bool) { rows[i].Auxiliary = v })
	r.texts(n, func(i int, v *string) { rows[i].DriverID = v })
	r.texts(n, func(i int, v *string) { rows[i].Suspect = *v })
	return rows
}

func (r *reader) times(rows []drover.StoredPosition, first int64) {
	unit := int64(r.uvarint())
	if unit != 1 && unit != 1000 {
		r.fail()
		return
	}
	rows[0].Time = drover.Milli(first)
	at, step := first/unit, int64(0)
	for i := 1; i < len(rows); i++ {
		step += r.varint()
		if step <= 0 {
			r.fail()
			return
		}
		at += step
		rows[i].Time = drover.Milli(at * unit)
	}
}

// instants reads times that are in any order.
func (r *reader) instants(rows []drover.StoredPosition) {
	unit := int64(r.uvarint())
	if unit != 1 && unit != 1000 {
		r.fail()
		return
	}
	at, step := int64(0), int64(0)
	for i := range rows {
		step += r.varint()
		at += step
		rows[i].Time = drover.Milli(at * unit)
	}
}

func (r *reader) coordinates(rows []drover.StoredPosition) {
	for i, v := range r.values(len(rows)) {
		rows[i].Latitude = v
	}
	for i, v := range r.values(len(rows)) {
		rows[i].Longitude = v
	}
}

func (r *reader) text() string { return string(r.take(r.length(maxRaw))) }

func (r *reader) numbers(n int, set func(int, *float64)) {
	var known []int
	r.runs(n, 1, func(i int, value uint64) {
		if value == 1 {
			known = append(known, i)
		}
	})
	values := r.values(len(known))
	for i := range values {
		set(known[i], &values[i])
	}
}

// values reads n numbers, or none where they are damaged.
func (r *reader) values(n int) []float64 {
	if n == 0 || r.bad {
		return nil
	}
	values := make([]float64, n)
	switch form := r.byte(); {
	case form <= decimals:
		sum := int64(0)
		for i := range values {
			sum += r.varint()
			values[i] = float64(sum) / powers[form]
		}
	case form == listed:
		r.listed(values)
	case form == bits:
		r.planes(values)
	default:
		r.fail()
	}
	if r.bad {
		return nil
	}
	return values
}

func (r *reader) listed(values []float64) {
	list := make([]float64, r.byte())
	for i := range list {
		list[i] = math.Float64frombits(r.fixed())
	}
	for i, at := range r.take(len(values)) {
		if int(at) >= len(list) {
			r.fail()
			return
		}
		values[i] = list[at]
	}
}

func (r *reader) planes(values []float64) {
	n := len(values)
	b := r.take(8 * n)
	if b == nil {
		return
	}
	last := uint64(0)
	for i := range values {
		difference := uint64(0)
		for plane := range 8 {
			difference = difference<<8 | uint64(b[plane*n+i])
		}
		last ^= difference
		values[i] = math.Float64frombits(last)
	}
}

func (r *reader) flags(n int, set func(int, *bool)) {
	values := [2]bool{false, true}
	r.runs(n, 2, func(i int, value uint64) {
		if value > 0 {
			set(i, &values[value-1])
		}
	})
}

func (r *reader) texts(n int, set func(int, *string)) {
	list := make([]string, r.length(n))
	if len(list) == 0 {
		return
	}
	for i := range list {
		list[i] = r.text()
	}
	r.runs(n, uint64(len(list)), func(i int, value uint64) {
		if value > 0 {
			set(i, &list[value-1])
		}
	})
}

// runs reads n values, none above a limit.
func (r *reader) runs(n int, limit uint64, set func(int, uint64)) {
	for i := 0; i < n; {
		value, count := r.uvarint(), r.length(n-i)
		if value > limit || count == 0 {
			r.fail()
			return
		}
		for range count {
			set(i, value)
			i++
		}
	}
}
