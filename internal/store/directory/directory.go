// Package directory finds the tenant of what comes without one: the name in a login, an API
// key, the text of a link, the id in a provider's notice. All else names its tenant, whose
// rows may then lie on a server of their own.
//
// A row is written and deleted with what it names. It may be there for something that is
// gone, which is then not found with its tenant either.
package directory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Kind is what a key is the key of.
type Kind string

// The kinds, with what their keys are. No two tenants have the same key.
const (
	LoginName      Kind = "login_name"      // as names are compared
	LoginEmail     Kind = "login_email"     // as names are compared
	Passkey        Kind = "passkey"         // what its device calls it
	APIKey         Kind = "api_key"         // a hash
	MilestoneLink  Kind = "milestone_link"  // a hash
	ConnectionLink Kind = "connection_link" // a hash
	ShareCode      Kind = "share_code"      // a hash
	SingleSignOn   Kind = "single_sign_on"  // the code of its address
	Inbound        Kind = "inbound"         // the id of a connection
	Share          Kind = "share"           // an id
)

// sources are the tables with what the directory names: where each key is, who is to find
// its tenant by it, and when it ends by itself.
var sources = []struct {
	kind                         Kind
	table, key, recipient, until string
}{
	{LoginName, "account_user", "login_name", "CAST(NULL AS TEXT)", noTime},
	{LoginEmail, "account_user", "login_email", "CAST(NULL AS TEXT)", noTime},
	{Passkey, "passkey", "credential", "CAST(NULL AS TEXT)", noTime},
	{APIKey, "api_key", "hash", "CAST(NULL AS TEXT)", noTime},
	{MilestoneLink, "milestone_link", "hash", "CAST(NULL AS TEXT)", "expires_at"},
	{ConnectionLink, "connection_link", "hash", "CAST(NULL AS TEXT)", noTime},
	{ShareCode, "share_code", "hash", "CAST(NULL AS TEXT)", "expires_at"},
	{SingleSignOn, "single_sign_on", "code", "CAST(NULL AS TEXT)", noTime},
	{Inbound, "connection_inbound", "CAST(connection_id AS TEXT)", "CAST(NULL AS TEXT)", noTime},
	{Share, "connection_share", "CAST(id AS TEXT)", "CAST(shared_with AS TEXT)", noTime},
}

const noTime = "CAST(NULL AS BIGINT)"

// kept is how many tenants that were found a process remembers.
const kept = 10_000

// Reader finds tenants. It is safe for concurrent use.
type Reader struct {
	db    database.Reader
	known *lru.Cache[[2]string, string] // nil in a transaction
}

// New returns the directory of a database.
func New(db database.Reader) Reader {
	known, _ := lru.New[[2]string, string](kept) // it fails for a size of zero
	return Reader{db, known}
}

// In reads in a transaction.
func (r Reader) In(tx *database.Tx) Reader { return Reader{db: tx} }

// Tenant is the tenant of a key.
func (r Reader) Tenant(ctx context.Context, kind Kind, key string) (tenantID string, err error) {
	err = r.db.QueryRowContext(ctx, `SELECT tenant_id FROM directory WHERE kind = $1 AND key = $2`, kind, key).Scan(&tenantID)
	return tenantID, database.Found(err, "look into the directory")
}

// Find reads something of the tenant of a key. A tenant that is remembered may not have it any
// more: then the directory is asked.
func (r Reader) Find(ctx context.Context, kind Kind, key string, read func(tenantID string) error) error {
	name := [2]string{string(kind), key}
	if r.known != nil {
		if tenantID, ok := r.known.Get(name); ok {
			if err := read(tenantID); !errors.Is(err, database.ErrNotFound) {
				return err
			}
			r.known.Remove(name)
		}
	}
	tenantID, err := r.Tenant(ctx, kind, key)
	if err != nil {
		return err
	}
	if err = read(tenantID); err == nil && r.known != nil {
		r.known.Add(name, tenantID)
	}
	return err
}

// Owners are the tenants that share something with another, or offer to.
func (r Reader) Owners(ctx context.Context, recipientID string) ([]string, error) {
	rows, err := r.db.QueryContext(ctx, `SELECT DISTINCT tenant_id FROM directory WHERE recipient_id = $1 ORDER BY tenant_id`, recipientID)
	return database.ReadAll(rows, err, "list owners", database.ScanText)
}

