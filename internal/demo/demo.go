// Package demo fills an empty database with a small world to try the service
// out: two tenants, three users, a simulated fleet with a day of history,
// milestones in every state, webhooks, tags and a shared connection.
package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/auth"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/sim"
	"github.com/drover-fleet/drover/internal/store"
)

// Password opens all users of the demo.
const Password = "drover-demo"

// World is what the demo made, for printing and for tests.
type World struct {
	Demo, Other drover.Tenant
	Connections []drover.Connection
	Devices     []drover.Device
	Trips       []drover.Trip
	Milestones  []drover.Milestone
	Webhooks    []drover.Webhook
	// Foreign is a connection of the other tenant that is not shared.
	Foreign drover.Connection
}

// seeder makes a World.
type seeder struct {
	World
	fleet *fleet.Service
	store *store.Store
	now   time.Time
}

// Seed fills an empty database.
func Seed(ctx context.Context, f *fleet.Service) (*World, error) {
	s := &seeder{fleet: f, store: f.Store, now: f.Now().UTC().Truncate(time.Second)}
	for _, step := range []func(context.Context) error{s.tenants, s.connections, s.vehicles, s.milestones, s.webhooks} {
		if err := step(ctx); err != nil {
			return nil, fmt.Errorf("make the demo: %w", err)
		}
	}
	return &s.World, nil
}

func (s *seeder) tenants(ctx context.Context) error {
	hash, err := auth.Hash(Password, rand.Reader)
	if err != nil {
		return err
	}
	at := drover.At(s.now)
	s.Demo = drover.Tenant{ID: store.NewID(), Name: "demo", CreatedAt: at}
	s.Other = drover.Tenant{ID: store.NewID(), Name: "other", CreatedAt: at}
	return s.store.Update(ctx, func(tx *store.Tx) error {
		if err := errors.Join(tx.AddTenant(ctx, s.Demo), tx.AddTenant(ctx, s.Other)); err != nil {
			return err
		}
		for _, u := range []drover.User{
			{TenantID: s.Demo.ID, Username: "demo", Role: drover.RoleAdmin},
			{TenantID: s.Demo.ID, Username: "viewer", Role: drover.RoleViewer},
			{TenantID: s.Other.ID, Username: "other", Role: drover.RoleAdmin},
		} {
			u.ID, u.Email, u.CreatedAt = store.NewID(), u.Username+"@demo.example", at
			if err := tx.AddUser(ctx, u, hash); err != nil {
				return err
			}
		}
		return nil
	})
}

// connections go through the same door as a tenant's own.
func (s *seeder) connections(ctx context.Context) error {
	admin := drover.Principal{TenantID: s.Demo.ID, Role: drover.RoleAdmin}
	start := drover.At(s.now.Add(-24 * time.Hour))
	create := func(p drover.Principal, business string, tags ...string) (drover.Connection, error) {
		return s.fleet.CreateConnection(ctx, p, drover.ConnectionInput{
			IntegrationName: drover.Traccar, BusinessName: business, Tags: tags, CollectionStartTime: &start,
			Credentials: map[string]string{"base_url": "https://demo.traccar.example/api", "token": "demo-token-" + store.NewID()},
		})
	}
	for _, c := range []struct {
		business string
		tags     []string
	}{{"Bayern Spedition", []string{"south", "trucks"}}, {"Alpen Kurier", []string{"vans"}}} {
		made, err := create(admin, c.business, c.tags...)
		if err != nil {
			return err
		}
		s.Connections = append(s.Connections, made)
	}
	var err error
	if s.Foreign, err = create(drover.Principal{TenantID: s.Other.ID, Role: drover.RoleAdmin}, "Nordsee Transporte"); err != nil {
		return err
	}
	_, err = s.fleet.Share(ctx, admin, s.Connections[0].ID, s.Other.ID)
	return err
}

// vehicles stores the devices, positions and trips of the last day.
func (s *seeder) vehicles(ctx context.Context) error {
	simulated := sim.New(sim.Options{Seed: 7, Vehicles: 12})
	for i, v := range simulated.Vehicles() {
		tenant, connection := s.Demo.ID, s.Connections[i%2]
		if i >= 10 {
			tenant, connection = s.Other.ID, s.Foreign
		}
		d := drover.Device{
			ID: store.NewID(), SystemDeviceID: v.ID, ConnectionID: connection.ID, Description: &v.Name, Registration: &v.Registration,
			Make: &v.Make, Model: &v.Model, Year: &v.Year, Active: v.Active, Tags: []string{},
		}
		if tenant == s.Demo.ID {
			s.Devices = append(s.Devices, d)
		}
		if err := s.vehicle(ctx, simulated, v, tenant, d); err != nil {
			return err
		}
	}
	return nil
}

func (s *seeder) vehicle(ctx context.Context, simulated *sim.Fleet, v sim.Vehicle, tenant string, d drover.Device) error {
	from := s.now.Add(-24 * time.Hour)
	samples := simulated.Positions(v, from, s.now)
	return s.store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.AddDevice(ctx, tenant, d, drover.At(s.now)); err != nil {
			return err
		}
		positions := make([]store.Position, len(samples))
		for i, sample := range samples {
			positions[i] = store.Position{DeviceID: d.ID, Position: sample.Position}
		}
		if _, err := tx.AddPositions(ctx, tenant, positions); err != nil {
			return err
		}
		if len(samples) > 0 {
			if err := tx.SetLatestPosition(ctx, tenant, d.ID, samples[len(samples)-1].Position); err != nil {
				return err
			}
		}
		for i, t := range simulated.Trips(v, from, s.now) {
			if err := s.trip(ctx, tx, tenant, d, t, i); err != nil {
				return err
			}
		}
		return nil
	})
}

// trip stores a trip of the simulation. The first of some devices is told wrong,
// so that there are invalid ones to look at.
func (s *seeder) trip(ctx context.Context, tx *store.Tx, tenant string, d drover.Device, t sim.Trip, i int) error {
	trip := drover.Trip{
		ID: store.NewID(), DeviceID: d.ID, SystemTripID: fmt.Sprint(t.ID), StartTime: drover.At(t.StartTime), EndTime: drover.At(t.EndTime),
		StartLatitude: &t.Start.Latitude, StartLongitude: &t.Start.Longitude, EndLatitude: &t.End.Latitude, EndLongitude: &t.End.Longitude,
		DistanceMetres: &t.DistanceMetres, DurationSeconds: t.EndTime.Sub(t.StartTime).Seconds(), DrivingSeconds: &t.DrivingSeconds,
		IdlingSeconds: &t.IdlingSeconds, AuxiliarySeconds: &t.AuxiliarySeconds, IsValid: true,
	}
	if i == 0 && len(s.Devices)%4 == 0 {
		zero, comment := 0.0, "The distance is shorter than the straight line between start and end."
		trip.DistanceMetres, trip.IsValid, trip.ValidationComments = &zero, false, &comment
	}
	if tenant == s.Demo.ID {
		s.Trips = append(s.Trips, trip)
	}
	if err := tx.AddTrip(ctx, store.Trip{Trip: trip, Access: store.Access{TenantID: tenant}, ConnectionID: d.ConnectionID}); err != nil {
		return err
	}
	return tx.AppendEvents(ctx, tenant, []drover.Event{{
		ID: store.NewID(), Type: drover.EventTripCompleted, Timestamp: trip.EndTime, ConnectionID: &d.ConnectionID, DeviceID: &d.ID, Data: []byte(`{}`),
	}})
}
