package provider

import (
	"math"

	"github.com/drover-fleet/drover"
)

// Reading is what one of a vehicle's instruments said. It comes with a position.
type Reading struct {
	drover.ReadingSeries
	Time  drover.Time // the position's where it is zero
	Value float64
}

// DeviceReading is a reading that comes by itself: the vendor reports what the instruments
// say apart from where the vehicle is. It has a time of its own.
type DeviceReading struct {
	SystemDeviceID string
	Reading
}

// AnyChannel is the channel of a declared series of which the account says how many there are.
const AnyChannel = "*"

// Instrument is how a value of the vendor's answer T becomes a reading: one unit for each
// of the vendor's names.
type Instrument[T any] struct {
	Name    string // the vendor's
	Kind    drover.ReadingKind
	Source  drover.ReadingSource
	Channel string
	// Factor makes the unit of the kind of the vendor's; zero is 1.
	Factor float64
	// NeverZero says that the vendor writes 0 where it does not know.
	NeverZero bool
	// Of is the value, nil where the answer has none.
	Of func(T) *float64
	// At is the value's own time; nil where it is the position's.
	At func(T) drover.Time
}

// Reads is the instrument of one value, which times factor is in the unit of the kind.
func Reads[T any](
	name string, kind drover.ReadingKind, source drover.ReadingSource, factor float64, of func(T) *float64,
) Instrument[T] {
	return Instrument[T]{Name: name, Kind: kind, Source: source, Factor: factor, Of: of}
}

// Readings are what an answer says of the instruments, without what is no number.
func Readings[T any](from T, instruments []Instrument[T]) []Reading {
	var readings []Reading
	for i := range instruments {
		in := &instruments[i]
		r, ok := in.Say(in.Of(from))
		if !ok {
			continue
		}
		if in.At != nil {
			r.Time = in.At(from)
		}
		readings = append(readings, r)
	}
	return readings
}

// Say is the reading of one value of the vendor's; false where the value is not known or no
// number.
func (i Instrument[T]) Say(v *float64) (Reading, bool) {
	return said(v, i.Series(), i.NeverZero, i.Factor)
}

// said is apart, because a program has an Instrument for each answer of each vendor.
func said(v *float64, of drover.ReadingSeries, neverZero bool, factor float64) (Reading, bool) {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) || neverZero && *v == 0 || filler(of.Kind, *v) {
		return Reading{}, false
	}
	r := Reading{ReadingSeries: of, Value: *v}
	if factor != 0 {
		r.Value *= factor
	}
	return r, true
}

// Declared are the series of instruments.
func Declared[T any](instruments []Instrument[T]) []drover.ReadingSeries {
	series := make([]drover.ReadingSeries, len(instruments))
	for i := range instruments {
		series[i] = instruments[i].Series()
	}
	return series
}

// filler reports whether a number, as the vendor writes it, stands for one that is not known:
// -1, or all bits of a field of the vehicle's bus. A counter that really shows such a number
// does so for an instant.
func filler(of drover.ReadingKind, v float64) bool {
	celsius := of == drover.ReadingCoolant || of == drover.ReadingAmbient || of == drover.ReadingProbe
	percent := of == drover.ReadingFuelPercent || of == drover.ReadingDEF || of == drover.ReadingCharge
	return v == math.MaxUint16 || v == math.MaxUint32 || v < 0 && !celsius || v == math.MaxUint8 && percent
}

// Series is the series of the instrument's readings.
func (i Instrument[T]) Series() drover.ReadingSeries {
	return drover.ReadingSeries{Kind: i.Kind, Channel: i.Channel, Source: i.Source, NativeName: i.Name}
}
