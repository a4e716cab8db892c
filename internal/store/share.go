package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/directory"
)

// present is the time by which shares are judged.
func (q queries) present() drover.Time { return drover.At(q.now()) }

const selectShare = `SELECT cs.id, cs.connection_id, cs.tenant_id, cs.shared_with, cs.positions, cs.drivers, cs.readings, cs.safety, cs.created_at, cs.accepted_at, cs.expires_at FROM connection_share cs`

func (q queries) scanShare(row database.Scanner) (drover.Share, error) {
	s := drover.Share{Scopes: []drover.ShareScope{}}
	var positions, drivers, readings, safety bool
	err := row.Scan(&s.ID, &s.ConnectionID, &s.OwnerTenantID, &s.TenantID, &positions, &drivers, &readings, &safety, &s.CreatedAt,
		&s.AcceptedAt, &s.ExpiresAt)
	if positions {
		s.Scopes = append(s.Scopes, drover.ScopePositions)
	}
	if drivers {
		s.Scopes = append(s.Scopes, drover.ScopeDrivers)
	}
	if readings {
		s.Scopes = append(s.Scopes, drover.ScopeReadings)
	}
	if safety {
		s.Scopes = append(s.Scopes, drover.ScopeSafety)
	}
	s.State = s.StateAt(q.present())
	return s, err
}

// Share reads a share, whichever tenant's it is.
func (q SharesReader) Share(ctx context.Context, id string) (drover.Share, error) {
	var s drover.Share
	err := q.whose.Find(ctx, directory.Share, id, func(owner string) (err error) {
		s, err = q.scanShare(q.db.QueryRowContext(ctx, selectShare+` WHERE cs.tenant_id = $1 AND cs.id = $2`, owner, id))
		return database.Found(err, "read share")
	})
	return s, err
}

// sharers are those who shared something with a tenant at a time.
type sharers struct {
	owners []string
	at     time.Time
}

const (
	// sharersKept is of how many tenants they are remembered, and sharersFor how long: another
	// process may have stored an offer meanwhile, which someone has yet to accept.
	sharersKept = 10_000
	sharersFor  = time.Second
)

// alone reports whether no one shares anything with a tenant: then its lists need not ask for
// what others own. Where that is not known it is false.
func (q queries) alone(ctx context.Context, tenantID string) bool {
	if q.sharers == nil { // in a transaction
		return false
	}
	owners, err := q.owners(ctx, tenantID)
	return err == nil && len(owners) == 0
}

// owners are the tenants that share something with another, or offer to.
func (q queries) owners(ctx context.Context, tenantID string) ([]string, error) {
	if q.sharers == nil {
		return q.whose.Owners(ctx, tenantID)
	}
	now := q.now()
	if known, ok := q.sharers.Get(tenantID); ok && now.Sub(known.at).Abs() < sharersFor {
		return known.owners, nil
	}
	owners, err := q.whose.Owners(ctx, tenantID)
	if err == nil {
		q.sharers.Add(tenantID, sharers{owners, now})
	}
	return owners, err
}

// Owners are the tenants that share a connection with another, or offer to.
func (q SharesReader) Owners(ctx context.Context, recipientID string) ([]string, error) {
	return q.whose.Owners(ctx, recipientID)
}

// ShareWith reads the share of a connection with a tenant.
func (q SharesReader) ShareWith(ctx context.Context, owner, connectionID, tenantID string) (drover.Share, error) {
	s, err := q.scanShare(q.db.QueryRowContext(ctx, selectShare+` WHERE cs.tenant_id = $1 AND cs.connection_id = $2 AND cs.shared_with = $3`,
		owner, connectionID, tenantID))
	return s, database.Found(err, "read share")
}

// ConnectionShares lists the shares of a connection.
func (q SharesReader) ConnectionShares(ctx context.Context, owner, connectionID string) ([]drover.Share, error) {
	rows, err := q.db.QueryContext(ctx, selectShare+` WHERE cs.tenant_id = $1 AND cs.connection_id = $2 ORDER BY cs.created_at, cs.shared_with`, owner, connectionID)
	return database.ReadAll(rows, err, "list shares", q.scanShare)
}

// Shares lists what a tenant shares and what is shared with it, by id, after the
// id given.
func (q SharesReader) Shares(ctx context.Context, tenantID, after string, limit int) ([]drover.Share, error) {
	if q.d.Distributed() {
		return q.sharesApart(ctx, tenantID, after, limit)
	}
	w := database.Where{Args: []any{tenantID}, Parts: []string{"(cs.tenant_id = $1 OR cs.shared_with = $1)"}}
	return q.sharesWhere(ctx, w, after, limit)
}

