package reading_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/reading"
)

const minute = 60_000

// values are some of a series, a minute apart.
func values(vs ...float64) []reading.Value {
	out := make([]reading.Value, len(vs))
	for i, v := range vs {
		out[i] = reading.Value{At: int64(i) * minute, Value: v}
	}
	return out
}

func TestJudge(t *testing.T) {
	t.Parallel()
	const (
		ok    = ""
		rng   = reading.Range
		zero  = reading.Zero
		back  = reading.Backwards
		jump  = reading.Jump
		odo   = drover.ReadingOdometer
		hours = drover.ReadingEngine
	)
	for name, test := range map[string]struct {
		kind     drover.ReadingKind
		values   []float64
		want     []string
		segments int
		confirms int // by the last value
	}{
		"Grows":              {odo, []float64{1000, 1000, 2000, 4000}, []string{ok, ok, ok, ok}, 0, 0},
		"FirstZero":          {odo, []float64{0, 0, 500}, []string{ok, ok, ok}, 0, 0},
		"ZeroAndBack":        {odo, []float64{50_000, 0, 0, 0, 0, 51_000}, []string{ok, zero, zero, zero, zero, ok}, 0, 0},
		"ZeroThenANewLine":   {odo, []float64{50_000, 0, 10, 20, 30}, []string{ok, zero, back, back, ok}, 1, 2},
		"Negative":           {odo, []float64{50_000, -1, 50_100}, []string{ok, rng, ok}, 0, 0},
		"NoNumber":           {odo, []float64{50_000, math.NaN(), math.Inf(1), 50_100}, []string{ok, rng, rng, ok}, 0, 0},
		"BackOnce":           {odo, []float64{50_000, 49_990, 50_010}, []string{ok, back, ok}, 0, 0},
		"BackTwice":          {odo, []float64{50_000, 100, 200, 50_100}, []string{ok, back, back, ok}, 0, 0},
		"Reset":              {odo, []float64{50_000, 100, 200, 300, 400}, []string{ok, back, back, ok, ok}, 1, 0},
		"ResetConfirmedLast": {odo, []float64{50_000, 100, 200, 300}, []string{ok, back, back, ok}, 1, 2},
		"NoLineOfItsOwn":     {odo, []float64{50_000, 300, 200, 100, 50_100}, []string{ok, back, back, back, ok}, 0, 0},
		"AnotherLineHalfway": {odo, []float64{50_000, 300, 200, 210, 220}, []string{ok, back, back, back, ok}, 1, 2},
		"AsFastAsItGets":     {odo, []float64{0, 1000 + 200_000/60}, []string{ok, ok}, 0, 0},
		"Faster":             {odo, []float64{0, 1001 + 200_000/60}, []string{ok, jump}, 0, 0},
		"JumpAndBack":        {odo, []float64{1000, 900_000, 1500}, []string{ok, jump, ok}, 0, 0},
		"JumpConfirmed":      {odo, []float64{1000, 900_000, 900_100, 900_200, 900_300}, []string{ok, jump, jump, ok, ok}, 1, 0},
		"TakingTurns": {
			odo,
			[]float64{1000, 900_000, 1100, 900_100, 1200, 900_200},
			[]string{ok, jump, ok, jump, ok, jump},
			0,
			0,
		},
		"EngineRunsAllTheTime":        {hours, []float64{3600, 3660, 3720}, []string{ok, ok, ok}, 0, 0},
		"EngineWithinTheSlack":        {hours, []float64{3600, 3720}, []string{ok, ok}, 0, 0},
		"EngineFasterThanTime":        {hours, []float64{3600, 3721}, []string{ok, jump}, 0, 0},
		"IdleLikewise":                {drover.ReadingIdle, []float64{0, 121}, []string{ok, jump}, 0, 0},
		"PTOLikewise":                 {drover.ReadingPTO, []float64{0, 121}, []string{ok, jump}, 0, 0},
		"Fuel":                        {drover.ReadingFuelUsed, []float64{100, 113, 127}, []string{ok, ok, jump}, 0, 0},
		"OdometerOfNoVehicle":         {odo, []float64{1e10, 1.1e10}, []string{ok, rng}, 0, 0},
		"LevelsFallAndRise":           {drover.ReadingFuelPercent, []float64{90, 10, 0, 100}, []string{ok, ok, ok, ok}, 0, 0},
		"PercentOfABus":               {drover.ReadingFuelPercent, []float64{102, 102.1, -0.1}, []string{ok, rng, rng}, 0, 0},
		"DEF":                         {drover.ReadingDEF, []float64{100, 250}, []string{ok, rng}, 0, 0},
		"ChargeInThousandths":         {drover.ReadingCharge, []float64{64, 64_000}, []string{ok, rng}, 0, 0},
		"Litres":                      {drover.ReadingFuelLitres, []float64{0, 10_000, 10_001}, []string{ok, ok, rng}, 0, 0},
		"Volts":                       {drover.ReadingSupply, []float64{6, 36, 5.9, 36.1, 12_600}, []string{ok, ok, rng, rng, rng}, 0, 0},
		"Coolant":                     {drover.ReadingCoolant, []float64{-50, 200, -51, 201}, []string{ok, ok, rng, rng}, 0, 0},
		"Ambient":                     {drover.ReadingAmbient, []float64{-60, 70, -61, 71}, []string{ok, ok, rng, rng}, 0, 0},
		"Probe":                       {drover.ReadingProbe, []float64{-60, 100, -61, 101}, []string{ok, ok, rng, rng}, 0, 0},
		"Door":                        {drover.ReadingDoor, []float64{0, 1, 2, -1}, []string{ok, ok, rng, rng}, 0, 0},
		"PTOActive":                   {drover.ReadingPTOActive, []float64{1, 0, 2}, []string{ok, ok, rng}, 0, 0},
		"UnknownKindsAreNotJudged":    {"tyre_kilopascal", []float64{-5, 1e12, 0}, []string{ok, ok, ok}, 0, 0},
		"RangeDoesNotEndADoubtedLine": {odo, []float64{50_000, 100, -1, 200, 300}, []string{ok, back, rng, back, ok}, 1, 2},
	} {
		var f reading.Fold
		var got []string
		confirmed := 0
		for _, v := range values(test.values...) {
			var suspect string
			suspect, confirmed = f.Judge(test.kind, v)
			got = append(got, suspect)
		}
		if diff := cmp.Diff(test.want, got); diff != "" || f.Segment != test.segments || confirmed != test.confirms {
			t.Errorf("%s: segment %d, want %d; confirmed %d, want %d; (-want +got):\n%s", name, f.Segment, test.segments, confirmed, test.confirms,
				diff)
		}
	}
}

