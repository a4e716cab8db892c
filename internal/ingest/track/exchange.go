package track

import (
	"context"
	"slices"
	"strings"

	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
)

// isDerived reports whether a trip was derived.
func isDerived(systemTripID string) bool { return strings.HasPrefix(systemTripID, trip.DerivedPrefix) }

// exchange gives a new trip the place of those of the other source that share time with
// it, once a connection's trips come from elsewhere: the vendor's instead of derived
// ones, or the other way round. The one that shares the most becomes it and keeps its
// id; the others are dropped. It reports whether there were any.
func (d *device) exchange(ctx context.Context, t found, neighbours []store.Trip) (done bool, err error) {
	others := slices.DeleteFunc(slices.Clone(neighbours),
		func(n store.Trip) bool { return isDerived(n.SystemTripID) == isDerived(t.SystemTripID) })
	if len(others) == 0 {
		return false, nil
	}
	heir := successor(store.Trip{Trip: t.Trip}, others)
	for _, o := range others {
		if o.ID != heir {
			if err := d.drop(ctx, o); err != nil {
				return true, err
			}
		}
	}
	for _, o := range others {
		if o.ID == heir {
			err = d.change(ctx, o, t)
		}
		if err != nil {
			return true, err
		}
	}
	for _, o := range others {
		if o.ID != heir {
			if err := d.notifyDissolved(ctx, o); err != nil {
				return true, err
			}
		}
	}
	return true, nil
}
