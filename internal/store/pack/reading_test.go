package pack_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/pack"
)

func readingOf(series int64, at time.Time, v float64) drover.ReadingRow {
	return drover.ReadingRow{Series: series, ReadingValue: drover.ReadingValue{At: at.UnixMilli(), Value: v}}
}

// truckDay is what the history keeps of a truck's day: ten hours of driving, in which counters come
// every five minutes and levels as they change, with the noise that they have, and fourteen
// hours of rest.
func truckDay(random *rand.Rand, day time.Time) []drover.ReadingRow {
	var rows []drover.ReadingRow
	odometer, engine, used, level := 210_454_468.0, 31_204_800.0, 58_221.5, 88.0
	volts, coolant, ambient, def := 27.8, 84.0, 14.0, 61.0
	for minute := 0; minute < 24*60; minute += 5 {
		at := day.Add(time.Duration(minute)*time.Minute + time.Duration(random.IntN(20))*time.Second)
		driving := minute >= 6*60 && minute < 16*60
		if driving {
			odometer += math.Round(5500 + random.Float64()*1500)
			engine += 300
			used += math.Round((2+random.Float64())*10) / 10
			level -= 0.4
			rows = append(rows, readingOf(1, at, odometer), readingOf(2, at, engine), readingOf(3, at, used))
		} else if minute%60 == 0 {
			rows = append(rows, readingOf(1, at, odometer), readingOf(2, at, engine), readingOf(3, at, used))
		}
		if minute%15 == 0 {
			noise := func(of, by float64) float64 { return math.Round((of+(random.Float64()-0.5)*by)*10) / 10 }
			rows = append(rows, readingOf(4, at, math.Round(level*10)/10), readingOf(5, at, noise(volts, 0.6)),
				readingOf(6, at, math.Round(noise(coolant, 8))), readingOf(7, at, noise(ambient, 2)),
				readingOf(8, at, math.Round(def-float64(minute)/300)))
		}
	}
	return rows
}

// TestReadingsTakeFewBytes holds a settled reading, of eight kinds of a truck, to four bytes.
func TestReadingsTakeFewBytes(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	bytes, readings := 0, 0
	for day := range 20 {
		rows := truckDay(random, time.Date(2026, 5, 1+day, 0, 0, 0, 0, time.UTC))
		block, err := pack.EncodeReadings(slices.Clone(rows))
		if err != nil {
			t.Fatal(err)
		}
		bytes, readings = bytes+len(block), readings+len(rows)
	}
	t.Logf("%d readings a day, %.2f bytes each", readings/20, float64(bytes)/float64(readings))
	if each := float64(bytes) / float64(readings); each > 4 {
		t.Errorf("a reading takes %.2f bytes", each)
	}
}

// TestReadingsComeBack packs values of all forms, in any order, and gets the same, by series and time.
func TestReadingsComeBack(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)
	rows := []drover.ReadingRow{
		readingOf(2, at.Add(time.Hour), math.Pi), readingOf(2, at, -1e300), readingOf(1, at.Add(7*time.Millisecond), 0),
		readingOf(300, time.UnixMilli(-5), 1), readingOf(1, at, 210_454_468.25), readingOf(1, at.Add(time.Minute), 5),
	}
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 3000 {
		rows = append(rows, readingOf(9, at.Add(time.Duration(i)*time.Second), random.NormFloat64()))
	}
	block, err := pack.EncodeReadings(slices.Clone(rows))
	if err != nil {
		t.Fatal(err)
	}
	got, err := pack.DecodeReadings(block)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(rows, func(a, b drover.ReadingRow) int {
		if a.Series != b.Series {
			return int(a.Series - b.Series)
		}
		return int(a.At - b.At)
	})
	if diff := cmp.Diff(rows, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestBrokenReadings refuses what is no block, and every block with a byte that has changed or is missing.
func TestBrokenReadings(t *testing.T) {
	t.Parallel()
	if _, err := pack.EncodeReadings(nil); err == nil {
		t.Error("a block of nothing is made")
	}
	block, err := pack.EncodeReadings(truckDay(rand.New(rand.NewPCG(1, 2)), time.Unix(0, 0)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range block {
		changed := slices.Clone(block)
		changed[i] ^= 0x10
		for _, broken := range [][]byte{changed, block[:i]} {
			if _, err := pack.DecodeReadings(broken); !errors.Is(err, pack.ErrBrokenReadings) {
				t.Fatalf("byte %d: %v", i, err)
			}
		}
	}
}
