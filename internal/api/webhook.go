package api

import "github.com/drover-fleet/drover"

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
