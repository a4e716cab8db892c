package contract_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
)

const noLink = "This link is not known, or no longer valid"

// linkRows are the links by which someone without a user follows a journey.
func linkRows() []row {
	ask := func(name, user, method, path, body string, status int, want string) row {
		return row{name: name, as: user, method: method, path: path, body: body, status: status, want: want}
	}
	after := func(r row, by time.Duration) row {
		r.after = by
		return r
	}
	const path, shared = "/milestone/$new_milestone/share", "/public/share/$new_share_token"
	link := `{"id":"<uuid>","milestone_id":"$new_milestone","created_at":"2024-05-02T10:15:30Z","expires_at":"2024-05-09T10:15:30Z","opened_count":0,"last_opened_at":null}`
	made := with(link, "url", `"<share>"`)
	fresh := with(link, "id", `"$new_share_link"`, "milestone_id", `"$new_share_milestone"`)
	journey := `{"tenant_name":"work","status":"trip_not_started","destination":{"latitude":49.452103,"longitude":11.076665},"position":null,"arrival":null,"arrived_at":null,` +
		`"deadline":"2024-05-02T11:15:30Z","progress":0,"distance_to_destination_km":null,"updated_at":null,"expires_at":"2024-05-09T10:15:30Z"}`
	under := with(journey, "tenant_name", `"alpha"`, "status", `"trip_in_progress"`, "position",
		`{"timestamp":"2024-05-02T10:14:30.250Z","longitude":11.4,"latitude":48.9,"heading":352}`,
		"arrival", `{"earliest":"<any>","expected":"<any>","latest":"<any>"}`, "deadline", `"2024-05-02T13:15:30Z"`, "progress", "0.564",
		"distance_to_destination_km", "65.736", "updated_at", `"2024-05-02T10:14:30.250Z"`, "expires_at", `"<any>"`)
	end := "Value error, expires_at must lie "
	return []row{
		ask("Create", wanda, "POST", path, "", 200, data(made)),
		ask("CreateUntil", will, "POST", path, `{"expires_at":"2024-07-31T10:15:30Z"}`, 200,
			data(with(made, "expires_at", `"2024-07-31T10:15:30Z"`))),
		ask("CreateTooLong", will, "POST", path, `{"expires_at":"2024-07-31T10:15:30.001Z"}`, 422,
			invalid("value_error", end+"within 90 days", "body", "expires_at")),
		ask("CreateUntilNow", will, "POST", path, `{"expires_at":"2024-05-02T10:15:30Z"}`, 422,
			invalid("value_error", end+"in the future", "body", "expires_at")),
		ask("CreateByViewer", vera, "POST", "/milestone/$milestone/share", "", 403, forbidden),
		ask("CreateForeign", wanda, "POST", "/milestone/$milestone/share", "", 403, forbidden),
		ask("CreateUnknown", wanda, "POST", "/milestone/$unknown/share", "", 404, notFound("Unknown milestone id %s", "$unknown")),
		ask("Open", "", "GET", shared, "", 200, data(journey)).next(
			after(ask("", "", "GET", shared, "", 200, data(journey)), time.Minute),
			ask("", will, "GET", "/milestone/$new_share_milestone/share", "", 200,
				list(with(fresh, "opened_count", "2", "last_opened_at", `"2024-05-02T10:16:30Z"`))),
			ask("", will, "DELETE", "/milestone/$new_share_milestone/share/$new_share_link", "", 204, ""),
			ask("", will, "DELETE", "/milestone/$new_share_milestone/share/$new_share_link", "", 404,
				notFound("Link with ID %s not found", "$new_share_link")),
			ask("", "", "GET", shared, "", 404, refusal(404, noLink)),
			ask("", "", "GET", shared+"/stream", "", 404, refusal(404, noLink)),
			ask("", will, "GET", "/milestone/$new_share_milestone/share", "", 200, list())),
		ask("OnItsWay", "", "GET", "/public/share/$share_token", "", 200, data(under)),
		after(ask("LastMoment", "", "GET", shared, "", 200, data("\"<any>\"")), 7*24*time.Hour-time.Millisecond),
		after(ask("Expired", "", "GET", shared, "", 404, refusal(404, noLink)), 7*24*time.Hour),
		ask("Deleted", will, "DELETE", "/milestone/$new_share_milestone", "", 204,
			"").next(ask("", "", "GET", shared, "", 404, refusal(404, noLink))),
		ask("Unknown", "", "GET", "/public/share/abc", "", 404, refusal(404, noLink)),
		ask("UnknownStream", "", "GET", "/public/share/abc/stream", "", 404, refusal(404, noLink)),
		ask("ListUnknown", wanda, "GET", "/milestone/$unknown/share", "", 404, notFound("Unknown milestone id %s", "$unknown")),
		ask("RevokeUnknown", wanda, "DELETE", "/milestone/$new_milestone/share/$unknown", "", 404,
			notFound("Link with ID %s not found", "$unknown")),
		ask("RevokeNoUUID", wanda, "DELETE", "/milestone/$new_milestone/share/x", "", 404, notFound("Link with ID %s not found", "x")),
	}
}

