package store

import "context"

// HoldOwner shows other processes that owner is alive, until ctx is done or the
// line is lost. Held is called once it does. An embedded database has no other
// process to show it to.
func (s *Store) HoldOwner(ctx context.Context, owner string, held func()) error {
	return s.database.HoldOwner(ctx, owner, held)
}

// DeadOwners returns those of the owners that do not show that they are alive.
func (s *Store) DeadOwners(ctx context.Context, owners []string) ([]string, error) {
	return s.database.DeadOwners(ctx, owners)
}
