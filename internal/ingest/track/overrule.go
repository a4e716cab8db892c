package track

import (
	"context"
	"reflect"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// Overrule stores what a person says of a trip, sums its days up again, and returns
// the trip with the events about it.
func (t *Tracker) Overrule(
	ctx context.Context,
	tx *store.Tx,
	from Source,
	deviceID, tripID string,
	word func(drover.Trip, store.Judgement) (store.Judgement, error),
) (store.Trip, []drover.Event, error) {
	from, err := from.with(ctx, tx.Accounts, nil)
	if err != nil {
		return store.Trip{}, nil, err
	}
	states, err := deviceStates(ctx, tx.Fleet, from.TenantID, []string{deviceID}) // no one else stores its trips meanwhile
	if err != nil {
		return store.Trip{}, nil, err
	}
	before, err := tx.Trips.Trip(ctx, from.TenantID, tripID)
	if err != nil {
		return before, nil, err
	}
	d := t.device(tx, from, states[deviceID], false)
	after := before
	if after.Judgement, err = word(before.Trip, before.Judgement); err != nil {
		return after, nil, err
	}
	if reflect.DeepEqual(before.Judgement, after.Judgement) {
		return before, nil, nil
	}
	neighbours, err := d.neighbours(ctx, after)
	if err != nil {
		return after, nil, err
	}
	d.judge(&after, neighbours)
	if drover.SameTrip(before.Trip, after.Trip) {
		return after, nil, tx.Trips.SetTrip(ctx, before, after)
	}
	if err := d.set(ctx, before, after); err != nil {
		return after, nil, err
	}
	return after, d.events, d.storeDays(ctx)
}