// inviteRows are the links by which a fleet connects itself.
func inviteRows() []row {
	ask := func(name, user, method, path, body string, status int, want string) row {
		return row{name: name, as: user, method: method, path: path, body: body, status: status, want: want}
	}
	const path, page = "/connection-link", "/public/link/$new_link_token"
	link := `{"id":"<uuid>","state":"open","business_name":"Miller","abn":null,"email":null,"tags":[],"providers":[],"collection_start_time":null,"connection_id":null,` +
		`"created_at":"2024-05-02T10:15:30Z","expires_at":"2024-05-09T10:15:30Z","used_at":null,"withdrawn_at":null,"url":"<link>"}`
	post := func(name, body string, status int, want string) row {
		return ask(name, will, "POST", path, body, status, want)
	}
	fault := func(typ, msg string, loc ...any) string { return invalid(typ, msg, append([]any{"body"}, loc...)...) }
	seen := `{"tenant_name":"work","business_name":"Miller","state":"open","renewal":false,"reads":["vehicles","positions","drivers","trips"],"since":null,` +
		`"expires_at":"2024-05-09T10:15:30Z","connected_at":null,"withdrawn_at":null,"consent":false,"providers":"<any>"}`
	use := func(token string) string {
		return `{"integration_name":"traccar","credentials":{"base_url":"https://` + vendorHost + `","token":"` + token + `"}}`
	}
	good := `{"ok":true,"error":null,"error_kind":null,"account":null,"devices":3,"more":false,"position":"<any>","renewed_credentials":null}`
	bad := `{"ok":false,"error":"<any>","error_kind":"credentials","account":null,"devices":0,"more":false,"position":null,"renewed_credentials":null}`
	used := refusal(409, "This link was used already")
	late := ask("Expired", "", "GET", page, "", 404, refusal(404, noLink))
	late.after = 7 * 24 * time.Hour
	return []row{
		post("Create", `{"business_name":"Miller"}`, 200, data(link)),
		post("CreateAll", `{"business_name":"Miller","abn":"51","email":"a@b.example","tags":["North"],"providers":["traccar","samsara"],"collection_start_time":"2024-01-01T00:00:00Z","expires_at":"2024-06-01T10:15:30Z"}`, 200,
			data(with(link, "abn", `"51"`, "email", `"a@b.example"`, "tags", `["north"]`, "providers", `["traccar","samsara"]`,
				"collection_start_time", `"2024-01-01T00:00:00Z"`, "expires_at", `"2024-06-01T10:15:30Z"`))),
		post("CreateTooLong", `{"business_name":"Miller","expires_at":"2024-06-01T10:15:30.001Z"}`, 422,
			fault("value_error", "Value error, expires_at must lie within 30 days", "expires_at")),
		post("CreateUntilNow", `{"business_name":"Miller","expires_at":"2024-05-02T10:15:30Z"}`, 422,
			fault("value_error", "Value error, expires_at must lie in the future", "expires_at")),
		post("NoName", `{}`, 422, fault("missing", "Field required", "business_name")),
		post("NoEmail", `{"business_name":"Miller","email":"x"}`, 422, fault("value_error", "value is not a valid email address", "email")),
		post("OtherProvider", `{"business_name":"Miller","providers":["acme"]}`, 422, "<any>"),
		post("UnknownConnection", `{"connection_id":"$unknown"}`, 422,
			fault("value_error", "Value error, Connection with ID $unknown not found", "connection_id")),
		post("ForeignConnection", `{"connection_id":"$beta_conn"}`, 403, forbidden),
		post("Renew", `{"connection_id":"$new_conn"}`, 200,
			data(with(link, "business_name", `"Fresh"`, "providers", `["traccar"]`, "connection_id", `"$new_conn"`))),
		ask("CreateByViewer", vera, "POST", path, `{"business_name":"Miller"}`, 403, forbidden),
		ask("ListOfNone", carol, "GET", path, "", 200, list()),
		ask("See", "", "GET", page, "", 200, data(seen)),
		ask("Try", "", "POST", page+"/test", use("good"), 200, data(good)),
		ask("TryBad", "", "POST", page+"/test", use("bad"), 200, data(bad)),
		ask("TryIncomplete", "", "POST", page+"/test", `{"integration_name":"traccar","credentials":{"token":"good"}}`, 422,
			fault("missing", "Field required", "credentials", "base_url")),
		ask("Connect", "", "POST", page, use("good"), 200, data(`{"connected":true,"trial":`+good+`}`)).next(
			ask("", "", "GET", page, "", 200, data(with(seen, "state", `"used"`, "connected_at", `"2024-05-02T10:15:30Z"`, "providers", "[]"))),
			ask("", "", "POST", page, use("good"), 409, used),
			ask("", "", "POST", page+"/test", use("good"), 409, used),
			ask("", "", "DELETE", page, "", 204, ""),
			ask("", "", "DELETE", page, "", 204, ""),
			ask("", "", "GET", page, "", 200, data(with(seen, "state", `"withdrawn"`, "connected_at", `"2024-05-02T10:15:30Z"`, "withdrawn_at",
				`"2024-05-02T10:15:30Z"`, "providers", "[]")))),
		ask("ConnectBad", "", "POST", page, use("bad"), 200, data(`{"connected":false,"trial":`+bad+`}`)).next(
			ask("", "", "GET", page, "", 200, data(seen))),
		ask("PrivateAddress", "", "POST", page, `{"integration_name":"traccar","credentials":{"base_url":"http://127.0.0.1/","token":"t"}}`, 422,
			fault("value_error", "Value error, the address is in a private network (loopback); the operator can open it with --allow-network",
				"credentials", "base_url")),
		ask("OnlyTheOnesGiven", "", "POST", "/public/link/$link_token", `{"integration_name":"samsara","credentials":{"api_token":"t"}}`, 422,
			fault("value_error", "Value error, this link is for another provider", "integration_name")),
		ask("WithdrawNothing", "", "DELETE", page, "", 409, refusal(409, "Nothing was connected by this link")),
		ask("Revoke", will, "DELETE", path+"/$new_link", "", 204, "").next(
			ask("", "", "GET", page, "", 404, refusal(404, noLink)),
			ask("", "", "POST", page, use("good"), 404, refusal(404, noLink)),
			ask("", "", "POST", page+"/test", use("good"), 404, refusal(404, noLink)),
			ask("", "", "DELETE", page, "", 404, refusal(404, noLink)),
			ask("", will, "DELETE", path+"/$new_link", "", 404, notFound("Link with ID %s not found", "$new_link"))),
		ask("RevokeForeign", will, "DELETE", path+"/$conn_link", "", 403, forbidden),
		ask("RevokeNoUUID", will, "DELETE", path+"/x", "", 404, notFound("Link with ID %s not found", "x")),
		late,
	}
}

