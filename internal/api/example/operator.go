package example

import "github.com/drover-fleet/drover"

// operatorExamples are those of tenants as the operator sees them.
func operatorExamples() []any {
	tenant := drover.ManagedTenant{ID: Tenant, Name: "northern-haulage", State: drover.TenantActive, CreatedAt: Time}
	detail := drover.ManagedTenantDetail{ManagedTenant: tenant, Limits: []drover.AccountLimit{
		{Name: drover.QuotaDevices, Limit: 500, Used: 42}, {Name: drover.QuotaRequestsPerMinute, Limit: 600},
	}}
	limits := []drover.LimitInput{
		{Name: drover.QuotaDevices, Limit: new(int64(500))},
		{Name: drover.QuotaRequestsPerMinute, Limit: new(int64(600))},
	}
	user := drover.User{ID: ID, TenantID: Tenant, Username: "ann", Email: "ann@northern.example", Role: drover.RoleAdmin, CreatedAt: Time}
	key := drover.APIKey{
		ID: ID, Name: "backend", Role: new(drover.RoleAdmin), Scopes: drover.RoleAdmin.Permissions(), Networks: []string{}, CreatedAt: Time,
		Owner: drover.KeyOfTenant, MakerName: "backend",
	}
	return []any{
		tenant, detail,
		drover.TenantInput{
			Name: "northern-haulage", Limits: limits, APIKey: new("backend"),
			Admin: &drover.AdminInput{Username: "ann", Email: "ann@northern.example", Password: "correct horse battery"},
		},
		drover.TenantCreated{
			ManagedTenantDetail: detail, Admin: &user, APIKey: &drover.APIKeyCreated{APIKey: key, Key: "drv_mfrggzdfmztwq2lknnwg23tpobyxe43u"},
		},
		drover.TenantUpdate{Name: drover.Some("northern-haulage"), Suspended: drover.Some(true), Limits: limits},
		drover.TenantErasure{TenantID: Tenant, State: drover.TenantErasing, Kept: drover.KeptOfTenant},
		drover.DriverErasure{
			ID: ID, Pseudonym: "erased-x4jq2mbnkr7w3zta", State: drover.JobDone, Trips: 212, Positions: 240, Events: 96, RequestedAt: Time, FinishedAt: &Time,
		},
		drover.Usage{TenantID: Tenant, Date: "2026-03-29", Requests: 18_204, Positions: 120_960, Deliveries: 4_032, Bytes: new(int64(48_234_496))},
	}
}
