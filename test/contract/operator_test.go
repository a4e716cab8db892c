package contract_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

const (
	noTenant = "Tenant with ID %s not found"

	defaultLimits = `[{"name":"connections","limit":1000,"used":0},{"name":"devices","limit":100000,"used":0},{"name":"webhooks","limit":100,"used":0},` +
		`{"name":"filter_bytes","limit":1048576,"used":0},{"name":"open_milestones","limit":10000,"used":0},{"name":"streams","limit":500,"used":0},` +
		`{"name":"sync_jobs","limit":50,"used":0},{"name":"exports","limit":20,"used":0},{"name":"api_keys","limit":100,"used":0},` +
		`{"name":"users","limit":1000,"used":0},{"name":"links","limit":10000,"used":0},{"name":"requests_per_minute","limit":0,"used":0}]`
	freshTenant = `{"id":"<uuid>","name":"<any>","state":"active","created_at":"2024-05-02T10:15:30Z","limits":` + defaultLimits + `}`
)

// addOperators makes keys of the operator, and what tenants have used.
func (w *world) addOperators(tb testing.TB) {
	tb.Helper()
	ctx := guard.WithRequest(tb.Context(), guard.Request{Action: "operator-key.create", Operator: true})
	for _, k := range []struct {
		name   string
		scopes []drover.OperatorScope
		end    *drover.Time
	}{
		{"operator", drover.OperatorScopes, nil},
		{"operator_reader", []drover.OperatorScope{drover.OperatorTenantsRead}, nil},
		{"operator_actor", []drover.OperatorScope{drover.OperatorAct}, nil},
		{"operator_short", drover.OperatorScopes, new(drover.At(present.Add(time.Minute)))},
	} {
		made, secret, err := w.service.app.Fleet.Identity.CreateOperatorKey(ctx,
			drover.OperatorKey{Name: k.name, Scopes: k.scopes, ExpiresAt: k.end})
		if err != nil {
			tb.Fatal(err)
		}
		w.ids[k.name+"_id"], w.ids[k.name+"_secret"] = made.ID, secret
	}
	erasure, err := w.service.app.Fleet.Drivers.EraseDriver(tb.Context(), w.admin("alpha"), "no one")
	if err != nil {
		tb.Fatal(err)
	}
	w.ids["erasure"] = erasure.ID
	const day = 19844 // 2024-05-01
	w.update(tb, func(tx *store.Tx) error {
		return tx.Accounts.AddUsage(tb.Context(), []account.UsageDay{
			{TenantID: w.ids["gamma"], Day: day, Requests: 7, Positions: 5, Deliveries: 3},
			{TenantID: w.ids["gamma"], Day: day + 1, Requests: 1, Bytes: new(int64(4096))},
			{TenantID: w.ids["beta"], Day: day, Requests: 2},
		})
	})
}

