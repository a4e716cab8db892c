package region

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/andybalholm/brotli"
)

//go:embed regions.bin
var packed []byte

const (
	unit    = 1000 // steps of a degree: borders lie on such steps
	cell    = unit / 2
	columns = 720
	rows    = 360
)

type corner struct{ x, y int32 }

// borders are lines between two regions, laid out in cells of half a degree.
type borders struct {
	regions []Region // the first is the high seas
	points  []corner
	// left and right are the regions beside the piece from a point to the next, both none
	// where a line ends.
	left, right []uint16
	// listed are the pieces that touch each cell, one cell after the other; starts says where.
	listed []int32
	starts []int32
	// alone is the region of a cell without borders.
	alone []uint16
}

// world is read when it is first asked for: most processes never are.
var world = sync.OnceValue(func() *borders {
	text, err := io.ReadAll(brotli.NewReader(bytes.NewReader(packed)))
	if err != nil {
		panic("region: regions.bin: " + err.Error()) // a part of the program
	}
	r := reader(text)
	w := &borders{regions: make([]Region, 1, 512)}
	for range r.count() {
		w.regions = append(w.regions, Region{r.text(), r.text()})
	}
	var at corner
	for range r.count() {
		left, right, n := uint16(r.count()), uint16(r.count()), r.count()
		for i := range n {
			at = corner{at.x + r.step(), at.y + r.step()}
			w.points = append(w.points, at)
			if i == n-1 {
				left, right = 0, 0
			}
			w.left, w.right = append(w.left, left), append(w.right, right)
		}
	}
	w.layOut()
	w.fill()
	return w
})

type reader []byte

func (r *reader) count() int {
	v, n := binary.Uvarint(*r)
	*r = (*r)[n:]
	return int(v)
}

func (r *reader) step() int32 {
	v, n := binary.Varint(*r)
	*r = (*r)[n:]
	return int32(v)
}

func (r *reader) text() string {
	n := r.count()
	s := string((*r)[:n])
	*r = (*r)[n:]
	return s
}

func cellOf(p spot) (column, row int) {
	return min(max(int(p.x+180*unit)/cell, 0), columns-1), min(max(int(p.y+90*unit)/cell, 0), rows-1)
}

func (c corner) spot() spot { return spot{float64(c.x), float64(c.y)} }

// edges are the pieces of borders that touch a cell, by their first points.
func (w *borders) edges(column, row int) []int32 {
	at := row*columns + column
	return w.listed[w.starts[at]:w.starts[at+1]]
}

// layOut lists the pieces that touch each cell.
func (w *borders) layOut() {
	var all []int64 // a cell and, below it, a piece
	for e := range len(w.points) - 1 {
		if w.left[e] == w.right[e] {
			continue
		}
		a, b := w.points[e], w.points[e+1]
		left, low := cellOf(corner{min(a.x, b.x), min(a.y, b.y)}.spot())
		right, high := cellOf(corner{max(a.x, b.x), max(a.y, b.y)}.spot())
		for row := low; row <= high; row++ {
			for column := left; column <= right; column++ {
				all = append(all, int64(row*columns+column)<<32|int64(e))
			}
		}
	}
	slices.Sort(all)
	w.starts = make([]int32, columns*rows+1)
	w.listed = make([]int32, len(all))
	for i, p := range all {
		w.listed[i] = int32(p)
		w.starts[p>>32+1]++
	}
	for i := range columns * rows {
		w.starts[i+1] += w.starts[i]
	}
}

// fill finds the regions of cells without borders, from the east to the west: such a cell is of
// what its eastern neighbour begins with.
func (w *borders) fill() {
	w.alone = make([]uint16, columns*rows)
	for row := range rows {
		for column := columns - 2; column >= 0; column-- {
			if here := row*columns + column; w.starts[here] == w.starts[here+1] {
				w.alone[here] = w.begins(column+1, row)
			}
		}
	}
}

// begins is the region just west of a cell, on whose edge a border may lie, in its middle.
func (w *borders) begins(column, row int) uint16 {
	return w.ray(spot{math.Inf(-1), float64(row*cell - 90*unit + cell/2)}, column, row)
}
