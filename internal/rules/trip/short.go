package trip

import (
	"encoding/binary"
	"math"
)

// shortBytes is the length of a state in its short form, without the version.
const shortBytes = 401

// short is where a state is read from or written to: fixed fields in one order, so that one
// list of them serves both. Reflection would take ten times as long, with every batch of positions.
type short struct {
	b    []byte
	read bool
}

func (c *short) next(n int) []byte {
	field := c.b[:n]
	c.b = c.b[n:]
	return field
}

func (c *short) whole(v *int64) {
	field := c.next(8)
	if c.read {
		*v = int64(binary.LittleEndian.Uint64(field))
		return
	}
	binary.LittleEndian.PutUint64(field, uint64(*v))
}

func (c *short) count(v *int32) {
	field := c.next(4)
	if c.read {
		*v = int32(binary.LittleEndian.Uint32(field))
		return
	}
	binary.LittleEndian.PutUint32(field, uint32(*v))
}

func (c *short) real(v *float64) {
	bits := int64(math.Float64bits(*v))
	c.whole(&bits)
	*v = math.Float64frombits(uint64(bits))
}

func (c *short) flag(v *bool) {
	field := c.next(1)
	switch {
	case c.read:
		*v = field[0] != 0
	case *v:
		field[0] = 1
	default:
		field[0] = 0
	}
}

// small is a field of one byte.
func small[T ~uint8](c *short, v *T) {
	field := c.next(1)
	if c.read {
		*v = T(field[0])
		return
	}
	field[0] = byte(*v)
}

func (c *short) kept(k *kept) {
	c.whole(&k.Seen)
	c.point(&k.Rest.First)
	c.count(&k.Rest.Count)
	c.whole(&k.Rest.Since)
	c.point(&k.Last)
	c.whole(&k.Odd.From)
	c.point(&k.Odd.Last)
	c.count(&k.Odd.Count)
	c.flag(&k.Odd.Doubted)
	c.point(&k.Anchor)
	c.whole(&k.Reached)
	c.flag(&k.Open)
	c.flag(&k.Closed)
	c.journey(&k.Trip)
}

func (c *short) point(p *point) {
	c.whole(&p.At)
	c.real(&p.Lat)
	c.real(&p.Lon)
	c.real(&p.KPH)
	c.real(&p.Odo)
	small(c, &p.Has)
	small(c, &p.Mode)
}

func (c *short) journey(j *journey) {
	c.point(&j.Start)
	small(c, &j.Why)
	c.real(&j.Far)
	c.count(&j.Moves)
	c.count(&j.Rows)
	c.flag(&j.Fast)
	c.real(&j.Metres)
	c.whole(&j.Driving)
	c.whole(&j.Working)
	c.parts(&j.Parts)
	c.parts(&j.Pending)
	c.real(&j.Unseen.Metres)
	c.real(&j.Unseen.Odometer)
	c.whole(&j.Unseen.Millis)
	small(c, &j.Has)
	c.flag(&j.Closed)
}

func (c *short) parts(p *parts) {
	for _, v := range []*int64{&p.Idling, &p.Auxiliary, &p.Slow, &p.SlowIdling, &p.SlowAuxiliary} {
		c.whole(v)
	}
}
