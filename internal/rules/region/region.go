// Package region says in which state, province or country a place is, and parts a way where it
// crosses from one to the next.
//
// The borders are those of Natural Earth, 1:10,000,000, which is in the public domain, made
// simpler by the command in make. What lies off a coast belongs to the nearest region, as far
// as territorial waters reach.
package region

import (
	"iter"
	"math"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// Region is a state or province of the United States, Canada, Mexico and Australia, or another
// country.
type Region struct {
	Code string // of ISO 3166-2, such as US-CA, or ISO 3166-1, such as DE
	Name string // in English
}

// Country is the code of the region's country.
func (r Region) Country() string { return r.Code[:min(2, len(r.Code))] }

// Part is a part of a way within one region, the zero one outside of all.
type Part struct {
	Region
	Share float64 // of the whole way
}

// At is the region of a place, the zero one on the high seas.
func At(c drover.Coordinate) Region {
	return world().regions[world().at(place(c))]
}

// Split parts the straight way between two places by region, in the order of the way.
func Split(a, b drover.Coordinate) []Part {
	w := world()
	from, to := place(a), place(b)
	if math.Abs(to.x-from.x) > 180*unit { // over the antimeridian, where no border is crossed
		return join([]Part{{w.regions[w.at(from)], 0.5}, {w.regions[w.at(to)], 0.5}})
	}
	cuts := append(w.cuts(from, to), 1)
	parts := make([]Part, 0, len(cuts))
	last := 0.0
	on := func(share float64) spot { return spot{from.x + (to.x-from.x)*share, from.y + (to.y-from.y)*share} }
	for _, cut := range cuts {
		middle := on((last + cut) / 2)
		column, row := cellOf(middle)
		if r := w.ray(middle, column, row); r != 0 {
			parts = append(parts, Part{w.regions[r], cut - last})
		} else { // at sea no line says where the nearest region is another
			wide := math.Hypot(to.x-from.x, to.y-from.y) * (cut - last)
			for n, steps := 0, int(wide/(0.1*unit))+1; n < steps; n++ {
				step := (cut - last) / float64(steps)
				parts = append(parts, Part{w.regions[w.found(on(last+(float64(n)+0.5)*step), 0)], step})
			}
		}
		last = cut
	}
	return join(parts)
}

func join(parts []Part) []Part {
	joined := parts[:1]
	for _, p := range parts[1:] {
		if last := &joined[len(joined)-1]; last.Region == p.Region {
			last.Share += p.Share
		} else {
			joined = append(joined, p)
		}
	}
	return joined
}

// spot is a place in the steps of the borders.
type spot struct{ x, y float64 }

// place moves a coordinate off the steps that borders lie on, so that no place is on a corner.
func place(c drover.Coordinate) spot {
	return spot{geo.WrapLongitude(c.Longitude)*unit + 1e-4, c.Latitude*unit + 1e-4}
}

// at is the number of the region of a place, of the nearest one off a coast.
func (w *borders) at(p spot) uint16 {
	column, row := cellOf(p)
	return w.found(p, w.ray(p, column, row))
}

// ray is the number of the region of p, which lies in the cell given or just west of it, none at sea.
// A ray to the east ends in a cell without borders, whose region is known. Each border on the way
// leads from one region to another: what is left is where p is, also where lines that were made
// simpler cross each other.
func (w *borders) ray(p spot, column, row int) uint16 {
	var met []uint16 // regions that the ray comes into, from its end back
	var left []uint16
	for ; column < columns; column++ {
		edges := w.edges(column, row)
		if len(edges) == 0 {
			met = append(met, w.alone[row*columns+column])
			break
		}
		from := float64(column*cell - 180*unit)
		for _, e := range edges {
			a, b := w.points[e], w.points[e+1]
			up := float64(a.y) <= p.y
			if up == (float64(b.y) <= p.y) {
				continue
			}
			x := float64(a.x) + (p.y-float64(a.y))/float64(b.y-a.y)*float64(b.x-a.x)
			switch {
			case x <= p.x || x < from || x >= from+cell && column < columns-1: // behind p, or met in another cell
			case up:
				met, left = append(met, w.left[e]), append(left, w.right[e])
			default:
				met, left = append(met, w.right[e]), append(left, w.left[e])
			}
		}
	}
	for _, r := range left {
		if i := slices.Index(met, r); i >= 0 {
			met[i] = 0
		}
	}
	return slices.Max(append(met, 0))
}

// found is the region of a place on land, or the nearest one of a place off a coast.
func (w *borders) found(p spot, region uint16) uint16 {
	if region != 0 {
		return region
	}
	const reach = offshoreMetres / metresOfDegree * unit
	north := p.y / unit * math.Pi / 180
	wide := reach / max(math.Cos(north), 0.05)
	left, low := cellOf(spot{p.x - wide, p.y - reach})
	right, high := cellOf(spot{p.x + wide, p.y + reach})
	nearest := float64(reach)
	for row := low; row <= high; row++ {
		for column := left; column <= right; column++ {
			for _, e := range w.edges(column, row) {
				if d := p.from(w.points[e], w.points[e+1], math.Cos(north)); d < nearest {
					nearest, region = d, w.left[e]
					if region == 0 {
						region = w.right[e]
					}
				}
			}
		}
	}
	return region
}

const (
	// offshoreMetres are twelve nautical miles.
	offshoreMetres = 12 * 1852
	metresOfDegree = math.Pi / 180 * 6371008.8
)

// from is how far p is from a piece of a border.
func (p spot) from(a, b corner, cos float64) float64 {
	x, y := (p.x-float64(a.x))*cos, p.y-float64(a.y)
	bx, by := float64(b.x-a.x)*cos, float64(b.y-a.y) // no piece is without length
	t := min(max((x*bx+y*by)/(bx*bx+by*by), 0), 1)
	return math.Hypot(x-t*bx, y-t*by)
}

// cuts are the parts of the way from a to b at which it crosses a border, in their order.
func (w *borders) cuts(a, b spot) []float64 {
	var cuts []float64
	for column, row := range passed(a, b) {
		for _, e := range w.edges(column, row) {
			if at, ok := crossing(a, b, w.points[e], w.points[e+1]); ok {
				cuts = append(cuts, at)
			}
		}
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

// passed are the cells that the way from a to b passes, by column and row.
func passed(a, b spot) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		_, first := cellOf(a)
		_, last := cellOf(b)
		for row := min(first, last); row <= max(first, last); row++ {
			left, right := a.x, b.x
			if first != last { // as far as the way is within the row
				low, high := float64(row*cell-90*unit), float64((row+1)*cell-90*unit)
				left, right = a.x+(b.x-a.x)*along(a.y, b.y, low), a.x+(b.x-a.x)*along(a.y, b.y, high)
			}
			from, _ := cellOf(spot{min(left, right), 0})
			to, _ := cellOf(spot{max(left, right), 0})
			for column := from; column <= to; column++ {
				if !yield(column, row) {
					return
				}
			}
		}
	}
}

// along is where on the way from a to b it is at y, within its ends.
func along(a, b, y float64) float64 { return min(max((y-a)/(b-a), 0), 1) }

// crossing is where the way from a to b crosses a piece of a border.
func crossing(a, b spot, c, d corner) (float64, bool) {
	x, y := b.x-a.x, b.y-a.y
	ex, ey := float64(d.x-c.x), float64(d.y-c.y)
	det := x*ey - y*ex
	if det == 0 {
		return 0, false
	}
	cx, cy := float64(c.x)-a.x, float64(c.y)-a.y
	t, u := (cx*ey-cy*ex)/det, (cx*y-cy*x)/det
	return t, t > 0 && t < 1 && u >= 0 && u <= 1
}
