package track_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/store/work"
)

// dueIn is the journey with a deadline some minutes after its start.
func dueIn(minutes float64) drover.Milestone {
	m := journey()
	end := drover.At(epoch.Add(time.Duration(minutes * float64(time.Minute))))
	m.EndTime, m.Reference, m.Metadata = &end, new("order 7"), map[string]string{"customer": "Acme"}
	return m
}

// drive moves the device towards the site from a minute to another, metres east of the
// depot, with a look at each minute.
func (r *rig) drive(from, to int, metres, speed float64) float64 {
	for minute := from; minute <= to; minute++ {
		r.receive(withSpeed(seen(float64(minute), metres), speed*60/1000))
		r.at(float64(minute))
		metres += speed
	}
	return metres
}

func (r *rig) lateness(t drover.EventType) []drover.MilestoneLateness {
	r.t.Helper()
	events, err := r.store.Feed.Events(r.t.Context(), r.m.TenantID, drover.EventFilter{MilestoneID: r.m.ID, Types: []drover.EventType{t}},
		work.EventRange{To: 1 << 40, Limit: 100})
	if err != nil {
		r.t.Fatal(err)
	}
	var out []drover.MilestoneLateness
	for _, e := range events {
		var data drover.MilestoneLateness
		if err := json.Unmarshal(e.Data, &data); err != nil {
			r.t.Fatal(err)
		}
		out = append(out, data)
	}
	return out
}

func lateOnBoth(t *testing.T, minutes float64, f func(r *rig)) {
	t.Helper()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		f(newRig(t, s, dueIn(minutes)))
	})
}

// A journey that is held up is late once, with the deadline, the range and by how much,
// and on time again once when it has made up for it.
func TestLateIsReportedOnce(t *testing.T) {
	t.Parallel()
	lateOnBoth(t, 60, func(r *rig) {
		metres := r.drive(0, 10, 0, 500) // 30 km/h: 20 km take 40 minutes
		if got := r.reported(); got != "started 1" {
			r.t.Fatalf("while it is on time: %s", got)
		}
		metres = r.drive(11, 50, metres, 20) // it crawls
		late := r.lateness(drover.EventMilestoneLate)
		if len(late) != 1 || len(r.lateness(drover.EventMilestoneOnTime)) != 0 {
			r.t.Fatalf("while it is held up: %s", r.reported())
		}
		l := late[0]
		if l.EndTime == nil || l.ETA == nil || l.ETAP10 == nil || l.ETAP90 == nil || l.LateBySeconds == nil ||
			*l.LateBySeconds != l.ETA.Sub(l.EndTime.Time).Seconds() || *l.LateBySeconds < 300 ||
			l.ETAP10.After(l.ETA.Time) || l.ETAP90.Before(l.ETA.Time) {
			r.t.Errorf("late says %+v", l)
		}
		if l.Reference == nil || *l.Reference != "order 7" || l.Metadata["customer"] != "Acme" {
			r.t.Errorf("late does not say whose it is: %v %v", l.Reference, l.Metadata)
		}
		r.drive(51, 59, metres, 1900)
		again := r.lateness(drover.EventMilestoneOnTime)
		if len(again) != 1 || *again[0].LateBySeconds > 0 {
			r.t.Fatalf("once it has made up for it: %s", r.reported())
		}
		if len(r.lateness(drover.EventMilestoneLate)) != 1 {
			r.t.Errorf("late more than once: %s", r.reported())
		}
	})
}

// Without a position at all the deadline alone makes it late, once, before it starts.
func TestLateWithoutSettingOff(t *testing.T) {
	t.Parallel()
	lateOnBoth(t, 240, func(r *rig) {
		for minute := 0.0; minute <= 300; minute++ {
			r.at(minute)
		}
		if got := r.reported(); got != "late 245" {
			r.t.Errorf("reported %s", got)
		}
		if l := r.lateness(drover.EventMilestoneLate)[0]; l.ETA != nil || *l.LateBySeconds != 300 {
			r.t.Errorf("late says %+v", l)
		}
	})
}

// A device that fell silent on its way is late by the clock, and an arrival that comes to
// light later takes that back.
func TestLateWhileSilent(t *testing.T) {
	t.Parallel()
	lateOnBoth(t, 60, func(r *rig) {
		r.drive(0, 10, 0, 500)
		for minute := 11.0; minute <= 90; minute++ {
			r.at(minute)
		}
		if got := r.reported(); got != "started 1, timed_out 25, late 65" {
			r.t.Errorf("while it is silent: %s", got)
		}
		r.receive(withSpeed(seen(50, 19_950), 0))
		r.at(91)
		if got := r.reported(); got != "started 1, timed_out 25, late 65, entered 50, ended 50, on_time_again 90" {
			r.t.Errorf("once it is heard of: %s", got)
		}
		if l := r.lateness(drover.EventMilestoneOnTime)[0]; *l.LateBySeconds != -600 || l.ETAP10 != nil || l.Status != drover.TripEnded {
			r.t.Errorf("on time again says %+v", l)
		}
	})
}

// An arrival that is late is reported with it where nothing was before.
func TestLateArrival(t *testing.T) {
	t.Parallel()
	lateOnBoth(t, 60, func(r *rig) {
		r.drive(0, 1, 0, 1000)
		r.now = epoch.Add(66 * time.Minute) // no process looked meanwhile
		r.receive(withSpeed(seen(66, 19_950), 0))
		r.at(200)
		if got := r.reported(); got != "started 1, entered 66, ended 66, late 66" {
			r.t.Errorf("reported %s", got)
		}
	})
}

// A change of the journey forgets what was said, and the new deadline is judged by
// itself; one of the reference does not.
func TestLateAfterAChange(t *testing.T) {
	t.Parallel()
	lateOnBoth(t, 10, func(r *rig) {
		r.drive(0, 8, 0, 200)
		if len(r.lateness(drover.EventMilestoneLate)) != 1 {
			r.t.Fatalf("reported %s", r.reported())
		}
		r.update(func(tx *store.Tx) error {
			m, err := tx.Trips.MilestoneForUpdate(r.t.Context(), r.m.TenantID, r.m.ID)
			if err != nil {
				return err
			}
			end := drover.At(epoch.Add(30 * time.Minute))
			m.EndTime = &end
			if err := r.tracker.Restart(r.t.Context(), tx.History, &m); err != nil {
				return err
			}
			return tx.Trips.SetMilestone(r.t.Context(), m)
		})
		r.at(9)
		late := r.lateness(drover.EventMilestoneLate)
		if len(late) != 2 || !late[1].EndTime.Equal(epoch.Add(30*time.Minute)) {
			r.t.Errorf("after another deadline that it misses too: %s", r.reported())
		}
	})
}
