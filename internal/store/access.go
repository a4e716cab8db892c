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
const grantColumn = `1 + CASE WHEN cs.positions THEN 2 ELSE 0 END + CASE WHEN cs.drivers THEN 4 ELSE 0 END`

// sharedColumn tells what tenant $1 may read of the connection named by a share.
func sharedColumn(tenant, connection string, now int) string {
	return `COALESCE((SELECT ` + grantColumn + ` FROM connection_share cs WHERE cs.tenant_id = ` + tenant +
		` AND cs.connection_id = ` + connection + ` AND cs.shared_with = $1 AND ` + activeShare(now) + `), 0)`
}

// visible selects the rows of tenant $1 and those of connections shared with it. $2
// is the present.
func visible(alias, connection string) string {
	return fmt.Sprintf(`(%s.tenant_id = $1 OR %s.%s IN (SELECT cs.connection_id FROM connection_share cs WHERE cs.shared_with = $1 AND %s))`,
		alias, alias, connection, activeShare(2))
}

// visiblePositions is visible for positions.
func visiblePositions(alias, connection string) string {
	return fmt.Sprintf(`(%s.tenant_id = $1 OR %s.%s IN (SELECT cs.connection_id FROM connection_share cs WHERE cs.shared_with = $1 AND cs.positions = TRUE AND %s))`,
		alias, alias, connection, activeShare(2))
}
