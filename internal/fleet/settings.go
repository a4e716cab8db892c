package fleet

import (
	"cmp"
	"context"
	"reflect"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/rules/calendar"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
	"github.com/drover-fleet/drover/internal/store/work"
)

// AccountSettings reads what the tenant has set.
func (s Account) AccountSettings(ctx context.Context, p drover.Principal) (drover.AccountSettings, error) {
	set, err := s.store.Accounts.Settings(ctx, p.TenantID)
	return accountSettings(p.TenantID, set), err
}

func accountSettings(tenantID string, set map[string]drover.Settings) drover.AccountSettings {
	return drover.AccountSettings{
		TimeZone: guard.OrNull(set[tenantID].TimeZone), TripRules: set[tenantID].TripRules,
		EffectiveTripRules: track.Effective(set, tenantID, nil, ""),
	}
}

// UpdateAccountSettings changes what was sent. It holds for what is derived from then
// on.
func (s Account) UpdateAccountSettings(
	ctx context.Context,
	p drover.Principal,
	u drover.AccountSettingsUpdate,
) (drover.AccountSettings, error) {
	if err := guard.MayWrite(p); err != nil {
		return drover.AccountSettings{}, err
	}
	if err := checkZone(u.TimeZone, "body", "time_zone"); err != nil {
		return drover.AccountSettings{}, err
	}
	var set map[string]drover.Settings
	err := s.guard.Update(ctx, p, func(tx *store.Tx) (err error) {
		if set, err = tx.Accounts.Settings(ctx, p.TenantID); err != nil {
			return err
		}
		own := set[p.TenantID]
		own.TripRules = drover.ApplyTripRules(u.TripRules, own.TripRules)
		if u.TimeZone.Set {
			own.TimeZone = ""
			u.TimeZone.ApplyValue(&own.TimeZone)
		}
		if reflect.DeepEqual(own, set[p.TenantID]) {
			return nil
		}
		if own.TimeZone != set[p.TenantID].TimeZone {
			if err := s.recomputeDays(ctx, tx.Jobs, p.TenantID, nil); err != nil {
				return err
			}
		}
		set[p.TenantID] = own
		return tx.Accounts.SetSettings(ctx, p.TenantID, p.TenantID, own)
	})
	return accountSettings(p.TenantID, set), err
}

// Brand reads how the tenant shows itself.
func (s Account) Brand(ctx context.Context, p drover.Principal) (drover.Brand, error) {
	b, err := s.store.Accounts.Brand(ctx, p.TenantID)
	if b == nil {
		return drover.Brand{}, err
	}
	return *b, err
}

// UpdateBrand changes what was sent.
func (s Account) UpdateBrand(ctx context.Context, p drover.Principal, u drover.BrandUpdate) (drover.Brand, error) {
	var b drover.Brand
	if err := guard.MayAdminister(p); err != nil {
		return b, err
	}
	if err := u.Check(); err != nil {
		return b, err
	}
	err := s.guard.Update(ctx, p, func(tx *store.Tx) error {
		before, err := tx.Accounts.Brand(ctx, p.TenantID)
		if err != nil {
			return err
		}
		b = u.Apply(*cmp.Or(before, &drover.Brand{}))
		if b.Equal(*cmp.Or(before, &drover.Brand{})) {
			return nil
		}
		return tx.Accounts.SetBrand(ctx, p.TenantID, b)
	})
	return b, err
}

// checkZone refuses what is no time zone.
func checkZone(zone drover.Optional[string], loc ...any) error {
	if zone.Value == nil {
		return nil
	}
	if _, err := calendar.Load(*zone.Value); err != nil {
		return drover.InvalidValue("time_zone must be an IANA name such as Europe/Berlin", loc...)
	}
	return nil
}

