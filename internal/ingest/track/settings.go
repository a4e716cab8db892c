package track

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/calendar"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store/account"
)

// with reads what the tenant and some of its devices have set for themselves.
func (s Source) with(ctx context.Context, tx account.Editor, deviceIDs []string) (Source, error) {
	var err error
	s.set, err = tx.Settings(ctx, s.TenantID, deviceIDs...)
	return s, err
}

// zone is that of the devices' days.
func (s Source) zone() calendar.Zone {
	chosen := EffectiveZone(s.set, s.TenantID, s.TimeZone)
	z, err := calendar.Load(chosen.Value)
	if err != nil { // it was known when it was set
		return calendar.UTC()
	}
	return z
}

// EffectiveZone is the time zone of a connection's days: its own, or else the tenant's.
func EffectiveZone(set map[string]drover.Settings, tenantID string, connection *string) drover.ChosenZone {
	switch {
	case connection != nil:
		return drover.ChosenZone{Value: *connection, Source: drover.FromConnection}
	case set[tenantID].TimeZone != "":
		return drover.ChosenZone{Value: set[tenantID].TimeZone, Source: drover.FromTenant}
	}
	return drover.ChosenZone{Value: calendar.UTC().Name(), Source: drover.FromDefault}
}

// rules are those of a device: the narrower setting wins.
func (s Source) rules(deviceID string) trip.Rules {
	if len(s.set) == 0 && s.TripRules == nil {
		return trip.DefaultRules()
	}
	return trip.RulesOf(Effective(s.set, s.TenantID, s.TripRules, deviceID))
}

// Effective narrows the default rules down by what was set for a tenant, for a
// connection and for a device. Set holds both the tenant's and the device's by id.
func Effective(set map[string]drover.Settings, tenantID string, connection *drover.TripRules, deviceID string) drover.EffectiveTripRules {
	e := trip.Effective().Narrow(set[tenantID].TripRules, drover.FromTenant)
	if connection != nil {
		e = e.Narrow(*connection, drover.FromConnection)
	}
	return e.Narrow(set[deviceID].TripRules, drover.FromDevice)
}
