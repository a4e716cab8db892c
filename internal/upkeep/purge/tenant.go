package purge

import (
	"context"
	"errors"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// runTenants erases all tenants that are to be, to the end.
func (e *Eraser) runTenants(ctx context.Context) error {
	for ctx.Err() == nil {
		id, err := e.Store.Jobs.ClaimErasure(ctx, drover.At(e.Now()), drover.At(e.Now().Add(claim)))
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := e.eraseTenant(ctx, id); err != nil {
			return err
		}
		e.Logger.InfoContext(ctx, "erased a tenant", "tenant", id)
	}
	return ctx.Err()
}

// eraseTenant erases a tenant: its connections one after the other, as they are erased by
// themselves, with what others have received of them, and then all else that is its own.
func (e *Eraser) eraseTenant(ctx context.Context, id string) error {
	if err := e.renewTenant(ctx, id); err != nil {
		return err
	}
	connections, err := e.Store.Fleet.Connections(ctx, id, "")
	if err != nil {
		return err
	}
	for _, c := range connections {
		if c.TenantID != id { // shared with it
			continue
		}
		if err := e.eraseOfTenant(ctx, id, c.ID); err != nil {
			return err
		}
	}
	if err := e.Store.UpdateBulk(ctx, func(tx *store.Tx) error { return tx.Jobs.EraseBetween(ctx, id) }); err != nil {
		return err
	}
	for more := true; more; {
		err := e.Store.UpdateBulk(ctx, func(tx *store.Tx) (err error) {
			if more, err = tx.Jobs.EraseRest(ctx, id); err != nil || more {
				return err
			}
			return tx.Jobs.DropTenant(ctx, id)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *Eraser) renewTenant(ctx context.Context, id string) error {
	return e.Store.UpdateBulk(ctx, func(tx *store.Tx) error {
		return tx.Jobs.RenewErasure(ctx, id, drover.At(e.Now().Add(claim)))
	})
}

// eraseOfTenant erases a connection of a tenant that goes, and what the feeds of others say
// of it.
func (e *Eraser) eraseOfTenant(ctx context.Context, tenantID, connectionID string) error {
	recipients, err := e.Store.Jobs.Recipients(ctx, tenantID)
	if err != nil {
		return err
	}
	for _, recipient := range recipients {
		if err := e.eraseCopies(ctx, work.Purge{TenantID: recipient, ConnectionID: connectionID, Whole: true}); err != nil {
			return err
		}
	}
	last, err := e.Store.Feed.LastEvent(ctx, tenantID)
	if err != nil {
		return err
	}
	p := work.Purge{TenantID: tenantID, ConnectionID: connectionID, EventTo: last, Whole: true}
	for more := true; more; {
		if more, err = e.Step(ctx, &p); err != nil {
			return err
		}
	}
	return e.renewTenant(ctx, tenantID)
}

// eraseCopies erases what a feed, and what was sent, says of a connection.
func (e *Eraser) eraseCopies(ctx context.Context, p work.Purge) (err error) {
	if p.EventTo, err = e.Store.Feed.LastEvent(ctx, p.TenantID); err != nil {
		return err
	}
	for p.EventAfter < p.EventTo {
		if err := e.eraseEvents(ctx, &p); err != nil {
			return err
		}
	}
	return e.eraseDeliveries(ctx, p)
}
