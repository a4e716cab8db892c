package api

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/decode"
	"github.com/drover-fleet/drover/internal/store"
)

func (s *server) getWebhook(c *call) (drover.Webhook, error) {
	return s.Fleet.Webhook(c.Context, c.principal, c.PathValue("webhook_id"))
}

func (s *server) listWebhooks(c *call) (page[drover.Webhook], error) {
	var after string
	limit, err := paging(c.URL.Query(), &after)
	if err != nil {
		return page[drover.Webhook]{}, err
	}
	webhooks, err := s.Fleet.Webhooks(c.Context, c.principal, after, limit+1)
	if err != nil {
		return page[drover.Webhook]{}, err
	}
	return newPage(webhooks, limit, func(w drover.Webhook) any { return w.ID })
}

func (s *server) postWebhook(c *call, body drover.WebhookInput) (drover.WebhookCreated, error) {
	return s.Fleet.CreateWebhook(c.Context, c.principal, body)
}

func (s *server) patchWebhook(c *call, body drover.WebhookUpdate) (drover.Webhook, error) {
	return s.Fleet.UpdateWebhook(c.Context, c.principal, c.PathValue("webhook_id"), body)
}

func (s *server) deleteWebhook(c *call) (nothing, error) {
	return nothing{}, s.Fleet.DeleteWebhook(c.Context, c.principal, c.PathValue("webhook_id"))
}

func (s *server) postWebhookTest(c *call) (drover.DeliveryAttempt, error) {
	return s.Fleet.TestWebhook(c.Context, c.principal, c.PathValue("webhook_id"))
}

func (s *server) postWebhookRotation(c *call) (drover.WebhookSecret, error) {
	return s.Fleet.RotateWebhookSecret(c.Context, c.principal, c.PathValue("webhook_id"))
}

func (s *server) postReplay(c *call, body drover.ReplayInput) (drover.ReplayResult, error) {
	return s.Fleet.ReplayWebhook(c.Context, c.principal, c.PathValue("webhook_id"), body)
}

func (s *server) getAccountSecret(c *call) (drover.WebhookSecret, error) {
	return s.Fleet.AccountWebhookSecret(c.Context, c.principal)
}

func (s *server) postAccountSecret(c *call) (drover.WebhookSecret, error) {
	return s.Fleet.RotateAccountWebhookSecret(c.Context, c.principal)
}

func (s *server) listDeliveries(c *call) (page[drover.DeliveryAttempt], error) {
	q := c.URL.Query()
	var after store.AttemptCursor
	limit, err := paging(q, &after)
	if err != nil {
		return page[drover.DeliveryAttempt]{}, err
	}
	state, err := decode.QueryEnum(q, "state", drover.DeliveryStates...)
	if err != nil {
		return page[drover.DeliveryAttempt]{}, err
	}
	log, err := s.Fleet.WebhookLog(c.Context, c.principal, c.PathValue("webhook_id"), state, after, limit+1)
	if err != nil {
		return page[drover.DeliveryAttempt]{}, err
	}
	return newPage(log, limit, func(a drover.DeliveryAttempt) any { return store.AttemptCursor{EventID: a.EventID, Attempt: a.Attempt} })
}
