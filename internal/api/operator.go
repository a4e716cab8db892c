package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/middle"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) operatorRoutes() []route {
	return []route{
		opQuery(http.MethodGet, "/operator/tenant", s.listTenants).
			named("listTenants", tagOperator, "List tenants", "All tenants, oldest first.").
			operators(drover.OperatorTenantsRead).can(errorsOfList...),
		opBody(http.MethodPost, "/operator/tenant", s.postTenant).
			named("postTenant", tagOperator, "Create tenant",
				"Adds a tenant, and with it a first admin, a first API key, or both. The secret of the key is shown this once.").
			operators(drover.OperatorTenantsWrite).can(errorsOfCreate...).clash("A tenant with this name exists"),
		op(http.MethodGet, "/operator/tenant/{tenant_id}", s.getTenant).
			named("getTenant", tagOperator, "Get tenant", "One tenant with its limits and what it has of them.").
			operators(drover.OperatorTenantsRead).can(errorsOfOne...).missing(guard.UnknownTenant),
		opBody(http.MethodPatch, "/operator/tenant/{tenant_id}", s.patchTenant).
			named("patchTenant", tagOperator, "Update tenant",
				"Changes the fields that are sent, in every process within a second. Suspending a tenant loses nothing: its users, keys and streams are refused with 403, collection and deliveries pause, and go on later.").
			operators(drover.OperatorTenantsWrite).can(errorsOfChange...).missing(guard.UnknownTenant).clash("A tenant with this name exists"),
		op(http.MethodDelete, "/operator/tenant/{tenant_id}", s.deleteTenant).
			named("deleteTenant", tagOperator, "Erase tenant",
				"Erases a tenant with all it has, for good and in the background: it is refused from now on, and unknown when that is done. The answer says what is kept.").
			operators(drover.OperatorTenantsWrite).can(errorsOfOne...).missing(guard.UnknownTenant),
		opQuery(http.MethodGet, "/operator/tenant/{tenant_id}/usage", s.listTenantUsage).
			named("listTenantUsage", tagOperator, "List a tenant's usage",
				"What a tenant used on each day in UTC, oldest first. Days without any use are absent. It is kept for 400 days, also of a tenant that was erased. A process that is killed loses what it has counted in the last ten seconds.").
			operators(drover.OperatorUsageRead).can(errorsOfOne...).missing(guard.UnknownTenant),
		opQuery(http.MethodGet, "/operator/usage", s.listUsage).
			named("listUsage", tagOperator, "List usage", "What all tenants used on each day in UTC, by tenant and day.").
			operators(drover.OperatorUsageRead).can(errorsOfList...),
		opQuery(http.MethodGet, "/operator/audit", s.listOperatorAudit).
			named("listOperatorAudit", tagOperator, "List what operators did",
				"What the operator's keys and the command line did, newest first. Of what a key did in a tenant the record is the tenant; the tenant's own audit has the record, under the same request_id. It is kept for 400 days.").
			operators(drover.OperatorAuditRead).can(errorsOfList...),
	}
}

// operators is for keys of the operator with a scope.
func (r route) operators(scope drover.OperatorScope) route {
	r.Operator = []drover.OperatorScope{scope}
	return r
}

// authenticateOperator lets keys of the operator in. Those whom a tenant knows are refused,
// and others are not known.
func (s *server) authenticateOperator(c *call) error {
	place, err := s.atTheDoor(c)
	if err != nil {
		return err
	}
	defer place.Return()
	p, ok, err := s.Fleet.Identity.AuthenticateOperator(c.Context, c.Header.Get("Authorization"))
	if err != nil {
		return err
	}
	if !ok {
		c.Header.Del(drover.TenantHeader) // it would be spoken of first
		if _, err := s.caller(c.Context, c.Request); err != nil {
			return err
		}
		return drover.Forbidden()
	}
	c.principal = p
	middle.InfoFrom(c.Context).UserID = p.UserID
	d := s.limiter.Allow(p.UserID, 0)
	d.Headers(c.w.Header())
	return d.Err()
}

func (s *server) listTenants(c *call, q paging) (page[drover.ManagedTenant], error) {
	var after drover.IDCursor
	if err := q.place(&after); err != nil {
		return page[drover.ManagedTenant]{}, err
	}
	tenants, err := s.Fleet.Identity.Tenants(c.Context, c.principal, after, q.Limit+1)
	if err != nil {
		return page[drover.ManagedTenant]{}, err
	}
	return newPage(tenants, q.Limit, func(t drover.ManagedTenant) cursor { return drover.IDCursor(t.ID) })
}

func (s *server) postTenant(c *call, body drover.TenantInput) (drover.TenantCreated, error) {
	return s.Fleet.Identity.CreateTenant(c.Context, c.principal, body)
}

func (s *server) getTenant(c *call) (drover.ManagedTenantDetail, error) {
	return s.Fleet.Identity.Tenant(c.Context, c.principal, c.PathValue("tenant_id"))
}

func (s *server) patchTenant(c *call, body drover.TenantUpdate) (drover.ManagedTenantDetail, error) {
	return s.Fleet.Identity.UpdateTenant(c.Context, c.principal, c.PathValue("tenant_id"), body)
}

func (s *server) deleteTenant(c *call) (drover.TenantErasure, error) {
	return s.Fleet.Identity.EraseTenant(c.Context, c.principal, c.PathValue("tenant_id"))
}

func (s *server) listTenantUsage(c *call, q drover.UsageFilter) ([]drover.Usage, error) {
	id := c.PathValue("tenant_id")
	if !drover.IsID(id) {
		return nil, drover.Errorf(drover.KindNotFound, guard.UnknownTenant, id)
	}
	return s.Fleet.Identity.Usage(c.Context, c.principal, id, q, drover.UsageCursor{}, maxUsage)
}

// maxUsage is more than a tenant has days that can be asked for.
const maxUsage = 1000

type usageQuery struct {
	drover.UsageFilter
	paging
}

func (s *server) listUsage(c *call, q usageQuery) (page[drover.Usage], error) {
	var after drover.UsageCursor
	if err := q.place(&after); err != nil {
		return page[drover.Usage]{}, err
	}
	days, err := s.Fleet.Identity.Usage(c.Context, c.principal, "", q.UsageFilter, after, q.Limit+1)
	if err != nil {
		return page[drover.Usage]{}, err
	}
	return newPage(days, q.Limit, func(u drover.Usage) cursor { return drover.UsageCursor{TenantID: u.TenantID, Date: u.Date} })
}

func (s *server) listOperatorAudit(c *call, q auditQuery) (page[drover.Audit], error) {
	var before drover.IDCursor
	if err := q.place(&before); err != nil {
		return page[drover.Audit]{}, err
	}
	entries, err := s.Fleet.Identity.OperatorAudit(c.Context, c.principal, q.AuditFilter, before, q.Limit+1)
	if err != nil {
		return page[drover.Audit]{}, err
	}
	return newPage(entries, q.Limit, func(a drover.Audit) cursor { return drover.IDCursor(a.ID) })
}
