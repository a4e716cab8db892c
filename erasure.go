package drover

// TenantErasure says that a tenant is being erased, and what stays.
type TenantErasure struct {
	TenantID string      `json:"tenant_id"`
	State    TenantState `json:"state"`
	Kept     []string    `json:"kept" doc:"What is not erased, in words."`
}

// KeptOfTenant is what an erased tenant leaves behind.
var KeptOfTenant = []string{
	"usage per day, in numbers, for 400 days: it is what the tenant is billed by",
	"the operator's audit, which names the tenant by its id, for 400 days",
	"backups that were made before, and copies that others have received",
}

// DriverErasure is the work of replacing a driver by a pseudonym.
type DriverErasure struct {
	ID          string   `json:"id"`
	Pseudonym   string   `json:"pseudonym" doc:"What stands for the driver everywhere now. It is made up: nothing leads from it to the driver."`
	State       JobState `json:"state"`
	Trips       int64    `json:"trips" doc:"Trips in which it was replaced so far."`
	Positions   int64    `json:"positions" doc:"Positions, or packed days of a device with any."`
	Events      int64    `json:"events" doc:"Events, or packed parts of the feed with any; also in the feeds of tenants with whom they were shared."`
	RequestedAt Time     `json:"requested_at" doc:"When it was asked for."`
	FinishedAt  *Time    `json:"finished_at" doc:"Null before it is done."`
}

// ErasedDriver begins the pseudonyms of drivers who were erased.
const ErasedDriver = "erased-"
