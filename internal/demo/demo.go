package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/ingest/collect"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/store"
)

// Username is the administrator of the demo, and Password opens all its users.
const (
	Username = "demo"
	Password = "drover-demo"
)

// maker fills an empty database.
type maker struct {
	*Demo
	fleet       *fleet.Service
	collector   *collect.Collector
	store       *store.Store
	admin       drover.Principal
	other       drover.Tenant
	connections []drover.Connection
	devices     []drover.Device
}

// Options are what the demo is made with. Only tenants and users are stored
// directly, as an operator's command line does; all else goes through Fleet.
type Options struct {
	Store     *store.Store
	Fleet     *fleet.Service
	Collector *collect.Collector
}

// The demo begins with a day of history, and has all of it soon after.
const (
	firstHistory = 24 * time.Hour
	allHistory   = 14 * 24 * time.Hour
)

// Make fills an empty database and returns when a day of history is there. The
// fleet and the collector must reach Vendors.
func (d *Demo) Make(ctx context.Context, o Options) error {
	m := &maker{Demo: d, fleet: o.Fleet, collector: o.Collector, store: o.Store}
	for _, step := range []func(context.Context) error{m.tenants, m.connect, m.collect, m.name, m.milestones, m.webhooks} {
		if err := step(ctx); err != nil {
			return fmt.Errorf("make the demo: %w", err)
		}
	}
	return nil
}

func (m *maker) tenants(ctx context.Context) error {
	hash, err := auth.Hash(Password, rand.Reader)
	if err != nil {
		return err
	}
	at := drover.At(m.begin)
	tenant := drover.Tenant{ID: store.NewID(), Name: "demo", CreatedAt: at}
	m.other = drover.Tenant{ID: store.NewID(), Name: "other", CreatedAt: at}
	users := []drover.User{
		{TenantID: tenant.ID, Username: Username, Role: drover.RoleAdmin},
		{TenantID: tenant.ID, Username: "viewer", Role: drover.RoleViewer},
		{TenantID: m.other.ID, Username: "other", Role: drover.RoleAdmin},
	}
	return m.store.Update(ctx, func(tx *store.Tx) error {
		if err := errors.Join(tx.Accounts.AddTenant(ctx, tenant), tx.Accounts.AddTenant(ctx, m.other)); err != nil {
			return err
		}
		for _, u := range users {
			u.ID, u.Email, u.CreatedAt = store.NewID(), u.Username+"@demo.example", at
			if err := tx.Accounts.AddUser(ctx, u, hash); err != nil {
				return err
			}
			if u.Username == Username {
				m.admin = drover.Principal{TenantID: u.TenantID, UserID: u.ID, Role: u.Role}
			}
		}
		return nil
	})
}

// connect goes through the same door as a tenant's own connections.
func (m *maker) connect(ctx context.Context) error {
	start := drover.At(m.begin.Add(-firstHistory))
	other := drover.Principal{TenantID: m.other.ID, Role: drover.RoleAdmin}
	for _, v := range vendors {
		p := m.admin
		if v.other {
			p = other
		}
		made, err := m.fleet.Connections.CreateConnection(ctx, p, drover.ConnectionInput{
			IntegrationName: v.provider, BusinessName: v.business, Tags: v.tags, CollectionStartTime: &start, Credentials: v.credentials(),
		})
		if err != nil {
			return err
		}
		if !v.other {
			m.connections = append(m.connections, made)
		}
	}
	share, err := m.fleet.Shares.ShareWith(ctx, m.admin, m.connections[0].ID, m.other.ID)
	if err != nil {
		return err
	}
	_, err = m.fleet.Shares.AcceptShare(ctx, other, share.ID)
	return err
}

// collect reads the day of history, which the vendors within the process give at once.
func (m *maker) collect(ctx context.Context) error {
	return m.collector.RunDue(ctx)
}

// name gives the vehicles names of their own, and the first one tags.
func (m *maker) name(ctx context.Context) (err error) {
	m.devices, err = m.fleet.Devices.Devices(ctx, m.admin, drover.DeviceFilter{}, "", 1000)
	if err != nil {
		return err
	}
	if len(m.devices) == 0 {
		return errors.New("nothing was collected")
	}
	for i, d := range m.devices {
		u := drover.DeviceUpdate{Description: m.nameOf(d)}
		if i == 0 {
			u.Tags = drover.Some([]string{"reefer", "north"})
		}
		if m.devices[i], err = m.fleet.Devices.UpdateDevice(ctx, m.admin, d.ID, u); err != nil {
			return err
		}
	}
	return nil
}

// nameOf says what a vehicle is: the simulation calls all of them trucks.
func (m *maker) nameOf(d drover.Device) (name drover.Optional[string]) {
	if kind := vendors[m.vendorOf(d)].kind; kind != "" && d.Description != nil {
		name = drover.Some(strings.Replace(*d.Description, "Truck", kind, 1))
	}
	return name
}

// vendorOf is the number of the vendor that a device comes from.
func (m *maker) vendorOf(d drover.Device) (found int) {
	for _, c := range m.connections {
		for i, v := range vendors {
			if c.ID == d.ConnectionID && c.BusinessName == v.business {
				found = i
			}
		}
	}
	return found
}

// webhooks are one that waits to be switched on, and one that fails for a reason
// that its answers tell: the receiver knows another path.
func (m *maker) webhooks(ctx context.Context) error {
	for _, in := range []drover.WebhookInput{
		{URL: "https://hooks.example.com/drover", Enabled: new(false), Options: &drover.WebhookOptionsInput{IncludeSpeed: true}},
		{URL: "https://" + receiverHost + "/order", Filters: &drover.WebhookFiltersInput{
			ConnectionIDs: []string{m.connections[0].ID},
			ConnectionDevices: []drover.ConnectionDevicesInput{{
				ConnectionID:    m.devices[0].ConnectionID,
				SystemDeviceIDs: []string{m.devices[0].SystemDeviceID},
			}},
		}},
	} {
		if _, err := m.fleet.Notify.CreateWebhook(ctx, m.admin, in); err != nil {
			return err
		}
	}
	return nil
}
