package arrival

import (
	"math"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
)

// ahead is the question when a device at home arrives metres to the east, before it
// has moved.
func ahead(metres float64) Input {
	return Input{Now: monday, From: monday, Place: home, End: east(metres), StraightMetres: metres, WholeMetres: metres}
}

func minutes(t drover.Time) float64 { return t.Sub(monday).Minutes() }

func TestPredictWithoutHistory(t *testing.T) {
	t.Parallel()
	for _, m := range []*Model{nil, NewModel(History{})} {
		r := m.Predict(ahead(100_000))
		eta, km := Estimate(ahead(100_000))
		if r.P50 != eta || r.DistanceKM != km {
			t.Errorf("%v and %v km, want %v and %v km", r.P50, r.DistanceKM, eta, km)
		}
		about(t, "the early end", minutes(r.P10), 156*unknownPace[far].early, 1)
		about(t, "the late end", minutes(r.P90), 156*unknownPace[far].late+unknownPace[far].stopSeconds/60, 1)
	}
}

// The same way, driven before, takes as long as it did.
func TestPredictOnAKnownLane(t *testing.T) {
	t.Parallel()
	var own []Journey
	for range 30 {
		own = append(own, line(0, 60_000, 30)) // two hours
	}
	m := NewModel(History{Own: own})
	about(t, "the whole way", minutes(m.Predict(ahead(60_000)).P50), 120, 5)
	in := ahead(60_000)
	in.Place, in.StraightMetres = east(45_000), 15_000
	about(t, "the last quarter", minutes(m.Predict(in).P50), 30, 3)
	in.RadiusMetres = 7_500
	if got := minutes(m.Predict(in).P50); got > 25 {
		t.Errorf("a large circle is entered after %v minutes", got)
	}
}

// On other ways with as much before them the pace of earlier journeys counts, at
// the start more than near the end.
func TestPredictAtTheUsualPace(t *testing.T) {
	t.Parallel()
	var fleet []Journey
	for range 30 {
		fleet = append(fleet, line(500_000, 560_000, 15)) // four hours, far away
	}
	m := NewModel(History{Fleet: fleet})
	without, with := minutes(NewModel(History{}).Predict(ahead(60_000)).P50), minutes(m.Predict(ahead(60_000)).P50)
	if with < 1.4*without {
		t.Errorf("slow journeys make %v minutes of %v", with, without)
	}
	in := ahead(60_000)
	in.Place, in.StraightMetres = east(57_000), 3_000
	near, nearWithout := minutes(m.Predict(in).P50), minutes(NewModel(History{}).Predict(in).P50)
	if near > 1.1*nearWithout {
		t.Errorf("near the end they make %v minutes of %v", near, nearWithout)
	}
	about(t, "the weight of the own pace at the start", new(ahead(60_000)).ownPace(), paceAtStart, 1e-9)
	in.StraightMetres = 0
	about(t, "that at the end", in.ownPace(), paceAtEnd, 1e-9)
}

// The range is as wide as the predictor was wrong before, in this class of ways.
func TestPredictedRangeFollowsErrors(t *testing.T) {
	t.Parallel()
	j := line(0, 60_000, 30)
	for i := range 100 {
		j.Outcomes = append(j.Outcomes, Outcome{Metres: 60_000, LogRatio: float64(i)/1000 - 0.05}) // within 5 %
	}
	m := NewModel(History{Own: []Journey{j}})
	near, assumed := m.spread(far, 60_000, 7_200, 1), knownPace.band(7_200)
	about(t, "the low end", near.low, -0.04*40/55+assumed.low*15/55, 0.002)
	about(t, "the high end", near.high, 0.04*40/55+assumed.high*15/55, 0.002)
	if other := m.spread(far, 3_000, 7_200, 1); other != assumed {
		t.Errorf("of another class: %v", other)
	}
	for i := range j.Outcomes { // always late
		j.Outcomes[i].LogRatio = 3
	}
	if late := NewModel(History{Own: []Journey{j}}).spread(far, 60_000, 7_200, 1); late.low != 0 || late.high < 2 {
		t.Errorf("always late: %v", late)
	}
	for i := range j.Outcomes { // always early
		j.Outcomes[i].LogRatio = -3
	}
	if early := NewModel(History{Own: []Journey{j}}).spread(far, 60_000, 7_200, 1); early.high != 0 || early.low > -2 {
		t.Errorf("always early: %v", early)
	}
}

