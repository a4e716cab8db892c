package pack_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/pack"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// sameBits compares numbers by their bits, so that -0 is not 0 and a NaN is itself.
var sameBits = cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })

func at(seconds float64) drover.StoredPosition {
	return drover.StoredPosition{Position: drover.Position{
		Time: drover.At(noon.Add(time.Duration(seconds * float64(time.Second)))), Latitude: 48.137,
		Longitude: 11.575,
	}}
}

// with returns rows at every second with what set puts into them.
func with(n int, set func(i int, r *drover.StoredPosition)) []drover.StoredPosition {
	rows := make([]drover.StoredPosition, n)
	for i := range rows {
		rows[i] = at(float64(i))
		set(i, &rows[i])
	}
	return rows
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for name, rows := range map[string][]drover.StoredPosition{
		"One": {at(0)},
		"Before1970": {
			{Position: drover.Position{Time: drover.Milli(-7_001)}},
			{Position: drover.Position{Time: drover.Milli(-7_000)}},
		},
		"WholeSecondsBefore1970": {
			{Position: drover.Position{Time: drover.Milli(-9_000)}},
			{Position: drover.Position{Time: drover.Milli(-7_000)}},
		},
		"Milliseconds": {at(0), at(0.001), at(86_399.999)},
		"Everything": with(500, func(i int, r *drover.StoredPosition) {
			r.Heading, r.SpeedKPH, r.OdometerMetres = new(float64(i%360)), new(float64(i)/10), new(1e6+float64(i)*12.5)
			r.Ignition, r.Auxiliary = new(i%7 > 0), new(i%11 == 0)
			r.DriverID = new([]string{"", "D-1", "Jürgen"}[i%3])
			r.Suspect = []string{"", "jump"}[i%50/49]
		}),
		"SomeUnknown": with(50, func(i int, r *drover.StoredPosition) {
			if i%3 == 0 {
				r.SpeedKPH, r.Ignition = new(50.0), new(true)
			}
			if i == 49 {
				r.DriverID, r.Heading = new("late"), new(1.0)
			}
		}),
		"MilesPerHour": with(100, func(i int, r *drover.StoredPosition) { r.SpeedKPH = new(float64(i%5) * 1.609344) }),
		"AllDifferent": with(300, func(i int, r *drover.StoredPosition) { r.SpeedKPH = new(math.Sqrt(float64(i))) }),
		"MinusZero": with(3, func(_ int, r *drover.StoredPosition) {
			r.Latitude, r.Heading = math.Copysign(0, -1), new(math.Copysign(0, -1))
		}),
		"Strange": {
			{Position: drover.Position{Time: drover.Milli(1), Latitude: math.Copysign(0, -1), Longitude: math.Inf(1), SpeedKPH: new(math.NaN())}},
			{Position: drover.Position{
				Time: drover.Milli(2), Latitude: math.MaxFloat64, Longitude: math.SmallestNonzeroFloat64,
				SpeedKPH: new(1e300),
			}},
		},
		"LargeBesidePrecise": {
			{Position: drover.Position{Time: drover.Milli(1), OdometerMetres: new(9e15)}},
			{Position: drover.Position{Time: drover.Milli(2), OdometerMetres: new(0.000001)}},
		},
		"Full": with(pack.MaxRows, func(i int, r *drover.StoredPosition) { r.Latitude += float64(i) / 1e5 }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			block, err := pack.Encode(rows)
			if err != nil {
				t.Fatal(err)
			}
			got, err := pack.Decode(block)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(rows, got, sameBits); diff != "" {
				t.Errorf("(-in +out):\n%s", diff)
			}
		})
	}
}

// TestRandomRows packs what a generator that knows nothing of the format makes.
func TestRandomRows(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		rows := random(rand.New(rand.NewPCG(seed, 1)))
		block, err := pack.Encode(rows)
		if err != nil {
			t.Fatal(err)
		}
		got, err := pack.Decode(block)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if diff := cmp.Diff(rows, got, sameBits); diff != "" {
			t.Fatalf("seed %d (-in +out):\n%s", seed, diff)
		}
	}
}

