package road

import (
	"math/bits"

	"google.golang.org/protobuf/encoding/protowire"
)

// point is a place in a grid, and then in a tile.
type point struct{ x, y int }

// spur is the length in cells up to which a line that ends nowhere is a trace of the
// thinning and no road.
const spur = 3

// lines are the ways along the cells of a thinned grid, from crossing to crossing.
func (g grid) lines() [][]point {
	around := g.around()
	edges := make([]uint8, len(g.cells)) // of each cell: where lines go on that were not followed
	degree := make([]uint8, len(g.cells))
	var ends, others []int
	for i, c := range g.cells {
		if c == 0 {
			continue
		}
		edges[i] = joints[g.neighbours(i)]
		degree[i] = uint8(bits.OnesCount8(edges[i]))
		if degree[i] != 2 {
			ends = append(ends, i)
		} else {
			others = append(others, i)
		}
	}
	follow := func(i int) (line []point, last int) {
		line = append(line, point{i % g.width, i / g.width})
		for edges[i] != 0 {
			to := bits.TrailingZeros8(edges[i])
			edges[i] &^= 1 << to
			i += around[to]
			edges[i] &^= 1 << ((to + 4) % 8)
			line = append(line, point{i % g.width, i / g.width})
			if degree[i] != 2 {
				break
			}
		}
		return line, i
	}
	var all [][]point
	for _, i := range ends {
		for edges[i] != 0 {
			line, last := follow(i)
			if len(line) <= spur && min(degree[i], degree[last]) == 1 && max(degree[i], degree[last]) > 2 {
				continue
			}
			all = append(all, line)
		}
	}
	for _, i := range others { // circles have no ends
		if edges[i] != 0 {
			line, _ := follow(i)
			all = append(all, line)
		}
	}
	return all
}

// joints say for the neighbours of a cell to which of them a line goes on: not across a
// corner where it goes around it.
var joints = func() (j [256]uint8) {
	for mask := range 256 {
		keep := uint8(mask)
		for corner := 1; corner < 8; corner += 2 {
			if mask>>(corner-1)&1 == 1 || mask>>((corner+1)%8)&1 == 1 {
				keep &^= 1 << corner
			}
		}
		j[mask] = keep
	}
	return j
}()

// simplify leaves out the points of a line that are no further than a tolerance from it
// without them (Douglas and Peucker).
func simplify(line []point, tolerance int) []point {
	keep := make([]bool, len(line))
	keep[0], keep[len(line)-1] = true, true
	spans := [][2]int{{0, len(line) - 1}}
	for len(spans) > 0 {
		from, to := spans[len(spans)-1][0], spans[len(spans)-1][1]
		spans = spans[:len(spans)-1]
		at, most := 0, tolerance*tolerance
		for i := from + 1; i < to; i++ {
			if d := squareDistance(line[i], line[from], line[to]); d > most {
				at, most = i, d
			}
		}
		if at > 0 {
			keep[at] = true
			spans = append(spans, [2]int{from, at}, [2]int{at, to})
		}
	}
	short := line[:0]
	for i, p := range line {
		if keep[i] {
			short = append(short, p)
		}
	}
	return short
}

// squareDistance is the square of how far a point is from the line between two others.
func squareDistance(p, a, b point) int {
	dx, dy := b.x-a.x, b.y-a.y
	px, py := p.x-a.x, p.y-a.y
	length := dx*dx + dy*dy
	switch along := px*dx + py*dy; {
	case along <= 0:
		return px*px + py*py
	case along >= length:
		qx, qy := p.x-b.x, p.y-b.y
		return qx*qx + qy*qy
	default:
		across := px*dy - py*dx
		return across * across / length
	}
}

// extent is the number of units of a tile each way.
const extent = 4096

// Numbers of the fields and commands of a vector tile.
const (
	tileLayer                                             = 3
	layerName, layerFeature, layerExtent, layerVersion    = 1, 2, 5, 15
	featureType, featureGeometry, typeLines, tilesVersion = 3, 4, 2, 2
	moveTo, lineTo                                        = 1, 2
)

// encode writes lines as a Mapbox vector tile: one feature of one layer. That is all that
// the tiles have, so no library is needed for it.
func encode(lines [][]point) []byte {
	var geometry []byte
	var at point
	command := func(id, count int) { geometry = protowire.AppendVarint(geometry, uint64(id|count<<3)) }
	move := func(p point) {
		geometry = protowire.AppendVarint(geometry, protowire.EncodeZigZag(int64(p.x-at.x)))
		geometry = protowire.AppendVarint(geometry, protowire.EncodeZigZag(int64(p.y-at.y)))
		at = p
	}
	for _, line := range lines {
		command(moveTo, 1)
		move(line[0])
		command(lineTo, len(line)-1)
		for _, p := range line[1:] {
			move(p)
		}
	}
	var feature, layer []byte
	number := func(to []byte, field protowire.Number, n uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(to, field, protowire.VarintType), n)
	}
	text := func(to []byte, field protowire.Number, b []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(to, field, protowire.BytesType), b)
	}
	feature = text(number(nil, featureType, typeLines), featureGeometry, geometry)
	layer = text(number(nil, layerVersion, tilesVersion), layerName, []byte("road"))
	layer = number(text(layer, layerFeature, feature), layerExtent, extent)
	return text(nil, tileLayer, layer)
}
