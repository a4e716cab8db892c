package contract_test

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearer calls with a token.
type bearer string

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b != "" {
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// agentSession is the SDK's own client at the tools of a service.
func agentSession(t *testing.T, url, token string) (*mcp.ClientSession, error) {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)}, DisableStandaloneSSE: true, MaxRetries: -1,
	}, nil)
	if err == nil {
		t.Cleanup(func() { _ = session.Close() })
	}
	return session, err
}

// use calls a tool and returns its text, and whether it is an error.
func use(t *testing.T, session *mcp.ClientSession, tool, arguments string) (text string, failed bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	for _, c := range result.Content {
		if content, ok := c.(*mcp.TextContent); ok {
			text += content.Text
		}
	}
	return text, result.IsError
}

func TestAgents(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		w := s.world
		fill := func(text string) string { return os.Expand(text, func(name string) string { return w.ids[name] }) }
		own, err := agentSession(t, s.server.URL, w.ids["api_key_secret"])
		if err != nil {
			t.Fatal(err)
		}
		foreign, err := agentSession(t, s.server.URL, w.tokens[bob].AccessToken)
		if err != nil {
			t.Fatal(err)
		}
		answers := checkTools(t, own)
		for _, c := range []struct{ tool, arguments, want, foreign string }{
			{"find", `{"text":"AB12"}`, `"id":"$device"`, `{"data":[],"more":false}`},
			{"list_devices", `{"tag":"cold"}`, `"registration":"AB12 CDE"`, `{"data":[],"more":false}`},
			{"list_devices", `{"limit":1}`, `"more":true,"after":"`, `"id":"$beta_device"`},
			{"list_devices", `{"state":"flying"}`, "!state is one of driving, idling, stopped, silent", "!state is one of"},
			{"list_devices", `{"after":"x"}`, "!after is not one that this list returned", "!after is not"},
			{"list_devices", `{"text":"a\u0000"}`, "!a text has a character that is not allowed", "!a text has"},
			{
				"list_devices", `{"colour":"red"}`, `!list_devices has no argument "colour"; it has after, connection_id, limit, state, tag, text`,
				"!list_devices has no",
			},
			{"list_devices", `{"limit":"ten"}`, "!limit must be a whole number, not string", "!limit must be"},
			{
				"list_positions", `{"device_id":"$device"}`, "!list_positions needs from: Positions at or after this time.",
				"!list_positions needs from",
			},
			{"newest_positions", `{"device_ids":["$device"]}`, `"device_id":"$device"`, `{"data":[],"more":false,"total":0}`},
			{"newest_positions", `{"limit":1}`, `"more":true,"after":"`, `"more":false`},
			{
				"list_positions", `{"device_id":"$device","from":"2024-05-02T00:00:00Z"}`, `"timestamp":"2024-05-02T10:14:30.250Z"`,
				"!You do not have access to this resource",
			},
			{"list_positions", `{"device_id":"$device","from":"then"}`, "!from is not a time such as", "!from is not a time"},
			{"list_trips", `{"device_id":"$device"}`, `"distance_metres":15230.5`, `{"data":[],"more":false}`},
			{"list_trips", `{"device_id":"$device"}`, `"registration":"AB12 CDE"`, `{"data":[],"more":false}`},
			{"list_trips", `{"limit":1}`, `"more":true,"after":"`, `"more":false`},
			{"sum_trips", `{"device_id":"$device"}`, `"valid_trips":`, `{"trips":0,`},
			{"explain_trip", `{"trip_id":"$trip"}`, `"explanation":{"trip_id":"$trip"`, "!You do not have access to this resource"},
			{"explain_trip", `{"trip_id":"$unknown"}`, "!Trip with ID $unknown not found", "!Trip with ID $unknown not found"},
			{"list_milestones", `{"status":"trip_in_progress"}`, `"id":"$milestone"`, `{"data":[],"more":false}`},
			{"list_milestones", `{}`, `"late_by_seconds":`, `"late_by_seconds":`},
			{"get_milestone", `{"milestone_id":"$milestone"}`, `"late_by_seconds":`, "!You do not have access to this resource"},
			{"get_milestone", `{"milestone_id":"$milestone"}`, `"update":{"milestone_id":"$milestone"`, "!You do not have access to this resource"},
			{"newest_readings", `{"kinds":["odometer_metres"],"limit":1}`, `"kind":"odometer_metres"`, `{"data":[],"more":false}`},
			{"newest_readings", `{"kinds":["miles"]}`, "!kinds is one of odometer_metres", "!kinds is one of"},
			{
				"list_readings", `{"device_id":"$device","from":"2024-05-02T00:00:00Z"}`, `"native_name":`, "!You do not have access to this resource",
			},
			{"list_readings", `{"device_id":"$device","from":"then"}`, "!from is not a time such as", "!from is not a time"},
			{"list_drivers", `{"text":"ann"}`, `"system_driver_id":"D-1"`, `{"data":[],"more":false}`},
			{
				"list_driver_assignments", `{"device_id":"$device","from":"2024-05-02T00:00:00Z"}`, `"system_driver_id":"D-1"`,
				"!You do not have access to this resource",
			},
			{"list_driver_assignments", `{"from":"2024-05-02T00:00:00Z"}`, "!device_id or driver_id is needed", "!device_id or"},
			{"list_faults", `{"statuses":["open"],"codes":["SPN 3031 FMI 9"]}`, `"device":{"registration":"AB12 CDE"`, `{"data":[],"more":false}`},
			{"list_faults", `{"statuses":["broken"]}`, "!statuses is one of open, pending, closed", "!statuses is one of"},
			{"list_safety_events", `{"types":["harsh_braking"]}`, `"system_event_id":"ev-47"`, `{"data":[],"more":false}`},
			{"list_safety_events", `{"after":"x"}`, "!after is not one that this list returned", "!after is not"},
			{"find", `{"text":"spn 3031"}`, `"kind":"fault"`, `{"data":[],"more":false}`},
			{"list_connections", `{}`, `"business_name":"Alpha Haulage"`, `"business_name":"Beta"`},
			{"get_connection", `{"connection_id":"$conn"}`, `"health":{"connection_id":"$conn"`, "!You do not have access to this resource"},
			{"list_deliveries", `{"webhook_id":"$webhook","limit":1}`, `"id":"$delivery"`, `{"data":[],"more":false}`},
			{"get_delivery", `{"delivery_id":"$delivery"}`, `"url":"https://hooks.example/full"`, "!You do not have access to this resource"},
		} {
			name := c.tool + " " + c.arguments
			for caller, want := range map[*mcp.ClientSession]string{own: c.want, foreign: c.foreign} {
				text, failed := use(t, caller, c.tool, fill(c.arguments))
				words, refused := strings.CutPrefix(fill(want), "!")
				apart := refused && onCitus(t) && (strings.Contains(text, "not found") || strings.Contains(text, "Unknown"))
				if failed != refused || !strings.Contains(text, words) && !apart {
					t.Errorf("%s: %v %s, want %s", name, failed, text, want)
				}
				var answer any
				if err := json.Unmarshal([]byte(text), &answer); err == nil && !failed {
					if err := answers[c.tool].Validate(answer); err != nil {
						t.Errorf("%s: answers otherwise than its schema: %v in %s", name, err, text)
					}
				}
			}
		}
	})
}

