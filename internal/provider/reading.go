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

// Readings are what an answer says of the instruments, without what is no number.
func Readings[T any](from T, instruments []Instrument[T]) []Reading {
	var readings []Reading
	for i := range instruments {
		in := &instruments[i]
		v := in.Of(from)
		if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) || in.NeverZero && *v == 0 {
			continue
		}
		r := Reading{ReadingSeries: in.series(), Value: *v}
		if in.Factor != 0 {
			r.Value *= in.Factor
		}
		if in.At != nil {
			r.Time = in.At(from)
		}
		readings = append(readings, r)
	}
	return readings
}

// Declared are the series of instruments.
func Declared[T any](instruments []Instrument[T]) []drover.ReadingSeries {
	series := make([]drover.ReadingSeries, len(instruments))
	for i := range instruments {
		series[i] = instruments[i].series()
	}
	return series
}

func (i *Instrument[T]) series() drover.ReadingSeries {
	return drover.ReadingSeries{Kind: i.Kind, Channel: i.Channel, Source: i.Source, NativeName: i.Name}
}
