package work

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// PushOpened notes that the vendor's push of a connection is open, for as long as the
// claim stands.
func (tx JobsTx) PushOpened(ctx context.Context, c Claim, at drover.Time) error {
	return tx.notePush(ctx, c, c.Owner, at, nil)
}

// PushEnded notes that the vendor's push of a connection was closed, or could not be
// opened. Message says what was wrong, nil where nothing was.
func (tx JobsTx) PushEnded(ctx context.Context, c Claim, at drover.Time, message *string) error {
	return tx.notePush(ctx, c, "", at, message)
}

// notePush leaves what another claim has noted since.
func (tx *Tx) notePush(ctx context.Context, c Claim, owner string, at drover.Time, message *string) error {
	_, err := tx.tx.Write("collection").ExecContext(ctx, `UPDATE collection SET push_owner = $4, push_since = $5, push_message = $6
		WHERE tenant_id = $1 AND connection_id = $2 AND leased_by = $3`, c.TenantID, c.ConnectionID, c.Owner, owner, at, message)
	if err != nil {
		return fmt.Errorf("note the push: %w", err)
	}
	return nil
}

// Push says whether the vendor's push of a connection is open in any process.
// When one was cut is not known where its process died.
func (q JobsReader) Push(ctx context.Context, tenantID, connectionID string, now drover.Time) (drover.Push, error) {
	s := drover.Push{State: drover.PushClosed}
	var noted, open bool
	err := q.db.QueryRowContext(ctx, `SELECT push_owner <> '', push_owner = leased_by AND leased_until > `+q.clock.param(3)+
		`, push_since, push_message
		FROM collection WHERE tenant_id = $1 AND connection_id = $2`, tenantID, connectionID, q.clock.sent(now)).Scan(&noted, &open, &s.Since,
		&s.Message)
	switch {
	case err != nil:
		return s, database.Found(err, "read the push")
	case noted && open:
		s.State = drover.PushOpen
	case noted:
		s.Since = nil
	}
	return s, nil
}
