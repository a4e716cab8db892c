package drover

// ConnectionHealth says how the collection of a connection goes.
type ConnectionHealth struct {
	ConnectionID string          `json:"connection_id"`
	State        ConnectionState `json:"state"`
	// Message says in words what is wrong; nil where nothing is.
	Message *string `json:"message"`
	// Acts is who must do something about the state; nil where no one must.
	Acts          *Party      `json:"acts" doc:"Who must act: fleet (the tenant or its fleet), vendor, operator, or drover, which goes on by itself. Null where no one must."`
	LastSuccessAt *Time       `json:"last_success_at"`
	NextRunAt     *Time       `json:"next_run_at"`
	Jobs          []JobHealth `json:"jobs"`
	// Streams are the jobs under the name that programs written before 1.0 read.
	Streams []JobHealth `json:"streams" doc:"The same as jobs, under its former name. Read jobs."`
}

// Party is someone who must act on the state of a connection.
type Party string

// Those who can be asked to act.
const (
	PartyFleet    Party = "fleet"
	PartyVendor   Party = "vendor"
	PartyOperator Party = "operator"
	PartyDrover   Party = "drover"
)

// Parties lists the closed set.
var Parties = []Party{PartyFleet, PartyVendor, PartyOperator, PartyDrover}

// ConnectionDiagnosis is the health of a connection with how its last day went.
type ConnectionDiagnosis struct {
	ConnectionHealth
	// Runs are the hours of the last day in which something was read, oldest first.
	Runs []JobHour `json:"runs"`
	// Inbound is null where the provider has no address to call, and for those whom it
	// is shared with.
	Inbound *InboundState `json:"inbound" doc:"How the provider's own notices go. Null where it has no address to call."`
	// Push is absent where the provider has none, and for those whom it is shared with.
	Push *Push `json:"push,omitempty" doc:"Whether the provider's push is open, in any process. Absent where the provider has none, and for those whom the connection is shared with."`
	// Quality is null before the first position, and for those it is shared with.
	Quality *ConnectionQuality `json:"quality" doc:"What the data say of themselves. Null before the first position, and for those whom the connection is shared with."`
}

// Push says whether positions come by a push of the provider's.
type Push struct {
	State PushState `json:"state" doc:"open: positions come as the provider has them, and polls are rare; closed: they are polled at the usual interval."`
	// Since is nil before the first push, and where a process died with it.
	Since *Time `json:"since" doc:"When the push was opened or ended, or last failed to open; null before the first, and where the process that held it died."`
	// Message says in words why it ended; nil where nothing is wrong.
	Message *string `json:"message" doc:"What the push ended with; null where nothing is wrong."`
}

// PushState says whether a push is open.
type PushState string

// The states of a provider's push.
const (
	PushOpen   PushState = "open"
	PushClosed PushState = "closed"
)

// JobHour says how the runs of a job went within an hour.
type JobHour struct {
	Kind     string `json:"kind"`
	Hour     Time   `json:"hour"`
	Runs     int64  `json:"runs"`
	Failures int64  `json:"failures"`
	Records  int64  `json:"records"`
}

// JobHealth says how one job of a connection goes: devices, positions or
// trips as they come, or a backfill that fills a window in.
type JobHealth struct {
	ID                string         `json:"id"`
	Kind              string         `json:"kind"`
	State             string         `json:"state"`
	LastRunAt         *Time          `json:"last_run_at"`
	LastSuccessAt     *Time          `json:"last_success_at"`
	NextRunAt         *Time          `json:"next_run_at"`
	LagSeconds        *float64       `json:"lag_seconds"`
	Records           int64          `json:"records"`
	ConsecutiveErrors int            `json:"consecutive_errors"`
	LastError         *string        `json:"last_error"`
	LastErrorKind     *string        `json:"last_error_kind"`
	LastErrorAt       *Time          `json:"last_error_at"`
	Backfill          *BackfillState `json:"backfill"`
	// History is the backfill under its former name.
	History *BackfillState `json:"history" doc:"The same as backfill, under its former name. Read backfill."`
}

// BackfillState is how far a backfill has come. It reads from the newest end.
type BackfillState struct {
	From        Time    `json:"from"`
	To          Time    `json:"to"`
	StartedAt   Time    `json:"started_at" doc:"When it was asked for: with what is done since, how fast it goes."`
	RemainingTo Time    `json:"remaining_to"`
	DonePercent float64 `json:"done_percent"`
}

// SyncInput asks for a collection: now, or of a window of the past.
type SyncInput struct {
	From *Time `json:"from" required:"false"`
	To   *Time `json:"to" required:"false"`
}
