package collect_test

import (
	"context"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/collect"
	"github.com/drover-fleet/drover/internal/provider"
)

// engine is a position of a device with its engine on and moving, or off and standing.
func engine(t time.Time, latitude float64, on bool) provider.Position {
	p := at("a", t, latitude, 11)
	p.Ignition = &on
	if !on {
		p.SpeedKPH = new(0.0)
	}
	return p
}

// A vendor whose trips are read every half hour is asked once a minute after an engine was
// switched off, and then not before ten minutes have passed however many more are.
func TestTripsAreAskedForOnceTheyEnd(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		info := r.options.Providers[stubName]
		info.Poll.Trips = 30 * time.Minute
		r.options.Providers[stubName] = info
		r.collector = collect.New(r.options)
		s, _ := r.stub("s", noon, []string{"a"}, native)
		var asked []float64
		s.trips = func(_ context.Context, q provider.Query) (provider.Page[provider.Trip], error) {
			if q.Live() {
				asked = append(asked, r.clock.Now().Sub(noon).Minutes())
			}
			return provider.Page[provider.Trip]{Cursor: "x"}, nil
		}
		expect := func(when string, want ...float64) {
			t.Helper()
			if len(asked) != len(want) {
				t.Fatalf("%s the vendor was asked at %v, want %v", when, asked, want)
			}
			for i := range want {
				if asked[i] != want[i] {
					t.Fatalf("%s the vendor was asked at %v, want %v", when, asked, want)
				}
			}
		}
		minute := func(n float64) time.Time { return noon.Add(time.Duration(n * float64(time.Minute))) }
		r.run()
		expect("at first", 0)
		r.pass(10 * time.Minute)
		s.next(engine(minute(10), 48.1, true))
		r.pass(2 * time.Minute)
		expect("while it drives", 0)
		s.next(engine(minute(12.5), 48.11, false))
		r.pass(8 * time.Minute)
		expect("after the end", 0, 14) // polled at 13; a minute after the end
		// On and off again and again: no more than once in a third of the interval.
		for n := 20.5; n < 28; n += 2 {
			r.pass(time.Minute)
			s.next(engine(minute(n), 48.1+n/10_000, true))
			r.pass(time.Minute)
			s.next(engine(minute(n+1), 48.1+n/10_000, false))
		}
		expect("after more ends", 0, 14, 24)
		r.pass(7 * time.Minute)
		expect("after the last end", 0, 14, 24, 34)
		r.pass(28 * time.Minute)
		expect("without an end", 0, 14, 24, 34)
		r.pass(time.Minute)
		expect("without an end for an interval", 0, 14, 24, 34, 64)
	})
}

// Where trips fail, an end does not shorten the pause; and where they are derived, no one
// is asked.
func TestEndsDoNotHurryAFailure(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		info := r.options.Providers[stubName]
		info.Poll.Trips = 30 * time.Minute
		r.options.Providers[stubName] = info
		r.collector = collect.New(r.options)
		s, conn := r.stub("s", noon, []string{"a"}, native)
		r.run()
		calls := 0
		s.trips = func(context.Context, provider.Query) (provider.Page[provider.Trip], error) {
			calls++
			return provider.Page[provider.Trip]{}, provider.Errorf(provider.KindTemporary, "out of order")
		}
		r.pass(9 * time.Minute)
		s.next(engine(noon.Add(5*time.Minute), 48.1, true))
		r.pass(time.Minute)
		s.next(engine(noon.Add(9*time.Minute), 48.12, false))
		r.pass(2 * time.Minute)
		first := calls
		if first == 0 {
			t.Fatal("the end was not asked for")
		}
		var due drover.Time
		jobs, err := r.store.Fleet.ConnectionJobs(t.Context(), r.principal.TenantID, conn.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range jobs {
			if j.Kind == "trips" && !j.Backfill {
				due = j.DueAt
			}
		}
		for r.clock.Now().Add(time.Minute).Before(due.Time) {
			before := calls
			s.next(engine(r.clock.Now().Add(-20*time.Second), 48.3, true), engine(r.clock.Now().Add(-10*time.Second), 48.3, false))
			r.pass(20 * time.Second)
			if calls != before {
				t.Fatalf("at %s the vendor was asked again, before its pause was over at %s", r.clock.Now(), due)
			}
		}
	})
}