// recomputeDays has the days of a tenant's devices, or of one connection's, summed up
// again in the background.
func (s *core) recomputeDays(ctx context.Context, tx work.JobsTx, tenantID string, connectionID *string) error {
	return tx.AddRecompute(ctx, work.Recompute{
		TenantID: tenantID, Kind: work.RecomputeDays, DueAt: new(s.now()),
		Recompute: drover.Recompute{
			ID: store.NewID(), State: drover.JobQueued, From: drover.Milli(0), To: drover.Milli(allTime), ConnectionID: connectionID,
			CreatedAt: s.now(),
		},
	})
}

// allTime is after all times that are stored.
const allTime = 1<<52 - 1

// ConnectionSettings reads what is set for a connection, and what holds for its devices.
func (s Connections) ConnectionSettings(ctx context.Context, p drover.Principal, id string) (drover.ConnectionSettings, error) {
	c, err := s.store.Fleet.Connection(ctx, p.TenantID, id)
	if err != nil {
		return drover.ConnectionSettings{}, guard.OrNotFound(err, guard.UnknownConnection, id)
	}
	if err := guard.Readable(p, c.Access); err != nil {
		return drover.ConnectionSettings{}, err
	}
	owner := c.Connection.TenantID
	set, err := s.store.Accounts.Settings(ctx, owner)
	out := drover.ConnectionSettings{
		ConnectionID: c.ID, Trips: c.Configuration.Trips, TimeZone: track.EffectiveZone(set, owner, c.Configuration.TimeZone),
		EffectiveTripRules: track.Effective(set, owner, c.Configuration.TripRules, ""),
	}
	if own := c.Configuration.TripRules; own != nil {
		out.TripRules = *own
	}
	return out, err
}

// DeviceSettings reads what is set for a device, and what holds for it.
func (s Devices) DeviceSettings(ctx context.Context, p drover.Principal, id string) (drover.DeviceSettings, error) {
	d, err := s.device(ctx, p, id)
	if err != nil {
		return drover.DeviceSettings{}, err
	}
	return s.deviceSettings(ctx, s.store.Fleet, s.store.Accounts, d)
}

func (s *core) deviceSettings(
	ctx context.Context,
	fleet store.FleetReader,
	accounts account.Reader,
	d store.Device,
) (drover.DeviceSettings, error) {
	c, err := fleet.Connection(ctx, d.TenantID, d.ConnectionID)
	if err != nil {
		return drover.DeviceSettings{}, err
	}
	set, err := accounts.Settings(ctx, d.TenantID, d.ID)
	return drover.DeviceSettings{
		DeviceID: d.ID, Trips: c.Configuration.Trips, TimeZone: track.EffectiveZone(set, d.TenantID, c.Configuration.TimeZone),
		TripRules:          set[d.ID].TripRules,
		EffectiveTripRules: track.Effective(set, d.TenantID, c.Configuration.TripRules, d.ID),
	}, err
}

// UpdateDeviceSettings changes what was sent.
func (s Devices) UpdateDeviceSettings(
	ctx context.Context,
	p drover.Principal,
	id string,
	u drover.DeviceSettingsUpdate,
) (drover.DeviceSettings, error) {
	if err := guard.MayWrite(p); err != nil {
		return drover.DeviceSettings{}, err
	}
	d, err := s.store.Fleet.Device(ctx, p.TenantID, id)
	if err != nil {
		return drover.DeviceSettings{}, guard.OrNotFound(err, guard.UnknownDevice, id)
	}
	if err := guard.Owned(p, d.TenantID); err != nil {
		return drover.DeviceSettings{}, err
	}
	var out drover.DeviceSettings
	err = s.guard.Update(ctx, p, func(tx *store.Tx) error {
		set, err := tx.Accounts.Settings(ctx, p.TenantID, id)
		if err != nil {
			return err
		}
		own := set[id]
		own.TripRules = drover.ApplyTripRules(u.TripRules, own.TripRules)
		if !reflect.DeepEqual(own, set[id]) {
			if err := tx.Accounts.SetSettings(ctx, p.TenantID, id, own); err != nil {
				return err
			}
		}
		out, err = s.deviceSettings(ctx, tx.Fleet.FleetReader, tx.Accounts.Reader, d)
		return err
	})
	return out, err
}
