package fleet

import (
	"context"

	"github.com/drover-fleet/drover"
)

// Webhook reads one webhook.
func (s *Service) Webhook(ctx context.Context, p drover.Principal, id string) (drover.Webhook, error) {
	w, err := s.Store.Webhook(ctx, p.TenantID, id)
	if err != nil {
		return drover.Webhook{}, orNotFound(err, unknownWebhook, id)
	}
	return w.Webhook, owned(p, w.TenantID)
}

// Webhooks lists webhooks by id, after the id given.
func (s *Service) Webhooks(ctx context.Context, p drover.Principal, after string, limit int) ([]drover.Webhook, error) {
	return s.Store.Webhooks(ctx, p.TenantID, after, limit)
}
