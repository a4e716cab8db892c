package road

// grid is cells that are driven through, one, or not.
type grid struct {
	width int
	cells []byte
}

// maxWidth is that of the widest grid that lines are made of.
const maxWidth = 2*side + 2*margin

func newGrid(width int) grid { return grid{width, make([]byte, width*width)} }

// half is the grid with cells of twice the size.
func (g grid) half() grid {
	h := newGrid(g.width / 2)
	for i, c := range g.cells {
		if c != 0 {
			h.cells[i/g.width/2*h.width+i%g.width/2] = 1
		}
	}
	return h
}

// around are the steps to the eight neighbours of a cell, clockwise from the north.
func (g grid) around() [8]int {
	w := g.width
	return [8]int{-w, 1 - w, 1, w + 1, w, w - 1, -1, -w - 1}
}

// clearRim empties the outermost cells, which have no neighbours on one side.
func (g grid) clearRim() {
	for i := range g.width {
		for _, rim := range []int{i, (g.width-1)*g.width + i, i * g.width, (i+1)*g.width - 1} {
			g.cells[rim] = 0
		}
	}
}

// widened makes each road three cells wide, so that the tracks of one road, which lie
// beside each other, become one.
func (g grid) widened() grid {
	wide, around := newGrid(g.width), g.around()
	for y := 2; y < g.width-2; y++ {
		for x := 2; x < g.width-2; x++ {
			i := y*g.width + x
			if g.cells[i] == 0 {
				continue
			}
			wide.cells[i] = 1
			for _, step := range around {
				wide.cells[i+step] = 1
			}
		}
	}
	return wide
}

// smallHole is the number of cells up to which a hole in a road is none: two tracks that
// draw apart would have rungs like a ladder.
const smallHole = 24

// fillHoles fills the small holes of a grid whose rim is empty.
func (g grid) fillHoles() {
	const seen = 2
	steps := [4]int{-g.width, 1, g.width, -1}
	flood := func(queue []int) []int { // all of a hole
		g.cells[queue[0]] = seen
		for next := 0; next < len(queue); next++ {
			for _, step := range steps {
				if i := queue[next] + step; i >= 0 && i < len(g.cells) && g.cells[i] == 0 {
					g.cells[i] = seen
					queue = append(queue, i)
				}
			}
		}
		return queue
	}
	hole := make([]int, 0, len(g.cells))
	for i, c := range g.cells {
		if c != 0 {
			continue
		}
		if hole = flood(append(hole[:0], i)); len(hole) <= smallHole {
			for _, j := range hole {
				g.cells[j] = 1
			}
		}
	}
	for i, c := range g.cells {
		if c == seen {
			g.cells[i] = 0
		}
	}
}

// thinRounds is how often roads lose their outermost cells. What is wider than twice that
// is no road but a yard, of which the outline stays.
const thinRounds = 8

// thin leaves of each road a line that is one cell wide (Zhang and Suen).
func (g grid) thin() {
	var live []int
	for i, c := range g.cells {
		if c != 0 {
			live = append(live, i)
		}
	}
	var gone []int
	for range thinRounds {
		before := len(live)
		for _, drop := range []*[256]bool{&dropFirst, &dropSecond} {
			gone = gone[:0]
			rest := live[:0]
			for _, i := range live {
				if drop[g.neighbours(i)] {
					gone = append(gone, i)
				} else {
					rest = append(rest, i)
				}
			}
			for _, i := range gone {
				g.cells[i] = 0
			}
			live = rest
		}
		if len(live) == before {
			return
		}
	}
	gone = gone[:0]
	for _, i := range live {
		if g.neighbours(i) == 255 {
			gone = append(gone, i)
		}
	}
	for _, i := range gone {
		g.cells[i] = 0
	}
}

// neighbours are the neighbours of a cell that are driven through, a bit each, clockwise
// from the north.
func (g grid) neighbours(i int) (mask uint8) {
	w := g.width
	c := g.cells
	return c[i-w] | c[i-w+1]<<1 | c[i+1]<<2 | c[i+w+1]<<3 | c[i+w]<<4 | c[i+w-1]<<5 | c[i-1]<<6 | c[i-w-1]<<7
}

// dropFirst and dropSecond say by its neighbours whether a cell goes, in the first and in
// the second half of a round.
var dropFirst, dropSecond = func() (first, second [256]bool) {
	for mask := range 256 {
		bit := func(i int) bool { return mask>>(i%8)&1 == 1 }
		count, rises := 0, 0
		for i := range 8 {
			if bit(i) {
				count++
			}
			if !bit(i) && bit(i+1) {
				rises++
			}
		}
		if count < 2 || count > 6 || rises != 1 {
			continue
		}
		n, e, s, w := bit(0), bit(2), bit(4), bit(6)
		first[mask] = !e || !s || !n && !w
		second[mask] = !n || !w || !e && !s
	}
	return first, second
}()
