package contract_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/deliver/signing"
)

// deliveryRows are deliveries over all targets, and the webhooks of milestones.
func deliveryRows() []row {
	ask := func(name, user, method, path, body string, status int, want string) row {
		return row{name: name, as: user, method: method, path: path, body: body, status: status, want: want}
	}
	summary := `{"id":"$delivery","webhook_id":"$webhook","milestone_id":null,"event_id":"$test_event","type":"webhook.test","sequence":null,"state":"pending",` +
		`"created_at":"2024-05-02T10:15:30Z","next_attempt_at":"2024-05-02T10:15:30Z","attempts":0,"last_attempt_at":null,"status":null,"duration_ms":null,"error":null}`
	attempt := `{"event_id":"$test_event","type":"webhook.test","sequence":null,"state":"pending","created_at":"2024-05-02T10:15:30Z",` +
		`"next_attempt_at":"2024-05-02T10:15:30Z","attempt":0,"time":null,"status":null,"duration_ms":null,"error":null,"response":null}`
	request := `{"method":"POST","url":"https://hooks.example/full","headers":{"content-type":"application/json","user-agent":"drover/test","webhook-id":"$test_event"},` +
		`"body":{"type":"webhook.test","timestamp":"2024-05-02T10:15:30Z","sequence":null,"data":{}}}`
	tested := with(attempt, "event_id", `"<uuid>"`)
	own := `{"id":"<any>","webhook_id":null,"milestone_id":"$new_milestone","event_id":"<uuid>","type":"webhook.test","sequence":null,"state":"pending",` +
		`"created_at":"2024-05-02T10:15:30Z","next_attempt_at":"2024-05-02T10:15:30Z","attempts":0,"last_attempt_at":null,"status":null,"duration_ms":null,"error":null}`
	since := `{"since":"2024-05-02T00:00:00Z"}`
	noURL := invalid("value_error", "Value error, the milestone has no webhook_url", "path", "milestone_id")
	return []row{
		ask("List", vera, "GET", "/delivery?webhook_id=$webhook&limit=1", "", 200, list(summary)),
		ask("ListByType", alice, "GET", "/delivery?type=trip.completed", "", 200, list()),
		ask("ListByState", alice, "GET", "/delivery?state=failed", "", 200, list()),
		ask("ListByCode", alice, "GET", "/delivery?code=5xx", "", 200, list()),
		ask("ListWithoutAnswer", alice, "GET", "/delivery?code=none", "", 200, list()),
		ask("ListByTime", alice, "GET", "/delivery?from=2024-05-02T10:15:31Z", "", 200, list()),
		ask("ListBefore", alice, "GET", "/delivery?to=2024-05-02T10:15:30Z", "", 200, list()),
		ask("ListOfMilestone", alice, "GET", "/delivery?milestone_id=$webhook", "", 200, list()),
		ask("ListForeign", bob, "GET", "/delivery?webhook_id=$webhook", "", 200, list()),
		ask("OtherCode", alice, "GET", "/delivery?code=600", "", 422,
			invalid("enum", "Input should be '2xx', '3xx', '4xx', '5xx' or 'none'", "query", "code")),
		ask("Get", vera, "GET", "/delivery/$delivery", "", 200, data(with(summary, "log", "["+attempt+"]", "request", request))),
		ask("GetForeign", bob, "GET", "/delivery/$delivery", "", 403, forbidden),
		ask("GetUnknown", alice, "GET", "/delivery/$unknown.$webhook", "", 404, notFound("Delivery with ID %s not found", "$unknown.$webhook")),
		ask("GetNoID", alice, "GET", "/delivery/x", "", 404, notFound("Delivery with ID %s not found", "x")),
		ask("Stats", alice, "GET", "/webhook?include=stats&limit=1", "", 200, "<any>"),
		ask("StatsOfNothing", bob, "GET", "/webhook?include=stats", "", 200,
			list(`{"id":"$beta_webhook","url":"https://hooks.example/beta","enabled":true,"error_count":0,"last_error":null,"last_error_at":null,`+
				`"created_at":"2024-05-02T09:15:30Z","updated_at":"2024-05-02T10:15:30Z","filters":{"connection_ids":[],"tags":[],"device_ids":[],"connection_devices":[]},"options":{"include_speed":false,"include_driver_id":false},`+
				`"stats":{"attempts":0,"success_rate":null,"p95_ms":null,"pending":"<any>","held":false,"held_until":null,"hours":[]}}`)),
		ask("OtherInclude", bob, "GET", "/webhook?include=all", "", 422, invalid("enum", "Input should be 'stats'", "query", "include")),
		ask("TestTooLong", will, "POST", "/webhook/$new_webhook/test?wait=21", "", 422,
			invalid("less_than_equal", "Input should be less than or equal to 20", "query", "wait")),

		ask("TestMilestone", will, "POST", "/milestone/$new_milestone/test?wait=0", "", 200, data(tested)).next(
			ask("", will, "GET", "/delivery?milestone_id=$new_milestone", "", 200, list(own))),
		ask("TestMilestoneWithout", alice, "POST", "/milestone/$silent_milestone/test", "", 422, noURL),
		ask("TestMilestoneByViewer", vera, "POST", "/milestone/$milestone/test", "", 403, forbidden),
		ask("TestMilestoneUnknown", will, "POST", "/milestone/$unknown/test", "", 404, notFound("Unknown milestone id %s", "$unknown")),
		ask("ReplayMilestone", will, "POST", "/milestone/$new_milestone/replay", since, 200, data(`{"replayed":0}`)),
		ask("ReplayMilestoneUnknownEvent", will, "POST", "/milestone/$new_milestone/replay", `{"event_id":"$unknown"}`, 422,
			invalid("value_error", "Value error, no delivery of event $unknown is known", "body", "event_id")),
		ask("ReplayMilestoneNothing", will, "POST", "/milestone/$new_milestone/replay", `{}`, 422,
			invalid("missing", "Field required", "body", "event_id")),
		ask("ReplayMilestoneWithout", alice, "POST", "/milestone/$silent_milestone/replay", since, 422, noURL),
		ask("ReplayMilestoneForeign", bob, "POST", "/milestone/$milestone/replay", since, 403, forbidden),
		ask("ReplayMilestoneUnknown", will, "POST", "/milestone/$unknown/replay", since, 404, notFound("Unknown milestone id %s", "$unknown")),
	}
}