// checkTools holds that every tool only reads and says what it takes, and returns what each
// says that it answers.
func checkTools(t *testing.T, session *mcp.ClientSession) (tools map[string]*jsonschema.Resolved) {
	t.Helper()
	if said := session.InitializeResult().Instructions; !strings.Contains(said, "written by third parties") {
		t.Errorf("nothing is said of names that others chose: %s", said)
	}
	var names []string
	tools = map[string]*jsonschema.Resolved{}
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
		if tool.Annotations == nil || !tool.Annotations.ReadOnlyHint || tool.Description == "" {
			t.Errorf("%s is not said to read only, or has no words", tool.Name)
		}
		if takes, err := json.Marshal(tool.InputSchema); tool.Name == "list_devices" && (err != nil || !strings.Contains(string(takes), `"enum":["`)) {
			t.Errorf("list_devices does not say which states there are: %s, %v", takes, err)
		}
		text, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(text, &schema); err != nil || tool.OutputSchema == nil {
			t.Fatalf("%s: %v, schema %s", tool.Name, err, text)
		}
		// An answer that ends before all of it says where to go on, or that it does not.
		if more := schema.Properties["more"]; more != nil && schema.Properties["after"] == nil && !strings.Contains(more.Description, "no next page") {
			t.Errorf("%s may have more, and does not say where", tool.Name)
		}
		if takes, err := json.Marshal(tool.InputSchema); schema.Properties["after"] != nil && !strings.Contains(string(takes), `"after":`) {
			t.Errorf("%s answers where to go on, and cannot go on: %v", tool.Name, err)
		}
		if tools[tool.Name], err = schema.Resolve(nil); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(names)
	want := []string{
		"explain_trip", "find", "get_connection", "get_delivery", "get_milestone", "list_connections", "list_deliveries", "list_devices",
		"list_driver_assignments", "list_drivers", "list_faults", "list_milestones", "list_positions", "list_readings", "list_safety_events",
		"list_trips", "newest_positions", "newest_readings", "sum_trips",
	}
	if !slices.Equal(names, want) {
		t.Errorf("the tools are %v", names)
	}
	return tools
}

func TestAgentsMustBeKnown(t *testing.T) {
	t.Parallel()
	s := newService(t, settings(t, "sqlite"))
	for _, token := range []string{"", "drv_unknown", s.world.tokens[vera].RefreshToken} {
		if _, err := agentSession(t, s.server.URL, token); err == nil {
			t.Errorf("%q is let in", token)
		}
	}
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	header := map[string]string{"Accept": "application/json, text/event-stream", "Cookie": "drover=x"}
	if got := s.send(t, request{"POST", "/mcp", header, list}); got.status != http.StatusUnauthorized {
		t.Errorf("a cookie is answered with %d %s", got.status, got.body)
	}
	if got := s.send(t, request{"GET", "/mcp", header, ""}); got.status != http.StatusMethodNotAllowed {
		t.Errorf("GET is answered with %d %s", got.status, got.body)
	}
}

// TestAgentsSendOneMessage holds that an array, which would be many requests at the
// price of one, is refused, and that no answer is kept by anyone in between.
func TestAgentsSendOneMessage(t *testing.T) {
	t.Parallel()
	s := newService(t, settings(t, "sqlite"))
	const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_devices","arguments":{}}}`
	header := s.authorized(t, alice)
	header["Accept"] = "application/json, text/event-stream"
	for _, c := range []struct {
		body   string
		status int
		want   string
	}{
		{message, 200, `"structuredContent"`},
		{"[" + message + "," + message + "]", 400, "A request has one message, not an array of them"},
		{" \r\n\t[" + message + "]", 400, "A request has one message, not an array of them"},
		{"[]", 400, "A request has one message, not an array of them"},
	} {
		got := s.send(t, request{method: "POST", path: "/mcp", header: header, body: c.body})
		if got.status != c.status || !strings.Contains(got.body, c.want) {
			t.Errorf("%.20s: status %d, body %s", c.body, got.status, got.body)
		}
		if cache := got.header.Get("Cache-Control"); cache != "no-store" {
			t.Errorf("%.20s: Cache-Control is %q", c.body, cache)
		}
	}
}
