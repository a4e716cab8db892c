package drover

import "slices"

// Quota is a resource of which a tenant may have a limited amount.
type Quota string

// The quotas. Exports are those that are kept, finished or not; streams are live
// streams and long polls that are open on one process; sync jobs are backfill jobs
// that are running; links are those of milestones and of connections, used or not.
const (
	QuotaConnections    Quota = "connections"
	QuotaDevices        Quota = "devices"
	QuotaWebhooks       Quota = "webhooks"
	QuotaFilterBytes    Quota = "filter_bytes"
	QuotaOpenMilestones Quota = "open_milestones"
	QuotaStreams        Quota = "streams"
	QuotaSyncJobs       Quota = "sync_jobs"
	QuotaExports        Quota = "exports"
	QuotaAPIKeys        Quota = "api_keys"
	QuotaUsers          Quota = "users"
	QuotaLinks          Quota = "links"
	// QuotaRequestsPerMinute is a rate; 0 means the rate for all tenants.
	QuotaRequestsPerMinute Quota = "requests_per_minute"
)

// quotaRule is the default limit of a quota, and its words in an error.
type quotaRule struct {
	Quota
	most  int64
	words string
}

// quotas are the rules of each, in the order in which they are shown.
var quotas = []quotaRule{
	{QuotaConnections, 1_000, "connections"},
	{QuotaDevices, 100_000, "devices"},
	{QuotaWebhooks, 100, "webhooks"},
	{QuotaFilterBytes, 1 << 20, "bytes of webhook filters"},
	{QuotaOpenMilestones, 10_000, "open milestones"},
	{QuotaStreams, 500, "live streams and long polls"},
	{QuotaSyncJobs, 50, "sync jobs"},
	{QuotaExports, 20, "exports"},
	{QuotaAPIKeys, 100, "API keys"},
	{QuotaUsers, 1_000, "users"},
	{QuotaLinks, 10_000, "links"},
	{QuotaRequestsPerMinute, 0, "requests a minute"},
}

// Quotas lists the closed set.
func Quotas() []Quota {
	names := make([]Quota, len(quotas))
	for i, q := range quotas {
		names[i] = q.Quota
	}
	return names
}

// Known reports whether there is such a quota.
func (q Quota) Known() bool { return slices.Contains(Quotas(), q) }

// Default is the limit of a tenant for which the operator has set none.
func (q Quota) Default() int64 { return q.rule().most }

// Reached is the error for a caller who exceeds the limit.
func (q Quota) Reached(limit int64) *Error {
	return Errorf(KindForbidden, "Limit of %d %s reached", limit, q.rule().words)
}

func (q Quota) rule() quotaRule {
	if i := slices.Index(Quotas(), q); i >= 0 {
		return quotas[i]
	}
	return quotaRule{words: string(q)}
}

// AccountLimit is a quota of a tenant, and how much of it is used.
type AccountLimit struct {
	Name  Quota `json:"name"`
	Limit int64 `json:"limit" doc:"The most that the tenant may have; past it the answer is 403. Of requests_per_minute, for each process: past it the answer is 429, and 0 is no limit."`
	Used  int64 `json:"used" doc:"How much it has now; of streams, on the process that answers; of requests_per_minute it is not counted."`
}