// TestJudgeAfterALongSilence begins a line where what was said before is not compared with: a value
// that does not go on from it is believed at once, and none that does ends the segment. A zero says
// as little as ever.
func TestJudgeAfterALongSilence(t *testing.T) {
	t.Parallel()
	const last = 1_790_000_000_000
	reach := reading.Reach.Milliseconds()
	for _, test := range []struct {
		after   int64
		metres  float64
		want    string
		segment int
	}{
		{reach, 100, reading.Backwards, 0},
		{reach + 1, 100, "", 1},
		{reach + 1, 900_001, "", 0},
		{reach + 1, 2e9, "", 1},
		{reach + 1, 0, reading.Zero, 0},
		{reach + 1, -1, reading.Range, 0},
	} {
		f := reading.Fold{Last: &reading.Value{At: last, Value: 900_000}, Doubt: values(5)}
		got, confirmed := f.Judge(drover.ReadingOdometer, reading.Value{At: last + test.after, Value: test.metres})
		if got != test.want || confirmed != 0 || f.Segment != test.segment {
			t.Errorf("%g m after %d ms: %q, segment %d, want %q and %d", test.metres, test.after, got, f.Segment, test.want, test.segment)
		}
		if got == "" && (f.Last.Value != test.metres || f.Doubt != nil) {
			t.Errorf("%g m: it goes on from %v, doubting %v", test.metres, f.Last, f.Doubt)
		}
	}
}

// TestJudgeOverTime allows more the longer a device was silent.
func TestJudgeOverTime(t *testing.T) {
	t.Parallel()
	const hour = 60 * minute
	for _, test := range []struct {
		after  int64
		metres float64
		want   string
	}{{hour, 201_000, ""}, {hour, 201_001, reading.Jump}, {10 * hour, 2_001_000, ""}, {10 * hour, 2_001_001, reading.Jump}} {
		f := reading.Fold{Last: &reading.Value{At: 0, Value: 0}}
		if got, _ := f.Judge(drover.ReadingOdometer, reading.Value{At: test.after, Value: test.metres}); got != test.want {
			t.Errorf("%g m after %d h: %q, want %q", test.metres, test.after/hour, got, test.want)
		}
	}
}

