package contract_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// recordRows are what holds where the operator has enabled nothing: there is no connection
// that takes records. TestPush has the others.
func recordRows() []row {
	ask := func(name, user, path, body string, status int, want string) row {
		return row{name: name, as: user, method: "POST", path: path, body: body, status: status, want: want}
	}
	const one = `[{"type":"device","system_device_id":"x"}]`
	return []row{
		ask("OfVendor", wanda, "/connection/$new_conn/record", one, 422,
			invalid("value_error", "Value error, Traccar takes no records: only a connection to push does", "path", "connection_id")),
		ask("OfShared", carol, "/connection/$conn/record", one, 403, forbidden),
		ask("OfOther", bob, "/connection/$conn/record", one, 403, forbidden),
		ask("OfUnknown", wanda, "/connection/$unknown/record", one, 404, notFound(noConnection, "$unknown")),
		ask("NoConnectionOfPush", wanda, "/connection", `{"integration_name":"push","business_name":"x","credentials":{}}`, 422,
			invalid("enum", providerRefusal(), "body", "integration_name")),
		ask("NotEvenJSON", wanda, "/connection/$new_conn/record", `[{"type":]`, 422, invalid("json_invalid", "JSON decode error", "body", 9)),
		ask("Behind", wanda, "/connection/$new_conn/record", one+" x", 422,
			invalid("json_invalid", "JSON decode error", "body", len(one)+1)),
		ask("TooMany", wanda, "/connection/$new_conn/record", "["+strings.Repeat("0,", 1000)+"0]", 422,
			invalid("too_long", "List should have at most 1000 items after validation", "body")),
	}
}

// providerRefusal is what the interface says of a provider that it does not have.
func providerRefusal() string {
	_, err := drover.ParseProviderName("push")
	return err.Error()
}

// pushed is a service whose operator has enabled push, and a connection to it of alpha's.
type pushed struct {
	*service
	conn drover.Connection
	// key may send, and nothing else.
	key map[string]string
}

func onBothPushed(t *testing.T, credentials string, f func(t *testing.T, p pushed)) {
	t.Helper()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			c := settings(t, database)
			c.ProviderExtra = drover.ExtraProviderNames
			p := pushed{service: newService(t, c)}
			read(t, p.send(t, request{
				http.MethodPost, "/connection", p.authorized(t, alice),
				`{"integration_name":"push","business_name":"Own trackers","credentials":` + credentials + `}`,
			}), &p.conn)
			p.key = p.scoped(t, "push")
			f(t, p)
		})
	}
}

// scoped lets a key of alpha's in.
func (p pushed) scoped(t *testing.T, scopes ...string) map[string]string {
	t.Helper()
	var made drover.APIKeyCreated
	read(t, p.send(t, request{http.MethodPost, "/api-key", p.authorized(t, alice), jsonText(map[string]any{"name": "sender", "scopes": scopes})}), &made)
	return map[string]string{"Authorization": "Bearer " + made.Key}
}

func (p pushed) post(t *testing.T, header map[string]string, body string) response {
	t.Helper()
	return p.send(t, request{http.MethodPost, "/connection/" + p.conn.ID + "/record", header, body})
}

// records sends a batch, and returns what became of it.
func (p pushed) records(t *testing.T, body string) drover.RecordResult {
	t.Helper()
	var got drover.RecordResult
	read(t, p.post(t, p.key, body), &got)
	return got
}

