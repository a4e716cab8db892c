package contract_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
)

// records are what stands for each parameter that must be given: alpha's own.
var records = map[string]string{
	"connection_id": "$conn",
	"device_id":     "$device",
	"trip_id":       "$trip",
	"fault_id":      "$fault",
	"milestone_id":  "$milestone",
	"webhook_id":    "$webhook",
	"tenant_id":     "$gamma",
	"share_id":      "$share",
	"export_id":     "$export",
	"job_id":        "$unknown",
	"user_id":       "$mark_sub",
	"q":             "truck",
	"delivery_id":   "$delivery",
	"share_token":   "$share_token",
	"link_token":    "$link_token",
	"link_id":       "$conn_link",
	"inbound_token": "x",
	"session_id":    "$alice_session",
	"passkey_id":    "$passkey",
	"api_key_id":    "$api_key",
	"actor_id":      "$mark_sub",
	"record_id":     "$conn",
	"recompute_id":  "$recompute",
	"driver_id":     "$driver",
	"erasure_id":    "$erasure",
	"z":             "14",
	"x":             "8715", // 11.5° E, 48.4° N
	"y":             "5667",
	"start_date":    "2024-05-01",
	"end_date":      "2024-05-31",
	"from":          "2024-05-02T00:00:00Z",
	"to":            "2024-05-03T00:00:00Z",

	"safety_event_id": "$safety_event",
	"note_id":         "$note",
}

// pathOf fills in the parameters of an operation's path. One that is not known
// here fails the test: anyone who adds it says which record stands for it.
func pathOf(tb testing.TB, o operation) string {
	tb.Helper()
	path := o.path
	for _, name := range o.parameters("path") {
		record, ok := records[name]
		if !ok {
			tb.Fatalf("%s: say in records what stops for {%s}", o, name)
		}
		path = strings.Replace(path, "{"+name+"}", record, 1)
	}
	for _, name := range o.required("query") {
		value, ok := records[name]
		if !ok {
			tb.Fatalf("%s: say in records what stops for the parameter %s", o, name)
		}
		path = withQuery(path, name+"="+value)
	}
	if o.path == "/driver-assignment" { // one of two is needed
		path = withQuery(path, "device_id=$device")
	}
	return path
}

// commonRows are the refusals that an operation shares with all of its kind.
// None of them changes anything.
func commonRows(tb testing.TB, o operation) []row {
	tb.Helper()
	base := row{method: o.method, path: pathOf(tb, o), body: o.example()}
	ask := func(name string, change func(r *row), status int, want string) row {
		r := base
		r.name, r.header, r.status, r.want = name, map[string]string{}, status, want
		if !o.public() {
			r.as = readerOf(o.path)
		}
		change(&r)
		return r
	}
	header := func(name, value string) func(r *row) { return func(r *row) { r.header[name] = value } }
	unwanted := "text/html"
	if _, offered := o.Responses["200"].Content[unwanted]; offered {
		unwanted = "image/png"
	}
	rows := []row{
		ask("NotAcceptable", header("Accept", unwanted), 406, refusal(406, "Accept must allow application/json")),
		ask("VersionNoDate", header("x-api-version", "new"), 422,
			invalid("date_parsing", "Input should be a valid date in the format YYYY-MM-DD", "header", "x-api-version")),
		ask("VersionTooEarly", header("x-api-version", "2024-03-25"), 422,
			invalid("value_error", "Value error, the first version is 2024-03-26", "header", "x-api-version")),
	}
	if _, ok := specified[o.String()]; !ok {
		rows = append(rows, ask("UnknownParameter", func(r *row) { r.path = withQuery(r.path, "surprise=1") }, 422,
			invalid("extra_forbidden", "Extra inputs are not permitted", "query", "surprise")))
	}
	if !o.public() {
		rows = append(rows,
			ask("NoToken", func(r *row) { r.as = "" }, 401, unauthenticated),
			ask("MalformedToken", header("Authorization", "Bearer x.y"), 400, malformed),
			ask("RefusedToken", header("Authorization", "Bearer $token_wrong_signature"), 401, unauthenticated),
			ask("RefreshToken", header("Authorization", "Bearer $alice_refresh"), 401, unauthenticated),
			ask("DisabledUser", header("Authorization", "Bearer $token_disabled_user"), 403, forbidden),
			ask("SuspendedTenant", header("Authorization", "Bearer $token_suspended_tenant"), 403, forbidden),
		)
	}
	if slices.Contains(o.parameters("header"), "If-Match") {
		rows = append(rows, ask("MatchOther", func(r *row) {
			r.header["If-Match"] = `"other", W/"another"`
			if o.RequestBody != nil {
				r.body = "{}"
			}
		}, 412, refusal(412, "The record has changed since it was read")))
	}
	if o.RequestBody != nil {
		rows = append(rows,
			ask("OtherType", header("Content-Type", "text/plain"), 415,
				refusal(415, "Content-Type must be "+strings.Join(slices.Sorted(maps.Keys(o.RequestBody.Content)), " or "))),
			ask("TooLarge", func(r *row) { r.body = padded(1<<20 + 1) }, 413, refusal(413, "Request body is larger than 1048576 bytes")),
			ask("NotJSON", func(r *row) { r.body = "{" }, 422, invalid("json_invalid", "JSON decode error", "body", 1)),
			ask("BodyNoObject", func(r *row) { r.body = `"x"` }, 422, o.wrongKind()),
		)
	}
	if o.RequestBody != nil && o.RequestBody.Required {
		rows = append(rows, ask("NoBody", func(r *row) { r.body = "" }, 422, invalid("missing", "Field required", "body")))
	}
	return rows
}

