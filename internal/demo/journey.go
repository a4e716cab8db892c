package demo

import (
	"context"
	"encoding/json"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/milestone"
	"github.com/drover-fleet/drover/internal/store"
)

// milestones shows every status and both variants of an update.
func (s *seeder) milestones(ctx context.Context) error {
	moving, silent := s.Devices[0], s.silent()
	start, end := drover.Coordinate{Latitude: 48.137154, Longitude: 11.576124}, drover.Coordinate{Latitude: 49.452103, Longitude: 11.076665}
	hour := func(n int) drover.Time { return drover.At(s.now.Add(time.Duration(n) * time.Hour)) }
	later, url := hour(30), "https://hooks.example.com/milestones"
	for _, m := range []drover.Milestone{
		{DeviceID: moving.ID, StartTime: hour(6), EndTime: &later, Status: drover.TripNotStarted},
		{DeviceID: moving.ID, StartTime: hour(-2), Status: drover.TripInProgress, WebhookURL: &url, WebhookEnabled: true},
		{DeviceID: moving.ID, StartTime: hour(-20), Status: drover.TripEnded},
		{DeviceID: silent.ID, StartTime: hour(-3), Status: drover.TripNotStarted},
	} {
		m.ID, m.TenantID, m.StartPoint, m.EndPoint = store.NewID(), s.Demo.ID, start, end
		m.CreatedAt, m.UpdatedAt = drover.At(s.now), drover.At(s.now)
		state := milestone.State{Status: m.Status}
		if m.Status != drover.TripNotStarted {
			state.StartedAt = &m.StartTime
		}
		if m.Status == drover.TripEnded {
			arrived := hour(-18)
			state.EndedAt = &arrived
		}
		text, err := json.Marshal(state)
		if err != nil {
			return err
		}
		s.Milestones = append(s.Milestones, m)
		err = s.store.Update(ctx, func(tx *store.Tx) error {
			return tx.AddMilestone(ctx, store.Milestone{Milestone: m, DeviceTenantID: s.Demo.ID, State: text})
		})
		if err != nil {
			return err
		}
	}
	return s.refresh(ctx, moving)
}

// silent is a device that has not reported: the simulation lays some up.
func (s *seeder) silent() drover.Device {
	for _, d := range s.Devices {
		if !d.Active {
			return d
		}
	}
	return s.Devices[len(s.Devices)-1]
}

// refresh gives a device a position of this moment.
func (s *seeder) refresh(ctx context.Context, d drover.Device) error {
	speed, heading, driver := 71.5, 352.0, "D-17"
	p := drover.Position{Time: drover.At(s.now), Latitude: 48.9, Longitude: 11.4, SpeedKPH: &speed, Heading: &heading, DriverID: &driver}
	return s.store.Update(ctx, func(tx *store.Tx) error { return tx.SetLatestPosition(ctx, s.Demo.ID, d.ID, p) })
}

func (s *seeder) webhooks(ctx context.Context) error {
	at, trouble := drover.At(s.now), "the target answered 503"
	none := drover.WebhookFilters{ConnectionIDs: []string{}, Tags: []string{}, DeviceIDs: []string{}, ConnectionDevices: []drover.ConnectionDevices{}}
	some := none
	some.ConnectionIDs = []string{s.Connections[0].ID}
	some.ConnectionDevices = []drover.ConnectionDevices{{ConnectionID: s.Connections[1].ID, SystemDeviceIDs: []string{s.Devices[1].SystemDeviceID}}}
	s.Webhooks = []drover.Webhook{
		{URL: "https://hooks.example.com/drover", Enabled: true, Filters: none, Options: drover.WebhookOptions{IncludeSpeed: true}},
		{URL: "https://hooks.example.net/failing", Enabled: true, ErrorCount: 3, LastError: &trouble, LastErrorAt: &at, Filters: some},
	}
	return s.store.Update(ctx, func(tx *store.Tx) error {
		for i := range s.Webhooks {
			w := &s.Webhooks[i]
			w.ID, w.CreatedAt, w.UpdatedAt = store.NewID(), at, at
			sealed, err := s.fleet.Vault.Seal([]byte(`[]`), s.Demo.ID, w.ID)
			if err != nil {
				return err
			}
			if err := tx.AddWebhook(ctx, store.Webhook{Webhook: *w, TenantID: s.Demo.ID}, sealed); err != nil {
				return err
			}
		}
		return nil
	})
}
