package road_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/road"
)

var berlin = drover.Coordinate{Latitude: 52.52, Longitude: 13.405}

// tileOf is the tile that a point of Berlin lies in.
func tileOf(z int) (x, y int) {
	// 13.405° E and 52.52° N at zoom 14.
	return 8802 >> (14 - z), 5373 >> (14 - z)
}

// tile makes a tile of drawings.
func tile(tb testing.TB, z, x, y int, drawings ...road.Drawing) []byte {
	tb.Helper()
	made, err := road.NewTile(z, x, y)
	if err != nil {
		tb.Fatal(err)
	}
	first, last := made.Squares()
	for _, d := range drawings {
		for q, cells := range d {
			if q < first || q > last {
				continue
			}
			if err := made.Add(q, cells.Pack()); err != nil {
				tb.Fatal(err)
			}
		}
	}
	packed, err := made.Encode()
	if err != nil {
		tb.Fatal(err)
	}
	return packed
}

type point struct{ x, y int64 }

// lines reads the lines of a tile.
func lines(tb testing.TB, packed []byte) [][]point {
	tb.Helper()
	if len(packed) == 0 {
		return nil
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		tb.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		tb.Fatal(err)
	}
	layer := fields(tb, fields(tb, text)[3].bytes)
	if name := string(layer[1].bytes); name != "road" || layer[15].number != 2 || layer[5].number != 4096 {
		tb.Fatalf("layer %q of version %d, %d wide", name, layer[15].number, layer[5].number)
	}
	feature := fields(tb, layer[2].bytes)
	if feature[3].number != 2 {
		tb.Fatalf("the type is %d", feature[3].number)
	}
	var all [][]point
	var at point
	number := func(b *[]byte) uint64 {
		v, n := protowire.ConsumeVarint(*b)
		if n < 0 {
			tb.Fatal("broken geometry")
		}
		*b = (*b)[n:]
		return v
	}
	for g := feature[4].bytes; len(g) > 0; {
		command := number(&g)
		if command&7 == 1 {
			all = append(all, nil)
		}
		for range command >> 3 {
			at.x += protowire.DecodeZigZag(number(&g))
			at.y += protowire.DecodeZigZag(number(&g))
			all[len(all)-1] = append(all[len(all)-1], at)
		}
	}
	return all
}

type field struct {
	number uint64
	bytes  []byte
}

func fields(tb testing.TB, b []byte) map[protowire.Number]field {
	tb.Helper()
	all := map[protowire.Number]field{}
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			tb.Fatal("broken field")
		}
		b = b[n:]
		var f field
		if typ == protowire.VarintType {
			f.number, n = protowire.ConsumeVarint(b)
		} else {
			f.bytes, n = protowire.ConsumeBytes(b)
		}
		if n < 0 {
			tb.Fatal("broken value")
		}
		all[num] = f
		b = b[n:]
	}
	return all
}

// TestOneRoad draws a road many times, a few metres beside itself: it is one line, in the
// tiles of each zoom, and goes on over their edges.
func TestOneRoad(t *testing.T) {
	t.Parallel()
	d := road.Drawing{}
	r := rand.New(rand.NewPCG(1, 2))
	from := geo.Destination(berlin, 270, 3000)
	for range 50 {
		beside := geo.Destination(from, 0, r.Float64()*8)
		for metres := 0.0; metres < 6000; metres += 200 {
			d.Line(geo.Destination(beside, 90, metres), geo.Destination(beside, 90, metres+200))
		}
	}
	for z := road.MinZoom; z <= road.MaxZoom; z++ {
		x, y := tileOf(z)
		all := lines(t, tile(t, z, x, y, d))
		if len(all) != 1 || len(all[0]) > 6 {
			t.Errorf("zoom %d: %d lines: %v", z, len(all), all)
			continue
		}
		if z == road.MaxZoom {
			first, last := all[0][0], all[0][len(all[0])-1]
			if min(first.x, last.x) > 0 || max(first.x, last.x) < 4096 {
				t.Errorf("the line from %v to %v does not reach the edges", first, last)
			}
		}
		if z < road.MaxZoom {
			continue
		}
		next := lines(t, tile(t, z, x+1, y, d))
		if len(next) != 1 || abs(next[0][0].y-all[0][len(all[0])-1].y) > 48 && abs(next[0][len(next[0])-1].y-all[0][0].y) > 48 {
			t.Errorf("the next tile goes on at %v after %v", next, all)
		}
	}
	x, y := tileOf(14)
	if far := tile(t, 14, x+5, y, d); far != nil {
		t.Errorf("a tile without roads has %d bytes", len(far))
	}
}

func abs(n int64) int64 { return max(n, -n) }

// TestAgain adds cells to cells: those that are there change nothing.
func TestAgain(t *testing.T) {
	t.Parallel()
	d := road.Drawing{}
	d.Line(berlin, geo.Destination(berlin, 45, 900))
	for q, cells := range d {
		sum := cells.Sum()
		opened, err := road.Open(nil, cells.Pack())
		if err != nil {
			t.Fatal(err)
		}
		if opened.Add(cells) || opened.Sum() != sum {
			t.Errorf("square %d grows by itself", q)
		}
		empty := road.NewCells()
		if !empty.Add(cells) || empty.Sum() != sum {
			t.Errorf("square %d is lost", q)
		}
	}
	if _, err := road.Open(nil, []byte("nothing")); err == nil {
		t.Error("what is broken opens")
	}
	if _, err := road.Open(nil, road.Cells("short").Pack()); err == nil {
		t.Error("what is too short opens")
	}
}