// TestWebhookTestTellsItsOutcome sends tests to receivers that work and that do not:
// the answer has what came of them, and the request that is shown verifies.
func TestWebhookTestTellsItsOutcome(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		status := http.StatusInternalServerError
		s.receiver.Store(new(http.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))))
		s.clock.Set(present)
		s.app.Deliverer.Start(t.Context())
		defer s.app.Deliverer.Stop()
		created := s.send(t, request{
			method: http.MethodPost, path: "/webhook",
			body: `{"url":"https://` + receiverHost + `/hook?token=hidden"}`, header: s.authorized(t, wanda),
		})
		var hook struct{ Data drover.WebhookCreated }
		if err := json.Unmarshal([]byte(created.body), &hook); err != nil || created.status != http.StatusOK {
			t.Fatalf("status %d: %s", created.status, created.body)
		}
		test := func() drover.DeliveryAttempt {
			t.Helper()
			resp := s.send(t, request{method: http.MethodPost, path: "/webhook/" + hook.Data.ID + "/test", header: s.authorized(t, wanda)})
			var got struct{ Data drover.DeliveryAttempt }
			if err := json.Unmarshal([]byte(resp.body), &got); err != nil || resp.status != http.StatusOK {
				t.Fatalf("status %d: %s", resp.status, resp.body)
			}
			return got.Data
		}
		if got := test(); got.Status == nil || *got.Status != 500 || got.Attempt != 1 || got.Error == nil {
			t.Errorf("a receiver that fails: %+v", got)
		}
		status = http.StatusNoContent
		got := test()
		if got.Status == nil || *got.Status != 204 || got.State != drover.DeliveryDelivered {
			t.Errorf("a receiver that works: %+v", got)
		}
		detail, _ := get[drover.DeliveryDetail](t, s, wanda, "/delivery/"+drover.DeliveryID(drover.Target{ID: hook.Data.ID}, got.EventID))
		if detail.Request == nil || detail.Status == nil || *detail.Status != 204 {
			t.Fatalf("%+v", detail)
		}
		sent := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
		for name, value := range detail.Request.Headers {
			sent.Header.Set(name, value)
		}
		if err := signing.Verify(hook.Data.Secret, sent.Header, detail.Request.Body, s.clock.Now()); err != nil {
			t.Errorf("the request that is shown does not verify: %v", err)
		}
		other, _ := get[drover.DeliveryDetail](t, s, will, "/delivery/"+detail.ID)
		if other.Request == nil || other.Request.Headers["webhook-signature"] != "" || strings.Contains(other.Request.URL, "hidden") ||
			!strings.Contains(detail.Request.URL, "hidden") {
			t.Errorf("without the right to secrets the request is %+v, with it %+v", other.Request, detail.Request)
		}
		views, _ := get[[]drover.WebhookView](t, s, wanda, "/webhook?include=stats")
		for _, v := range views {
			if v.ID == hook.Data.ID && (v.Stats == nil || v.Stats.Attempts != 2 || *v.Stats.SuccessRate != 0.5 || len(v.Stats.Hours) != 1 ||
				v.Stats.Hours[0].Failures != 1) {
				t.Errorf("stats are %+v", v.Stats)
			}
		}
	})
}
