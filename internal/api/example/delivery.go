package example

import (
	"encoding/json"
	"net/http"

	"github.com/drover-fleet/drover"
)

// deliveryExamples are those of deliveries over all targets.
func deliveryExamples() []any {
	summary := drover.DeliverySummary{
		ID: ID + "." + Tenant, WebhookID: new(Tenant), EventID: ID, Type: drover.EventTripCompleted, Sequence: new(int64(4711)),
		State:     drover.DeliveryDelivered,
		CreatedAt: Time, Attempts: 1, LastAttemptAt: &Time, Status: new(200), DurationMS: new(int64(41)),
	}
	return []any{
		summary,
		drover.DeliveryDetail{
			DeliverySummary: summary,
			Log: []drover.DeliveryAttempt{{
				EventID: ID, Type: drover.EventTripCompleted, Sequence: new(int64(4711)), State: drover.DeliveryDelivered, CreatedAt: Time,
				Attempt: 1, Time: &Time,
				Status: new(200), DurationMS: new(int64(41)), Response: new("ok"),
			}},
			Request: &drover.DeliveryRequest{
				Method: http.MethodPost, URL: "https://hooks.example/drover",
				Headers: map[string]string{
					"content-type": "application/json", "webhook-id": ID, "webhook-timestamp": "1714644930",
					"webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
				},
				Body: json.RawMessage(`{"type":"trip.completed","timestamp":"2024-05-02T10:15:30Z","sequence":4711,"data":{}}`),
			},
		},
		drover.WebhookView{Webhook: webhookExample(), Stats: &drover.WebhookStats{
			Attempts: 120, SuccessRate: new(0.975), P95MS: new(int64(100)), Pending: 2,
			Hours: []drover.WebhookHour{{Hour: Time, Attempts: 5, Failures: 1, P95MS: new(int64(50))}},
		}},
	}
}
