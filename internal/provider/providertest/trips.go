package providertest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/sim"
)

// settle is how long after its end a trip may take to be known.
const settle = 30 * time.Minute

func followTrips(t *testing.T, r *rig, adapter func() provider.Provider) (from time.Time, got []provider.Trip) {
	t.Helper()
	from = follow(t, r, max(r.h.Info.Poll.Trips, 10*time.Minute),
		func() job[provider.Trip] { return adapter().Trips },
		func(records []provider.Trip) { got = append(got, records...) })
	return from, got
}

// testTripsLive follows the trips while records come late. What is reported of a trip
// may be wrong until all of it has arrived, and must then be put right.
func testTripsLive(t *testing.T, h *Harness) {
	t.Helper()
	r := newRig(t, h, sim.Options{Late: late})
	p := r.adapter(t)
	from, got := followTrips(t, r, func() provider.Provider { return p })
	if r.checkTrips(t, from, r.clock.Now().Add(-settle), lastVersions(got)) == 0 {
		t.Error("the truth has no trip: the test checks nothing")
	}
}

// testTripsResume follows the trips with a new adapter for each poll. Nothing is
// late: whatever is reported of a trip must be final.
func testTripsResume(t *testing.T, h *Harness) {
	t.Helper()
	r := newRig(t, h, sim.Options{})
	from, got := followTrips(t, r, func() provider.Provider { return r.adapter(t) })
	if r.checkTrips(t, from, r.clock.Now().Add(-settle), got) == 0 {
		t.Error("the truth has no trip: the test checks nothing")
	}
}

// testTripsEdges starts to follow at hours of a day, so that trips are under
// way at the edges of what an adapter asks for, wherever it puts them.
func testTripsEdges(t *testing.T, h *Harness) {
	t.Helper()
	total := 0
	for i := range 24 / edgeHours {
		r := newRig(t, h, sim.Options{})
		r.clock.Advance(time.Duration(i*edgeHours)*time.Hour + 7*time.Minute)
		q := provider.Query{From: r.clock.Now().Add(-3 * time.Hour), Devices: r.ids()}
		got, cursor := drain(t, r.adapter(t).Trips, q)
		r.clock.Advance(max(h.Info.Poll.Trips, time.Hour))
		q.Cursor = cursor
		more, _ := drain(t, r.adapter(t).Trips, q)
		total += r.checkTrips(t, q.From, r.clock.Now().Add(-settle), append(got, more...))
	}
	if total == 0 {
		t.Error("the truth has no trip: the test checks nothing")
	}
}

// testTripsWindow reads a past window that starts with the end of a trip and ends
// with the end of another.
func testTripsWindow(t *testing.T, h *Harness) {
	t.Helper()
	r := newRig(t, h, sim.Options{})
	all := r.fleet.Trips(r.fleet.Vehicles()[0], began.Add(-100*time.Hour), began.Add(-10*time.Hour))
	from, to := all[1].EndTime, all[len(all)-1].EndTime
	got, _ := drain(t, r.adapter(t).Trips, provider.Query{From: from, To: to, Devices: r.ids()})
	if r.checkTrips(t, from, to, got) == 0 {
		t.Error("the truth has no trip: the test checks nothing")
	}
}

// lastVersions returns what was reported last of each trip.
func lastVersions(trips []provider.Trip) []provider.Trip {
	place := map[string]int{}
	var last []provider.Trip
	for _, trip := range trips {
		if i, listed := place[trip.SystemTripID]; listed {
			last[i] = trip
			continue
		}
		place[trip.SystemTripID] = len(last)
		last = append(last, trip)
	}
	return last
}

// checkTrips checks that each trip of got is true and has one id of its own, and
// that got holds each trip that ended in [from, to). Others may come too. It
// returns how many had to be there.
func (r *rig) checkTrips(t *testing.T, from, to time.Time, got []provider.Trip) (total int) {
	t.Helper()
	truth := r.trueTrips(from.AddDate(0, 0, -3))
	missing := map[string]bool{}
	for _, trips := range truth {
		for _, trip := range trips {
			if !trip.EndTime.Before(from) && trip.EndTime.Before(to) {
				missing[tripName(trip)] = true
			}
		}
	}
	total = len(missing)
	names, ids := map[string]string{}, map[string]string{}
	for _, trip := range got {
		want, ok := r.findTrip(truth, trip)
		if !ok {
			t.Errorf("%s to %s: never was, or is not over", tripName(trip), trip.EndTime)
			continue
		}
		name, id := tripName(want), trip.SystemTripID
		delete(missing, name)
		if other, used := names[id]; id == "" || used && other != name {
			t.Errorf("trip id %q stops for %s and for %s", id, name, other)
		}
		if other, known := ids[name]; known && other != id {
			t.Errorf("%s has the ids %s and %s", name, id, other)
		}
		names[id], ids[name] = name, id
		r.checkTrip(t, want, trip)
	}
	for name := range missing {
		t.Errorf("%s was lost", name)
	}
	return total
}

func (r *rig) checkTrip(t *testing.T, want, trip provider.Trip) {
	t.Helper()
	if want.SystemTripID == "" {
		trip.SystemTripID = ""
	}
	if !r.h.Tolerance.sameTrip(want, trip) {
		t.Errorf("%s (-truth +adapter):\n%s", tripName(want), cmp.Diff(want, trip))
	}
}

// trueTrips returns the trips that ended from then to now, by device.
func (r *rig) trueTrips(from time.Time) map[string][]provider.Trip {
	truth := map[string][]provider.Trip{}
	for _, v := range r.fleet.Vehicles() {
		for _, trip := range r.fleet.Trips(v, from, r.clock.Now().Add(time.Second)) {
			truth[r.h.ID(v)] = append(truth[r.h.ID(v)], r.h.trip(v, trip))
		}
	}
	return truth
}

// findTrip returns the true trip that starts when trip does.
func (r *rig) findTrip(truth map[string][]provider.Trip, trip provider.Trip) (provider.Trip, bool) {
	trips := truth[trip.SystemDeviceID]
	i := slices.IndexFunc(trips, func(want provider.Trip) bool {
		return want.StartTime.Sub(trip.StartTime.Time).Abs() <= r.h.Tolerance.Time
	})
	if i < 0 {
		return provider.Trip{}, false
	}
	return trips[i], true
}

func tripName(trip provider.Trip) string {
	return fmt.Sprintf("trip of device %s from %s", trip.SystemDeviceID, trip.StartTime)
}