// vendorConsentRows are invitations to agree at the vendor.
func vendorConsentRows() []row {
	const page = "/public/link/$new_consent_token"
	ask := func(name, method, path, body string, status int, want string) row {
		return row{name: name, method: method, path: path, body: body, status: status, want: want}
	}
	agree := func(code string) string {
		return `{"integration_name":"john_deere","credentials":{},"code":"` + code + `"}`
	}
	seen := `{"tenant_name":"work","business_name":"Miller","state":"open","renewal":true,"reads":["vehicles","positions","drivers","trips"],"since":null,` +
		`"expires_at":"2024-05-09T10:15:30Z","connected_at":null,"withdrawn_at":null,"consent":true,"providers":"<any>"}`
	refused := `{"ok":false,"error":"<any>","error_kind":"credentials","account":null,"devices":0,"more":false,"position":null,"renewed_credentials":null}`
	none := refusal(409, "This link asks for credentials, not for a consent")
	return []row{
		ask("See", "GET", page, "", 200, data(seen)),
		ask("Ask", "POST", page+"/consent", "", 200, data(`{"url":"<consent>","state":"<any>"}`)),
		ask("Agree", "POST", page, agree("good"), 200, data(`{"connected":true,"trial":"<any>"}`)).next(
			row{
				as: wanda, method: "GET", path: "/connection/$new_consent_conn/credentials", status: 200,
				want: data(`{"connection_id":"$new_consent_conn","credentials":{"base_url":"https://` + consentHost +
					`","client_id":"0oa1","client_secret":"application-secret","redirect_uri":"https://fleet.example/link/consent","refresh_token":"<any>"}}`),
			},
			ask("", "GET", page, "", 200, data(with(seen, "state", `"used"`, "renewal", "false", "connected_at", `"2024-05-02T10:15:30Z"`,
				"consent", "false", "providers", "[]"))),
			ask("", "POST", page+"/consent", "", 409, refusal(409, "This link was used already"))),
		ask("AgreeByAnotherCode", "POST", page, agree("bad"), 200, data(`{"connected":false,"trial":`+refused+`}`)).next(
			row{
				as: wanda, method: "GET", path: "/connection/$new_consent_conn/credentials", status: 200,
				want: data(`{"connection_id":"$new_consent_conn","credentials":{"base_url":"https://` + consentHost +
					`","client_id":"0oa1","client_secret":"application-secret","redirect_uri":"https://fleet.example/link/consent"}}`),
			},
			ask("", "GET", page, "", 200, data(seen))),
		ask("EmptyCode", "POST", page, agree(""), 422, invalid("string_too_short", "String should have at least 1 character", "body", "code")),
		ask("TryCode", "POST", page+"/test", agree("good"), 422,
			invalid("value_error", "Value error, a code is good for once: it is tried when the invitation is accepted", "body", "code")),
		ask("AskWhereNoneIsWanted", "POST", "/public/link/$new_link_token/consent", "", 409, none),
		ask("AgreeWhereNoneIsWanted", "POST", "/public/link/$new_link_token", agree("good"), 409, none),
		ask("AskUnknown", "POST", "/public/link/abc/consent", "", 404, refusal(404, noLink)),
	}
}

