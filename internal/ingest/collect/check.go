package collect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// errBusy says that the connection is being read all the time, so that there is no
// room for a question of one's own. Its health is fresh then.
var errBusy = errors.New("the connection is being collected at the moment; see its health")

// busyWait is longer than a turn: anyone who reads lets others have theirs then.
const busyWait = turn + 5*time.Second

// Check asks the vendor whether a connection's credentials work. The error is of
// one of the kinds of package provider where the vendor says no.
func (c *Collector) Check(ctx context.Context, tenantID, connectionID string) error {
	return c.holding(ctx, tenantID, connectionID, func(ctx context.Context, v *run) error { return v.check(ctx) })
}

// Authorize keeps what a person's consent gave a connection, and asks the vendor
// whether it works. Collection goes on at once.
func (c *Collector) Authorize(ctx context.Context, tenantID, connectionID, code string) error {
	return c.holding(ctx, tenantID, connectionID, func(ctx context.Context, v *run) error {
		if err := v.authorize(ctx, code); err != nil {
			return err
		}
		if err := v.check(ctx); err != nil {
			return err
		}
		defer c.Wake()
		return c.opts.Store.Update(ctx, func(tx *store.Tx) error {
			return errors.Join(tx.Fleet.RushJobs(ctx, tenantID, connectionID, c.now()), tx.Jobs.WakeCollection(ctx, tenantID, connectionID, c.now()))
		})
	})
}

// holding holds a connection for some work besides its collection.
func (c *Collector) holding(ctx context.Context, tenantID, connectionID string, do func(context.Context, *run) error) error {
	v := &run{c: c, claim: work.Claim{TenantID: tenantID, ConnectionID: connectionID, Owner: c.opts.Owner + "/" + store.NewID()}}
	due, err := v.await(ctx)
	if err != nil {
		return err
	}
	err = v.hold(ctx, func(ctx context.Context) error {
		conn, err := c.opts.Store.Fleet.Connection(ctx, tenantID, connectionID)
		if err != nil {
			return err
		}
		v.conn = conn.Connection
		if err := v.loadFile(ctx); err != nil {
			return err
		}
		return do(ctx, v)
	})
	ctx = context.WithoutCancel(ctx)
	released := c.opts.Store.Update(ctx, func(tx *store.Tx) error { return tx.Jobs.ReleaseLease(ctx, v.claim, due) })
	c.waiting.free(connectionID)
	if err == nil && !errors.Is(released, work.ErrLeaseLost) {
		err = released
	}
	return err
}

// await takes the connection as soon as no one else has it. Where this process
// reads it, the turn ends with the page that is being read.
func (v *run) await(ctx context.Context) (due drover.Time, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, busyWait, errBusy)
	defer cancel()
	waiting, id := &v.c.waiting, v.claim.ConnectionID
	waiting.join(id)
	defer waiting.leave(id)
	for wait := range looks() {
		freed := waiting.freed(id)
		v.claim.LeasedUntil = v.c.leaseEnd()
		due, err = v.c.opts.Store.Jobs.ClaimCollection(ctx, v.claim, v.c.now())
		if !errors.Is(err, work.ErrBusy) {
			break
		}
		v.askFor(ctx, wait)
		timer := time.NewTimer(wait)
		select {
		case <-freed:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			break
		}
	}
	if err != nil && ctx.Err() != nil { // whichever of the steps noticed it
		err = context.Cause(ctx)
	}
	return due, err
}

// askFor lets another process that follows the connection's push know that someone
// wants it. Anyone who only reads gives it back soon in any case.
func (v *run) askFor(ctx context.Context, wait time.Duration) {
	if wait < lastLook {
		return
	}
	err := v.c.opts.Store.Update(ctx, func(tx *store.Tx) error {
		return tx.Jobs.WakeCollection(ctx, v.claim.TenantID, v.claim.ConnectionID, v.c.now())
	})
	if err != nil && ctx.Err() == nil {
		v.c.opts.Logger.WarnContext(ctx, "ask for a connection", "connection", v.claim.ConnectionID, "err", err)
	}
}

func (v *run) check(ctx context.Context) error {
	a, err := v.c.adapter(ctx, v.conn, v.info)
	if err != nil {
		return err
	}
	v.use(a)
	return a.Check(ctx)
}

// authorize trades the code where the vendor wants that, and keeps what it gave.
func (v *run) authorize(ctx context.Context, code string) error {
	sealed, err := v.c.opts.Store.Fleet.Credentials(ctx, v.claim.TenantID, v.claim.ConnectionID)
	if err != nil {
		return err
	}
	credentials, err := v.c.openCredentials(ctx, v.conn, sealed)
	if err != nil {
		return err
	}
	if credentials, err = v.c.agreed(ctx, v.conn, credentials, code); err != nil {
		return err
	}
	plain, err := json.Marshal(credentials)
	if err != nil {
		return errors.New("write credentials")
	}
	if sealed, err = v.c.opts.Vault.Seal(plain, v.claim.TenantID, v.claim.ConnectionID); err != nil {
		return fmt.Errorf("seal credentials: %w", err)
	}
	return v.c.opts.Store.Update(ctx, func(tx *store.Tx) error {
		return tx.Fleet.SetCredentials(ctx, store.Sealed{TenantID: v.claim.TenantID, ID: v.claim.ConnectionID, Sealed: sealed})
	})
}