func random(r *rand.Rand) []drover.StoredPosition {
	number := func() float64 {
		switch r.IntN(4) {
		case 0:
			return float64(r.IntN(2000)-1000) / math.Pow10(r.IntN(8))
		case 1:
			return math.Float64frombits(r.Uint64())
		case 2:
			return float64(r.IntN(3))
		}
		return r.NormFloat64() * 100
	}
	maybe := func() *float64 {
		if r.IntN(3) == 0 {
			return nil
		}
		return new(number())
	}
	flag := func() *bool {
		if r.IntN(3) == 0 {
			return nil
		}
		return new(r.IntN(2) == 0)
	}
	rows := make([]drover.StoredPosition, 1+r.IntN(60))
	milli := r.Int64N(2e12) - 1e12
	for i := range rows {
		milli += 1 + r.Int64N(1<<r.IntN(30))
		rows[i] = drover.StoredPosition{Position: drover.Position{
			Time: drover.Milli(milli), Latitude: number(), Longitude: number(), Heading: maybe(),
			SpeedKPH: maybe(), OdometerMetres: maybe(), Ignition: flag(), Auxiliary: flag(),
		}}
		if r.IntN(2) == 0 {
			rows[i].DriverID = new(string(make([]byte, r.IntN(40))))
		}
		if r.IntN(5) == 0 {
			rows[i].Suspect = "jump"
		}
	}
	return rows
}

func TestHeader(t *testing.T) {
	t.Parallel()
	rows := []drover.StoredPosition{at(0), at(30), at(60)}
	rows[1].Latitude, rows[2].Longitude = -1.5, 170
	block, err := pack.Encode(rows)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pack.ReadHeader(block)
	if err != nil {
		t.Fatal(err)
	}
	want := pack.Header{Rows: 3, First: rows[0].Time, Last: rows[2].Time, South: -1.5, West: 11.575, North: 48.137, East: 170}
	if diff := cmp.Diff(want, got, cmp.FilterPath(func(p cmp.Path) bool {
		return p.Last().String() == ".raw" ||
			p.Last().String() == ".length"
	}, cmp.Ignore()), cmp.AllowUnexported(pack.Header{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// storedBlock is version 1 of the format, as docs/blocks.md has it.
const storedBlock = "6470010380a8e0adbe67d00fa8c64b37891148406666666666262740a8c64b378911484066666666662627404028b52ffd2040010200e80702000392" +
	"f005000003eeb401000000020101fe01182d4454fb21094000010301f207141400030101020200030104442d3137010301046a756d7000020101fb4ee879"

// TestStoredForm reads a block that was written by the first version of this code:
// what databases hold must be readable for ever.
func TestStoredForm(t *testing.T) {
	t.Parallel()
	block, err := hex.DecodeString(storedBlock)
	if err != nil {
		t.Fatal(err)
	}
	want := with(3, func(i int, r *drover.StoredPosition) {
		r.SpeedKPH, r.Ignition, r.DriverID = new(50.5+float64(i)), new(i > 0), new("D-17")
		if i == 2 {
			r.Suspect, r.Heading = "jump", new(math.Pi)
		}
	})
	got, err := pack.Decode(block)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	for name, rows := range map[string][]drover.StoredPosition{
		"None":     {},
		"TooMany":  with(pack.MaxRows+1, func(int, *drover.StoredPosition) {}),
		"OneTime":  {at(0), at(0)},
		"Disorder": {at(1), at(0)},
		"TooLarge": {{Position: drover.Position{DriverID: new(string(make([]byte, 17<<20)))}}},
	} {
		if _, err := pack.Encode(rows); err == nil {
			t.Errorf("%s: is packed", name)
		}
	}
}

// TestDamage changes each byte of a block, and cuts it at each: all of it is found.
func TestDamage(t *testing.T) {
	t.Parallel()
	block, err := pack.Encode(with(40, func(i int, r *drover.StoredPosition) { r.SpeedKPH = new(float64(i)) }))
	if err != nil {
		t.Fatal(err)
	}
	for i := range block {
		changed := bytes.Clone(block)
		changed[i] ^= 1 << (i % 8)
		if _, err := pack.Decode(changed); !errors.Is(err, pack.ErrBroken) {
			t.Errorf("byte %d changed: %v", i, err)
		}
		if _, err := pack.Decode(block[:i]); !errors.Is(err, pack.ErrBroken) {
			t.Errorf("cut at %d: %v", i, err)
		}
	}
}

// FuzzDecode gives it anything: an error or positions that pack to something that
// reads the same, never a panic.
func FuzzDecode(f *testing.F) {
	for seed := range uint64(20) {
		block, err := pack.Encode(random(rand.New(rand.NewPCG(seed, 2))))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(block)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		rows, err := pack.Decode(pack.Sign(text))
		if err != nil {
			if !errors.Is(err, pack.ErrBroken) {
				t.Fatalf("%v is not ErrBroken", err)
			}
			return
		}
		block, err := pack.Encode(rows)
		if err != nil {
			t.Fatal(err)
		}
		got, err := pack.Decode(block)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rows, got, sameBits); diff != "" {
			t.Errorf("(-first +again):\n%s", diff)
		}
	})
}
