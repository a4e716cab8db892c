package contract_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/store/storetest"
)

// row is one rule of the interface: a request and its exact answer.
//
// Names such as $device stand for ids of the world; $new_device for a record
// made for this row alone. In the wanted body "<uuid>", "<jwt>" and
// "<secret>" stand for texts that the service makes up, "<any>" for any value.
type row struct {
	name         string
	as           string // the user who asks; no one where it is empty
	method, path string
	header       map[string]string
	body         string
	after        time.Duration // by how much the clock is ahead of the present
	status       int
	want         string            // the exact body; none where it is empty
	wantHeader   map[string]string // an empty value means that the header is absent
	then         []row             // what is asked next, of the same new records
}

// The refusals that many operations share.
var (
	unauthenticated = refusal(401, "Authentication header is missing, or token is invalid/expired")
	expired         = refusal(401, "JWT has expired")
	malformed       = refusal(400, "Invalid JWT format")
	forbidden       = refusal(403, "You do not have access to this resource")
)

// refusal is the body of an error.
func refusal(code int, message string) string {
	return jsonText(map[string]any{"error": map[string]any{"code": code, "message": message}})
}

// invalid is the body of a failed validation.
func invalid(typ, msg string, loc ...any) string {
	return jsonText(map[string]any{"error": map[string]any{"code": 422, "message": msg, "msg": msg, "type": typ, "loc": loc}})
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // only for values that the tables do not hold
	}
	return string(text)
}

// data is the body of a success.
func data(records ...string) string { return `{"data":` + strings.Join(records, ",") + `}` }

// list is the body of a list.
func list(records ...string) string { return `{"data":[` + strings.Join(records, ",") + `]}` }

// with returns a JSON object with some of its fields replaced.
func with(object string, fields ...string) string {
	var tree map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &tree); err != nil {
		panic(err) // a fault of the table
	}
	for i := 0; i < len(fields); i += 2 {
		tree[fields[i]] = json.RawMessage(fields[i+1])
	}
	return jsonText(tree)
}

// tables are all rows, by resource.
func tables() map[string][]row {
	return map[string][]row{
		"account":        accountRows(),
		"limit":          limitRows(),
		"token":          tokenRows(),
		"authorization":  authorizationRows(),
		"collection":     collectionRows(),
		"inbound":        inboundRows(),
		"record":         recordRows(),
		"connection":     connectionRows(),
		"connection-set": connectionChangeRows(),
		"create":         createRows(),
		"session":        sessionRows(),
		"sso":            ssoRows(),
		"factor":         factorRows(),
		"passkey":        passkeyRows(),
		"share":          shareRows(),
		"link":           linkRows(),
		"invite":         inviteRows(),
		"vendor consent": vendorConsentRows(),
		"user":           userRows(),
		"user-me":        ownUserRows(),
		"api-key":        apiKeyRows(),
		"audit":          auditRows(),
		"consent":        consentRows(),
		"device":         deviceRows(),
		"device-patch":   devicePatchRows(),
		"newest":         newestRows(),
		"reading":        readingRows(),
		"fault":          faultRows(),
		"safety":         safetyRows(),
		"note":           noteRows(),
		"tile":           tileRows(),
		"trip":           tripRows(),
		"stop":           stopRows(),
		"settings":       settingRows(),
		"brand":          brandRows(),
		"recompute":      recomputeRows(),
		"day":            dayRows(),
		"event":          eventRows(),
		"milestone":      milestoneRows(),
		"milestone-add":  milestoneCreateRows(),
		"milestone-set":  milestonePatchRows(),
		"webhook":        webhookRows(),
		"webhook-add":    webhookCreateRows(),
		"webhook-set":    webhookPatchRows(),
		"webhook-do":     webhookWorkRows(),
		"delivery":       deliveryRows(),
		"trip-set":       tripPatchRows(),
		"search":         searchRows(),
		"way":            wayRows(),
		"export":         exportRows(),
		"report":         reportRows(),
		"operator":       operatorRows(),
		"driver":         driverRows(),
		"acting":         actingRows(),
		"transport":      transportRows(),
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		all := tables()
		for _, name := range slices.Sorted(maps.Keys(all)) {
			for _, r := range all[name] {
				t.Run(name+"/"+r.name, func(t *testing.T) { r.run(t, s) })
			}
		}
	})
}