// operatorRows are tenants as operators see them.
func operatorRows() []row {
	ask := func(name, method, path, body string, status int, want string) row {
		return row{name: name, as: operator, method: method, path: path, body: body, status: status, want: want}
	}
	with403 := func(name, secret, method, path, body, scope string) row {
		return row{
			name: name, method: method, path: path, body: body, header: map[string]string{"Authorization": "Bearer " + secret}, status: 403,
			want: forbidden, wantHeader: map[string]string{"X-Required-Scope": scope},
		}
	}
	fault := func(typ, msg string, loc ...any) string { return invalid(typ, msg, append([]any{"body"}, loc...)...) }
	taken := refusal(409, "A tenant with this name exists")
	created := ask("Create", "POST", "/operator/tenant", `{"name":" lambda "}`, 200,
		data(with(freshTenant, "name", `"lambda"`, "admin", "null", "api_key", "null")))
	created.then = []row{ask("", "POST", "/operator/tenant", `{"name":"lambda"}`, 409, taken)}
	key := `{"id":"<uuid>","name":"first","role":"admin","scopes":["read","write","secrets","admin","push"],"networks":[],"created_at":"2024-05-02T10:15:30Z","expires_at":null,"last_used_at":null,"owner":"tenant","maker_id":null,"maker_name":"operator","key":"<key>"}`
	user := `{"id":"<uuid>","tenant_id":"<uuid>","username":"olga","email":"olga@mail.example","role":"admin","disabled":false,"second_factor":false,"created_at":"2024-05-02T10:15:30Z"}`
	whole := ask("CreateWithAdminAndKey", "POST", "/operator/tenant",
		`{"name":"omicron","limits":[{"name":"devices","limit":5}],"admin":{"username":"olga","email":"olga@mail.example","password":"grey-owl"},"api_key":"first"}`,
		200, data(with(freshTenant, "limits", "\"<any>\"", "admin", user, "api_key", key)))
	whole.then = []row{{method: "POST", path: "/token", body: `{"username":"olga","password":"grey-owl"}`, status: 200, want: `"<any>"`}}
	admin := func(name, fields, typ, msg, field string) row {
		return ask(name, "POST", "/operator/tenant", `{"name":"x","admin":`+with(
			`{"username":"pia","email":"pia@mail.example","password":"grey-owl"}`, strings.Split(fields, "|")...)+`}`, 422,
			fault(typ, msg, "admin", field))
	}
	suspend := ask("Suspend", "PATCH", "/operator/tenant/$new_tenant", `{"suspended":true}`, 200,
		data(with(freshTenant, "state", `"suspended"`)))
	suspend.then = []row{
		{
			method: "GET", path: "/device", header: map[string]string{
				"Authorization": "Bearer $operator_secret", "X-Drover-Tenant": "$new_tenant",
			}, status: 403, want: forbidden,
		},
		ask("", "PATCH", "/operator/tenant/$new_tenant", `{"suspended":false}`, 200, data(freshTenant)),
	}
	days := list(`{"tenant_id":"$gamma","date":"2024-05-01","requests":7,"positions":5,"deliveries":3,"bytes_stored":null}`,
		`{"tenant_id":"$gamma","date":"2024-05-02","requests":1,"positions":0,"deliveries":0,"bytes_stored":4096}`)
	badDate := invalid("date_parsing", "Input should be a valid date in the format YYYY-MM-DD", "query", "start_date")
	badDays := invalid("value_error", "Value error, end_date must lie 0 to 399 days after start_date", "query", "end_date")
	usage := func(name, query string, status int, want string) row {
		return ask(name, "GET", "/operator/tenant/$gamma/usage?"+query, "", status, want)
	}
	return []row{
		created, whole, suspend,
		ask("List", "GET", "/operator/tenant?limit=1", "", 200,
			list(`{"id":"$alpha","name":"alpha","state":"active","created_at":"2024-05-02T10:15:30Z"}`)),
		ask("ListTooMany", "GET", "/operator/tenant?limit=1001", "", 422,
			invalid("less_than_equal", "Input should be less than or equal to 1000", "query", "limit")),
		ask("ListFromNowhere", "GET", "/operator/tenant?cursor=x", "", 422, `"<any>"`),
		ask("UsageOfTooMany", "GET", "/operator/usage?start_date=2024-05-01&end_date=2024-05-01&limit=1001", "", 422,
			invalid("less_than_equal", "Input should be less than or equal to 1000", "query", "limit")),
		ask("Get", "GET", "/operator/tenant/$new_tenant", "", 200, data(freshTenant)),
		ask("GetSuspended", "GET", "/operator/tenant/$closed", "", 200, data(`"<any>"`)),
		ask("GetUnknown", "GET", "/operator/tenant/$unknown", "", 404, notFound(noTenant, "$unknown")),
		ask("GetNoUUID", "GET", "/operator/tenant/x", "", 404, notFound(noTenant, "x")),
		ask("CreateTaken", "POST", "/operator/tenant", `{"name":"alpha"}`, 409, taken),
		ask("CreateBlank", "POST", "/operator/tenant", `{"name":"  "}`, 422,
			fault("string_too_short", "String should have at least 1 character", "name")),
		ask("CreateNoName", "POST", "/operator/tenant", `{}`, 422, fault("missing", "Field required", "name")),
		ask("CreateOtherLimit", "POST", "/operator/tenant", `{"name":"x","limits":[{"name":"ships","limit":1}]}`, 422, `"<any>"`),
		ask("CreateNegativeLimit", "POST", "/operator/tenant", `{"name":"x","limits":[{"name":"devices","limit":-1}]}`, 422,
			fault("greater_than_equal", "Input should be greater than or equal to 0", "limits", 0, "limit")),
		ask("CreateBlankKey", "POST", "/operator/tenant", `{"name":"x","api_key":" "}`, 422,
			fault("string_too_short", "String should have at least 1 character", "api_key")),
		admin("AdminWithoutAddress", `email|"nowhere"`, "value_error", "value is not a valid email address", "email"),
		admin("AdminWithBadName", `username|"a@b"`, "value_error",
			"Value error, a username must not contain @, control or invisible characters", "username"),
		admin("AdminWithShortPassword", `password|"1234567"`, "value_error", "Value error, password must have 8 to 1024 bytes", "password"),
		ask("AdminTaken", "POST", "/operator/tenant",
			`{"name":"x","admin":{"username":"ALICE","email":"x@mail.example","password":"grey-owl"}}`, 409,
			refusal(409, "The username or the e-mail address is taken")),
		ask("PatchNothing", "PATCH", "/operator/tenant/$new_tenant", `{}`, 200, data(freshTenant)),
		ask("Rename", "PATCH", "/operator/tenant/$new_tenant", `{"name":"Sigma"}`, 200, data(with(freshTenant, "name", `"Sigma"`))),
		ask("RenameTaken", "PATCH", "/operator/tenant/$new_tenant", `{"name":"beta"}`, 409, taken),
		ask("PatchUnknown", "PATCH", "/operator/tenant/$unknown", `{}`, 404, notFound(noTenant, "$unknown")),
		ask("SuspendedNull", "PATCH", "/operator/tenant/$new_tenant", `{"suspended":null}`, 422,
			fault("bool_type", "Input should be a valid boolean", "suspended")),
		ask("Limit", "PATCH", "/operator/tenant/$new_tenant", `{"limits":[{"name":"devices","limit":5},{"name":"requests_per_minute","limit":60}]}`, 200,
			data(with(freshTenant, "limits", strings.NewReplacer(`100000`, `5`, `"requests_per_minute","limit":0`, `"requests_per_minute","limit":60`).
				Replace(defaultLimits)))),
		ask("LimitNull", "PATCH", "/operator/tenant/$new_tenant", `{"limits":[{"name":"devices","limit":null}]}`, 200, data(freshTenant)),

		{
			name: "Erase", as: operator, method: "DELETE", path: "/operator/tenant/$new_tenant", status: 200, want: data(
				`{"tenant_id":"$new_tenant","state":"erasing","kept":` + jsonText(drover.KeptOfTenant) + `}`), then: []row{
				ask("", "PATCH", "/operator/tenant/$new_tenant", `{"suspended":false}`, 409, refusal(409, "The tenant is being erased")),
				ask("", "GET", "/operator/tenant/$new_tenant", "", 200, data(with(freshTenant, "state", `"erasing"`))),
				{
					method: "GET", path: "/device", header: map[string]string{
						"Authorization": "Bearer $operator_secret", "X-Drover-Tenant": "$new_tenant",
					}, status: 400, want: refusal(400, "X-Drover-Tenant names no tenant: $new_tenant"),
				},
			},
		},
		ask("EraseUnknown", "DELETE", "/operator/tenant/$unknown", "", 404, notFound(noTenant, "$unknown")),
		with403("EraseWithoutScope", "$operator_reader_secret", "DELETE", "/operator/tenant/$alpha", "", "tenants:write"),

		usage("Usage", "start_date=2024-05-01&end_date=2024-05-31", 200, days),
		usage("UsageOfADay", "start_date=2024-05-03&end_date=2024-05-03", 200, list()),
		usage("UsageOf400Days", "start_date=2024-05-01&end_date=2025-06-04", 200, days),
		usage("UsageOf401Days", "start_date=2024-05-01&end_date=2025-06-05", 422, badDays),
		usage("UsageBackwards", "start_date=2024-05-02&end_date=2024-05-01", 422, badDays),
		usage("UsageNoDate", "start_date=soon&end_date=2024-05-01", 422, badDate),
		usage("UsageWithoutEnd", "start_date=2024-05-01", 422, invalid("missing", "Field required", "query", "end_date")),
		ask("UsageOfUnknown", "GET", "/operator/tenant/$unknown/usage?start_date=2024-05-01&end_date=2024-05-01", "", 404,
			notFound(noTenant, "$unknown")),
		ask("UsageOfNoUUID", "GET", "/operator/tenant/x/usage?start_date=2024-05-01&end_date=2024-05-01", "", 404, notFound(noTenant, "x")),
		ask("AllUsage", "GET", "/operator/usage?start_date=2024-05-01&end_date=2024-05-01&limit=1", "", 200,
			list(`{"tenant_id":"$beta","date":"2024-05-01","requests":2,"positions":0,"deliveries":0,"bytes_stored":null}`)),
		ask("Audit", "GET", "/operator/audit?action=operator-key.create&limit=1", "", 200,
			list(`{"id":"<uuid>","time":"2024-05-02T10:15:30Z","actor_type":"operator","actor_id":null,"actor_name":"operator","action":"operator-key.create","record_type":"operator-key","record_id":"$operator_short_id","address":null,"request_id":null,"outcome":"done","count":1,"last_at":null}`)),

		with403("ListWithoutScope", "$operator_actor_secret", "GET", "/operator/tenant", "", "tenants:read"),
		with403("GetWithoutScope", "$operator_actor_secret", "GET", "/operator/tenant/$alpha", "", "tenants:read"),
		with403("CreateWithoutScope", "$operator_reader_secret", "POST", "/operator/tenant", `{"name":"x"}`, "tenants:write"),
		with403("PatchWithoutScope", "$operator_reader_secret", "PATCH", "/operator/tenant/$alpha", `{"suspended":true}`, "tenants:write"),
		with403("UsageWithoutScope", "$operator_reader_secret", "GET", "/operator/usage?start_date=2024-05-01&end_date=2024-05-01", "", "usage:read"),
		with403("TenantUsageWithoutScope", "$operator_reader_secret", "GET",
			"/operator/tenant/$alpha/usage?start_date=2024-05-01&end_date=2024-05-01", "", "usage:read"),
		with403("AuditWithoutScope", "$operator_reader_secret", "GET", "/operator/audit", "", "audit:read"),
		with403("AdminKeyOfTenant", "$admin_key_secret", "GET", "/operator/tenant", "", ""),
		with403("AdminOfTenant", "$alice_access", "POST", "/operator/tenant", `{"name":"x"}`, ""),
	}
}

