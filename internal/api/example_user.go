package api

import (
	"encoding/json"

	"github.com/drover-fleet/drover"
)

// userExamples are those of users, keys and what they did.
func userExamples() []any {
	user := drover.User{ID: exampleID, TenantID: exampleTenant, Username: "demo", Email: "demo@demo.example", Role: drover.RoleAdmin, CreatedAt: exampleTime}
	key := drover.APIKey{
		ID: exampleID, Name: "Nightly export", Scopes: []drover.Permission{drover.PermissionRead}, Networks: []string{"192.0.2.0/24"},
		CreatedAt: exampleTime, LastUsedAt: &exampleTime,
	}
	return []any{
		sessionView{
			Profile: drover.Profile{
				User: &user, Tenant: drover.TenantName{ID: exampleTenant, Name: "demo"}, Role: &user.Role, Permissions: drover.RoleAdmin.Permissions(),
				Preferences: json.RawMessage(`{"units":"metric"}`),
			},
			Version: "1.0.0",
		},
		user,
		drover.Finding{Kind: drover.FoundDevice, ID: exampleID, Name: new("Truck 12"), Detail: new("AB12 CDE")},
		drover.DeviceTagInput{DeviceIDs: []string{exampleID}, Add: []string{"north"}, Remove: []string{"south"}},
		drover.DeviceTagResult{Changed: 1},
		drover.TripUpdate{IsValid: drover.Some(false), Comment: drover.Some("The driver forgot to log off.")},
		drover.StreamHour{Kind: "positions", Hour: exampleTime, Runs: 120, Failures: 1, Records: 2048},
		drover.UserInput{Username: "ann", Email: "ann@northern.example", Role: drover.RoleMember, Password: "correct horse battery"},
		drover.UserUpdate{
			Username: drover.Some("ann"), Email: drover.Some("ann@northern.example"), Role: drover.Some(drover.RoleMember), Disabled: drover.Some(false),
			Password: drover.Some("correct horse battery"),
		},
		drover.OwnUpdate{OldPassword: new("drover-demo"), Password: new("correct horse battery"), Preferences: json.RawMessage(`{"units":"metric"}`)},
		drover.UserSession{ID: exampleID, Kind: drover.SessionConsole, Current: true, CreatedAt: exampleTime, ExpiresAt: exampleTime},
		key,
		drover.APIKeyInput{Name: "Nightly export", Scopes: []drover.Permission{drover.PermissionRead}, Networks: []string{"192.0.2.0/24"}, ExpiresAt: &exampleTime},
		drover.APIKeyCreated{APIKey: key, Key: "drv_mfrggzdfmztwq2lknnwg23tpobyxe43u"},
		drover.Audit{
			ID: exampleID, Time: exampleTime, ActorType: drover.ActorUser, ActorID: new(exampleTenant), ActorName: "demo", Action: "connection.update",
			RecordType: new("connection"), RecordID: new(exampleID), Address: new("192.0.2.7"), RequestID: new("0190f3a2b4c5"), Outcome: drover.AuditDone,
		},
	}
}