// wrongKind is the refusal of a body that is neither an object nor a list.
func (o operation) wrongKind() string {
	if strings.HasPrefix(o.example(), "[") {
		return invalid("list_type", "Input should be a valid list", "body")
	}
	return invalid("model_attributes_type", "Input should be a valid dictionary or object to extract fields from", "body")
}

// TestEveryOperation checks what holds for all operations, or for all of a kind.
// None of it changes anything.
func TestEveryOperation(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		t.Run("CommonRefusals", func(t *testing.T) { checkCommonRefusals(t, s) })
		t.Run("IgnoredParameter", func(t *testing.T) { checkIgnoredParameter(t, s) })
		t.Run("ViewerReadsOnly", func(t *testing.T) { checkViewerReadsOnly(t, s) })
		t.Run("Scopes", func(t *testing.T) { checkScopes(t, s) })
		t.Run("ForeignRecord", func(t *testing.T) { checkForeignRecord(t, s) })
		t.Run("ForeignLists", func(t *testing.T) { checkForeignLists(t, s) })
		t.Run("Lists", func(t *testing.T) { checkLists(t, s) })
		t.Run("Bounds", func(t *testing.T) { checkBounds(t, s) })
		t.Run("ActivityWindow", func(t *testing.T) { checkActivityWindow(t, s) })
	})
}

func checkCommonRefusals(t *testing.T, s *service) {
	t.Helper()
	for _, o := range s.doc().operations() {
		for _, r := range commonRows(t, o) {
			t.Run(o.OperationID+"/"+r.name, func(t *testing.T) { r.run(t, s) })
		}
	}
}

// checkIgnoredParameter asks the interface's own operations, which ignore a
// parameter that they do not know.
func checkIgnoredParameter(t *testing.T, s *service) {
	t.Helper()
	for _, o := range s.doc().operations() {
		if _, ok := specified[o.String()]; !ok || o.method != "GET" {
			continue
		}
		t.Run(o.OperationID, func(t *testing.T) {
			names := &names{t: t, world: s.world, fresh: map[string]string{}}
			path := names.resolve(pathOf(t, o))
			want, _ := get[any](t, s, alice, path)
			if got, _ := get[any](t, s, alice, withQuery(path, "surprise=1")); !cmp.Equal(want, got) {
				t.Error(cmp.Diff(want, got))
			}
		})
	}
}

// checkViewerReadsOnly sends a viewer to every operation that changes something.
func checkViewerReadsOnly(t *testing.T, s *service) {
	t.Helper()
	for _, o := range s.doc().operations() {
		if o.method == "GET" || o.public() || endsSession(o) || strings.HasPrefix(o.path, "/user/me") {
			continue
		}
		r := row{as: vera, method: o.method, path: pathOf(t, o), body: o.example(), status: 403, want: forbidden}
		t.Run(o.OperationID, func(t *testing.T) { r.run(t, s) })
	}
}

// checkScopes holds what the document says of scopes to what is refused: to a key that
// has all scopes but one, each operation that needs it answers 403 and names it, and no
// other one does.
func checkScopes(t *testing.T, s *service) {
	t.Helper()
	for _, missing := range drover.Permissions[1:] { // every key may read
		scopes := slices.DeleteFunc(slices.Clone(drover.Permissions), func(p drover.Permission) bool { return p == missing })
		body, err := json.Marshal(map[string]any{"name": "all but " + string(missing), "scopes": scopes})
		if err != nil {
			t.Fatal(err)
		}
		var made struct{ Data drover.APIKeyCreated }
		resp := s.send(t, request{"POST", "/api-key", s.authorized(t, alice), string(body)})
		if err := json.Unmarshal([]byte(resp.body), &made); err != nil || resp.status != 200 {
			t.Fatalf("%d %s", resp.status, resp.body)
		}
		for _, o := range s.doc().operations() {
			if o.public() || o.method != "GET" && !slices.Contains(o.Scopes, missing) || o.streams() {
				continue // what is not refused would change something, or have no end
			}
			t.Run(string(missing)+"/"+o.OperationID, func(t *testing.T) {
				names := &names{t: t, world: s.world, fresh: map[string]string{}}
				header := map[string]string{"Authorization": "Bearer " + made.Data.Key}
				resp := s.send(t, request{o.method, names.resolve(pathOf(t, o)), header, names.resolve(o.example())})
				want := ""
				if slices.Contains(o.Scopes, missing) {
					want = string(missing)
				}
				if got := resp.header.Get("X-Required-Scope"); got != want || want != "" && resp.status != 403 {
					t.Errorf("status %d names %q, the document %v", resp.status, got, o.Scopes)
				}
			})
		}
	}
}

// checkLists walks every list that has pages.
func checkLists(t *testing.T, s *service) {
	t.Helper()
	for _, o := range s.doc().operations() {
		if slices.Contains(o.parameters("query"), "cursor") {
			path := pathOf(t, o)
			if o.path == "/audit" { // what other tests did before would fill several pages
				path = withQuery(path, "action=connection.credentials.read")
			}
			if o.path == "/operator/audit" {
				path = withQuery(path, "action=operator-key.create")
			}
			most := o.most()
			t.Run(o.OperationID, func(t *testing.T) { walkList(t, s, path, most, o.feed()) })
			for _, sort := range o.values("sort") {
				changes := sort == "updated_at" && !strings.HasPrefix(o.path, "/milestone") // which have one direction
				if changes || !slices.Contains(o.parameters("query"), "order") {
					continue
				}
				t.Run(o.OperationID+"/"+sort, func(t *testing.T) { walkList(t, s, withQuery(path, "order=desc&sort="+sort), most, o.feed()) })
			}
		}
	}
}