// actingRows are operators' keys in tenants.
func actingRows() []row {
	in := func(name, secret, tenant, method, path, body string, status int, want string) row {
		r := row{name: name, method: method, path: path, body: body, header: map[string]string{"Authorization": "Bearer " + secret}, status: status, want: want}
		if tenant != "" {
			r.header["X-Drover-Tenant"] = tenant
		}
		return r
	}
	const key = "$operator_actor_secret"
	missing := refusal(400, "An operator key needs the header X-Drover-Tenant with the id of a tenant")
	noID := refusal(400, "X-Drover-Tenant must be the id of a tenant")
	notYours := refusal(400, "X-Drover-Tenant is for operator keys: other callers have one tenant")
	short := in("Expired", "$operator_short_secret", "$alpha", "GET", "/device/$device", "", 401, unauthenticated)
	short.after = time.Minute
	noScope := in("NoScope", "$operator_reader_secret", "$alpha", "GET", "/device/$device", "", 403, forbidden)
	noScope.wantHeader = map[string]string{"X-Required-Scope": "act"}
	return []row{
		in("Read", key, "$alpha", "GET", "/device/$device", "", 200, `"<any>"`),
		in("Secrets", key, "$alpha", "GET", "/connection/$conn/credentials", "", 200, `"<any>"`),
		in("Session", key, "$alpha", "GET", "/session", "", 200, `"<any>"`),
		in("Write", key, "$work", "PATCH", "/user/$new_user", `{"role":"viewer"}`, 200, data(with(annRecord, "role", `"viewer"`))),
		in("OtherTenantsRecord", key, "$beta", "GET", "/device/$device", "", 403, forbidden),
		in("NoTenant", key, "", "GET", "/device/$device", "", 400, missing),
		in("Rubbish", key, "' OR 1=1 --", "GET", "/device/$device", "", 400, noID),
		in("Unknown", key, "$unknown", "GET", "/device/$device", "", 400,
			refusal(400, "X-Drover-Tenant names no tenant: $unknown")),
		in("Operator", key, drover.OperatorTenant, "GET", "/device/$device", "", 400,
			refusal(400, "X-Drover-Tenant names no tenant: "+drover.OperatorTenant)),
		in("Suspended", key, "$closed", "GET", "/device/$device", "", 403, forbidden),
		in("WrongKey", "drvop_"+strings.Repeat("a", 32), "$alpha", "GET", "/device/$device", "", 401, unauthenticated),
		in("WrongKeyWithoutTenant", "drvop_x", "", "GET", "/device/$device", "", 401, unauthenticated),
		in("PersonalMatter", key, "$alpha", "GET", "/user/me/session", "", 403, forbidden),
		in("KeyWithOtherTenant", "$admin_key_secret", "$beta", "GET", "/device", "", 400, notYours),
		in("TokenWithTenant", "$alice_access", "$alpha", "GET", "/device/$device", "", 400, notYours),
		in("KeyWithTenant", "$api_key_secret", "$alpha", "GET", "/device/$device", "", 400, notYours),
		short, noScope,
	}
}

