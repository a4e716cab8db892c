package drover

import (
	"slices"
	"time"
)

// OperatorKeyPrefix distinguishes an operator's key from a tenant's.
const OperatorKeyPrefix = "drvop_"

// OperatorTenant is the tenant id of the operator, in the audit log and in quotas. No tenant
// has it.
const OperatorTenant = "00000000-0000-0000-0000-000000000000"

// TenantHeader names the tenant that an operator's key acts in.
const TenantHeader = "X-Drover-Tenant"

// OperatorScope is a right of an operator's key.
type OperatorScope string

// The scopes of operators' keys.
const (
	OperatorTenantsRead  OperatorScope = "tenants:read"
	OperatorTenantsWrite OperatorScope = "tenants:write" // create, suspend, limit and erase
	OperatorUsageRead    OperatorScope = "usage:read"
	OperatorAuditRead    OperatorScope = "audit:read"
	OperatorAct          OperatorScope = "act" // call the operations of any tenant
)

// OperatorScopes lists the closed set.
var OperatorScopes = []OperatorScope{OperatorTenantsRead, OperatorTenantsWrite, OperatorUsageRead, OperatorAuditRead, OperatorAct}

// OperatorKey authenticates a program of the operator. It belongs to no tenant.
type OperatorKey struct {
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Scopes     []OperatorScope `json:"scopes"`
	CreatedAt  Time            `json:"created_at"`
	ExpiresAt  *Time           `json:"expires_at"`
	LastUsedAt *Time           `json:"last_used_at"`
}

// May reports whether the caller is an operator's key with the scope.
func (p Principal) May(scope OperatorScope) bool { return slices.Contains(p.OperatorScopes, scope) }

// Operates reports whether the caller is an operator's key, for itself or in a tenant.
func (p Principal) Operates() bool { return len(p.OperatorScopes) > 0 }

// TenantState says whether a tenant may use the service.
type TenantState string

// The states of a tenant.
const (
	TenantActive    TenantState = "active"
	TenantSuspended TenantState = "suspended"
	TenantErasing   TenantState = "erasing"
)

// TenantStates lists the closed set.
var TenantStates = []TenantState{TenantActive, TenantSuspended, TenantErasing}

// State says whether the tenant may use the service.
func (t Tenant) State() TenantState {
	switch {
	case t.Erasing:
		return TenantErasing
	case t.Suspended:
		return TenantSuspended
	}
	return TenantActive
}

// ManagedTenant is a tenant as the operator sees it.
type ManagedTenant struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	State     TenantState `json:"state" doc:"A suspended tenant is refused everywhere and keeps all it has. Of an erased one nothing is left once that is done."`
	CreatedAt Time        `json:"created_at"`
}

// ManagedTenantDetail is a tenant with its limits.
type ManagedTenantDetail struct {
	ManagedTenant
	Limits []AccountLimit `json:"limits"`
}

// LimitInput sets how much a tenant may have of something.
type LimitInput struct {
	Name  Quota  `json:"name"`
	Limit *int64 `json:"limit" minimum:"0" doc:"Null is the default again."`
}

// TenantInput is a new tenant.
type TenantInput struct {
	Name   string       `json:"name" minLength:"1" maxLength:"255" doc:"Unique among all tenants."`
	Limits []LimitInput `json:"limits" required:"false" nullable:"true" maxItems:"20" doc:"Instead of the defaults."`
	Admin  *AdminInput  `json:"admin" required:"false" doc:"A first user, who is an admin of the tenant."`
	APIKey *string      `json:"api_key" required:"false" minLength:"1" maxLength:"255" doc:"The name of a first API key, with the role of an admin."`
}

// AdminInput is the first user of a tenant.
type AdminInput struct {
	Username string `json:"username" minLength:"1" maxLength:"255"`
	Email    string `json:"email" maxLength:"320"`
	Password string `json:"password" maxLength:"1024" format:"password" doc:"8 to 1024 bytes."`
}

// TenantCreated is a new tenant with its first user and its first key.
type TenantCreated struct {
	ManagedTenantDetail
	Admin  *User          `json:"admin" doc:"Null where none was asked for."`
	APIKey *APIKeyCreated `json:"api_key" doc:"Null where none was asked for. Its secret is shown this once."`
}

// TenantUpdate is a partial change of a tenant.
type TenantUpdate struct {
	Name      Optional[string] `json:"name" required:"false" minLength:"1" maxLength:"255" nullable:"false"`
	Suspended Optional[bool]   `json:"suspended" required:"false" nullable:"false" doc:"True refuses the tenant's users, keys and streams within a second and pauses collection and deliveries; false lets all of it go on."`
	Limits    []LimitInput     `json:"limits" required:"false" nullable:"true" maxItems:"20" doc:"Only those that are named change."`
}

// Usage is what a tenant used of the service on a day in UTC.
type Usage struct {
	TenantID   string `json:"tenant_id"`
	Date       string `json:"date" doc:"The day in UTC, such as 2026-03-29."`
	Requests   int64  `json:"requests" doc:"Requests of the tenant's users and keys, and of operators in it, that were let in."`
	Positions  int64  `json:"positions" doc:"Positions that were stored for the first time, also of the past."`
	Deliveries int64  `json:"deliveries" doc:"Webhook calls that were made, also failed ones."`
	Bytes      *int64 `json:"bytes_stored" doc:"What the tenant's history took when it was last measured on this day; null where it was not."`
}

// UsageFilter chooses days.
type UsageFilter struct {
	Start string `query:"start_date" required:"true" maxLength:"10" doc:"The first day in UTC, such as 2026-03-01."`
	End   string `query:"end_date" required:"true" maxLength:"10" doc:"The last day; at most 400 days from the first one."`
}

// UsageCursor is a place in the list of all tenants' usage.
type UsageCursor struct {
	TenantID string `json:"t"`
	Date     string `json:"d"`
}

// Valid reports whether c can be the end of a list.
func (c UsageCursor) Valid() bool {
	_, err := time.Parse(time.DateOnly, c.Date)
	return err == nil && IsID(c.TenantID)
}
