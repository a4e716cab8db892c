package store

import (
	"fmt"

	"github.com/drover-fleet/drover"
)

// Access says whose a record is, and what the tenant who asked for it may read of
// its connection by a share.
type Access struct {
	TenantID string
	Shared   drover.Grant
}

// activeShare is the one rule of when a share gives access: once it is accepted,
// until it expires, and while neither side is suspended. Now is the parameter that
// holds the present.
func activeShare(now int) string {
	return fmt.Sprintf(`cs.accepted_at IS NOT NULL AND (cs.expires_at IS NULL OR cs.expires_at > $%d)
		AND NOT EXISTS (SELECT 1 FROM tenant st WHERE st.id IN (cs.tenant_id, cs.shared_with) AND st.suspended = TRUE)`, now)
}

// grantColumn is what a share gives, as a number.
const grantColumn = `1 + CASE WHEN cs.positions THEN 2 ELSE 0 END + CASE WHEN cs.drivers THEN 4 ELSE 0 END + CASE WHEN cs.readings THEN 8 ELSE 0 END + CASE WHEN cs.safety THEN 16 ELSE 0 END`

// sharedColumn says what tenant $1 may read of the connection named by a share.
func sharedColumn(tenant, connection string, now int) string {
	return `COALESCE((SELECT ` + grantColumn + ` FROM connection_share cs WHERE cs.tenant_id = ` + tenant +
		` AND cs.connection_id = ` + connection + ` AND cs.shared_with = $1 AND ` + activeShare(now) + `), 0)`
}

// shares are the conditions of the shares by which tenant $1 sees records of others. $2 is
// the present.
func shares() string { return `cs.shared_with = $1 AND ` + activeShare(2) }