// TestActingIsAudited has an operator change a record of a tenant: both sides know who.
func TestActingIsAudited(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		header := map[string]string{"Authorization": "Bearer " + s.ids["operator_actor_secret"], "X-Drover-Tenant": s.ids["work"]}
		path := "/device/" + s.ids["work_device"]
		if resp := s.send(t, request{http.MethodPatch, path, header, `{"description":"seen"}`}); resp.status != http.StatusOK {
			t.Fatalf("%d %s", resp.status, resp.body)
		}
		own, _ := get[[]drover.Audit](t, s, wanda, "/audit?action=device.update&limit=1")
		operators, _ := get[[]drover.Audit](t, s, operator, "/operator/audit?action=device.update&limit=1")
		for _, c := range []struct {
			name   string
			got    []drover.Audit
			record string
		}{{"tenant", own, s.ids["work_device"]}, {"operator", operators, s.ids["work"]}} {
			if len(c.got) != 1 || c.got[0].ActorType != drover.ActorOperator || c.got[0].ActorName != "operator_actor" ||
				*c.got[0].ActorID != s.ids["operator_actor_id"] || *c.got[0].RecordID != c.record {
				t.Errorf("the %s's audit has %+v", c.name, c.got)
			}
		}
		if *own[0].RequestID != *operators[0].RequestID {
			t.Errorf("the entries are of the requests %s and %s", *own[0].RequestID, *operators[0].RequestID)
		}
		acted, _ := get[[]drover.Audit](t, s, wanda, "/audit?action=operator.act")
		if len(acted) != 1 || acted[0].ActorName != "operator_actor" {
			t.Errorf("that it acts is written down as %+v", acted)
		}
	})
}

