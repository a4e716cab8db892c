package trip_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/trip"
)

// TestShares divides a way of 3 km, a minute of idling and a silence by a time in the
// middle of a leg.
func TestShares(t *testing.T) {
	t.Parallel()
	working := seen(180, 3000, 0, true)
	working.Auxiliary = new(true)
	positions := []drover.Position{
		seen(0, 0, 60, true), seen(60, 1000, 60, true), seen(120, 3000, 0, true), // driven
		working, seen(300, 3000, 0, false), // a minute of idling, then two of work
		seen(300+3600, 3000, 0, false),
	}
	at := func(seconds float64) drover.Time {
		return drover.At(positions[0].Time.Add(time.Duration(seconds * float64(time.Second))))
	}
	got := trip.DefaultRules().Shares(trip.Span{From: at(0), To: at(3900)}, []drover.Time{at(90), at(240)}, positions)
	want := []trip.Share{
		{Seconds: 90, Metres: 2000, Driving: 90, EngineOn: 90},
		{Seconds: 150, Metres: 1000, Driving: 30, Idling: 60, Auxiliary: 60, EngineOn: 150, AuxiliaryOn: 60},
		{Seconds: 3660, Auxiliary: 60, EngineOn: 60, AuxiliaryOn: 60},
	}
	if len(got) != len(want) {
		t.Fatalf("%d parts, want %d", len(got), len(want))
	}
	for i := range want {
		if math.Abs(got[i].Metres-want[i].Metres) > 5 {
			t.Errorf("part %d has %g m, want %g", i, got[i].Metres, want[i].Metres)
		}
		if got[i].Metres = want[i].Metres; got[i] != want[i] {
			t.Errorf("part %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}

func TestApportion(t *testing.T) {
	t.Parallel()
	metres := func(s trip.Share) float64 { return s.Metres }
	for _, tc := range []struct {
		name   string
		whole  int64
		shares []trip.Share
		want   []int64
	}{
		{"ByWeight", 100, []trip.Share{{Seconds: 1, Metres: 1}, {Seconds: 9, Metres: 3}}, []int64{25, 75}},
		{"ByTimeWithoutWeights", 100, []trip.Share{{Seconds: 1}, {Seconds: 9}}, []int64{10, 90}},
		{"WithoutAnything", 7, []trip.Share{{}, {}}, []int64{7, 0}},
		{"Nothing", 0, []trip.Share{{Metres: 1}, {Metres: 2}}, []int64{0, 0}},
		{"Rounded", 10, []trip.Share{{Metres: 1}, {Metres: 1}, {Metres: 1}}, []int64{3, 4, 3}},
	} {
		if got := trip.Apportion(tc.whole, tc.shares, metres); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 3))
		shares := make([]trip.Share, 1+r.IntN(6))
		for i := range shares {
			shares[i] = trip.Share{Seconds: r.Float64() * 86400, Metres: float64(r.IntN(3)) * r.Float64()}
		}
		whole, sum := r.Int64N(1_000_000), int64(0)
		for _, part := range trip.Apportion(whole, shares, metres) {
			if part < 0 {
				t.Fatalf("seed %d: a part is %d", seed, part)
			}
			sum += part
		}
		if sum != whole {
			t.Fatalf("seed %d: the parts sum up to %d of %d", seed, sum, whole)
		}
	}
}

// TestSharesAtTheEdge has legs of which one end alone moves, a silence, and an engine
// that is off.
func TestSharesAtTheEdge(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		a, b drover.Position
		want trip.Share
	}{
		"SetsOff":   {seen(0, 0, 0, false), seen(60, 0, 60, true), trip.Share{Seconds: 60, Driving: 60}},
		"ComesTo":   {seen(0, 0, 60, true), seen(60, 0, 0, true), trip.Share{Seconds: 60, Driving: 60, EngineOn: 60}},
		"Stands":    {seen(0, 0, 0, false), seen(60, 0, 0, false), trip.Share{Seconds: 60}},
		"AlmostGap": {seen(0, 0, 0, true), seen(899, 0, 0, true), trip.Share{Seconds: 899, Idling: 899, EngineOn: 899}},
		"Gap":       {seen(0, 0, 0, true), seen(900, 0, 0, true), trip.Share{Seconds: 900, Idling: 900}},
	} {
		got := trip.DefaultRules().Shares(trip.Span{From: tc.a.Time, To: tc.b.Time}, nil, []drover.Position{tc.a, tc.b})
		if len(got) != 1 || got[0] != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
}

// TestSharesOfALegWithoutSpeed holds that a leg is driven where its length shows it.
func TestSharesOfALegWithoutSpeed(t *testing.T) {
	t.Parallel()
	for metres, driving := range map[float64]float64{1000: 60, 40: 0} {
		a, b := seen(0, 0, 0, true), seen(60, metres, 0, true)
		a.SpeedKPH, b.SpeedKPH = nil, nil
		got := trip.DefaultRules().Shares(trip.Span{From: a.Time, To: b.Time}, nil, []drover.Position{a, b})
		if len(got) != 1 || got[0].Driving != driving || got[0].Idling != 60-driving {
			t.Errorf("%v m in a minute: %+v", metres, got)
		}
	}
}

// TestSharesFromTheSpeedOfMovement holds that a leg is driven from the very speed that a tenant chose.
func TestSharesFromTheSpeedOfMovement(t *testing.T) {
	t.Parallel()
	a, b := seen(0, 0, 0, true), seen(60, 200, 0, true)
	kph := geo.SpeedKPH(geo.DistanceMetres(a.Point(), b.Point()), 60)
	for chosen, driving := range map[float64]float64{kph: 60, kph + 0.001: 0} {
		rules := trip.DefaultRules()
		rules.MovingKPH = chosen
		got := rules.Shares(trip.Span{From: a.Time, To: b.Time}, nil, []drover.Position{a, b})
		if len(got) != 1 || got[0].Driving != driving {
			t.Errorf("%v km/h, where %v is movement: %+v", kph, chosen, got)
		}
	}
}

// TestSharesOfSlowWork has a machine that gets on, one that only says so while it stands, and
// one whose ignition is off.
func TestSharesOfSlowWork(t *testing.T) {
	t.Parallel()
	fast := trip.DefaultRules()
	fast.MovingKPH = 10
	patient := trip.DefaultRules()
	patient.Gap = time.Hour
	for name, tc := range map[string]struct {
		rules trip.Rules
		a, b  drover.Position
		want  trip.Share
	}{
		"Works":      {trip.DefaultRules(), seen(0, 0, 3, true), seen(60, 50, 3, true), trip.Share{Driving: 60, EngineOn: 60}},
		"BeginsWork": {trip.DefaultRules(), seen(0, 0, 0, true), seen(60, 50, 3, true), trip.Share{Driving: 60, EngineOn: 60}},
		"EndsWork":   {trip.DefaultRules(), seen(0, 0, 3, true), seen(60, 50, 0, true), trip.Share{Driving: 60, EngineOn: 60}},
		"Stays":      {trip.DefaultRules(), seen(0, 0, 3, true), seen(60, 4, 3, true), trip.Share{Idling: 60, EngineOn: 60}},
		"Drifts":     {trip.DefaultRules(), seen(0, 0, 3, false), seen(60, 50, 3, false), trip.Share{}},
		"Stands":     {trip.DefaultRules(), seen(0, 0, 0.9, true), seen(60, 50, 0.9, true), trip.Share{Idling: 60, EngineOn: 60}},
		"NoWorkYet":  {fast, seen(0, 0, 0, true), seen(60, 120, 0, true), trip.Share{Idling: 60, EngineOn: 60}},
		"InTheGap":   {patient, seen(0, 0, 0, true), seen(3599, 0, 0, true), trip.Share{Idling: 3599, EngineOn: 3599}},
	} {
		got := tc.rules.Shares(trip.Span{From: tc.a.Time, To: tc.b.Time}, nil, []drover.Position{tc.a, tc.b})
		tc.want.Seconds, tc.want.Metres = tc.b.Time.Sub(tc.a.Time.Time).Seconds(), got[0].Metres
		if len(got) != 1 || got[0] != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
}

// TestFit holds that no part has more than its room, as long as there is room at all, and
// that the times of a part share it.
func TestFit(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		room         []int64
		parts, wants [][]int64
	}{
		"Fits":       {[]int64{60, 60}, [][]int64{{50, 60}}, [][]int64{{50, 60}}},
		"TooMuch":    {[]int64{60, 60, 30}, [][]int64{{90, 30, 0}}, [][]int64{{60, 45, 15}}},
		"TheyShare":  {[]int64{60, 60}, [][]int64{{90, 0}, {20, 10}}, [][]int64{{60, 30}, {0, 30}}},
		"BothAtOnce": {[]int64{60, 60}, [][]int64{{60, 60}, {5, 0}}, [][]int64{{60, 60}, {5, 0}}},
		"NoRoomLeft": {[]int64{60, 60}, [][]int64{{90, 50}}, [][]int64{{60, 80}}},
	} {
		trip.Fit(tc.room, tc.parts...)
		if diff := cmp.Diff(tc.wants, tc.parts); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
