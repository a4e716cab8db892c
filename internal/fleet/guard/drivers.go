package guard

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// MayReadDrivers refuses a caller who may not know who drives the vehicles of a connection.
// A driver's record is all about a person, so that nothing of it is for others.
func MayReadDrivers(p drover.Principal, a store.Access) error {
	if err := Readable(p, a); err != nil {
		return err
	}
	if !GrantOf(p, a).Drivers() {
		return drover.Requires(drover.ScopeDrivers)
	}
	return nil
}
