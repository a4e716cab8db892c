package drover

import "encoding/json"

// Tenant is a company that uses the service.
type Tenant struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Suspended bool   `json:"suspended"`
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

// Roles lists the closed set, the mightiest first.
var Roles = []Role{RoleAdmin, RoleMember, RoleViewer}

// Permission is a right that a role gives.
type Permission string

// The permissions.
const (
	PermissionRead    Permission = "read"
	PermissionWrite   Permission = "write"   // change the tenant's data
	PermissionSecrets Permission = "secrets" // read credentials and signing secrets
	PermissionAdmin   Permission = "admin"   // users, keys and shares
)

// Permissions are what the role may do.
func (r Role) Permissions() []Permission {
	switch r {
	case RoleAdmin:
		return []Permission{PermissionRead, PermissionWrite, PermissionSecrets, PermissionAdmin}
	case RoleMember:
		return []Permission{PermissionRead, PermissionWrite}
	case RoleViewer:
	}
	return []Permission{PermissionRead}
}

// CanWrite reports whether the role may change the tenant's data.
func (r Role) CanWrite() bool { return r == RoleAdmin || r == RoleMember }

// User logs in and belongs to one tenant.
type User struct {
	ID        string `json:"id"`
	TenantID  string `json:"tenant_id"`
	Username  string `json:"username"`
	Email     string `json:"email"`
	Role      Role   `json:"role"`
	Disabled  bool   `json:"disabled"`
	CreatedAt Time   `json:"created_at"`
}

// Session is one login of a user; ending it refuses all its tokens.
type Session struct {
	ID        string `json:"id"`
	TenantID  string `json:"tenant_id"`
	UserID    string `json:"user_id"`
	CreatedAt Time   `json:"created_at"`
	ExpiresAt Time   `json:"expires_at"`
	RevokedAt *Time  `json:"revoked_at"`
}

// Principal is who is asking: an authenticated user within its tenant.
type Principal struct {
	TenantID  string
	UserID    string
	SessionID string
	Role      Role
}

// Profile is what a caller is told about itself.
type Profile struct {
	User        User            `json:"user"`
	Tenant      TenantName      `json:"tenant"`
	Role        Role            `json:"role"`
	Permissions []Permission    `json:"permissions"`
	Preferences json.RawMessage `json:"preferences"`
}

// TenantName is how a tenant is called.
type TenantName struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}
