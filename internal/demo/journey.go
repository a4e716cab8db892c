package demo

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
)

// far is where no vehicle of the demo gets to.
var far = drover.Coordinate{Latitude: -33.8688, Longitude: 151.2093}

// milestones shows every status and both variants of an update: a journey that
// has arrived, two under way of which one is late, one that is planned, and one of
// a vehicle that is laid up and tells nothing.
func (m *maker) milestones(ctx context.Context) error {
	done, err := m.finished(ctx)
	if err != nil {
		return err
	}
	start := drover.Coordinate{Latitude: *done.StartLatitude, Longitude: *done.StartLongitude}
	end := drover.Coordinate{Latitude: *done.EndLatitude, Longitude: *done.EndLongitude}
	begun := drover.At(done.StartTime.Add(-time.Minute))
	tomorrow, later := drover.At(m.now.Add(24*time.Hour)), drover.At(m.now.Add(30*time.Hour))
	recent := drover.At(m.now.Add(-3 * time.Hour))
	soon, ample := drover.At(m.now.Add(4*time.Hour)), drover.At(m.now.Add(36*time.Hour))
	for _, in := range []drover.MilestoneInput{
		{DeviceID: done.DeviceID, StartPoint: start, EndPoint: end, StartTime: &begun},
		{DeviceID: done.DeviceID, StartPoint: start, EndPoint: far, StartTime: &begun, EndTime: &soon},
		{DeviceID: done.DeviceID, StartPoint: start, EndPoint: near(end), StartTime: &begun, EndTime: &ample},
		{DeviceID: done.DeviceID, StartPoint: end, EndPoint: start, StartTime: &tomorrow, EndTime: &later},
		{DeviceID: m.laidUp().ID, StartPoint: start, EndPoint: end, StartTime: &recent},
	} {
		made, err := m.fleet.CreateMilestone(ctx, m.admin, in)
		if err != nil {
			return err
		}
		m.Milestones = append(m.Milestones, made)
	}
	return nil
}

// near is a town's distance from a point.
func near(c drover.Coordinate) drover.Coordinate {
	return drover.Coordinate{Latitude: c.Latitude - 0.8, Longitude: c.Longitude + 0.5}
}

// finished is the newest valid trip that tells where it started and ended.
func (m *maker) finished(ctx context.Context) (drover.Trip, error) {
	valid := true
	trips, err := m.fleet.Trips(ctx, m.admin, drover.TripFilter{Valid: &valid}, drover.TripCursor{}, 10_000)
	if err != nil {
		return drover.Trip{}, err
	}
	for _, t := range slices.Backward(trips) {
		if t.StartLatitude != nil && t.EndLatitude != nil {
			return t, nil
		}
	}
	return drover.Trip{}, errors.New("no trip was collected")
}

// laidUp is a device that has never reported: the simulation lays some up.
func (m *maker) laidUp() drover.Device {
	for _, d := range m.Devices {
		if !d.Active {
			return d
		}
	}
	return m.Devices[len(m.Devices)-1]
}