// summary is the outcomes with their reasons, a line each.
func summary(r drover.RecordResult) string {
	lines := []string{fmt.Sprintf("%d received, %d stored, %d known, %d refused", r.Received, r.Stored, r.Known, r.Refused)}
	for _, o := range r.Records {
		line := string(o.Outcome)
		if o.Reason != nil {
			line += ": " + *o.Reason
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func wantSummary(t *testing.T, got drover.RecordResult, want ...string) {
	t.Helper()
	if text := summary(got); text != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", text, strings.Join(want, "\n"))
	}
}

const somewhere = `"type":"position","latitude":-37.5,"longitude":144.9,`

// TestPush sends records of all types, well and badly made, twice.
func TestPush(t *testing.T) {
	t.Parallel()
	onBothPushed(t, `{"trips":"native"}`, func(t *testing.T, p pushed) {
		t.Helper()
		batch := `[
			{"type":"device","system_device_id":"t1","registration":"AB 1"},
			{` + somewhere + `"system_device_id":"t1","timestamp":"2024-05-02T10:00:00Z","speed":{"speed_kph":50},"driver_id":{"format":"text","value":"D1"}},
			{` + somewhere + `"system_device_id":"t1","timestamp":"2024-05-02T10:00:00Z"},
			{"type":"reading","system_device_id":"t1","kind":"fuel_level_percent","timestamp":"2024-05-02T10:00:00Z","value":40,"source":"vehicle"},
			{"type":"trip","system_device_id":"t1","system_trip_id":"7","start_time":"2024-05-02T09:00:00Z","end_time":"2024-05-02T09:30:00Z","distance_metres":1000},
			{"type":"trip","system_device_id":"t1","system_trip_id":"7","start_time":"2024-05-02T09:00:00Z","end_time":"2024-05-02T09:30:00Z","distance_metres":1000},
			{"type":"position","system_device_id":"t2","timestamp":"2024-05-02T10:00:00Z","latitude":91,"longitude":0},
			{"type":"position","system_device_id":"t2","timestamp":"2024-05-02T10:00:00Z","latitude":1e999,"longitude":0},
			{"type":"position","system_device_id":"t2","timestamp":"2024-05-02T10:00:00Z","latitude":1},
			{` + somewhere + `"system_device_id":"t2","timestamp":"2024-05-02T11:00:00Z"},
			{` + somewhere + `"system_device_id":"t2","timestamp":"1999-12-31T23:59:59Z"},
			{` + somewhere + `"system_device_id":"t2","timestamp":"2024-05-02T10:00:00Z","sped":1},
			{` + somewhere + `"system_device_id":"t2","timestamp":"2024-05-02T10:00:00Z","speed":{"speed_mph":1}},
			{` + somewhere + `"system_device_id":"t2","timestamp":"2024-05-02T10:00:00Z","speed":{"speed_kph":1,"mph":1}},
			{` + somewhere + `"system_device_id":"t2","timestamp":"2024-05-02T10:00:00Z","speed":{"speed_kph":1001}},
			{` + somewhere + `"system_device_id":"t2","timestamp":"2024-05-02T10:00:00Z","make":"Scania"},
			{"type":"event","system_device_id":"t2"},
			{"type":"trip","system_device_id":"t1","system_trip_id":"8","start_time":"2024-05-02T09:00:00Z","end_time":"2024-05-02T08:30:00Z"},
			{"type":"device","system_device_id":" "},
			7]`
		refused := []string{
			"refused: latitude: Input should be less than or equal to 90",
			"refused: latitude: Input should be a finite number",
			"refused: longitude: Field required",
			"refused: it is in the future: the sender's clock or time zone is wrong",
			"refused: it is before the year 2000: the sender's clock is wrong",
			"refused: sped: Extra inputs are not permitted",
			"refused: speed.speed_kph: Field required",
			"refused: speed.mph: Extra inputs are not permitted",
			"refused: speed.speed_kph: Value error, a speed is 0 to 1000 km/h",
			"refused: make: Extra inputs are not permitted",
			"refused: type: Input should be 'device', 'position', 'trip', 'reading', 'driver', 'fault' or 'safety_event'",
			"refused: end_time: Value error, end_time must not be before start_time",
			"refused: system_device_id: String should have at least 1 character",
			"refused: Input should be a valid dictionary or object to extract fields from",
		}
		first := append([]string{"20 received, 4 stored, 2 known, 14 refused", "stored", "stored", "known", "stored", "stored", "known"}, refused...)
		wantSummary(t, p.records(t, batch), first...)
		again := append([]string{"20 received, 0 stored, 6 known, 14 refused", "known", "known", "known", "known", "known", "known"}, refused...)
		wantSummary(t, p.records(t, batch), again...)
		driven := `[{"type":"trip","system_device_id":"t1","system_trip_id":"7","start_time":"2024-05-02T09:00:00Z","end_time":"2024-05-02T09:30:00Z",
			"distance_metres":1000,"driver_id":{"format":"text","value":"D1"}}]`
		wantSummary(t, p.records(t, driven), "1 received, 1 stored, 0 known, 0 refused", "stored")
		wantSummary(t, p.records(t, driven), "1 received, 0 stored, 1 known, 0 refused", "known")
		wantSummary(t, p.records(t, strings.Replace(driven, "D1", "D2", 1)), "1 received, 1 stored, 0 known, 0 refused", "stored")

		devices, _ := get[[]drover.Device](t, p.service, alice, "/device?connection_id="+p.conn.ID)
		if len(devices) != 1 || devices[0].SystemDeviceID != "t1" || devices[0].Registration == nil {
			t.Fatalf("the devices are %+v", devices)
		}
		trips, _ := get[[]drover.Trip](t, p.service, alice, "/trip?device_id="+devices[0].ID)
		positions, _ := get[[]drover.HistoricPosition](t, p.service, alice, "/device/"+devices[0].ID+"/positions?from=2024-05-02T00:00:00Z")
		readings, _ := get[[]drover.Reading](t, p.service, alice, "/reading?device_id="+devices[0].ID)
		if len(trips) != 1 || len(positions) != 1 || positions[0].Speed == nil || positions[0].DriverID == nil || len(readings) != 1 {
			t.Errorf("stored are %+v, %+v and %+v", trips, positions, readings)
		}
		checkLines(t, p)
		checkStrangers(t, p)
	})
}

// checkLines sends records a line each.
func checkLines(t *testing.T, p pushed) {
	t.Helper()
	lines := map[string]string{"Content-Type": "application/x-ndjson; charset=utf-8", "Authorization": p.key["Authorization"]}
	var got drover.RecordResult
	position := `{` + somewhere + `"system_device_id":"n","timestamp":"2024-05-02T10:00:0%dZ"}`
	read(t, p.post(t, lines, fmt.Sprintf(position, 1)+"\n\n{\"type\":NaN}\r\n"+fmt.Sprintf(position, 2)+"\n"+fmt.Sprintf(position, 3)), &got)
	wantSummary(t, got, "4 received, 3 stored, 0 known, 1 refused", "stored", "refused: JSON decode error", "stored", "stored")
	// Without a line end it is one record, and too long for one.
	read(t, p.post(t, lines, `{"type":"device","system_device_id":"`+strings.Repeat("x", 70_000)+`"}`), &got)
	wantSummary(t, got, "1 received, 0 stored, 0 known, 1 refused", "refused: Value error, a record has 65536 bytes at the most")
	wantSummary(t, p.records(t, "[]"), "0 received, 0 stored, 0 known, 0 refused")
	if resp := p.post(t, p.key, padded(1<<20+1)); resp.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body that is too large is answered %d", resp.status)
	}
}

// checkStrangers sends as others: nothing of it is stored, and no one learns more than that.
func checkStrangers(t *testing.T, p pushed) {
	t.Helper()
	const one = `[{"type":"device","system_device_id":"stranger"}]`
	for name, c := range map[string]struct {
		header map[string]string
		scope  string
	}{
		"another tenant": {p.authorized(t, bob), ""},
		"a viewer":       {p.authorized(t, vera), "push"},
		"a key to write": {p.scoped(t, "read", "write"), "push"},
	} {
		resp := p.post(t, c.header, one)
		if c.scope == "" && onCitus(t) && notFoundApart(resp.status, resp.body) {
			continue
		}
		if resp.status != http.StatusForbidden || resp.header.Get("X-Required-Scope") != c.scope {
			t.Errorf("%s is answered %d %s %s", name, resp.status, resp.header.Get("X-Required-Scope"), resp.body)
		}
	}
	for _, path := range []string{"/connection", "/device", "/connection/" + p.conn.ID, "/session"} {
		if resp := p.send(t, request{method: http.MethodGet, path: path, header: p.key}); resp.status != http.StatusForbidden ||
			resp.header.Get("X-Required-Scope") != "read" {
			t.Errorf("a key that only sends reads %s: %d %s", path, resp.status, resp.body)
		}
	}
	agent := request{http.MethodPost, "/mcp", p.key, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`}
	if resp := p.send(t, agent); resp.status != http.StatusForbidden {
		t.Errorf("a key that only sends uses tools: %d", resp.status)
	}
	active := request{http.MethodPatch, "/connection/" + p.conn.ID, p.authorized(t, alice), `{"active":false}`}
	if resp := p.send(t, active); resp.status != http.StatusOK {
		t.Fatalf("status %d: %s", resp.status, resp.body)
	}
	if resp := p.post(t, p.key, one); resp.status != http.StatusUnprocessableEntity {
		t.Errorf("a connection that is not active takes records: %d %s", resp.status, resp.body)
	}
}

// TestPushAtOnce holds that a tenant has no more than its share of batches under way.
func TestPushAtOnce(t *testing.T) {
	t.Parallel()
	c := settings(t, "sqlite")
	c.ProviderExtra = drover.ExtraProviderNames
	p := pushed{service: newService(t, c)}
	read(t, p.send(t, request{http.MethodPost, "/connection", p.authorized(t, alice), `{"integration_name":"push","business_name":"x","credentials":{}}`}), &p.conn)
	p.key = p.scoped(t, "push")
	// Someone who holds the connection lets all batches wait.
	release := p.hold(t)
	answers := make(chan int, 9)
	for range cap(answers) {
		go func() {
			req := p.newRequest(t, t.Context(), p.server.URL, request{
				http.MethodPost, "/connection/" + p.conn.ID + "/record", p.key,
				`[{"type":"device","system_device_id":"x"}]`,
			})
			resp, err := p.client.Do(req)
			if err != nil {
				answers <- 0
				return
			}
			defer resp.Body.Close()
			_, _ = io.Copy(io.Discard, resp.Body)
			answers <- resp.StatusCode
		}()
	}
	if status := <-answers; status != http.StatusTooManyRequests {
		t.Errorf("the first answer is %d, want that of the ninth batch", status)
	}
	release()
	for range cap(answers) - 1 {
		if status := <-answers; status == http.StatusTooManyRequests || status == 0 {
			t.Errorf("a batch that waited is answered %d", status)
		}
	}
}

// hold keeps the connection from everyone else until release is called.
func (p pushed) hold(t *testing.T) (release func()) {
	t.Helper()
	claim := work.Claim{
		TenantID: p.conn.TenantID, ConnectionID: p.conn.ID, Owner: "test", LeasedUntil: drover.At(p.clock.Now().Add(time.Hour)),
	}
	due, err := p.app.Store.Jobs.ClaimCollection(t.Context(), claim, drover.At(p.clock.Now()))
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := p.app.Store.Update(t.Context(), func(tx *store.Tx) error { return tx.Jobs.ReleaseLease(t.Context(), claim, due) }); err != nil {
			t.Fatal(err)
		}
	}
}
