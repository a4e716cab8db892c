package providertest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/sim"
)

// longestRound is how long one reading of all of a large fleet may take at most within the
// declared limits.
const longestRound = time.Hour

// testLimits follows a large fleet for a day within the limits that the adapter
// declares: no window of their length sees more calls, and every job comes to
// the end of its rounds in time.
//
// One hour stands for the day. Vehicles work in shifts around the clock, so that
// no hour has more to tell than another; positions and trips are asked for at
// intervals that begin again within it; and the list of devices, which may come
// round less often, falls into this very hour. What happens in the other 23 is the
// same without the list. A limit over more than an hour is therefore held against
// the calls of this hour, taken as often as its period has hours.
func testLimits(t *testing.T, h *Harness) {
	t.Helper()
	r := newRig(t, h, sim.Options{Vehicles: largeFleet, Interval: 10 * time.Minute, Heartbeat: 6 * time.Hour})
	r.limits = h.Info.Limits
	r.ages = map[string]time.Duration{}
	for _, s := range r.schedule(t, time.Hour) {
		if s.rounds == 0 || s.longest > longestRound {
			t.Errorf("%s of %d vehicles: %d rounds in an hour, the longest took %v", s.name, largeFleet, s.rounds, s.longest)
		}
	}
	r.checkFreshness(t)
	r.checkLimits(t)
}

// checkLimits holds all calls against the limits that the adapter declares.
func (r *rig) checkLimits(t *testing.T) {
	t.Helper()
	if r.network.refused > 0 {
		t.Errorf("the vendor refused %d calls within the declared limits", r.network.refused)
	}
	for _, limit := range r.h.Info.Limits {
		if err := exceeded(limit, r.network.calls); err != nil {
			t.Error(err)
		}
	}
}

// slack is what a position may be older than the interval of its polls.
const slack = 5 * time.Second

// aging notes how old each position is when it is read for the first time, of those
// that are made from now on.
func (r *rig) aging(read job[provider.Position]) job[provider.Position] {
	start := r.clock.Now()
	return func(ctx context.Context, q provider.Query) (provider.Page[provider.Position], error) {
		page, err := read(ctx, q)
		for _, p := range page.Records {
			key := p.SystemDeviceID + p.Time.String()
			if _, seen := r.ages[key]; !seen && r.ages != nil && p.Time.After(start) {
				r.ages[key] = r.clock.Now().Sub(p.Time.Time)
			}
		}
		return page, err
	}
}

// checkFreshness holds the ages of positions against what is declared.
func (r *rig) checkFreshness(t *testing.T) {
	t.Helper()
	ages := slices.Sorted(maps.Values(r.ages))
	if len(ages) == 0 {
		t.Error("no position was made and read: freshness was not measured")
		return
	}
	p95, interval := ages[len(ages)*95/100], r.h.Info.Poll.Positions
	if p95 > interval+slack {
		t.Errorf("positions are %v old at the 95th percentile, and polled every %v", p95, interval)
	}
	t.Logf("%s: %d positions are %v old at the 95th percentile, and polled every %v; %d calls in the hour, %d refused", r.h.Info.Name,
		len(ages), p95, interval, len(r.network.calls), r.network.refused)
}

// schedule is what the collector does with the jobs of a connection: the most
// urgent one that is due gives one page, and one that the limits hold up comes
// back when they say so.
func (r *rig) schedule(t *testing.T, lasts time.Duration) []*scheduled {
	t.Helper()
	jobs := r.scheduled(t)
	end := r.clock.Now().Add(lasts)
	for now := r.clock.Now(); now.Before(end); now = r.clock.Now() {
		if i := slices.IndexFunc(jobs, func(s *scheduled) bool { return !s.due.After(now) }); i >= 0 {
			jobs[i].turn(t, r)
			continue
		}
		next := slices.MinFunc(jobs, func(a, b *scheduled) int { return a.due.Compare(b.due) })
		r.pass(t, next.due.Sub(now))
	}
	for _, s := range jobs {
		if !s.begun.IsZero() {
			s.longest = max(s.longest, end.Sub(s.begun))
		}
	}
	return jobs
}

// pass lets time pass, in steps where a job is open.
func (r *rig) pass(t *testing.T, d time.Duration) {
	t.Helper()
	if r.push == nil {
		r.clock.Advance(d)
		return
	}
	r.push.run(t, d)
}

// pollInterval is how often positions are polled.
func (r *rig) pollInterval() time.Duration {
	if r.push != nil {
		return r.h.Info.Push.Poll
	}
	return r.h.Info.Poll.Positions
}