func TestKeep(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		kind    drover.ReadingKind
		after   int64 // milliseconds
		from, v float64
		want    bool
	}{
		"CounterMoves":             {drover.ReadingOdometer, 5 * minute, 1000, 1001, true},
		"CounterMovesTooSoon":      {drover.ReadingOdometer, 5*minute - 1, 1000, 2000, false},
		"CounterStill":             {drover.ReadingOdometer, 60*minute - 1, 1000, 1000, false},
		"CounterStillForLong":      {drover.ReadingOdometer, 60 * minute, 1000, 1000, true},
		"CounterFalls":             {drover.ReadingOdometer, 1, 1000, 999, true},
		"CounterJumps":             {drover.ReadingOdometer, 1000, 1000, 90_000, true},
		"LevelSteady":              {drover.ReadingFuelPercent, 15*minute - 1, 50, 50.9, false},
		"LevelSteadyForLong":       {drover.ReadingFuelPercent, 15 * minute, 50, 50, true},
		"LevelChanges":             {drover.ReadingFuelPercent, 1, 50, 49, true},
		"VoltsChange":              {drover.ReadingSupply, 1, 12.5, 13, true},
		"VoltsTremble":             {drover.ReadingSupply, 1, 12.5, 12.9, false},
		"ProbeChanges":             {drover.ReadingProbe, 1, 4, 4.5, true},
		"CoolantTrembles":          {drover.ReadingCoolant, 1, 80, 81, false},
		"DoorOpens":                {drover.ReadingDoor, 1, 0, 1, true},
		"DoorStaysShut":            {drover.ReadingDoor, 1000, 0, 0, false},
		"UnknownKindChanges":       {"tyre_kilopascal", 1, 1, 2, true},
		"UnknownKindStaysAsItIs":   {"tyre_kilopascal", 1, 1, 1, false},
		"AmbientChanges":           {drover.ReadingAmbient, 1, 20, 21, true},
		"LitresChange":             {drover.ReadingFuelLitres, 1, 20, 19, true},
		"EngineRunsForFiveMinutes": {drover.ReadingEngine, 5 * minute, 0, 300, true},
	} {
		for _, at := range []int64{0, 1000 * minute} {
			last, v := reading.Value{At: at, Value: test.from}, reading.Value{At: at + test.after, Value: test.v}
			if got := reading.Keep(test.kind, last, v); got != test.want {
				t.Errorf("%s from %d on: %t, want %t", name, at, got, test.want)
			}
		}
	}
}

func TestBest(t *testing.T) {
	t.Parallel()
	const week = 7 * 24 * 60 * minute
	for name, test := range map[string]struct {
		series []reading.Candidate
		want   int
	}{
		"One": {[]reading.Candidate{{Source: drover.SourceTracker}}, 0},
		"Order": {[]reading.Candidate{
			{Source: ""},
			{Source: drover.SourceTracker},
			{Source: drover.SourcePlatform},
			{Source: drover.SourceSensor},
			{Source: drover.SourceVehicle},
		}, 4},
		"SensorOverOthers": {[]reading.Candidate{{Source: drover.SourcePlatform}, {Source: drover.SourceSensor}}, 1},
		"PlatformFirst":    {[]reading.Candidate{{Source: drover.SourceTracker}, {Source: drover.SourcePlatform}}, 1},
		"TrackerOverNone":  {[]reading.Candidate{{Source: ""}, {Source: drover.SourceTracker}}, 1},
		"FirstOfASource":   {[]reading.Candidate{{Source: drover.SourceVehicle, At: 1}, {Source: drover.SourceVehicle, At: 2}}, 0},
		"NotYetSilent":     {[]reading.Candidate{{Source: drover.SourceVehicle, At: 0}, {Source: drover.SourceTracker, At: week}}, 0},
		"Silent":           {[]reading.Candidate{{Source: drover.SourceVehicle, At: 0}, {Source: drover.SourceTracker, At: week + 1}}, 1},
		"NeverBelieved":    {[]reading.Candidate{{Source: drover.SourceVehicle, At: 9, Suspect: true}, {Source: drover.SourceTracker, At: 1}}, 1},
		"AllNeverBelieved": {
			[]reading.Candidate{{Source: drover.SourceTracker, Suspect: true}, {Source: drover.SourceVehicle, Suspect: true}},
			1,
		},
		"DoubtfulFuture": {[]reading.Candidate{
			{Source: drover.SourceTracker, At: 5},
			{Source: drover.SourceVehicle, At: week * 9, Suspect: true},
		}, 0},
	} {
		if got := reading.Best(test.series); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

func TestShown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind    drover.ReadingKind
		v, want float64
	}{
		{drover.ReadingFuelPercent, 101.6, 100},
		{drover.ReadingDEF, 102, 100},
		{drover.ReadingCharge, 99.5, 99.5},
		{drover.ReadingFuelPercent, 250, 250}, // suspect, as the provider said it
		{drover.ReadingCoolant, 101, 101},
	} {
		if got := reading.Shown(test.kind, test.v); got != test.want {
			t.Errorf("%s %g: %g, want %g", test.kind, test.v, got, test.want)
		}
	}
}

func TestCounter(t *testing.T) {
	t.Parallel()
	counters := 0
	for _, k := range drover.ReadingKinds {
		if reading.Counter(k) {
			counters++
		}
	}
	if counters != 5 || reading.Counter("tyre_kilopascal") {
		t.Errorf("%d counters, want 5", counters)
	}
}
