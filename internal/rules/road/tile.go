package road

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/bits"
)

// Tile is a tile of a map in the making, of the squares that it covers.
type Tile struct {
	across int   // squares each way
	merges bool  // its cells are so small that the tracks of one road lie beside each other
	first  Quad  // of them
	room   Cells // to unpack into
	// squares are their cells, of all that was added.
	squares map[Quad]Cells
}

// NewTile begins a tile. Where no such tile is made, it is an error that says why.
func NewTile(z, x, y int) (*Tile, error) {
	switch {
	case z < MinZoom || z > MaxZoom:
		return nil, fmt.Errorf("z must be from %d to %d", MinZoom, MaxZoom)
	case x < 0 || x>>z > 0:
		return nil, fmt.Errorf("x must be from 0 to %d at zoom %d", 1<<z-1, z)
	case y < 0 || y>>z > 0:
		return nil, fmt.Errorf("y must be from 0 to %d at zoom %d", 1<<z-1, z)
	}
	zoom := coarseZoom
	if z >= fineFrom {
		zoom = fineZoom
	}
	deeper := zoom - z
	return &Tile{across: 1 << deeper, merges: z >= fineFrom, first: quadOf(z, x, y) << (2 * deeper), squares: map[Quad]Cells{}}, nil
}

// Squares are the first square that the tile covers, and the last.
func (t *Tile) Squares() (first, last Quad) { return t.first, t.first + Quad(t.across*t.across) - 1 }

// Add adds the packed cells of a square that the tile covers.
func (t *Tile) Add(q Quad, packed []byte) error {
	cells, err := Open(t.room, packed)
	if err != nil {
		return err
	}
	t.room = cells
	if there := t.squares[q]; there != nil {
		there.Add(cells)
		return nil
	}
	t.squares[q] = cells
	t.room = nil
	return nil
}

// grid is the cells of all squares.
func (t *Tile) grid() grid {
	g := newGrid(t.across*side + 2*margin)
	firstX, firstY := t.first.place()
	for q, cells := range t.squares {
		x, y := q.place()
		left, top := (x-firstX)*side, (y-firstY)*side
		for i, b := range cells {
			for b != 0 {
				bit := i*8 + bits.TrailingZeros8(b)
				g.cells[(top+bit/stride)*g.width+left+bit%stride] = 1
				b &= b - 1
			}
		}
	}
	return g
}

// Encode makes a Mapbox vector tile with one layer, road, and compresses it. A tile
// without roads is empty.
func (t *Tile) Encode() ([]byte, error) {
	if len(t.squares) == 0 {
		return nil, nil
	}
	g, inset := t.grid(), margin
	if g.width > maxWidth {
		g, inset = g.half(), margin/2
	}
	if t.merges {
		g = g.widened()
		g.fillHoles()
	}
	g.clearRim()
	g.thin()
	unit := extent / (g.width - 2*inset)
	var lines [][]point
	for _, line := range g.lines() {
		for i, p := range line {
			line[i] = point{(p.x-inset)*unit + unit/2, (p.y-inset)*unit + unit/2}
		}
		if line = simplify(line, unit); len(line) > 2 || line[0] != line[len(line)-1] {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return nil, nil
	}
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(encode(lines)); err != nil {
		return nil, fmt.Errorf("compress a tile: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("compress a tile: %w", err)
	}
	return out.Bytes(), nil
}