// run sends the row's request, and those that follow it.
func (r row) run(t *testing.T, s *service) {
	t.Helper()
	names := &names{t: t, world: s.world, fresh: map[string]string{}}
	for _, step := range append([]row{r}, r.then...) {
		// New records are of the present, whatever the clock says afterwards.
		q := request{method: step.method, path: names.resolve(step.path), body: names.resolve(step.body), header: map[string]string{}}
		s.clock.Set(present.Add(step.after))
		if step.as != "" {
			q.header = s.authorized(t, step.as)
		}
		for name, value := range step.header {
			q.header[name] = names.resolve(value)
		}
		resp := s.send(t, q)
		s.clock.Set(present)
		step.check(t, names, resp)
		if t.Failed() {
			t.Logf("%s %s: %s", step.method, q.path, cut(resp.body))
			return
		}
	}
}

func (r row) check(t *testing.T, names *names, resp response) {
	t.Helper()
	if onCitus(t) && r.allowsApart(resp) {
		return
	}
	if resp.status != r.status {
		t.Errorf("status %d, want %d", resp.status, r.status)
	}
	checkAnswer(t, resp)
	if diff := bodyDiff(t, names.resolve(r.want), resp.body); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	for name, want := range r.wantHeader {
		if got := resp.header.Get(name); got != names.resolve(want) {
			t.Errorf("header %s is %q, want %q", name, got, want)
		}
	}
}

// onCitus reports whether the service of a test has its tenants on several servers.
func onCitus(t *testing.T) bool {
	t.Helper()
	return storetest.Citus() && strings.Contains(t.Name(), "/postgres")
}

// allowsApart reports whether an answer is what docs/scaling.md says of several servers: what is
// another's, and not shared, is found for no one, and changes are not listed.
func (r row) allowsApart(resp response) bool {
	return r.want == forbidden && notFoundApart(resp.status, resp.body) ||
		resp.status == 422 && strings.Contains(resp.body, "The changes of records cannot be listed where tenants lie on several servers")
}

func notFoundApart(status int, body string) bool {
	return status == 404 || status == 422 && strings.Contains(body, "not found")
}

// names resolves the names of a row.
type names struct {
	t     *testing.T
	world *world
	fresh map[string]string
}

var namePattern = regexp.MustCompile(`\$[a-z][a-z_]*`)

func (n *names) resolve(text string) string {
	return namePattern.ReplaceAllStringFunc(text, func(match string) string {
		name := match[1:]
		if id, ok := n.fresh[name]; ok {
			return id
		}
		if id, ok := n.world.ids[name]; ok && !strings.HasPrefix(name, "new_") {
			return id
		}
		maps.Copy(n.fresh, n.world.fresh(n.t, name))
		return n.fresh[name]
	})
}

// checkAnswer checks what holds for every answer.
func checkAnswer(t *testing.T, resp response) {
	t.Helper()
	if err := answerFault(resp); err != nil {
		t.Error(err)
	}
}