// TestJourneyStream follows a link live until it is revoked.
func TestJourneyStream(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		s.app.Streams.Start(t.Context())
		t.Cleanup(s.app.Streams.Stop)
		path := "/public/share/" + s.ids["share_token"] + "/stream"
		resp, err := s.client.Do(s.newRequest(t, t.Context(), s.server.URL,
			request{method: http.MethodGet, path: path, header: map[string]string{"Accept": "text/event-stream"}}))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
			t.Fatalf("status %d, header %v", resp.StatusCode, resp.Header)
		}
		lines := bufio.NewScanner(resp.Body)
		expect := func(event, part string) {
			t.Helper()
			frame := readFrame(t, lines)
			if frame["event"] != event || !strings.Contains(frame["data"], part) {
				t.Fatalf("%s %s, want %s with %s", frame["event"], frame["data"], event, part)
			}
			for _, name := range alphaRecords {
				if strings.Contains(frame["data"], s.ids[name]) {
					t.Errorf("the stream shows $%s", name)
				}
			}
		}
		expect("update", `"latitude":48.9`)
		moved := drover.Position{Time: drover.At(present), Latitude: 49.1, Longitude: 11.2}
		s.addPosition(t, "alpha", "device", moved)
		device := s.ids["device"]
		s.update(t, func(tx *store.Tx) error {
			return journal.Append(t.Context(), tx, s.ids["alpha"],
				[]drover.Event{{
					ID: store.NewID(), Type: drover.EventDeviceUpdated, Timestamp: drover.At(present), DeviceID: &device,
					Data: []byte(`{}`),
				}})
		})
		expect("update", `"latitude":49.1`)
		s.update(t, func(tx *store.Tx) error {
			if _, err := tx.Accounts.DropMilestoneLink(t.Context(), s.ids["alpha"], s.ids["milestone"], s.ids["milestone_link"]); err != nil {
				return err
			}
			return journal.Append(t.Context(), tx, s.ids["alpha"],
				[]drover.Event{{
					ID: store.NewID(), Type: drover.EventDeviceUpdated, Timestamp: drover.At(present), DeviceID: &device,
					Data: []byte(`{}`),
				}})
		})
		expect("end", `{}`)
	})
}

