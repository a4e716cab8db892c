// Package road makes the roads of the map from tracks. A track is drawn into cells of squares of
// the world, which are stored, and a map tile is made from those. Driving a road again does not
// add cells.
package road

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// The zooms that tiles are made for. A map shows closer ones from the last: a cell of it is
// some six metres wide, which is what positions are good for.
const (
	MinZoom = 10
	MaxZoom = 14
)

// Roads are kept in squares of two sizes, so that no tile needs many: those of the closest
// zoom for it and the two before, and coarser ones for the others.
const (
	fineZoom, coarseZoom = 14, 11
	fineFrom             = 12
)

// A square has side cells each way, and a margin that its neighbours have too: lines are
// thinned alike on both sides of an edge.
const (
	sideBits = 8
	side     = 1 << sideBits
	margin   = 8
	stride   = side + 2*margin
)

// Quad numbers a square: a one, and then two bits for each zoom. The squares within one
// follow each other.
type Quad int64

func quadOf(zoom, x, y int) Quad {
	q := Quad(1)
	for bit := zoom - 1; bit >= 0; bit-- {
		q = q<<2 | Quad(x>>bit&1) | Quad(y>>bit&1)<<1
	}
	return q
}

// place is where a square lies among those of its zoom.
func (q Quad) place() (x, y int) {
	for bit := 0; q > 1; bit++ {
		x |= int(q&1) << bit
		y |= int(q>>1&1) << bit
		q >>= 2
	}
	return x, y
}

// Cells are the cells of a square and its margin that were driven through, a bit each.
type Cells []byte

// NewCells are those of a square in which no one has driven.
func NewCells() Cells { return make(Cells, stride*stride/8) }

// Add adds the cells of the same square, and reports whether there are more now.
func (c Cells) Add(more Cells) (grew bool) {
	for i := 0; i+8 <= len(more); i += 8 { // a square has a multiple of eight bytes
		had := binary.LittleEndian.Uint64(c[i:])
		if has := had | binary.LittleEndian.Uint64(more[i:]); has != had {
			binary.LittleEndian.PutUint64(c[i:], has)
			grew = true
		}
	}
	return grew
}

// Sum is a number that other cells hardly have.
func (c Cells) Sum() int64 {
	h := fnv.New64a()
	_, _ = h.Write(c) // a hash takes everything
	return int64(h.Sum64())
}

var (
	packer = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(2), zstd.WithSingleSegment(true), zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic(err) // the options are constants
		}
		return e
	})
	opener = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(64<<10))
		if err != nil {
			panic(err)
		}
		return d
	})
)

// Pack makes cells small.
func (c Cells) Pack() []byte { return packer().EncodeAll(c, nil) }

// Open unpacks cells into room that is no longer needed, which may be nil.
func Open(room Cells, packed []byte) (Cells, error) {
	cells, err := opener().DecodeAll(packed, room[:0])
	if err != nil {
		return nil, fmt.Errorf("open cells of roads: %w", err)
	}
	if len(cells) != stride*stride/8 {
		return nil, fmt.Errorf("open cells of roads: %d bytes", len(cells))
	}
	return cells, nil
}

// Drawing is the cells of roads by their squares.
type Drawing map[Quad]Cells

// How far apart two positions may be for the road between them to be known. A longer way
// cuts corners, unless the vehicle went straight on at both ends.
const (
	certainMetres  = 300
	straightMetres = 1500
	straightWithin = 35 // degrees
	togetherFor    = 2 * time.Minute
	tooFastKPH     = 250
)

// Joined reports whether a vehicle has driven straight from one position to the next.
func Joined(a, b *drover.Position) bool {
	span := b.Time.Sub(a.Time.Time)
	if span <= 0 || span > togetherFor {
		return false
	}
	metres := geo.DistanceMetres(a.Point(), b.Point())
	if metres > straightMetres || geo.SpeedKPH(metres, span.Seconds()) > tooFastKPH {
		return false
	}
	return metres <= certainMetres || headed(a, b, a.Heading) && headed(a, b, b.Heading)
}

// headed reports whether a heading is the one from a position to another.
func headed(a, b *drover.Position, heading *float64) bool {
	if heading == nil {
		return false
	}
	off := math.Mod(math.Abs(*heading-geo.BearingDegrees(a.Point(), b.Point())), 360)
	return min(off, 360-off) <= straightWithin
}

// Line draws the way between two positions that are joined.
func (d Drawing) Line(a, b drover.Coordinate) {
	ax, ay := project(a)
	bx, by := project(b)
	if math.Abs(ax-bx) > 0.5 { // over the antimeridian, where there are no roads
		return
	}
	for _, zoom := range []int{fineZoom, coarseZoom} {
		cells := float64(int(1) << (zoom + sideBits))
		d.line(zoom, int(ax*cells), int(ay*cells), int(bx*cells), int(by*cells))
	}
}

// mostLatitude is where the square world of maps ends.
const mostLatitude = 85.05112

// project places a point in the square world of maps, from 0 to 1 each way.
func project(c drover.Coordinate) (x, y float64) {
	const last = 1 - 1e-12
	sin := math.Sin(max(-mostLatitude, min(mostLatitude, c.Latitude)) * math.Pi / 180)
	x, y = c.Longitude/360+0.5, 0.5-math.Log((1+sin)/(1-sin))/(4*math.Pi)
	return max(0, min(last, x)), max(0, min(last, y))
}

// line goes from cell to cell (Bresenham).
func (d Drawing) line(zoom, x, y, toX, toY int) {
	dx, dy, stepX, stepY := toX-x, toY-y, 1, 1
	if dx < 0 {
		dx, stepX = -dx, -1
	}
	if dy < 0 {
		dy, stepY = -dy, -1
	}
	for off := dx - dy; ; {
		d.set(zoom, x, y)
		if x == toX && y == toY {
			return
		}
		twice := 2 * off
		if twice > -dy {
			off, x = off-dy, x+stepX
		}
		if twice < dx {
			off, y = off+dx, y+stepY
		}
	}
}

// set notes a cell in its square, and in those that have it in their margin.
func (d Drawing) set(zoom, x, y int) {
	for _, tx := range squaresAround(x) {
		for _, ty := range squaresAround(y) {
			if tx < 0 || ty < 0 || tx>>zoom > 0 || ty>>zoom > 0 {
				continue
			}
			q := quadOf(zoom, tx, ty)
			cells := d[q]
			if cells == nil {
				cells = NewCells()
				d[q] = cells
			}
			bit := (y-ty*side+margin)*stride + x - tx*side + margin
			cells[bit>>3] |= 1 << (bit & 7)
		}
	}
}

// squaresAround are the squares, along one side of the world, that have a cell: its own
// and, near an edge, the neighbour.
func squaresAround(cell int) []int {
	switch own, at := cell>>sideBits, cell&(side-1); {
	case at < margin:
		return []int{own, own - 1}
	case at >= side-margin:
		return []int{own, own + 1}
	default:
		return []int{own}
	}
}
