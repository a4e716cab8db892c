package account

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Brand reads how a tenant shows itself; nil where it has set nothing.
func (q Reader) Brand(ctx context.Context, tenantID string) (*drover.Brand, error) {
	var text *string
	err := q.db.QueryRowContext(ctx, `SELECT brand FROM tenant WHERE id = $1`, tenantID).Scan(&text)
	if err = database.Found(err, "read brand"); err != nil || text == nil {
		return nil, err
	}
	var b drover.Brand
	if err := json.Unmarshal([]byte(*text), &b); err != nil {
		return nil, fmt.Errorf("read brand: %w", err)
	}
	return &b, nil
}

// SetBrand stores how a tenant shows itself.
func (tx Editor) SetBrand(ctx context.Context, tenantID string, b drover.Brand) error {
	var text *string
	if b != (drover.Brand{}) {
		data, err := json.Marshal(b)
		if err != nil {
			return fmt.Errorf("set brand: %w", err)
		}
		text = new(string(data))
	}
	if _, err := tx.tx.Write("tenant").ExecContext(ctx, `UPDATE tenant SET brand = $2 WHERE id = $1`, tenantID, text); err != nil {
		return fmt.Errorf("set brand: %w", err)
	}
	return nil
}