// TestRevokedOperatorKey revokes a key that another process remembers.
func TestRevokedOperatorKey(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		ask := func(status int) {
			t.Helper()
			for path, tenant := range map[string]string{"/operator/tenant": "", "/device": s.ids["beta"]} {
				header := map[string]string{"Authorization": "Bearer " + s.ids["operator_secret"]}
				if tenant != "" {
					header["X-Drover-Tenant"] = tenant
				}
				if resp := s.send(t, request{http.MethodGet, path, header, ""}); resp.status != status {
					t.Errorf("%s: %d %s, want %d", path, resp.status, resp.body, status)
				}
			}
		}
		ask(http.StatusOK)
		if err := s.app.Fleet.Identity.RevokeOperatorKey(t.Context(), s.ids["operator_id"]); err != nil {
			t.Fatal(err)
		}
		if err := s.app.Vault.Refresh(t.Context()); err != nil { // as every second
			t.Fatal(err)
		}
		ask(http.StatusUnauthorized)
	})
}

// TestRateOfTenant gives one tenant a rate of its own.
func TestRateOfTenant(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		row{
			as: operator, method: "PATCH", path: "/operator/tenant/$gamma", body: `{"limits":[{"name":"requests_per_minute","limit":2}]}`,
			status: 200, want: `"<any>"`,
		}.run(t, s)
		ask := func(user string, after time.Duration, status int, want string, header map[string]string) {
			t.Helper()
			row{as: user, method: "GET", path: "/connection-tag", after: after, status: status, want: want, wantHeader: header}.run(t, s)
		}
		left := func(remaining, reset string) map[string]string {
			return map[string]string{"RateLimit-Limit": "2", "RateLimit-Remaining": remaining, "RateLimit-Reset": reset}
		}
		ask(carol, 0, 200, list(), left("1", "30"))
		ask(carol, 0, 200, list(), left("0", "60"))
		refused := left("0", "60")
		refused["Retry-After"] = "30"
		ask(carol, 0, 429, refusal(429, "Too many requests, try again later"), refused)
		ask(bob, 0, 200, `"<any>"`, map[string]string{"RateLimit-Limit": ""})
		ask(carol, 30*time.Second, 200, list(), left("0", "60"))
		for _, l := range s.accountLimits(t, bob) {
			if l.Name == drover.QuotaRequestsPerMinute && l.Limit != 0 {
				t.Errorf("a tenant without a limit has %+v", l)
			}
		}
	})
}