// TestTiles refuses the tiles that are not made.
func TestTiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		z, x, y int
		want    string
	}{
		{9, 0, 0, "z must be from 10 to 14"},
		{15, 0, 0, "z must be from 10 to 14"},
		{10, 1024, 0, "x must be from 0 to 1023 at zoom 10"},
		{10, 0, 1024, "y must be from 0 to 1023 at zoom 10"},
		{10, -1, 0, "x must be from 0 to 1023 at zoom 10"},
	} {
		if _, err := road.NewTile(c.z, c.x, c.y); err == nil || err.Error() != c.want {
			t.Errorf("%d/%d/%d: %v", c.z, c.x, c.y, err)
		}
	}
	if _, err := road.NewTile(14, 1<<14-1, 1<<14-1); err != nil {
		t.Error(err)
	}
}

// TestJoined knows a way where two positions are near, or where the vehicle went straight.
func TestJoined(t *testing.T) {
	t.Parallel()
	at := func(seconds, metres float64, heading *float64) *drover.Position {
		p := geo.Destination(berlin, 90, metres)
		return &drover.Position{
			Time: drover.At(time.Unix(1_700_000_000, 0).Add(time.Duration(seconds * float64(time.Second)))), Latitude: p.Latitude,
			Longitude: p.Longitude, Heading: heading,
		}
	}
	east, north := new(92.0), new(10.0)
	for name, c := range map[string]struct {
		a, b *drover.Position
		want bool
	}{
		"near":           {at(0, 0, nil), at(30, 200, nil), true},
		"far":            {at(0, 0, nil), at(30, 400, nil), false},
		"straight":       {at(0, 0, east), at(60, 1400, east), true},
		"around a curve": {at(0, 0, north), at(60, 1000, east), false},
		"too far":        {at(0, 0, east), at(60, 1600, east), false},
		"too fast":       {at(0, 0, east), at(10, 900, east), false},
		"too late":       {at(0, 0, nil), at(121, 100, nil), false},
		"at once":        {at(0, 0, nil), at(0, 100, nil), false},
	} {
		if got := road.Joined(c.a, c.b); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// city is a town of streets as a grid that many have driven through with the errors of
// their receivers, and of solid yards.
func city() road.Drawing {
	d := road.Drawing{}
	r := rand.New(rand.NewPCG(3, 4))
	corner := geo.Destination(geo.Destination(berlin, 270, 6000), 180, 6000)
	at := func(x, y float64) drover.Coordinate {
		return geo.Destination(geo.Destination(corner, 90, x+r.NormFloat64()*3), 0, y+r.NormFloat64()*3)
	}
	for street := 0.0; street <= 12_000; street += 120 {
		for range 6 {
			for along := 0.0; along < 12_000; along += 150 {
				d.Line(at(along, street), at(along+150, street))
				d.Line(at(street, along), at(street, along+150))
			}
		}
	}
	for range 5000 {
		d.Line(at(4000+r.Float64()*400, 4000+r.Float64()*400), at(4000+r.Float64()*400, 4000+r.Float64()*400))
	}
	return d
}

// TestSize bounds a tile of a town whose every street is driven, and one of noise.
func TestSize(t *testing.T) {
	t.Parallel()
	noise := road.Drawing{}
	r := rand.New(rand.NewPCG(5, 6))
	for range 60_000 {
		p := geo.Destination(berlin, r.Float64()*360, r.Float64()*9000)
		noise.Line(p, geo.Destination(p, r.Float64()*360, 40))
	}
	for name, d := range map[string]road.Drawing{"city": city(), "noise": noise} {
		for z := road.MinZoom; z <= road.MaxZoom; z++ {
			x, y := tileOf(z)
			packed := tile(t, z, x, y, d)
			t.Logf("%s at zoom %d: %d bytes, %d lines", name, z, len(packed), len(lines(t, packed)))
			if len(packed) == 0 || len(packed) > 60_000 {
				t.Errorf("%s at zoom %d: %d bytes", name, z, len(packed))
			}
		}
	}
}

// BenchmarkTile makes the tile of a town of six weeks.
func BenchmarkTile(b *testing.B) {
	x, y := tileOf(12)
	begun, err := road.NewTile(12, x, y)
	if err != nil {
		b.Fatal(err)
	}
	first, last := begun.Squares()
	squares := map[road.Quad][]byte{}
	for q, cells := range city() {
		if q >= first && q <= last {
			squares[q] = cells.Pack()
		}
	}
	for b.Loop() {
		made, err := road.NewTile(12, x, y)
		for range 6 {
			for q, packed := range squares {
				err = errors.Join(err, made.Add(q, packed))
			}
		}
		_, failed := made.Encode()
		if err := errors.Join(err, failed); err != nil {
			b.Fatal(err)
		}
	}
}
