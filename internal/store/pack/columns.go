package pack

import (
	"encoding/binary"
	"math"

	"github.com/drover-fleet/drover"
)

// How the values of a column of numbers are written.
const (
	decimals = 12  // up to this, it is the number of decimals of every value
	listed   = 254 // few different values: they once, then the place of each in that list
	bits     = 255 // the bits of each, against those of the one before
)

// writer appends columns.
type writer struct{ b []byte }

func (w *writer) uvarint(n uint64) { w.b = binary.AppendUvarint(w.b, n) }
func (w *writer) varint(n int64)   { w.b = binary.AppendVarint(w.b, n) }

func (w *writer) rows(rows []drover.StoredPosition) {
	w.times(rows)
	n := len(rows)
	w.coordinates(rows)
	w.numbers(rows, func(p *drover.Position) *float64 { return p.Heading })
	w.numbers(rows, func(p *drover.Position) *float64 { return p.SpeedKPH })
	w.numbers(rows, func(p *drover.Position) *float64 { return p.OdometerMetres })
	w.flags(rows, func(p *drover.Position) *bool { return p.Ignition })
	w.flags(rows, func(p *drover.Position) *bool { return p.Auxiliary })
	w.texts(n, func(i int) *string { return rows[i].DriverID })
	w.texts(n, func(i int) *string {
		if rows[i].Suspect == "" {
			return nil
		}
		return &rows[i].Suspect
	})
}

func (w *writer) coordinates(rows []drover.StoredPosition) {
	latitude, longitude := make([]float64, len(rows)), make([]float64, len(rows))
	for i := range rows {
		latitude[i], longitude[i] = rows[i].Latitude, rows[i].Longitude
	}
	w.values(latitude)
	w.values(longitude)
}

// times writes by how much each step is longer than the one before, in seconds
// where all times are whole seconds.
func (w *writer) times(rows []drover.StoredPosition) {
	unit := unitOf(rows)
	w.uvarint(uint64(unit))
	w.steps(rows[1:], unit, rows[0].Time.UnixMilli()/unit)
}

// instants is times of positions in any order, from 1970 on.
func (w *writer) instants(rows []drover.StoredPosition) {
	unit := unitOf(rows)
	w.uvarint(uint64(unit))
	w.steps(rows, unit, 0)
}

func (w *writer) steps(rows []drover.StoredPosition, unit, last int64) {
	step := int64(0)
	for i := range rows {
		at := rows[i].Time.UnixMilli() / unit
		w.varint(at - last - step)
		last, step = at, at-last
	}
}

func unitOf(rows []drover.StoredPosition) int64 {
	for i := range rows {
		if rows[i].Time.UnixMilli()%1000 != 0 {
			return 1
		}
	}
	return 1000
}

func (w *writer) text(text string) {
	w.uvarint(uint64(len(text)))
	w.b = append(w.b, text...)
}

// numbers writes a column of which some may be unknown.
func (w *writer) numbers(rows []drover.StoredPosition, of func(*drover.Position) *float64) {
	known := make([]float64, 0, len(rows))
	w.runs(len(rows), func(i int) uint64 {
		v := of(&rows[i].Position)
		if v == nil {
			return 0
		}
		known = append(known, *v)
		return 1
	})
	w.values(known)
}

// values writes numbers in the form that fits all of them.
func (w *writer) values(values []float64) {
	if len(values) == 0 {
		return
	}
	if digits, ok := digitsOf(values); ok {
		w.b = append(w.b, byte(digits))
		w.differences(values, digits)
		return
	}
	if list, place := distinct(values); list != nil {
		w.b = append(w.b, listed, byte(len(list)))
		for _, v := range list {
			w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(v))
		}
		w.b = append(w.b, place...)
		return
	}
	w.b = append(w.b, bits)
	w.planes(values)
}

func (w *writer) differences(values []float64, digits int) {
	last, scale := int64(0), powers[digits]
	for _, v := range values {
		n := int64(math.Round(v * scale))
		w.varint(n - last)
		last = n
	}
}

// planes writes the first byte of all values, then the second: neighbours differ in
// the last ones.
func (w *writer) planes(values []float64) {
	start := len(w.b)
	w.b = append(w.b, make([]byte, 8*len(values))...)
	last := uint64(0)
	for i, v := range values {
		n := math.Float64bits(v)
		for plane := range 8 {
			w.b[start+plane*len(values)+i] = byte((n ^ last) >> (56 - 8*plane))
		}
		last = n
	}
}

var powers = func() (p [decimals + 1]float64) {
	for i := range p {
		p[i] = math.Pow10(i)
	}
	return p
}()

// digitsOf finds the decimals with which every value is exactly the whole number
// that is written, divided by a power of ten.
func digitsOf(values []float64) (digits int, ok bool) {
	for _, v := range values {
		for !exact(v, powers[digits]) {
			if digits++; digits > decimals {
				return 0, false
			}
		}
	}
	for _, v := range values { // a large value may not be exact with more of them
		if !exact(v, powers[digits]) {
			return 0, false
		}
	}
	return digits, true
}

func exact(v, scale float64) bool {
	n := math.Round(v * scale)
	return math.Abs(n) < 1<<53 && math.Float64bits(float64(int64(n))/scale) == math.Float64bits(v) // -0 is no whole number
}

// distinct lists the different values, where they are few, and the place of each.
func distinct(values []float64) (list []float64, place []byte) {
	seen := map[uint64]byte{}
	for _, v := range values {
		at, known := seen[math.Float64bits(v)]
		if !known {
			if len(list) == math.MaxUint8 || len(list) > len(values)/4 {
				return nil, nil
			}
			at = byte(len(list))
			seen[math.Float64bits(v)], list = at, append(list, v)
		}
		place = append(place, at)
	}
	return list, place
}

func (w *writer) flags(rows []drover.StoredPosition, of func(*drover.Position) *bool) {
	w.runs(len(rows), func(i int) uint64 {
		switch v := of(&rows[i].Position); {
		case v == nil:
			return 0
		case *v:
			return 2
		}
		return 1
	})
}

// texts writes the different texts, then which one each position has.
func (w *writer) texts(n int, of func(int) *string) {
	var list []string
	place := map[string]uint64{}
	for i := range n {
		if v := of(i); v != nil && place[*v] == 0 {
			list = append(list, *v)
			place[*v] = uint64(len(list))
		}
	}
	w.uvarint(uint64(len(list)))
	for _, v := range list {
		w.text(v)
	}
	if len(list) == 0 {
		return
	}
	w.runs(n, func(i int) uint64 {
		if v := of(i); v != nil {
			return place[*v]
		}
		return 0
	})
}

// runs writes each value once with how often it follows itself.
func (w *writer) runs(n int, of func(int) uint64) {
	value, count := of(0), uint64(1)
	for i := 1; i < n; i++ {
		next := of(i)
		if next == value {
			count++
			continue
		}
		w.uvarint(value)
		w.uvarint(count)
		value, count = next, 1
	}
	w.uvarint(value)
	w.uvarint(count)
}
