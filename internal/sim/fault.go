package sim

import "time"

// Broken reports whether a vehicle has a fault: every third one has.
func (v Vehicle) Broken() bool { return v.Index%3 == 0 }

// The fault of a busy vehicle comes and goes within its day, in seconds: of two vehicles whose
// days begin twelve hours apart always one has it.
const (
	breaks, repaired = 4 * 3600, 17 * 3600
	breakable        = 6 // vehicles of a busy fleet that may have one

	// The third vehicle of a busy fleet had one for a while, which begins so long after what is recent.
	passing, passed = 10 * 60, 35 * 60
)

// Ails reports whether a vehicle has a fault at some time.
func (v Vehicle) Ails() bool {
	return v.Broken() && (!v.busy || v.Index < breakable) || v.busy && v.Index == 2
}

// BrokenAt reports whether a vehicle has its fault at a time.
func (v Vehicle) BrokenAt(t time.Time) bool {
	if !v.busy {
		return v.Broken()
	}
	since, second := t.Unix()-v.recent, t.Unix()-v.shift-v.dayOf(t.Unix())*daySeconds
	return v.Ails() && (v.Broken() && second >= breaks && second < repaired || !v.Broken() && since >= passing && since < passed)
}

// brakingEvery is of how many journeys of a busy fleet one has a hard braking.
const brakingEvery = 16

// Brakings returns where v braked hard in [from, to), as far as the vendor knows by now. In
// a fleet that is not busy, a broken vehicle did so an hour ago.
func (a *Account) Brakings(v Vehicle, from, to time.Time) (list []Sample) {
	now := a.now()
	if a.fleet.opts.Busy == nil {
		at := now.Truncate(time.Hour).Add(-time.Hour)
		if v.Broken() && !at.Before(from) && at.Before(to) {
			list = append(list, hour(v, at))
		}
		return list
	}
	for _, t := range a.fleet.Trips(v, from, to.Add(LongestJourney)) {
		if mix(a.fleet.opts.Seed, uint64(t.ID))%brakingEvery != 0 {
			continue
		}
		middle := t.StartTime.Add(t.EndTime.Sub(t.StartTime) / 2)
		for _, s := range a.fleet.Positions(v, middle, t.EndTime) {
			if *s.SpeedKPH > 0 {
				if !s.Time.Before(from) && s.Time.Before(to) && !s.Received.After(now) {
					list = append(list, s)
				}
				break
			}
		}
	}
	return list
}

func hour(v Vehicle, at time.Time) Sample {
	s := Sample{ID: v.recordID(at.Unix()), Received: at}
	s.Latitude, s.Longitude, s.Heading = 37.4, -122.1, new(120.0)
	s.Time.Time = at
	return s
}