// TestStreamOfSuspendedTenant suspends the tenant of an open stream.
func TestStreamOfSuspendedTenant(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		header := map[string]string{"Authorization": "Bearer " + s.ids["operator_actor_secret"], "X-Drover-Tenant": s.ids["beta"]}
		resp, err := s.client.Do(s.newRequest(t, ctx, s.server.URL, request{http.MethodGet, "/stream", header, ""}))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatal(resp.Status)
		}
		row{as: operator, method: "PATCH", path: "/operator/tenant/$beta", body: `{"suspended":true}`, status: 200, want: `"<any>"`}.run(t, s)
		var line [1]byte
		for {
			if _, err := resp.Body.Read(line[:]); err != nil {
				break
			}
		}
		if ctx.Err() != nil {
			t.Error("the stream went on")
		}
	})
}

// TestUsageCountsRequests asks as a tenant, and is counted.
func TestUsageCountsRequests(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		for range 3 {
			get[[]any](t, s, bob, "/device")
		}
		s.app.Start(t.Context())
		s.app.Stop() // writes what was counted
		days, _ := get[[]drover.Usage](t, s, operator, fmt.Sprintf("/operator/tenant/%s/usage?start_date=2024-05-02&end_date=2024-05-02", s.ids["beta"]))
		if len(days) != 1 || days[0].Requests != 3 {
			text, _ := json.Marshal(days)
			t.Errorf("counted %s", text)
		}
	})
}
