package pack

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/memory/arena"
)

// The newest position of a device is stored with it: the version, the bits of what is
// known, the time, then each value that is known. Who drove comes last and has no length.
const positionVersion = 1

// The bits of what is known: numbers in their order, flags each with what they say.
const (
	hasHeading uint64 = 1 << iota
	_                 // speed
	_                 // odometer
	hasIgnition
	isIgnition
	_ // auxiliary
	_
	hasDriver
	allKnown
)

var errPosition = errors.New("broken position of a device")

// AppendPosition appends a position as it is stored with its device.
func AppendPosition(to []byte, p *drover.Position) []byte {
	numbers := [...]*float64{p.Heading, p.SpeedKPH, p.OdometerMetres}
	known := uint64(0)
	for i, v := range numbers {
		if v != nil {
			known |= hasHeading << i
		}
	}
	for i, v := range [...]*bool{p.Ignition, p.Auxiliary} {
		if v != nil {
			known |= hasIgnition << (2 * i)
			if *v {
				known |= isIgnition << (2 * i)
			}
		}
	}
	if p.DriverID != nil {
		known |= hasDriver
	}
	to = binary.AppendUvarint(append(to, positionVersion), known)
	to = binary.AppendVarint(to, p.Time.UnixMilli())
	for _, v := range append([]*float64{&p.Latitude, &p.Longitude}, numbers[:]...) {
		if v != nil {
			to = binary.LittleEndian.AppendUint64(to, math.Float64bits(*v))
		}
	}
	if p.DriverID != nil {
		to = append(to, *p.DriverID...)
	}
	return to
}

// ReadPosition reads a position as it is stored with its device.
func ReadPosition(stored []byte) (drover.Position, error) {
	var r PositionReader
	return r.Read(stored)
}

// PositionReader reads positions as they are stored with their devices. Those that one
// reader reads share memory: a map reads those of a whole fleet.
type PositionReader struct {
	numbers arena.Of[float64]
	texts   arena.Of[string]
	flags   arena.Of[bool]
}

// Read reads a position.
func (r *PositionReader) Read(stored []byte) (p drover.Position, err error) {
	if len(stored) == 0 || stored[0] != positionVersion {
		return p, errPosition
	}
	from := reader{b: stored[1:]}
	known := from.uvarint()
	p.Time = drover.Milli(from.varint())
	p.Latitude, p.Longitude = math.Float64frombits(from.fixed()), math.Float64frombits(from.fixed())
	for i, to := range [...]**float64{&p.Heading, &p.SpeedKPH, &p.OdometerMetres} {
		if known&(hasHeading<<i) != 0 {
			*to = r.numbers.Keep(math.Float64frombits(from.fixed()))
		}
	}
	for i, to := range [...]**bool{&p.Ignition, &p.Auxiliary} {
		if known&(hasIgnition<<(2*i)) != 0 {
			*to = r.flags.Keep(known&(isIgnition<<(2*i)) != 0)
		}
	}
	if known&hasDriver != 0 {
		p.DriverID = r.texts.Keep(string(from.b))
	} else if len(from.b) > 0 {
		from.fail()
	}
	if from.bad || known >= allKnown {
		return drover.Position{}, errPosition
	}
	return p, nil
}
