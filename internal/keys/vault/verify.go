package vault

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover/internal/store"
)

// Verify opens every sealed value of the database and returns how many there are. It
// changes nothing.
func (v *Vault) Verify(ctx context.Context) (int, error) {
	total := 0
	for _, table := range store.SealedTables {
		for after, more := "", true; more; {
			var page []store.Sealed
			err := v.Store.Update(ctx, func(tx *store.Tx) (err error) {
				page, err = tx.Fleet.SealedAfter(ctx, table, after, resealPage)
				return err
			})
			if err != nil {
				return total, err
			}
			for _, s := range page {
				if len(s.Sealed) == 0 {
					continue
				}
				if _, err := v.Open(ctx, s.Sealed, s.Bind()...); err != nil {
					return total, fmt.Errorf("%s %s of tenant %s does not open: %w", table.Name, s.ID, s.TenantID, err)
				}
				total++
			}
			if more = len(page) == resealPage; more {
				after = page[len(page)-1].ID
			}
		}
	}
	return total, nil
}