// answerFault says what is wrong with an answer, whatever was asked: every one
// is identified, and its body is in one of the two envelopes.
func answerFault(resp response) error {
	if resp.header.Get("X-Request-Id") == "" {
		return fmt.Errorf("no x-request-id on a %d", resp.status)
	}
	if resp.status == http.StatusNoContent {
		if resp.body != "" {
			return fmt.Errorf("a 204 has the body %s", cut(resp.body))
		}
		return nil
	}
	if got := resp.header.Get("Content-Type"); got != "application/json" {
		return fmt.Errorf("content type is %q", got)
	}
	if resp.status == http.StatusUnauthorized && resp.header.Get("WWW-Authenticate") != "Bearer" {
		return fmt.Errorf("a 401 without WWW-Authenticate: Bearer")
	}
	var envelope map[string]json.RawMessage
	if err := json.Unmarshal([]byte(resp.body), &envelope); err != nil || len(envelope) != 1 {
		return fmt.Errorf("body is no object with one key: %s", cut(resp.body))
	}
	if resp.status == http.StatusOK {
		if _, ok := envelope["data"]; !ok {
			return fmt.Errorf("a success without data: %s", cut(resp.body))
		}
		return nil
	}
	return errorFault(resp.status, envelope["error"])
}

// errorFault says what is wrong with the inside of an error envelope.
func errorFault(status int, text json.RawMessage) error {
	var detail map[string]any
	if err := json.Unmarshal(text, &detail); err != nil {
		return fmt.Errorf("a %d without an error object", status)
	}
	keys := slices.Sorted(maps.Keys(detail))
	want := []string{"code", "message"}
	if status == http.StatusUnprocessableEntity {
		want = []string{"code", "loc", "message", "msg", "type"}
	}
	if !slices.Equal(keys, want) {
		return fmt.Errorf("the error of a %d has the keys %v, want %v", status, keys, want)
	}
	if detail["code"] != float64(status) {
		return fmt.Errorf("code is %v on a %d", detail["code"], status)
	}
	if message, ok := detail["message"].(string); !ok || message == "" {
		return fmt.Errorf("message of a %d is %v", status, detail["message"])
	}
	if status == http.StatusUnprocessableEntity && detail["msg"] != detail["message"] {
		return fmt.Errorf("msg %v differs from message %v", detail["msg"], detail["message"])
	}
	return nil
}

// bodyDiff compares two JSON texts exactly, numbers by their digits.
func bodyDiff(t *testing.T, want, got string) string {
	t.Helper()
	if want == "<any>" {
		return ""
	}
	if want == "" || got == "" {
		return cmp.Diff(want, got)
	}
	wanted := tree(t, want)
	return cmp.Diff(wanted, masked(wanted, tree(t, got)))
}

func tree(t *testing.T, text string) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("no JSON: %v: %s", err, cut(text))
	}
	return v
}

// made are the texts that the service makes up.
var made = map[string]*regexp.Regexp{
	"<uuid>":  regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`),
	"<jwt>":   regexp.MustCompile(`^[\w-]+\.[\w-]+\.[\w-]+$`),
	"<share>": regexp.MustCompile(`^/share/[a-z2-7]{32}$`),
	"<link>":  regexp.MustCompile(`^/link/[a-z2-7]{32}$`),
	"<consent>": regexp.MustCompile(`^https://deere\.contract\.invalid/[a-zA-Z0-9/]*/authorize\?client_id=0oa1&redirect_uri=https%3A%2F%2Ffleet\.example%2Flink%2Fconsent&` +
		`response_type=code&scope=eq1\+offline_access&state=[A-Z2-7]{26}$`),
	"<key>":  regexp.MustCompile(`^drv_[a-z2-7]{32}$`),
	"<code>": regexp.MustCompile(`^[A-Z2-7]{24}$`),
	// The base64 of 32 bytes.
	"<secret>": regexp.MustCompile(`^whsec_[A-Za-z0-9+/]{43}=$`),
}

// masked replaces in got what want only names the form of.
func masked(want, got any) any {
	switch w := want.(type) {
	case string:
		if w == "<any>" {
			return w
		}
		text, _ := got.(string)
		if form, ok := made[w]; ok && form.MatchString(text) {
			return w
		}
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			for key := range g {
				g[key] = masked(w[key], g[key])
			}
		}
	case []any:
		if g, ok := got.([]any); ok {
			for i := range min(len(w), len(g)) {
				g[i] = masked(w[i], g[i])
			}
		}
	}
	return got
}

// cut keeps a log readable.
func cut(text string) string {
	const most = 2000
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}
