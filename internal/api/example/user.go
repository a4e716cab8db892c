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
	passkey := drover.Passkey{ID: ID, Name: "Laptop", BackedUp: true, CreatedAt: Time, LastUsedAt: &Time}
	proof := drover.PasskeyProof{
		CredentialID: "-R85HbTJsv3g6nAYnLo_tj9Xm6YSKzOtlP8-wzAIS-Q", ClientData: "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
		AuthenticatorData: "v6vDdDKVjAYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LUZAAAAAA", Signature: "MEYCIQD1Ck4u",
		UserHandle: "MDE5MGYzYTItYjRjNS03ZDY4LThlOTAtMWEyYjNjNGQ1ZTZm",
	}
	return []any{
		user,
		drover.Finding{Kind: drover.FoundDevice, ID: ID, Name: new("Truck 12"), Detail: new("AB12 CDE")},
		drover.DeviceTagInput{DeviceIDs: []string{ID}, Add: []string{"north"}, Remove: []string{"south"}},
		drover.DeviceTagResult{Changed: 1},
		drover.TripUpdate{IsValid: drover.Some(false), Comment: drover.Some("The driver forgot to log off.")},
		drover.JobHour{Kind: "positions", Hour: Time, Runs: 120, Failures: 1, Records: 2048},
		drover.UserInput{Username: "ann", Email: "ann@northern.example", Role: drover.RoleMember, Password: new("correct horse battery")},
		drover.UserUpdate{
			Username: drover.Some("ann"), Email: drover.Some("ann@northern.example"), Role: drover.Some(drover.RoleMember),
			Disabled: drover.Some(false),
			Password: drover.Some("correct horse battery"),
		},
		drover.OwnUpdate{
			OldPassword: new("drover-demo"), Password: new("correct horse battery"),
			Preferences: json.RawMessage(`{"units":"metric"}`),
		},
		drover.SingleSignOn{
			SSOSettings: drover.SSOSettings{
				Enabled: true, Issuer: new("https://login.northern.example"), ClientID: new("drover"), HasClientSecret: true,
				Scopes: []string{"profile", "email", "groups"}, RoleClaim: new("groups"),
				Roles: []drover.RoleRule{{Value: "fleet-admins", Role: drover.RoleAdmin}}, DefaultRole: new(drover.RoleViewer),
				NewUsers: drover.NewUsersAutomatic, EmailDomains: []string{"northern.example"}, SessionHours: 12,
			}, PasswordLogin: true, RedirectURI: new("https://fleet.example/console/sso/" + Tenant),
			SignInURL: new("https://fleet.example/console/sso?code=mfrggzdfmztwq2lknnwg23tpobyxe43u"),
		},
		drover.SingleSignOnUpdate{
			Enabled: drover.Some(true), Issuer: drover.Some("https://login.northern.example"), ClientID: drover.Some("drover"),
			ClientSecret: drover.Some("…"), Scopes: drover.Some([]string{"profile", "email", "groups"}), RoleClaim: drover.Some("groups"),
			Roles:       drover.Some([]drover.RoleRule{{Value: "fleet-admins", Role: drover.RoleAdmin}}),
			DefaultRole: drover.Some(drover.RoleViewer), NewUsers: drover.Some(drover.NewUsersAutomatic),
			EmailDomains: drover.Some([]string{"northern.example"}), TrustEmail: drover.Some(false), SessionHours: drover.Some(12),
			EndProviderSession: drover.Some(false), PasswordLogin: drover.Some(true),
		},
		drover.FactorRule{RequiredRoles: []drover.Role{drover.RoleAdmin, drover.RoleMember}},
		drover.FactorRuleUpdate{RequiredRoles: []drover.Role{drover.RoleAdmin, drover.RoleMember}, IncludeSSO: drover.Some(false)},
		drover.SecondFactor{
			Enabled: true, Required: true, App: true, Passkeys: []drover.Passkey{passkey}, RecoveryCodes: 10, ConfirmedUntil: &Time,
		},
		drover.FactorProof{Code: "287082"},
		passkey,
		drover.PasskeyCreated{Passkey: passkey, RecoveryCodes: []string{}},
		drover.PasskeyUpdate{Name: "Laptop"},
		drover.PasskeyChallenge{
			Challenge: "OcDnUhQXulTUPo3JUXT0I97pvzzYBP9tZchXyav01Ag", RPID: "fleet.example", CredentialIDs: []string{}, ExpiresAt: Time,
		},
		proof,
		drover.PasskeyInput{
			Name: "Laptop", CredentialID: proof.CredentialID, ClientData: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0",
			AuthenticatorData: proof.AuthenticatorData, PublicKey: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE",
		},
		drover.FactorInput{Password: new("drover-demo")},
		drover.FactorSecret{
			Secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
			URI:    "otpauth://totp/fleet.example:demo?algorithm=SHA1&digits=6&issuer=fleet.example&period=30&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
		},
		drover.FactorCode{Code: "287082"},
		drover.FactorConfirmed{ConfirmedUntil: Time},
		drover.RecoveryCodes{Codes: []string{"mfrg-gzdf-mztw-q2lk", "nnwg-23tp-obyx-e43u"}},
		drover.SSOTest{
			OK: true, AuthorizationEndpoint: new("https://login.northern.example/authorize"), Keys: 2, Algorithms: []string{"RS256"},
			NamesIssuer: true, EndsSessions: true,
		},
		drover.SignInInput{Code: "mfrggzdfmztwq2lknnwg23tpobyxe43u", ReturnTo: new("/console/devices")},
		drover.SignInStart{URL: "https://login.northern.example/authorize?client_id=drover&code_challenge=…&response_type=code&scope=openid"},
		drover.SignInAnswer{TenantID: Tenant, Code: "SplxlOBeZQQYbYS6WxSbIA", State: "MFRGGZDFMZTWQ2LKNNWG23TPOB", Issuer: new("https://login.northern.example")},
		drover.SignOut{},
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