// TestLinkThrottle holds that one address cannot ask for links without end, and
// takes nothing from others.
func TestLinkThrottle(t *testing.T) {
	t.Parallel()
	s := newService(t, defaults(t.TempDir()))
	from := func(address string) int {
		return s.send(t, request{method: http.MethodGet, path: "/public/share/guess", header: map[string]string{fromHeader: address}}).status
	}
	for range 60 {
		if status := from("192.0.2.1:1"); status != http.StatusNotFound {
			t.Fatalf("status %d", status)
		}
	}
	if status := from("192.0.2.1:2"); status != http.StatusTooManyRequests {
		t.Errorf("the 61st guess is answered %d", status)
	}
	if status := from("192.0.2.2:1"); status != http.StatusNotFound {
		t.Errorf("another address is answered %d", status)
	}
	if resp := s.send(t, request{method: http.MethodGet, path: "/session", header: s.authorized(t, alice)}); resp.status != http.StatusOK {
		t.Errorf("who is signed in is answered %d", resp.status)
	}
}

// TestInvitationAtTheLimit holds that a fleet which cannot be connected can use its
// link later, and that of several at once one connects.
func TestInvitationAtTheLimit(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		token := s.fresh(t, "new_link_token")["new_link_token"]
		accept := request{
			method: http.MethodPost, path: "/public/link/" + token,
			body: `{"integration_name":"traccar","credentials":{"base_url":"https://` + vendorHost + `","token":"good"}}`,
		}
		s.limited(t, "work", drover.QuotaConnections, 0)
		if resp := s.send(t, accept); resp.status != http.StatusForbidden {
			t.Fatalf("status %d: %s", resp.status, resp.body)
		}
		s.limited(t, "work", drover.QuotaConnections, 10)
		connected := 0
		for _, resp := range s.sendAtOnce(t, "", accept, 3) {
			switch resp.status {
			case http.StatusOK:
				connected++
			case http.StatusConflict:
			default:
				t.Errorf("status %d: %s", resp.status, resp.body)
			}
		}
		if connected != 1 {
			t.Errorf("%d connections were made by one link", connected)
		}
		entries, _ := get[[]drover.Audit](t, s, wanda, "/audit?action=public.link.create")
		if len(entries) != 1 || entries[0].ActorType != drover.ActorPublic || entries[0].RecordID == nil ||
			*entries[0].RecordType != "connection" {
			t.Errorf("written down is %+v", entries)
		}
	})
}