// sharesApart asks, besides its own server, those of the tenants that share something with it.
func (q queries) sharesApart(ctx context.Context, tenantID, after string, limit int) ([]drover.Share, error) {
	owners, err := q.whose.Owners(ctx, tenantID)
	if err != nil {
		return nil, err
	}
	list, err := q.sharesWhere(ctx, database.Where{Args: []any{tenantID}, Parts: []string{"cs.tenant_id = $1"}}, after, limit)
	for _, owner := range owners {
		if err != nil {
			return nil, err
		}
		var some []drover.Share
		some, err = q.sharesWhere(ctx, database.Where{Args: []any{owner, tenantID}, Parts: []string{"cs.tenant_id = $1", "cs.shared_with = $2"}}, after, limit)
		list = append(list, some...)
	}
	order.By(list, func(a, b drover.Share) int { return strings.Compare(a.ID, b.ID) })
	return list[:min(limit, len(list))], err
}

func (q queries) sharesWhere(ctx context.Context, w database.Where, after string, limit int) ([]drover.Share, error) {
	w.ID("cs.id >", after)
	rows, err := q.db.QueryContext(ctx, selectShare+w.SQL()+w.Limit("cs.id", limit), w.Args...)
	return database.ReadAll(rows, err, "list shares", q.scanShare)
}

