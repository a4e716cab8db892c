package drover

// Audit is one thing that someone did, or was refused.
type Audit struct {
	ID         string       `json:"id"`
	Time       Time         `json:"time"`
	ActorType  ActorType    `json:"actor_type"`
	ActorID    *string      `json:"actor_id" doc:"The user, the key or the operator's key; null for the operator at the command line."`
	ActorName  string       `json:"actor_name" doc:"Its name at that time."`
	Action     string       `json:"action" doc:"What was done: the path of the operation without ids, and create, update, delete or read." example:"connection.update"`
	RecordType *string      `json:"record_type" doc:"What it was done to, such as connection."`
	RecordID   *string      `json:"record_id"`
	Address    *string      `json:"address" doc:"Where the request came from; null for the operator."`
	RequestID  *string      `json:"request_id" doc:"x-request-id of the answer."`
	Outcome    AuditOutcome `json:"outcome"`
	Count      int64        `json:"count" doc:"How often. What is refused again within the same hour, of one kind, to one caller and from one address is one entry, without a record_id where the records differ."`
	LastAt     *Time        `json:"last_at" doc:"When it was refused last; null where it happened once."`
}

// ActorType says who acted.
type ActorType string

// The types of actors.
const (
	ActorUser     ActorType = "user"
	ActorKey      ActorType = "api_key"
	ActorOperator ActorType = "operator" // by the command line, or by a key of the operator
	ActorPublic   ActorType = "public"   // by the address of a link
)

// ActorTypes lists the closed set.
var ActorTypes = []ActorType{ActorUser, ActorKey, ActorOperator, ActorPublic}

// AuditOutcome says what came of it.
type AuditOutcome string

// The outcomes.
const (
	AuditDone    AuditOutcome = "done"
	AuditRefused AuditOutcome = "refused" // a wrong password, or no right to do it
)

// AuditOutcomes lists the closed set.
var AuditOutcomes = []AuditOutcome{AuditDone, AuditRefused}

// AuditFilter narrows the list of what was done.
type AuditFilter struct {
	ActorID  string       `query:"actor_id" doc:"Only what this user or key did."`
	Action   string       `query:"action" maxLength:"255" doc:"Only this action, such as connection.update."`
	RecordID string       `query:"record_id" maxLength:"255" doc:"Only what was done to this record."`
	Outcome  AuditOutcome `query:"outcome" doc:"Only what was done, or only what was refused."`
	From     *Time        `query:"from" doc:"Only at or after this time."`
	To       *Time        `query:"to" doc:"Only before this time."`
}
