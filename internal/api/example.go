package api

import (
	"encoding/json"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/example"
)

// examples are one record of every type that the interface shows or takes: those of
// the root package, and those that have their shape here.
func examples() []any {
	role := drover.RoleAdmin
	session := sessionView{
		Profile: drover.Profile{
			User: &drover.User{
				ID: example.ID, TenantID: example.Tenant, Username: "demo", Email: "demo@demo.example", Role: role,
				CreatedAt: example.Time,
			}, Tenant: drover.TenantName{ID: example.Tenant, Name: "demo"}, Role: &role,
			Permissions: drover.RoleAdmin.Permissions(),
			Preferences: json.RawMessage(`{"units":"metric"}`),
		},
		Version: "1.0.0", System: systemView{Database: "embedded", Role: "all"},
	}
	return append(example.Records(),
		authenticationResult{TokenType: bearer, ExpiresIn: 3600, AccessToken: example.Token, RefreshToken: example.Token, Sub: example.ID},
		refreshResult{TokenType: bearer, ExpiresIn: 3600, AccessToken: example.Token, RefreshToken: example.Token},
		usernamePassword{Username: "demo", Password: "drover-demo"},
		refreshToken{Sub: example.ID, RefreshToken: example.Token},
		providerView{
			Name: drover.Samsara, Title: "Samsara", Homepage: "developers.samsara.com",
			Notes: []string{"The token needs the right to read vehicles."},
			Credentials: []fieldView{{
				Name: "api_token", Title: "API token", Help: "Made in the dashboard under Settings.", Required: true,
				Secret: true, RequiredUnless: []string{}, Options: []string{},
			}},
			Features: featuresView{
				Trips: drover.TripsNative, Feed: true, Backfill: true, Heading: true, Speed: true, Ignition: true,
				Odometer: true,
			},
			Polling: pollingView{DevicesSeconds: 3600, PositionsSeconds: 30, TripsSeconds: new(300)},
			Limits:  []limitView{{Requests: new(25), PerSeconds: new(1)}},
			Readings: []instrumentView{
				{Kind: drover.ReadingFuelPercent, Source: new(drover.SourceVehicle), NativeName: "fuelPercents"},
			},
			Faults: []string{"faultCodes"}, SafetyTypes: []drover.SafetyType{drover.SafetyBraking},
			Assignments: []string{"driver-vehicle-assignments"},
		},
		session,
		signedInView{session.Profile, session.Version, session.System, "/console/devices"},
		invitationView{
			TenantName: "Northern Haulage", BusinessName: "Miller Transport", State: drover.LinkOpen, Reads: drover.LinkReads,
			ExpiresAt: drover.At(example.Time.AddDate(0, 0, 7)), Providers: []providerView{},
		},
	)
}
