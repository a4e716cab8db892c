package drover

import (
	"encoding/json"
	"net/netip"
	"slices"
)

// Tenant is a company that uses the service.
type Tenant struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Suspended bool   `json:"suspended"`
	Erasing   bool   `json:"erasing"`
	CreatedAt Time   `json:"created_at"`
}

// Role says what a user may do within its tenant.
type Role string

// The roles of a user.
const (
	RoleAdmin  Role = "admin"  // everything
	RoleMember Role = "member" // everything but users, keys and shares
	RoleViewer Role = "viewer" // reads
)

// Roles lists the closed set, the one with the most rights first.
var Roles = []Role{RoleAdmin, RoleMember, RoleViewer}

// Permission is a right that a role gives.
type Permission string

// The permissions.
const (
	PermissionRead    Permission = "read"
	PermissionWrite   Permission = "write"   // change the tenant's data
	PermissionSecrets Permission = "secrets" // read credentials and signing secrets
	PermissionAdmin   Permission = "admin"   // users, keys and shares
	PermissionPush    Permission = "push"    // send records
)

// Permissions lists the closed set.
var Permissions = []Permission{PermissionRead, PermissionWrite, PermissionSecrets, PermissionAdmin, PermissionPush}

// Permissions are what the role may do.
func (r Role) Permissions() []Permission {
	switch r {
	case RoleAdmin:
		return []Permission{PermissionRead, PermissionWrite, PermissionSecrets, PermissionAdmin, PermissionPush}
	case RoleMember:
		return []Permission{PermissionRead, PermissionWrite, PermissionPush}
	case RoleViewer:
	}
	return []Permission{PermissionRead}
}

// User logs in and belongs to one tenant.
type User struct {
	ID       string `json:"id"`
	TenantID string `json:"tenant_id"`
	Username string `json:"username"`
	Email    string `json:"email"`
	Role     Role   `json:"role"`
	Disabled bool   `json:"disabled"`
	// SecondFactor is changed only by the user's own setup of it.
	SecondFactor bool `json:"second_factor" doc:"Whether the user has a second factor."`
	CreatedAt    Time `json:"created_at"`
}

// Session is one login of a user; ending it refuses all its tokens.
type Session struct {
	ID        string `json:"id"`
	TenantID  string `json:"tenant_id"`
	UserID    string `json:"user_id"`
	CreatedAt Time   `json:"created_at"`
	ExpiresAt Time   `json:"expires_at"`
	RevokedAt *Time  `json:"revoked_at"`
	// EndsAt is the latest end of a session that a provider opened; nil for others.
	// LogoutURL is where to sign out at the provider.
	EndsAt    *Time   `json:"-"`
	LogoutURL *string `json:"-"`
	// FactorAt is when the second factor was last entered in it; nil if never.
	FactorAt *Time `json:"-"`
}

// UserSession is one of a user's own sessions.
type UserSession struct {
	ID        string      `json:"id"`
	Kind      SessionKind `json:"kind"`
	Current   bool        `json:"current" doc:"Whether the caller uses it."`
	CreatedAt Time        `json:"created_at"`
	ExpiresAt Time        `json:"expires_at"`
}

// SessionKind says what a session is proved by.
type SessionKind string

// The kinds of sessions.
const (
	SessionConsole SessionKind = "console" // a cookie
	SessionToken   SessionKind = "token"   // access and refresh tokens
)

// SessionKinds lists the closed set.
var SessionKinds = []SessionKind{SessionConsole, SessionToken}

// UserInput is a new user.
type UserInput struct {
	Username string  `json:"username" minLength:"1" maxLength:"255"`
	Email    string  `json:"email" maxLength:"320"`
	Role     Role    `json:"role"`
	Password *string `json:"password" required:"false" maxLength:"1024" format:"password" doc:"8 to 1024 bytes. It may be left out where people sign in by the tenant's own provider: the first verified sign-in with the address is then the user's."`
}