// The less is known of a vehicle's pace, the wider the range is, whatever remains of the way.
func TestPredictedRangeNarrowsAsThePaceIsKnown(t *testing.T) {
	t.Parallel()
	m := NewModel(History{})
	for of, unknown := range unknownPace {
		for _, seconds := range []float64{10, 300, 7_200, 40_000} {
			wide, near := unknown.band(seconds), knownPace.band(seconds)
			if none := m.spread(kind(of), 3_000, seconds, 0); none != wide {
				t.Errorf("%v s: %v knowing nothing, want %v", seconds, none, wide)
			}
			full, half := m.spread(kind(of), 3_000, seconds, 1), m.spread(kind(of), 3_000, seconds, 0.5)
			about(t, "the low end of a known pace", full.low, near.low, 1e-9)
			about(t, "the high end of a known pace", full.high, near.high, 1e-9)
			about(t, "half known, the low end", half.low, (wide.low+near.low)/2, 1e-9)
			about(t, "half known, the high end", half.high, (wide.high+near.high)/2, 1e-9)
		}
	}
	in := ahead(100_000)
	first := NewModel(History{}).Predict(in)
	late := unknownPace[far].late*minutes(first.P50) + unknownPace[far].stopSeconds/60
	about(t, "the late end of a first journey", minutes(first.P90), late, 2)
}

// What may delay a vehicle is its pace and a stop: near the end the stop is most of it. The
// late end is never before the middle.
func TestAssumedBand(t *testing.T) {
	t.Parallel()
	a := assumed{early: 0.5, late: 1.2, stopSeconds: 600}
	near, far := a.band(60), a.band(6_000)
	about(t, "the low end near the arrival", near.low, math.Log(0.5), 1e-9)
	about(t, "the low end far from it", far.low, math.Log(0.5), 1e-9)
	about(t, "the high end near the arrival", near.high, math.Log(11.2), 1e-9)
	about(t, "the high end far from it", far.high, math.Log(1.3), 1e-9)
	about(t, "no later than the middle", assumed{early: 0.5, late: 0.2, stopSeconds: 60}.band(600).high, 0, 1e-9)
	in := ahead(0)
	about(t, "the late end at the arrival", minutes(NewModel(History{}).Predict(in).P90), 30, 1)
}

// A journey is of the kind that its length and the speeds of its track make it, and brief
// ones have errors of their own.
func TestKindsOfJourneys(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		metres float64
		blind  bool
		want   kind
	}{
		{4_999, false, brief},
		{5_000, false, usual},
		{49_999, false, usual},
		{50_000, false, far},
		{4_999, true, blindBrief},
		{5_000, true, blind},
		{90_000, true, blind},
	} {
		in := ahead(tc.metres)
		in.Track.Blind = tc.blind
		if got := in.kind(); got != tc.want {
			t.Errorf("%v m, blind %v: kind %d, want %d", tc.metres, tc.blind, got, tc.want)
		}
		if in.StraightMetres = 100; in.kind() != tc.want {
			t.Errorf("%v m, blind %v: near its end it is of kind %d", tc.metres, tc.blind, in.kind())
		}
	}
	away := ahead(6_000)
	away.WholeMetres = 3_000 // it has driven away from its end
	if got := away.kind(); got != usual {
		t.Errorf("6 km from an end that was 3 km away: kind %d", got)
	}
	positions := []drover.Position{{Time: drover.At(monday)}, {Time: drover.At(monday.Add(time.Minute))}}
	if !NewTrack(home, positions).Blind {
		t.Error("a track without speeds is not blind")
	}
	if positions[1].SpeedKPH = new(0.0); NewTrack(home, positions).Blind {
		t.Error("a track with a speed is blind")
	}
	short, long := line(0, 4_000, 10), line(0, 60_000, 30)
	for range 40 {
		short.Outcomes = append(short.Outcomes, Outcome{Metres: 1_000, LogRatio: 0.5})
		long.Outcomes = append(long.Outcomes, Outcome{Metres: 1_000, LogRatio: 2.5})
	}
	m := NewModel(History{Own: []Journey{short, long}})
	of, other := m.spread(brief, 1_000, 600, 1), m.spread(far, 1_000, 600, 1)
	if of.high >= 1.5 || other.high <= 2 || m.spread(blindBrief, 1_000, 600, 1) != of {
		t.Errorf("brief %v, far %v", of, other)
	}
}

