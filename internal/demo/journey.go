package demo

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/sim"
)

// far is where no vehicle of the demo gets to.
var far = drover.Coordinate{Latitude: -33.8688, Longitude: 151.2093}

// milestones shows every status and both variants of an update: a journey that
// has arrived, two under way of which one is late, one that is planned, and one of
// a vehicle that fell silent.
func (m *maker) milestones(ctx context.Context) error {
	done, err := m.finished(ctx)
	if err != nil {
		return err
	}
	start := drover.Coordinate{Latitude: *done.StartLatitude, Longitude: *done.StartLongitude}
	end := drover.Coordinate{Latitude: *done.EndLatitude, Longitude: *done.EndLongitude}
	begun := drover.At(done.StartTime.Add(-time.Minute))
	tomorrow, later := drover.At(m.begin.Add(24*time.Hour)), drover.At(m.begin.Add(30*time.Hour))
	recent := drover.At(m.begin.Add(-3 * time.Hour))
	late, onTime := m.underWay(
		drover.MilestoneInput{DeviceID: done.DeviceID, StartPoint: start, EndPoint: far, StartTime: &begun},
		drover.MilestoneInput{DeviceID: done.DeviceID, StartPoint: start, EndPoint: near(end), StartTime: &begun},
	)
	var made []drover.Milestone
	for _, in := range []drover.MilestoneInput{
		{DeviceID: done.DeviceID, StartPoint: start, EndPoint: end, StartTime: &begun},
		late,
		onTime,
		{DeviceID: done.DeviceID, StartPoint: end, EndPoint: start, StartTime: &tomorrow, EndTime: &later},
		{DeviceID: m.lost().ID, StartPoint: start, EndPoint: end, StartTime: &recent},
	} {
		milestone, err := m.fleet.Milestones.CreateMilestone(ctx, m.admin, in)
		if err != nil {
			return err
		}
		made = append(made, milestone)
	}
	return errors.Join(m.promise(ctx, made[1], -25*time.Minute), m.promise(ctx, made[2], 40*time.Minute))
}

// underWay are two journeys that vehicles are making, with the destinations that
// they will reach: the ones that last longest. In hours in which all are parked it
// is what was given, which is on its way too, only slowly.
func (m *maker) underWay(first, second drover.MilestoneInput) (a, b drover.MilestoneInput) {
	type drive struct {
		device string
		trip   sim.Trip
	}
	var drives []drive
	for _, d := range m.devices {
		fleet := m.fleets[m.vendorOf(d)]
		for _, v := range fleet.Vehicles() {
			if d.Registration == nil || v.Registration != *d.Registration {
				continue
			}
			for _, t := range fleet.Trips(v, m.begin.Add(10*time.Minute), m.begin.Add(sim.LongestJourney)) {
				if t.StartTime.Before(m.begin.Add(-2 * time.Minute)) {
					drives = append(drives, drive{d.ID, t})
				}
			}
		}
	}
	order.By(drives, func(a, b drive) int { return b.trip.EndTime.Compare(a.trip.EndTime) })
	inputs := []drover.MilestoneInput{first, second}
	for i := range min(len(drives), len(inputs)) {
		d, begun := drives[i], drover.At(drives[i].trip.StartTime.Add(-time.Minute))
		inputs[i] = drover.MilestoneInput{DeviceID: d.device, StartPoint: d.trip.Start, EndPoint: d.trip.End, StartTime: &begun}
	}
	return inputs[0], inputs[1]
}

// promise gives a milestone a deadline as far from its predicted arrival as wanted.
func (m *maker) promise(ctx context.Context, of drover.Milestone, spare time.Duration) error {
	progress, err := m.fleet.Milestones.MilestoneProgress(ctx, m.admin, of.ID)
	if err != nil || progress.ETA == nil {
		return err
	}
	deadline := progress.ETA.Add(spare).Truncate(5 * time.Minute)
	if soon := m.begin.Add(5 * time.Minute); deadline.Before(soon) {
		deadline = soon
	}
	_, err = m.fleet.Milestones.UpdateMilestone(ctx, m.admin, of.ID, drover.MilestoneUpdate{EndTime: drover.Some(drover.At(deadline))})
	return err
}

// near is a town's distance from a point.
func near(c drover.Coordinate) drover.Coordinate {
	return drover.Coordinate{Latitude: c.Latitude - 0.8, Longitude: c.Longitude + 0.5}
}

// finished is the newest valid trip that says where it started and ended.
func (m *maker) finished(ctx context.Context) (drover.Trip, error) {
	valid := true
	trips, err := m.fleet.Trips.Trips(ctx, m.admin, drover.TripFilter{Valid: &valid}, drover.TripCursor{}, 10_000)
	if err != nil {
		return drover.Trip{}, err
	}
	for _, t := range slices.Backward(trips) {
		if t.StartLatitude != nil && t.EndLatitude != nil {
			return t.Trip, nil
		}
	}
	return drover.Trip{}, errors.New("no trip was collected")
}

// lost is the device that fell silent before the demo began.
func (m *maker) lost() drover.Device {
	for _, d := range m.devices {
		i := m.vendorOf(d)
		vehicles := m.fleets[i].Vehicles()
		if vendors[i].loses && d.Registration != nil && *d.Registration == vehicles[len(vehicles)-1].Registration {
			return d
		}
	}
	return m.devices[len(m.devices)-1]
}
