package providertest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/sim"
)

// device returns what the adapter should say of v.
func (h *Harness) device(v sim.Vehicle) provider.Device {
	d := provider.Device{
		SystemDeviceID: h.ID(v), Active: v.Active,
		Description: &v.Name, Registration: &v.Registration, Make: &v.Make, Model: &v.Model, Year: &v.Year,
	}
	if h.ExpectDevice != nil {
		h.ExpectDevice(v, &d)
	}
	return d
}

// position returns what the adapter should say of s.
func (h *Harness) position(v sim.Vehicle, s sim.Sample, live bool) provider.Position {
	p := provider.Position{SystemDeviceID: h.ID(v), Position: s.Position}
	f := h.Info.Features
	p.Heading = only(f.Heading, p.Heading)
	p.SpeedKPH = only(f.Speed, p.SpeedKPH)
	p.DriverID = only(f.Driver, p.DriverID)
	p.Ignition = only(f.Ignition, p.Ignition)
	p.OdometerMetres = only(f.Odometer, p.OdometerMetres)
	p.Auxiliary = nil // a vendor may report it per trip alone; the comparison takes either
	if h.ExpectPosition != nil {
		h.ExpectPosition(s, &p, live)
	}
	return p
}

// trip returns what the adapter should say of t, without the id of the trip. A
// vendor that does not know auxiliary work counts it as idling.
func (h *Harness) trip(v sim.Vehicle, t sim.Trip) provider.Trip {
	f := h.Info.Features
	trip := provider.Trip{
		SystemDeviceID: h.ID(v), Start: &t.Start, End: &t.End,
		StartTime: drover.At(t.StartTime), EndTime: drover.At(t.EndTime), DistanceMetres: &t.DistanceMetres,
	}
	switch {
	case f.Idling && f.Auxiliary:
		trip.IdlingSeconds, trip.AuxiliarySeconds = &t.IdlingSeconds, &t.AuxiliarySeconds
	case f.Idling:
		trip.IdlingSeconds = new(t.IdlingSeconds + t.AuxiliarySeconds)
	case f.Auxiliary:
		trip.AuxiliarySeconds = &t.AuxiliarySeconds
	}
	if f.Idling {
		trip.DrivingSeconds = &t.DrivingSeconds
	}
	trip.DriverID = only(h.TripDrivers, t.DriverID)
	if h.ExpectTrip != nil {
		h.ExpectTrip(t, &trip)
	}
	return trip
}

func only[T any](known bool, v *T) *T {
	if known {
		return v
	}
	return nil
}

// maxComplaints keeps the report of a fault readable.
const maxComplaints = 5

// checkPositions checks that got holds each of want, and nothing that did not
// happen.
func (r *rig) checkPositions(t *testing.T, want map[int][]sim.Sample, got []provider.Position, live bool) {
	t.Helper()
	truth := r.index(got)
	delivered := map[int64]bool{}
	complaints := 0
	for _, p := range got {
		if complaints >= maxComplaints {
			return
		}
		v, s, found := truth.find(p.SystemDeviceID, p.Time)
		if !found {
			complaints++
			t.Errorf("a position of device %q at %s that never was", p.SystemDeviceID, p.Time)
			continue
		}
		delivered[s.ID] = true
		expected := r.h.position(v, s, live)
		if p.Auxiliary != nil && *p.Auxiliary == *s.Auxiliary {
			p.Auxiliary = expected.Auxiliary
		}
		if !r.h.Tolerance.samePosition(expected, p) {
			complaints++
			t.Errorf("device %s at %s (-truth +adapter):\n%s", p.SystemDeviceID, p.Time, cmp.Diff(expected, p))
		}
	}
	r.checkComplete(t, want, delivered)
	r.checkReadings(t, got, live)
}

func (r *rig) checkComplete(t *testing.T, want map[int][]sim.Sample, delivered map[int64]bool) {
	t.Helper()
	total, missing := 0, []string{}
	for index, samples := range want {
		for _, s := range samples {
			total++
			if !delivered[s.ID] {
				missing = append(missing, fmt.Sprintf("device %s at %s (received %s)",
					r.h.ID(r.fleet.Vehicles()[index]), s.Time, s.Received.Format(time.TimeOnly)))
			}
		}
	}
	if total == 0 {
		t.Error("the truth is empty: the test checks nothing")
	}
	if len(missing) > 0 {
		t.Errorf("%d of %d positions were lost, such as %v", len(missing), total, missing[:min(maxComplaints, len(missing))])
	}
}

// index is the truth around some records, for looking them up.
type index struct {
	tolerance time.Duration
	vehicles  map[string]sim.Vehicle
	samples   map[string][]sim.Sample
}

func (r *rig) index(got []provider.Position) index {
	x := index{r.h.Tolerance.Time, map[string]sim.Vehicle{}, map[string][]sim.Sample{}}
	if len(got) == 0 {
		return x
	}
	byTime := func(a, b provider.Position) int { return a.Time.Compare(b.Time.Time) }
	first, last := slices.MinFunc(got, byTime).Time, slices.MaxFunc(got, byTime).Time
	for _, v := range r.fleet.Vehicles() {
		x.vehicles[r.h.ID(v)] = v
		x.samples[r.h.ID(v)] = r.fleet.Positions(v, first.Add(-x.tolerance), last.Add(x.tolerance+time.Second))
	}
	return x
}

// find returns the true sample of a device nearest to a time, within the
// tolerance.
func (x index) find(device string, near drover.Time) (sim.Vehicle, sim.Sample, bool) {
	samples := x.samples[device]
	i, _ := slices.BinarySearchFunc(samples, near, func(s sim.Sample, t drover.Time) int { return s.Time.Compare(t.Time) })
	best, found := sim.Sample{}, false
	for _, s := range samples[max(i-1, 0):min(i+1, len(samples))] {
		off := s.Time.Sub(near.Time).Abs()
		if off <= x.tolerance && (!found || off < best.Time.Sub(near.Time).Abs()) {
			best, found = s, true
		}
	}
	return x.vehicles[device], best, found
}

// truth returns the samples in [from, to) that the vendor has by now, by the
// index of the vehicle.
func (r *rig) truth(from, to time.Time) map[int][]sim.Sample {
	all := map[int][]sim.Sample{}
	for _, v := range r.fleet.Vehicles() {
		all[v.Index] = r.account.Positions(v, from, to)
	}
	return all
}
