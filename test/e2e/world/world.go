// Package world fills an installation with a few records of every kind that
// end-to-end tests and the benchmark work on.
package world

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/store"
)

// The users: Admin and Viewer of one tenant, Stranger of another. Password opens
// all of them.
const (
	Admin    = "demo"
	Viewer   = "viewer"
	Stranger = "other"
	Password = "drover-demo"
)

// BaseURL is that of the connections' provider, where nothing listens.
const BaseURL = "http://127.0.0.1:9/api"

// Loopback has to be allowed for BaseURL to be.
func Loopback() netip.Prefix { return netip.MustParsePrefix("127.0.0.0/8") }

// World is what was made. All records are those of Owner; the first connection
// is shared with Other.
type World struct {
	Owner, Other drover.Tenant
	Connections  []drover.Connection
	Devices      []drover.Device
	Milestones   []drover.Milestone
}

const (
	connections = 2
	devices     = 10
	milestones  = 4
)

// Make fills the empty installation that c names.
func Make(ctx context.Context, c config.Store) (*World, error) {
	a, err := app.New(ctx, config.Serve{
		Store: c, Role: "api", AllowNetwork: []netip.Prefix{Loopback()}, MaxInFlight: 1,
		AccessTokenLifetime: time.Hour, RefreshTokenLifetime: time.Hour, MilestoneTimeout: time.Hour, MilestoneRadius: 200,
	}, app.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	w := &World{}
	for _, step := range []func(context.Context, *app.App) error{w.tenants, w.connect, w.records} {
		if err := step(ctx, a); err != nil {
			return nil, errors.Join(fmt.Errorf("make a world: %w", err), a.Close())
		}
	}
	return w, a.Close()
}

func (w *World) tenants(ctx context.Context, a *app.App) error {
	hash, err := auth.Hash(Password, rand.Reader)
	if err != nil {
		return err
	}
	at := drover.At(time.Now())
	w.Owner = drover.Tenant{ID: store.NewID(), Name: "owner", CreatedAt: at}
	w.Other = drover.Tenant{ID: store.NewID(), Name: "other", CreatedAt: at}
	return a.Store.Update(ctx, func(tx *store.Tx) error {
		if err := errors.Join(tx.Accounts.AddTenant(ctx, w.Owner), tx.Accounts.AddTenant(ctx, w.Other)); err != nil {
			return err
		}
		for _, u := range []drover.User{
			{TenantID: w.Owner.ID, Username: Admin, Role: drover.RoleAdmin},
			{TenantID: w.Owner.ID, Username: Viewer, Role: drover.RoleViewer},
			{TenantID: w.Other.ID, Username: Stranger, Role: drover.RoleAdmin},
		} {
			u.ID, u.Email, u.CreatedAt = store.NewID(), u.Username+"@drover.example", at
			if err := tx.Accounts.AddUser(ctx, u, hash); err != nil {
				return err
			}
		}
		return nil
	})
}

func (w *World) connect(ctx context.Context, a *app.App) error {
	p := drover.Principal{TenantID: w.Owner.ID, Role: drover.RoleAdmin}
	for i := range connections {
		made, err := a.Fleet.Connections.CreateConnection(ctx, p, drover.ConnectionInput{
			IntegrationName: drover.Traccar, BusinessName: fmt.Sprintf("Business %d", i), Tags: []string{"tag"},
			Credentials: map[string]string{"base_url": BaseURL, "token": store.NewID()},
		})
		if err != nil {
			return err
		}
		w.Connections = append(w.Connections, made)
	}
	share, err := a.Fleet.Shares.ShareWith(ctx, p, w.Connections[0].ID, w.Other.ID)
	if err != nil {
		return err
	}
	_, err = a.Fleet.Shares.AcceptShare(ctx, drover.Principal{TenantID: w.Other.ID, Role: drover.RoleAdmin}, share.ID)
	return err
}

// records go into the store directly: devices come from a provider otherwise.
func (w *World) records(ctx context.Context, a *app.App) error {
	now := drover.At(time.Now())
	state, err := json.Marshal(milestone.Fresh())
	if err != nil {
		return err
	}
	return a.Store.Update(ctx, func(tx *store.Tx) error {
		w.Devices, w.Milestones = nil, nil
		for i := range devices {
			name, year := fmt.Sprintf("Truck %d", i), 2020+i
			d := drover.Device{
				ID: store.NewID(), SystemDeviceID: fmt.Sprint(i), ConnectionID: w.Connections[i%connections].ID, Active: true,
				Description: &name, Registration: &name, Make: &name, Model: &name, Year: &year, Tags: []string{},
			}
			if err := tx.Fleet.AddDevice(ctx, w.Owner.ID, d, now); err != nil {
				return err
			}
			w.Devices = append(w.Devices, d)
		}
		if err := w.instruments(ctx, tx, now); err != nil {
			return err
		}
		for i := range milestones {
			m := drover.Milestone{
				ID: store.NewID(), TenantID: w.Owner.ID, DeviceID: w.Devices[i].ID, StartTime: now, Status: drover.TripNotStarted, CreatedAt: now,
				UpdatedAt:  now,
				StartPoint: drover.Coordinate{Latitude: 48.1, Longitude: 11.5}, EndPoint: drover.Coordinate{Latitude: 49.4, Longitude: 11.1},
			}
			if err := tx.Trips.AddMilestone(ctx, store.Milestone{
				Milestone: m, DeviceTenantID: w.Owner.ID, ConnectionID: &w.Devices[i].ConnectionID, State: state,
			}); err != nil {
				return err
			}
			w.Milestones = append(w.Milestones, m)
		}
		return nil
	})
}

// instruments gives the first device a reading, a fault and a safety event, and its connection a
// driver.
func (w *World) instruments(ctx context.Context, tx *store.Tx, now drover.Time) error {
	d, owner := w.Devices[0], w.Owner.ID
	value := drover.ReadingValue{At: now.UnixMilli(), Value: 62}
	return errors.Join(
		tx.Vehicles.SetReadingSeries(ctx, owner, []store.ReadingSeries{{
			ID: store.NewID(), DeviceID: d.ID, ConnectionID: d.ConnectionID, Number: 1, Shown: value,
			ReadingSeries: drover.ReadingSeries{Kind: drover.ReadingFuelPercent, NativeName: "fuel"},
		}}),
		tx.Vehicles.AddReadings(ctx, owner, []store.ReadingRow{{DeviceID: d.ID, ReadingRow: drover.ReadingRow{Series: 1, ReadingValue: value}}}),
		tx.Vehicles.SetFaults(ctx, owner, []store.Fault{{Key: "obd P0420", Fault: drover.Fault{
			ID: store.NewID(), DeviceID: d.ID, ConnectionID: d.ConnectionID, Protocol: drover.FaultOBD, Code: "P0420", Status: drover.FaultOpen,
			FirstSeenAt: now, LastSeenAt: now,
		}}}),
		tx.Vehicles.SetSafetyEvents(ctx, owner, []drover.SafetyEvent{{
			ID: store.NewID(), DeviceID: d.ID, ConnectionID: d.ConnectionID, SystemEventID: "1", Type: drover.SafetyBraking, NativeType: "brake",
			StartTime: now, Status: drover.SafetyOpen,
		}}),
		tx.Drivers.AddDrivers(ctx, owner, []drover.Driver{{
			ID: store.NewID(), ConnectionID: d.ConnectionID, SystemDriverID: "1", Name: new("Ann Lee"), Active: true,
		}}, now),
	)
}
