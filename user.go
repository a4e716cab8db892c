package drover

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
