package drover

// APIKeyPrefix tells an API key from a token, for the service and for scanners of
// leaked secrets.
const APIKeyPrefix = "drv_"

// APIKey lets a program in. Its secret is shown once and stored as a hash.
type APIKey struct {
	ID         string       `json:"id"`
	Name       string       `json:"name"`
	Role       *Role        `json:"role"`
	Scopes     []Permission `json:"scopes" doc:"What the key may do: those of its role, or those that it was given."`
	Networks   []string     `json:"networks" doc:"Where it may be used from; empty is everywhere."`
	CreatedAt  Time         `json:"created_at"`
	ExpiresAt  *Time        `json:"expires_at"`
	LastUsedAt *Time        `json:"last_used_at" doc:"Written every ten minutes at the most."`
	Owner      KeyOwner     `json:"owner" doc:"Whom it ends with: its maker, or the tenant alone."`
	MakerID    *string      `json:"maker_id" doc:"The user who made it, or whose key did; null where a key of the tenant did."`
	MakerName  string       `json:"maker_name" doc:"The name of the user or the key that made it, at that time."`
}

// KeyOwner says whom a key ends with.
type KeyOwner string

// The owners of keys.
const (
	// KeyOfUser is good for as long as its maker may do what the key may.
	KeyOfUser KeyOwner = "user"
	// KeyOfTenant is for a service, and outlives its maker.
	KeyOfTenant KeyOwner = "tenant"
)

// KeyOwners lists the closed set.
var KeyOwners = []KeyOwner{KeyOfUser, KeyOfTenant}

// APIKeyInput is a new key: with a role or with scopes.
type APIKeyInput struct {
	Name      string       `json:"name" minLength:"1" maxLength:"255"`
	Role      *Role        `json:"role" required:"false"`
	Scopes    []Permission `json:"scopes" required:"false" nullable:"true" minItems:"1" maxItems:"5" doc:"Instead of a role. Every key may read, but one with the scope push alone, which can do nothing but send records."`
	Networks  []string     `json:"networks" required:"false" nullable:"true" maxItems:"100" maxLength:"64" doc:"Networks such as 192.0.2.0/24 or 2001:db8::/32, or single addresses, that it may be used from; everywhere, where they are left out."`
	ExpiresAt *Time        `json:"expires_at" required:"false"`
	Owner     KeyOwner     `json:"owner" required:"false" doc:"user, as without it: the key ends once its maker is disabled, deleted or may no longer do what the key may. tenant: it is for a service and outlives its maker."`
}

// APIKeyCreated is a new key with its secret.
type APIKeyCreated struct {
	APIKey
	Key string `json:"key" doc:"The secret, to be sent as a bearer token. It is shown this once."`
}
