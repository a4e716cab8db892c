package api

import (
	"net/http"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) deliveryRoutes() []route {
	return []route{
		opQuery(http.MethodGet, "/delivery", s.listAllDeliveries).
			named("listAllDeliveries", tagWebhook, "List all deliveries",
				"What was and is to be sent to all webhooks and to milestones' own, newest event first, each with its last attempt. It reaches back 30 days.").
			can(errorsOfList...),
		op(http.MethodGet, "/delivery/{delivery_id}", s.getDelivery).
			named("getDelivery", tagWebhook, "Get delivery", "One delivery with all attempts, and the request as it was sent: headers, body and signature.").
			shows(drover.ShareScopes...).can(errorsOfOne...).missing(guard.UnknownDelivery),
		opQuery(http.MethodPost, "/milestone/{milestone_id}/test", s.postMilestoneTest).
			named("postMilestoneTest", tagMilestone, "Test webhook of a milestone",
				"Sends a webhook.test to the milestone's own webhook, once, and waits for what comes of it.").
			tries().can(errorsOfOne...).missing(guard.UnknownMilestone),
		opBody(http.MethodPost, "/milestone/{milestone_id}/replay", s.postMilestoneReplay).
			named("postMilestoneReplay", tagMilestone, "Replay deliveries of a milestone",
				"Sends to the milestone's own webhook again: one delivery by its event_id or, with since, all of events since then that failed or were skipped.").
			can(errorsOfOne...).missing(guard.UnknownMilestone),
	}
}

type allDeliveriesQuery struct {
	drover.DeliveryFilter
	paging
}

func (s *server) listAllDeliveries(c *call, q allDeliveriesQuery) (page[drover.DeliverySummary], error) {
	var after drover.DeliveryCursor
	if err := q.place(&after); err != nil {
		return page[drover.DeliverySummary]{}, err
	}
	list, err := s.Fleet.Notify.Deliveries(c.Context, c.principal, q.DeliveryFilter, after, q.Limit+1)
	if err != nil {
		return page[drover.DeliverySummary]{}, err
	}
	return newPage(list, q.Limit, func(d drover.DeliverySummary) cursor {
		target, event, _ := drover.ParseDeliveryID(d.ID)
		return drover.DeliveryCursor{EventID: event, TargetID: target}
	})
}

func (s *server) getDelivery(c *call) (drover.DeliveryDetail, error) {
	return s.Fleet.Notify.Delivery(c.Context, c.principal, c.PathValue("delivery_id"))
}

func (s *server) postMilestoneTest(c *call, q testQuery) (drover.DeliveryAttempt, error) {
	return s.Fleet.Notify.TestMilestoneWebhook(c.Context, c.principal, c.PathValue("milestone_id"), time.Duration(q.Wait)*time.Second)
}

func (s *server) postMilestoneReplay(c *call, body drover.ReplayInput) (drover.ReplayResult, error) {
	return s.Fleet.Notify.ReplayMilestoneWebhook(c.Context, c.principal, c.PathValue("milestone_id"), body)
}
