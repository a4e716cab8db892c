package api

import (
	"net/http"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) webhookRoutes() []route {
	return []route{
		opQuery(http.MethodGet, "/webhook", s.listWebhooks).
			named("listWebhooks", tagWebhook, "List webhooks", "The tenant's webhooks, oldest first.").
			can(errorsOfList...),
		opBody(http.MethodPost, "/webhook", s.postWebhook).
			named("postWebhook", tagWebhook, "Create webhook", "Sends events to a URL from now on. The secret that signs them is shown this once.").
			can(errorsOfList...),
		opBody(http.MethodPatch, "/webhook/{webhook_id}", s.patchWebhook).
			named("patchWebhook", tagWebhook, "Update webhook",
				"Changes the fields that are sent. What waits for a webhook that is switched off is skipped, and can be replayed.").
			can(errorsOfOne...).missing(guard.UnknownWebhook).conditional().tagged(),
		op(http.MethodDelete, "/webhook/{webhook_id}", s.deleteWebhook).
			named("deleteWebhook", tagWebhook, "Delete webhook", "Forgets the webhook, its log and what waits for it.").
			can(errorsOfOne...).missing(guard.UnknownWebhook).conditional(),
		opQuery(http.MethodPost, "/webhook/{webhook_id}/test", s.postWebhookTest).
			named("postWebhookTest", tagWebhook, "Test webhook",
				"Sends a webhook.test, once, whether the webhook is enabled or not, and waits for what comes of it, which is in the log too. Where there is no answer in that time the state is pending.").
			tries().can(errorsOfOne...).missing(guard.UnknownWebhook),
		op(http.MethodPost, "/webhook/{webhook_id}/rotate-secret", s.postWebhookRotation).
			named("postWebhookRotation", tagWebhook, "Rotate secret",
				"Makes a new secret. For 24 hours deliveries are signed with the one before too.").
			needs(drover.PermissionWrite, drover.PermissionSecrets).can(errorsOfOne...).missing(guard.UnknownWebhook),
		opQuery(http.MethodGet, "/webhook/{webhook_id}/delivery", s.listDeliveries).
			named("listDeliveries", tagWebhook, "List deliveries",
				"The log of attempts, newest event first, and deliveries that none was made of. It reaches back 30 days.").
			can(errorsOfOne...).missing(guard.UnknownWebhook),
		opBody(http.MethodPost, "/webhook/{webhook_id}/replay", s.postReplay).
			named("postReplay", tagWebhook, "Replay deliveries",
				"Sends one delivery again by its event_id or, with since, all of events since then that failed or were skipped. They keep their ids.").
			can(errorsOfOne...).missing(guard.UnknownWebhook),
		op(http.MethodGet, "/account/webhook-secret", s.getAccountSecret).
			named("getAccountWebhookSecret", tagAccount, "Get webhook secret", "The secret that signs what is sent to the webhooks of milestones.").
			secrets().can(errorsOfList...),
		op(http.MethodPost, "/account/webhook-secret", s.postAccountSecret).
			named("postAccountWebhookSecret", tagAccount, "Rotate webhook secret",
				"Makes a new one. For 24 hours deliveries are signed with the one before too.").
			needs(drover.PermissionWrite, drover.PermissionSecrets).can(errorsOfList...),
	}
}

func (s *server) getWebhook(c *call) (drover.Webhook, error) {
	return s.Fleet.Notify.Webhook(c.Context, c.principal, c.PathValue("webhook_id"))
}

type webhookQuery struct {
	Include string `query:"include" enum:"stats" doc:"Adds to each webhook how its deliveries go."`
	paging
}

func (s *server) listWebhooks(c *call, q webhookQuery) (page[drover.WebhookView], error) {
	var after drover.IDCursor
	if err := q.place(&after); err != nil {
		return page[drover.WebhookView]{}, err
	}
	views, err := s.webhookViews(c, q, after)
	if err != nil {
		return page[drover.WebhookView]{}, err
	}
	return newPage(views, q.Limit, func(w drover.WebhookView) cursor { return drover.IDCursor(w.ID) })
}

func (s *server) webhookViews(c *call, q webhookQuery, after drover.IDCursor) ([]drover.WebhookView, error) {
	if q.Include != "" {
		return s.Fleet.Notify.WebhooksWithStats(c.Context, c.principal, after, q.Limit+1)
	}
	webhooks, err := s.Fleet.Notify.Webhooks(c.Context, c.principal, after, q.Limit+1)
	views := make([]drover.WebhookView, len(webhooks))
	for i, w := range webhooks {
		views[i].Webhook = w
	}
	return views, err
}

func (s *server) postWebhook(c *call, body drover.WebhookInput) (drover.WebhookCreated, error) {
	return s.Fleet.Notify.CreateWebhook(c.Context, c.principal, body)
}

func (s *server) patchWebhook(c *call, body drover.WebhookUpdate) (drover.Webhook, error) {
	return s.Fleet.Notify.UpdateWebhook(c.Context, c.principal, c.PathValue("webhook_id"), body)
}

func (s *server) deleteWebhook(c *call) (nothing, error) {
	return nothing{}, s.Fleet.Notify.DeleteWebhook(c.Context, c.principal, c.PathValue("webhook_id"))
}

// testQuery says how long the caller of a test waits.
type testQuery struct {
	Wait int `query:"wait" default:"17" minimum:"0" maximum:"20" doc:"Seconds to wait for the outcome; 0 does not."`
}

func (s *server) postWebhookTest(c *call, q testQuery) (drover.DeliveryAttempt, error) {
	return s.Fleet.Notify.TestWebhook(c.Context, c.principal, c.PathValue("webhook_id"), time.Duration(q.Wait)*time.Second)
}

func (s *server) postWebhookRotation(c *call) (drover.WebhookSecret, error) {
	return s.Fleet.Notify.RotateWebhookSecret(c.Context, c.principal, c.PathValue("webhook_id"))
}

func (s *server) postReplay(c *call, body drover.ReplayInput) (drover.ReplayResult, error) {
	return s.Fleet.Notify.ReplayWebhook(c.Context, c.principal, c.PathValue("webhook_id"), body)
}

func (s *server) getAccountSecret(c *call) (drover.WebhookSecret, error) {
	return s.Fleet.Notify.AccountWebhookSecret(c.Context, c.principal)
}

func (s *server) postAccountSecret(c *call) (drover.WebhookSecret, error) {
	return s.Fleet.Notify.RotateAccountWebhookSecret(c.Context, c.principal)
}

type deliveryQuery struct {
	State drover.DeliveryState `query:"state" doc:"Only deliveries in this state."`
	paging
}

func (s *server) listDeliveries(c *call, q deliveryQuery) (page[drover.DeliveryAttempt], error) {
	var after drover.AttemptCursor
	if err := q.place(&after); err != nil {
		return page[drover.DeliveryAttempt]{}, err
	}
	log, err := s.Fleet.Notify.WebhookLog(c.Context, c.principal, c.PathValue("webhook_id"), q.State, after, q.Limit+1)
	if err != nil {
		return page[drover.DeliveryAttempt]{}, err
	}
	return newPage(log, q.Limit, func(a drover.DeliveryAttempt) cursor {
		return drover.AttemptCursor{EventID: a.EventID, Attempt: a.Attempt}
	})
}
