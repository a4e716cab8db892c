package fleet

import (
	"context"
	"errors"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/store"
)

// Changes lists what changed of a kind of records, for a program that keeps a copy: after
// a place, after a time or, without either, from the first record on. It is read from the
// database itself: a follower may not have a record's change yet.
func (s Account) Changes(
	ctx context.Context,
	p drover.Principal,
	kind drover.ChangeKind,
	at *drover.ChangeCursor,
	after *drover.Time,
	limit int,
) (drover.ChangeList, error) {
	list, err := s.store.Fleet.Changes(ctx, p.TenantID, kind, at, after, limit)
	if errors.Is(err, store.ErrTooOld) {
		return list, drover.Errorf(drover.KindGone, "The changes since then are not known any more: take a new snapshot, from a first page without cursor and updated_after")
	}
	if errors.Is(err, store.ErrApart) {
		return list, drover.Invalid("value_error", "The changes of records cannot be listed where tenants lie on several servers", "query", "sort")
	}
	for i, c := range list.Changes {
		switch record := c.Record.(type) {
		case drover.Milestone:
			list.Changes[i].Record = record.SeenBy(p)
		case []store.ReadingSeries:
			list.Changes[i].Record = track.ShownReadings(record)[0]
		}
	}
	return list, err
}