// Entry is a row of the directory.
type Entry struct {
	Kind          Kind
	Key, TenantID string
	RecipientID   *string      // with whom it is shared
	Until         *drover.Time // when it ends by itself
}

// Add writes an entry. A key that another has is ErrExists.
func Add(ctx context.Context, tx *database.Tx, e Entry) error {
	err := database.Changed(tx.Write("directory").ExecContext(ctx, `INSERT INTO directory (kind, key, tenant_id, recipient_id, expires_at)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT (kind, key) DO NOTHING`, e.Kind, e.Key, e.TenantID, e.RecipientID, e.Until))
	if errors.Is(err, database.ErrNotFound) {
		return database.ErrExists
	}
	if err != nil {
		return fmt.Errorf("write into the directory: %w", err)
	}
	return nil
}

// Drop deletes the entries of what is about to be deleted: rows of the table of a kind.
// Where is a condition on them that begins with their tenant.
func Drop(ctx context.Context, tx *database.Tx, kind Kind, where string, args ...any) error {
	for _, s := range sources {
		if s.kind != kind {
			continue
		}
		if _, err := tx.Write("directory").ExecContext(ctx, `DELETE FROM directory WHERE kind = '`+string(kind)+`' AND key IN (SELECT `+s.key+
			` FROM `+s.table+` WHERE `+where+`)`, args...); err != nil {
			return fmt.Errorf("delete from the directory: %w", err)
		}
	}
	return nil
}

// DropExpired deletes the entries that ended by themselves before a time.
func DropExpired(ctx context.Context, tx *database.Tx, before drover.Time) error {
	if _, err := tx.Write("directory").ExecContext(ctx, `DELETE FROM directory WHERE expires_at < $1`, before); err != nil {
		return fmt.Errorf("delete from the directory: %w", err)
	}
	return nil
}

// all is what the directory should hold.
func all() string {
	parts := make([]string, len(sources))
	for i, s := range sources {
		parts[i] = `SELECT '` + string(s.kind) + `' AS kind, ` + s.key + ` AS key, CAST(tenant_id AS TEXT) AS tenant_id, ` + s.recipient +
			` AS recipient_id, ` + s.until + ` AS expires_at FROM ` + s.table
	}
	return strings.Join(parts, ` UNION ALL `)
}

// Faults are the entries that are missing, so that what they name is not found, and those of
// what is gone, whose names no one else can take.
func (r Reader) Faults(ctx context.Context) (missing, stale []Entry, err error) {
	const same = `a.kind = d.kind AND a.key = d.key AND a.tenant_id = CAST(d.tenant_id AS TEXT)`
	for query, list := range map[string]*[]Entry{
		`SELECT a.kind, a.key, a.tenant_id, a.recipient_id, a.expires_at FROM (` + all() + `) AS a
		WHERE NOT EXISTS (SELECT 1 FROM directory d WHERE ` + same + `)`: &missing,
		`SELECT d.kind, d.key, d.tenant_id, d.recipient_id, d.expires_at FROM directory d
		WHERE NOT EXISTS (SELECT 1 FROM (` + all() + `) AS a WHERE ` + same + `)`: &stale,
	} {
		rows, err := r.db.QueryContext(ctx, query)
		*list, err = database.ReadAll(rows, err, "compare the directory", func(row database.Scanner) (e Entry, err error) {
			return e, row.Scan(&e.Kind, &e.Key, &e.TenantID, &e.RecipientID, &e.Until)
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return missing, stale, nil
}

// Mend puts faults right.
func Mend(ctx context.Context, tx *database.Tx, missing, stale []Entry) error {
	for _, e := range stale {
		if _, err := tx.Write("directory").ExecContext(ctx, `DELETE FROM directory WHERE kind = $1 AND key = $2 AND tenant_id = $3`, e.Kind, e.Key,
			e.TenantID); err != nil {
			return fmt.Errorf("mend the directory: %w", err)
		}
	}
	for _, e := range missing {
		if err := Add(ctx, tx, e); err != nil {
			return err
		}
	}
	return nil
}
