package example

import (
	"encoding/json"

	"github.com/drover-fleet/drover"
)

// userExamples are those of users, keys and what they did.
func userExamples() []any {
	user := drover.User{ID: ID, TenantID: Tenant, Username: "demo", Email: "demo@demo.example", Role: drover.RoleAdmin, CreatedAt: Time}
	key := drover.APIKey{
		ID: ID, Name: "Nightly export", Scopes: []drover.Permission{drover.PermissionRead}, Networks: []string{"192.0.2.0/24"},
		CreatedAt: Time, LastUsedAt: &Time, Owner: drover.KeyOfUser, MakerID: new(ID), MakerName: "demo",
	}
	return []any{
		user,
		drover.Finding{Kind: drover.FoundDevice, ID: ID, Name: new("Truck 12"), Detail: new("AB12 CDE")},
		drover.DeviceTagInput{DeviceIDs: []string{ID}, Add: []string{"north"}, Remove: []string{"south"}},
		drover.DeviceTagResult{Changed: 1},
		drover.TripUpdate{IsValid: drover.Some(false), Comment: drover.Some("The driver forgot to log off.")},
		drover.JobHour{Kind: "positions", Hour: Time, Runs: 120, Failures: 1, Records: 2048},
		drover.UserInput{Username: "ann", Email: "ann@northern.example", Role: drover.RoleMember, Password: "correct horse battery"},
		drover.UserUpdate{
			Username: drover.Some("ann"), Email: drover.Some("ann@northern.example"), Role: drover.Some(drover.RoleMember),
			Disabled: drover.Some(false),
			Password: drover.Some("correct horse battery"),
		},
		drover.OwnUpdate{
			OldPassword: new("drover-demo"), Password: new("correct horse battery"),
			Preferences: json.RawMessage(`{"units":"metric"}`),
		},
		drover.UserSession{ID: ID, Kind: drover.SessionConsole, Current: true, CreatedAt: Time, ExpiresAt: Time},
		key,
		drover.APIKeyInput{
			Name: "Nightly export", Scopes: []drover.Permission{drover.PermissionRead}, Networks: []string{"192.0.2.0/24"},
			ExpiresAt: &Time, Owner: drover.KeyOfUser,
		},
		drover.APIKeyCreated{APIKey: key, Key: "drv_mfrggzdfmztwq2lknnwg23tpobyxe43u"},
		drover.Audit{
			ID: ID, Time: Time, ActorType: drover.ActorUser, ActorID: new(Tenant), ActorName: "demo", Action: "connection.update",
			RecordType: new("connection"), RecordID: new(ID), Address: new("192.0.2.7"), RequestID: new("0190f3a2b4c5"), Outcome: drover.AuditDone,
			Count: 1,
		},
	}
}
