package work

import "context"

// HoldOwner shows other processes that owner is alive, until ctx is done or the
// line is lost. Held is called once it does. An embedded database has no other
// process to show it to.
func (q Jobs) HoldOwner(ctx context.Context, owner string, held func()) error {
	return q.database.HoldOwner(ctx, owner, held)
}

// DeadOwners returns those of the owners that do not show that they are alive.
func (q Jobs) DeadOwners(ctx context.Context, owners []string) ([]string, error) {
	return q.database.DeadOwners(ctx, owners)
}