// A router is accepted where nothing else is known, and later as far as it was right.
func TestPredictWithRoute(t *testing.T) {
	t.Parallel()
	in := ahead(100_000)
	in.Route = &Route{Metres: 117_004, Duration: 90 * time.Minute}
	r := NewModel(History{}).Predict(in)
	if minutes(r.P50) != 90 || r.DistanceKM != 117 {
		t.Errorf("without history: %v minutes and %v km", minutes(r.P50), r.DistanceKM)
	}
	j := line(0, 100_000, 25) // four hours
	history := History{}
	for range 20 {
		history.Own = append(history.Own, j)
	}
	unscaled := minutes(NewModel(history).Predict(in).P50)
	in.Route.Duration = time.Minute
	if again := minutes(NewModel(history).Predict(in).P50); again != unscaled {
		t.Errorf("a router that was never held against an arrival moves it from %v to %v minutes", unscaled, again)
	}
	in.Route.Duration = 90 * time.Minute
	for i := range history.Own {
		history.Own[i].Outcomes = []Outcome{{Metres: 100_000, LogRoute: new(math.Log(240.0 / 90))}}
	}
	about(t, "with a router that is scaled", minutes(NewModel(history).Predict(in).P50), 240, 25)
	in.Route.Duration = 180 * time.Minute // a jam that it knows
	if got := minutes(NewModel(history).Predict(in).P50); got < 300 {
		t.Errorf("a router that says twice as much: %v minutes", got)
	}
	in.Route.Duration = 0
	if got := minutes(NewModel(history).Predict(in).P50); math.Abs(got-unscaled) > 1 {
		t.Errorf("a router without an answer: %v minutes, without one %v", got, unscaled)
	}
}

func TestPredictIsNeverInThePast(t *testing.T) {
	t.Parallel()
	in := ahead(3_000)
	in.Now = monday.Add(5 * time.Hour)
	if r := NewModel(History{}).Predict(in); r.P10.Before(in.Now) || r.P50.Before(in.Now) || r.P90.Before(in.Now) {
		t.Errorf("%+v is before %v", r, in.Now)
	}
	far := ahead(19_000_000)
	if r := NewModel(History{}).Predict(far); !r.P90.Before(monday.AddDate(1, 0, 2)) || r.P90.Before(r.P50.Time) || r.P50.Before(r.P10.Time) {
		t.Errorf("around the world: %+v", r)
	}
}

// One pass at the full weight counts two thirds, beside what was known without it.
func TestPredictByOnePass(t *testing.T) {
	t.Parallel()
	own := line(0, 60_000, 15) // four hours
	elsewhere := History{Own: []Journey{line(500_000, 560_000, 15)}}
	without := math.Log(NewModel(elsewhere).Predict(ahead(60_000)).P50.Sub(monday).Seconds())
	got := math.Log(NewModel(History{Own: []Journey{own}}).Predict(ahead(60_000)).P50.Sub(monday).Seconds())
	about(t, "the prediction", got, without+(math.Log(4*3600)-without)/(1+passWeight), 0.01)
}

// What other devices made of a router's answers counts too.
func TestPredictWithARouteOfTheFleet(t *testing.T) {
	t.Parallel()
	in := ahead(100_000)
	in.Route = &Route{Metres: 117_000, Duration: 30 * time.Minute}
	j := line(0, 100_000, 25)
	j.Outcomes = []Outcome{{Metres: 100_000, LogRoute: new(0.0)}}
	var fleet []Journey
	for range 20 {
		fleet = append(fleet, j)
	}
	with := minutes(NewModel(History{Fleet: fleet}).Predict(in).P50)
	in.Route = nil
	without := minutes(NewModel(History{Fleet: fleet}).Predict(in).P50)
	about(t, "the share of the router", math.Log(with/without)/math.Log(30/without), routeShare*20/23, 0.02)
}
