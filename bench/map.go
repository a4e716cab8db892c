package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/fleet/identity"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	mapDevices  = 10_000
	mapRounds   = 15
	mapBound    = 0.06 // seconds
	mapPassword = "newest positions of a fleet"
)

// embedded puts a service together that keeps its data in a folder of its own. It is not
// run: requests go to its handlers.
func (b *bench) embedded(ctx context.Context, name string) (*app.App, error) {
	return app.New(ctx, config.Serve{
		Store: config.Store{Data: filepath.Join(b.dir, name)}, AccessTokenLifetime: time.Hour, RefreshTokenLifetime: time.Hour, MaxInFlight: 512,
		MilestoneTimeout: 15 * time.Minute, MilestoneRadius: 200,
	}, app.Options{Logger: slog.New(slog.DiscardHandler), Version: "bench"})
}

// newest measures how long it takes to answer with the newest positions of a whole
// fleet, as a map asks for them.
func (b *bench) newest(ctx context.Context) error {
	b.progress("newest positions of a fleet, embedded")
	a, err := b.embedded(ctx, "map")
	if err != nil {
		return err
	}
	took, err := measureMap(ctx, a)
	if err := errors.Join(err, a.Close()); err != nil {
		return fmt.Errorf("newest positions: %w", err)
	}
	b.table.AtMost(fmt.Sprintf("GET /position of %s devices as columns, embedded", table.Thousands(mapDevices)), took.Seconds(), mapBound,
		func(v float64) string { return fmt.Sprintf("%.0f ms", v*1000) })
	return nil
}

// measureMap returns the best of several rounds.
func measureMap(ctx context.Context, a *app.App) (best time.Duration, err error) {
	if err := fillMap(ctx, a.Store); err != nil {
		return 0, err
	}
	tokens, err := a.Fleet.Identity.LogIn(ctx, "127.0.0.1:1", identity.Credentials{Name: "map", Password: mapPassword})
	if err != nil {
		return 0, err
	}
	for range mapRounds {
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/position?format=columns", nil)
		r.Header.Set("Authorization", "Bearer "+tokens.AccessToken)
		w := httptest.NewRecorder()
		begun := time.Now()
		a.API.ServeHTTP(w, r)
		took := time.Since(begun)
		if w.Code != http.StatusOK {
			return 0, fmt.Errorf("the answer was %d", w.Code)
		}
		if best == 0 || took < best {
			best = took
		}
	}
	return best, nil
}

func fillMap(ctx context.Context, s *store.Store) error {
	hash, err := auth.Hash(mapPassword, rand.Reader)
	if err != nil {
		return err
	}
	now := drover.At(time.Now())
	return s.Update(ctx, func(tx *store.Tx) error {
		tenant := drover.Tenant{ID: store.NewID(), Name: "map", CreatedAt: now}
		user := drover.User{
			TenantID: tenant.ID, ID: store.NewID(), Username: "map", Email: "map@bench.example", Role: drover.RoleViewer,
			CreatedAt: now,
		}
		conn := drover.Connection{
			ID: store.NewID(), TenantID: tenant.ID, IntegrationName: drover.Traccar, BusinessName: "map", Active: true,
			CollectionStartTime: now,
		}
		if err := errors.Join(tx.Accounts.AddTenant(ctx, tenant), tx.Accounts.AddUser(ctx, user, hash),
			tx.Fleet.AddConnection(ctx, conn, []byte("sealed"), now)); err != nil {
			return err
		}
		states := make([]*store.DeviceState, mapDevices)
		for i := range states {
			name := fmt.Sprint("Truck ", i)
			d := drover.Device{
				ID: store.NewID(), ConnectionID: conn.ID, SystemDeviceID: name, Description: &name, Registration: &name,
				Active: true, Tags: []string{},
			}
			if err := tx.Fleet.AddDevice(ctx, tenant.ID, d, now); err != nil {
				return err
			}
			states[i] = &store.DeviceState{DeviceID: d.ID, State: drover.DeviceDriving, StateSince: &now, Latest: &drover.Position{
				Time: now, Latitude: 48 + float64(i)/1e4, Longitude: 11 + float64(i%97)/100, Heading: new(352.0), SpeedKPH: new(71.5),
				DriverID: new("D-17"),
				Ignition: new(true), OdometerMetres: new(123456.5),
			}}
		}
		return tx.Fleet.SetDeviceStates(ctx, tenant.ID, states)
	})
}