// UserUpdate is a partial change of a user by an admin.
type UserUpdate struct {
	Username Optional[string] `json:"username" required:"false" minLength:"1" maxLength:"255" nullable:"false"`
	Email    Optional[string] `json:"email" required:"false" maxLength:"320" nullable:"false"`
	Role     Optional[Role]   `json:"role" required:"false" nullable:"false"`
	Disabled Optional[bool]   `json:"disabled" required:"false" nullable:"false"`
	Password Optional[string] `json:"password" required:"false" maxLength:"1024" format:"password" nullable:"false" doc:"8 to 1024 bytes. All sessions of the user end."`
}

// OwnUpdate is a partial change of the caller by itself.
type OwnUpdate struct {
	OldPassword *string         `json:"old_password" required:"false" maxLength:"1024" format:"password" doc:"Needed with password."`
	Password    *string         `json:"password" required:"false" maxLength:"1024" format:"password" doc:"8 to 1024 bytes. All other sessions end."`
	Preferences json.RawMessage `json:"preferences" required:"false" doc:"An object of at most 16384 bytes, which replaces the one before."`
}

// Principal is who is asking: an authenticated user, or an API key, within its
// tenant.
type Principal struct {
	TenantID  string
	UserID    string // the key's id where a key asks
	SessionID string // empty where a key asks
	Name      string // the username, or the key's name
	Role      Role   // empty where a key has scopes instead
	Key       bool
	Scopes    []Permission
	// Networks and ExpiresAt bound a key, and what it makes; both are empty where
	// nothing does.
	Networks  []netip.Prefix
	ExpiresAt *Time
	// MakerID is the user that a key ends with; empty for one of the tenant.
	MakerID string
	// OperatorScopes are those of an operator's key, which acts in the tenant or, where the
	// tenant is OperatorTenant, for itself; empty for all others.
	OperatorScopes []OperatorScope
	// Step is what the session needs before anything else; empty where nothing is.
	Step FactorStep
	// RequestsPerMinute is what the operator lets the tenant ask for; 0 is as much as all.
	RequestsPerMinute int64
}

// Bound reports whether a caller ends, or is held to networks.
func (p Principal) Bound() bool { return len(p.Networks) > 0 || p.ExpiresAt != nil }

// Permissions are what the caller may do.
func (p Principal) Permissions() []Permission {
	if p.Scopes != nil {
		return p.Scopes
	}
	return p.Role.Permissions()
}

// Can reports whether the caller has a permission.
func (p Principal) Can(permission Permission) bool {
	return slices.Contains(p.Permissions(), permission)
}

// Address is the address of a webhook as the caller may see it. Its query may be a secret,
// also to the one who set it.
func (p Principal) Address(url string) string {
	if p.Can(PermissionSecrets) {
		return url
	}
	return withoutQuery(url)
}

// SentAddress is an address that the caller sends, unless it is the one that is stored, as
// the caller sees it: anyone who sends a record back changes nothing.
func (p Principal) SentAddress(sent Optional[string], stored string) Optional[string] {
	if sent.Value != nil && *sent.Value != stored && *sent.Value == p.Address(stored) {
		return Optional[string]{}
	}
	return sent
}

// Profile is what a caller may know about itself.
type Profile struct {
	User        *User           `json:"user" doc:"Null where an API key asks."`
	APIKey      *APIKey         `json:"api_key" doc:"Null where a user asks."`
	Tenant      TenantName      `json:"tenant"`
	Role        *Role           `json:"role" doc:"Null for an API key with scopes."`
	Permissions []Permission    `json:"permissions"`
	Preferences json.RawMessage `json:"preferences"`
	FactorStep  *FactorStep     `json:"factor_step" doc:"What has to be done about the second factor before anything else is answered; null where nothing is."`
}

// TenantName is how a tenant is called.
type TenantName struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}
