package trip

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drover-fleet/drover/internal/rules/geo"
)

// TestJudgeByABound holds that legs are judged by a bound of their length as they are by the
// length itself, whatever their ends report.
func TestJudgeByABound(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	spared, of := 0, map[belief]int{}
	for range 200_000 {
		from := point{At: 1, Lat: 178*random.Float64() - 89, Lon: 360*random.Float64() - 180, Odo: 1000}
		to := from
		degrees := math.Exp(12*random.Float64() - 12)
		to.At += int64(1000 * math.Exp(8*random.Float64()))
		to.Lat = max(-90, min(to.Lat+degrees*(2*random.Float64()-1), 90))
		to.Lon = math.Remainder(to.Lon+degrees*(2*random.Float64()-1), 360)
		for _, p := range []*point{&from, &to} {
			p.Has, p.Mode = values(random.IntN(128)), mode(random.IntN(3))
			p.KPH = 150 * random.Float64()
		}
		to.Odo += 2000*random.Float64() - 500
		want := usual.judgeLength(&from, &to, from.metresTo(&to))
		if got := usual.judge(&from, &to); got != want {
			t.Fatalf("from %+v to %+v: %d, want %d", from, to, got, want)
		}
		of[want]++
		if usual.judgeLength(&from, &to, geo.AtMostMetres(from.place(), to.place())) == believed {
			spared++
		}
	}
	if spared < 50_000 || of[doubted] < 500 || of[refuted] < 5000 {
		t.Errorf("%d are spared, and judged are %v", spared, of)
	}
}