// scheduled is a job and how its rounds go.
type scheduled struct {
	name     string
	read     step
	interval time.Duration
	cursor   string
	due      time.Time
	begun    time.Time // of the round under way
	rounds   int
	longest  time.Duration
}

// scheduled returns the jobs, the most urgent first.
func (r *rig) scheduled(t *testing.T) []*scheduled {
	t.Helper()
	p, poll := r.adapter(t), r.h.Info.Poll
	if r.push != nil { // its limits are those of the job, too
		p = r.push.adapter
	}
	from := r.clock.Now().Add(-10 * time.Minute)
	jobs := []*scheduled{
		{name: "devices", interval: poll.Devices, read: func(ctx context.Context, cursor string) (string, bool, error) {
			page, err := p.Devices(ctx, cursor)
			if !page.More {
				page.Cursor = ""
			}
			return page.Cursor, page.More, err
		}},
		{name: "positions", interval: r.pollInterval(), read: reading(r, r.aging(p.Positions), from)},
	}
	if r.h.Info.Features.Drivers {
		jobs = append(jobs, &scheduled{name: "drivers", interval: time.Hour, read: func(ctx context.Context, cursor string) (string, bool, error) {
			page, err := p.Drivers(ctx, cursor)
			if !page.More {
				page.Cursor = ""
			}
			return page.Cursor, page.More, err
		}})
	}
	if f := r.h.Info.Features; f.Snapshot && f.Backfill {
		jobs = append(jobs, r.tracks(p))
	}
	if r.h.Info.Features.Trips {
		jobs = append(jobs, &scheduled{name: "trips", interval: poll.Trips, read: reading(r, p.Trips, from)})
	}
	return jobs
}

// tracks is the hourly reading of what lies between the polls, and of what was
// still under way at the last.
func (r *rig) tracks(p provider.Provider) *scheduled {
	ids := r.ids()
	var from, to time.Time
	return &scheduled{name: "tracks", interval: time.Hour, read: func(ctx context.Context, cursor string) (string, bool, error) {
		if cursor == "" {
			to = r.clock.Now()
			from = to.Add(-90 * time.Minute)
		}
		page, err := p.Positions(ctx, provider.Query{Cursor: cursor, From: from, To: to, Devices: ids})
		if err == nil && !page.More {
			page.Cursor = ""
		}
		return page.Cursor, page.More, err
	}}
}

type step func(ctx context.Context, cursor string) (next string, more bool, err error)

func reading[T any](r *rig, read job[T], from time.Time) step {
	ids := r.ids()
	return func(ctx context.Context, cursor string) (string, bool, error) {
		page, err := read(ctx, provider.Query{Cursor: cursor, From: from, Devices: ids})
		return page.Cursor, page.More, err
	}
}

// turn asks for one page.
func (s *scheduled) turn(t *testing.T, r *rig) {
	t.Helper()
	now := r.clock.Now()
	if s.begun.IsZero() {
		s.begun = now
	}
	next, more, err := s.read(t.Context(), s.cursor)
	if provider.KindOf(err) == provider.KindRateLimited {
		s.due = later(provider.RetryAt(err), r.clock.Now().Add(time.Millisecond))
		return
	}
	if err != nil {
		t.Fatalf("%s of %d vehicles: %v", s.name, largeFleet, err)
	}
	s.cursor = next
	if more {
		return
	}
	s.rounds++
	took := r.clock.Now().Sub(s.begun)
	s.longest = max(s.longest, took)
	s.due = r.clock.Now().Add(s.interval)
	if s.name == "positions" { // by the begin of their rounds, with a rest
		s.due = s.begun.Add(max(s.interval, took+s.interval/6))
	}
	s.begun = time.Time{}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// exceeded counts the calls in every window of the limit's length. A limit
// concerns calls by their path, or by the name of their operation.
func exceeded(limit provider.Limit, calls []call) error {
	if limit.Requests == 0 {
		return nil
	}
	var times []time.Time
	for _, c := range calls {
		if strings.HasPrefix(c.path, limit.Path) || c.operation != "" && strings.HasPrefix(c.operation, limit.Path) {
			times = append(times, c.at)
		}
	}
	for i := limit.Requests; i < len(times); i++ {
		if times[i].Sub(times[i-limit.Requests]) < limit.Per {
			return fmt.Errorf("limit %+v: more calls in the period before %v", limit, times[i])
		}
	}
	if hours := int(limit.Per / time.Hour); len(times)*hours > limit.Requests {
		return fmt.Errorf("limit %+v: %d calls in an hour are more than it has room for", limit, len(times))
	}
	return nil
}
