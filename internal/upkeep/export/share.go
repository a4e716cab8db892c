package export

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// Ended reports whether one of the shares that a file was made with has ended since. Its
// records are another tenant's, who has taken them back.
func (r *Runner) Ended(ctx context.Context, e work.Export) (bool, error) {
	if len(e.Shares) == 0 {
		return false, nil
	}
	open, err := openShares(ctx, r.Store, e.TenantID)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(e.Shares, func(id string) bool {
		return !slices.ContainsFunc(open, func(share drover.Share) bool { return share.ID == id })
	}), nil
}

// noteShares adds the shares by which the records of an export can be read now. It is
// asked before and after they are read: a share may begin, or end, meanwhile.
func (r *Runner) noteShares(ctx context.Context, e *work.Export) error {
	open, err := openShares(ctx, r.Store, e.TenantID)
	if err != nil {
		return err
	}
	chosen := chosenConnections(e.Filters)
	for _, share := range open {
		if len(chosen) > 0 && !slices.Contains(chosen, share.ConnectionID) || slices.Contains(e.Shares, share.ID) {
			continue
		}
		e.Shares = append(e.Shares, share.ID)
	}
	return nil
}

// openShares are what is shared with a tenant now.
func openShares(ctx context.Context, s *store.Store, tenantID string) ([]drover.Share, error) {
	var open []drover.Share
	for after := ""; ; {
		page, err := s.Shares.Shares(ctx, tenantID, after, batch)
		if err != nil {
			return nil, err
		}
		for _, share := range page {
			if share.TenantID == tenantID && share.State == drover.ShareAccepted {
				open = append(open, share)
			}
			after = share.ID
		}
		if len(page) < batch {
			return open, nil
		}
	}
}

// chosenConnections are those that filters name; none where they leave all.
func chosenConnections(filters json.RawMessage) []string {
	var named struct {
		ConnectionID json.RawMessage `json:"connection_id"`
	}
	if json.Unmarshal(filters, &named) != nil {
		return nil
	}
	var one string
	if json.Unmarshal(named.ConnectionID, &one) == nil && one != "" {
		return []string{one}
	}
	var many []string
	_ = json.Unmarshal(named.ConnectionID, &many) // what is no list names none
	return many
}