// AddShare offers a connection to another tenant. Where it is offered already,
// nothing changes.
func (tx SharesTx) AddShare(ctx context.Context, s drover.Share, g drover.Grant) error {
	res, err := tx.write("connection_share").ExecContext(ctx, `INSERT INTO connection_share
		(tenant_id, connection_id, shared_with, id, positions, drivers, readings, safety, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (tenant_id, connection_id, shared_with) DO NOTHING`,
		s.OwnerTenantID, s.ConnectionID, s.TenantID, s.ID, g&drover.GrantPositions != 0, g&drover.GrantDrivers != 0,
		g&drover.GrantReadings != 0, g&drover.GrantSafety != 0, s.CreatedAt, s.ExpiresAt)
	if err != nil {
		return fmt.Errorf("share connection: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	*tx.offered = append(*tx.offered, s.TenantID)
	return directory.Add(ctx, tx.tx, directory.Entry{Kind: directory.Share, Key: s.ID, TenantID: s.OwnerTenantID, RecipientID: &s.TenantID})
}

// AcceptShare makes an offer give access.
func (tx SharesTx) AcceptShare(ctx context.Context, s drover.Share, at drover.Time) error {
	_, err := tx.write("connection_share").ExecContext(ctx,
		`UPDATE connection_share SET accepted_at = $3 WHERE tenant_id = $1 AND id = $2 AND accepted_at IS NULL`, s.OwnerTenantID, s.ID, at)
	if err != nil {
		return fmt.Errorf("accept share: %w", err)
	}
	*tx.offered = append(*tx.offered, s.TenantID) // another process may have made the offer
	return nil
}

// DropShare ends a share. It reports whether there was one.
func (tx SharesTx) DropShare(ctx context.Context, s drover.Share) (bool, error) {
	if err := directory.Drop(ctx, tx.tx, directory.Share, `tenant_id = $1 AND id = $2`, s.OwnerTenantID, s.ID); err != nil {
		return false, err
	}
	res, err := tx.write("connection_share").ExecContext(ctx, `DELETE FROM connection_share WHERE tenant_id = $1 AND id = $2`,
		s.OwnerTenantID, s.ID)
	if err != nil {
		return false, fmt.Errorf("end share: %w", err)
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// Recipients are the tenants that a connection is shared with now, and what each
// may read of it.
func (q SharesReader) Recipients(ctx context.Context, owner, connectionID string) (map[string]drover.Grant, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT cs.shared_with, `+grantColumn+
		` FROM connection_share cs WHERE cs.tenant_id = $1 AND cs.connection_id = $2 AND `+activeShare(3),
		owner, connectionID, q.present())
	grants := map[string]drover.Grant{}
	_, err = database.ReadAll(rows, err, "read recipients", func(row database.Scanner) (struct{}, error) {
		var tenant string
		var g drover.Grant
		err := row.Scan(&tenant, &g)
		grants[tenant] = g
		return struct{}{}, err
	})
	return grants, err
}

// ForeignGrants is what a tenant may read now of those connections, and of the
// connections of those devices, that are not its own: by id. What is missing is
// its own, or unknown.
func (q SharesReader) ForeignGrants(ctx context.Context, asker string, connectionIDs, deviceIDs []string) (map[string]drover.Grant, error) {
	grants := map[string]drover.Grant{}
	for _, of := range []struct {
		table, connection string
		ids               []string
	}{{"connection", "r.id", connectionIDs}, {"device", "r.connection_id", deviceIDs}} {
		ids, err := of.ids, error(nil)
		if len(ids) > 0 && q.d.Distributed() {
			ids, err = q.nearGrants(ctx, asker, of.table, of.connection, ids, grants)
		}
		if err == nil && len(ids) > 0 {
			_, err = q.grants(ctx, of.table, of.connection, "", []any{asker, q.present(), q.d.List(ids)}, grants)
		}
		if err != nil {
			return nil, err
		}
	}
	return grants, nil
}

// grants adds what is known of records of others or of one owner, and returns which those are.
func (q queries) grants(
	ctx context.Context,
	table, connection, owner string,
	args []any,
	known map[string]drover.Grant,
) ([]string, error) {
	tenant, of := "r.tenant_id", "r.tenant_id <> $1"
	if owner != "" {
		tenant, of, args = "$4", "r.tenant_id = $4", append(args, owner)
	}
	rows, err := q.db.QueryContext(ctx, `SELECT r.id, `+sharedColumn(tenant, connection, 2)+` FROM `+table+` r WHERE r.id `+
		q.d.InList(3)+` AND `+of, args...)
	return database.ReadAll(rows, err, "read grants", func(row database.Scanner) (id string, err error) {
		var g drover.Grant
		err = row.Scan(&id, &g)
		known[id] = g
		return id, err
	})
}

// nearGrants adds what is of those who share with the asker, or have, one tenant after the other, and returns
// what is neither theirs nor its own: that alone is asked of all servers.
func (q queries) nearGrants(
	ctx context.Context,
	asker, table, connection string,
	ids []string,
	known map[string]drover.Grant,
) (rest []string, err error) {
	without := func(found []string) {
		rest = slices.DeleteFunc(rest, func(id string) bool { return slices.Contains(found, id) })
	}
	rest = slices.Clone(ids)
	rows, err := q.db.QueryContext(ctx, `SELECT id FROM `+table+` WHERE tenant_id = $1 AND id `+q.d.InList(2), asker, q.d.List(rest))
	own, err := database.ReadAll(rows, err, "read what is one's own", database.ScanText)
	if without(own); err != nil || len(rest) == 0 {
		return nil, err
	}
	asked := map[string]bool{}
	for _, list := range []func(ctx context.Context, recipientID string) ([]string, error){q.whose.Owners, q.formerOwners} {
		owners, err := list(ctx, asker)
		if err != nil {
			return nil, err
		}
		for _, owner := range owners {
			if asked[owner] {
				continue
			}
			found, err := q.grants(database.Ask(ctx, q.d.PlaceOf(owner)), table, connection, owner, []any{asker, q.present(), q.d.List(rest)}, known)
			if err != nil {
				return nil, err
			}
			asked[owner] = true
			if without(found); len(rest) == 0 {
				return nil, nil
			}
		}
	}
	return rest, nil
}

// formerOwners are those of whom a tenant has received anything.
func (q queries) formerOwners(ctx context.Context, recipientID string) ([]string, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT owner_id FROM inbox WHERE tenant_id = $1 ORDER BY owner_id`, recipientID)
	return database.ReadAll(rows, err, "list those who have shared", database.ScanText)
}

// AddShareCode stores the hash of a code.
func (tx SharesTx) AddShareCode(ctx context.Context, tenantID, hash string, expires drover.Time) error {
	if err := directory.Drop(ctx, tx.tx, directory.ShareCode, `tenant_id = $1 AND expires_at <= $2`, tenantID, tx.present()); err != nil {
		return err
	}
	_, err := tx.write("share_code").ExecContext(ctx, `DELETE FROM share_code WHERE tenant_id = $1 AND expires_at <= $2`, tenantID,
		tx.present())
	if err != nil {
		return fmt.Errorf("drop old codes: %w", err)
	}
	_, err = tx.write("share_code").ExecContext(ctx, `INSERT INTO share_code (tenant_id, hash, expires_at) VALUES ($1, $2, $3)`, tenantID,
		hash, expires)
	if err != nil {
		return fmt.Errorf("add code: %w", err)
	}
	return directory.Add(ctx, tx.tx, directory.Entry{Kind: directory.ShareCode, Key: hash, TenantID: tenantID, Until: &expires})
}

// TakeShareCode finds the tenant of a code, which cannot be used again.
func (tx SharesTx) TakeShareCode(ctx context.Context, hash string) (tenantID string, err error) {
	if tenantID, err = tx.whose.Tenant(ctx, directory.ShareCode, hash); err != nil {
		return "", err
	}
	if err := directory.Drop(ctx, tx.tx, directory.ShareCode, `tenant_id = $1 AND hash = $2`, tenantID, hash); err != nil {
		return "", err
	}
	return tenantID, database.Changed(tx.write("share_code").ExecContext(ctx,
		`DELETE FROM share_code WHERE tenant_id = $1 AND hash = $2 AND expires_at > $3`, tenantID, hash, tx.present()))
}
