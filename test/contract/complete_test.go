package contract_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
)

// specified are the operations of the interface with the statuses that it lists
// for them.
var specified = map[string][]int{
	"GET /account/summary":                        {200, 422},
	"GET /account/activity-summary":               {200, 422},
	"POST /token":                                 {200, 400, 401, 403, 422},
	"POST /refresh":                               {200, 401, 422},
	"GET /connection":                             {200, 400, 401, 403, 422},
	"POST /connection":                            {200, 400, 401, 403, 422},
	"GET /connection/{connection_id}":             {200, 400, 401, 403, 404, 422},
	"GET /connection/{connection_id}/credentials": {200, 400, 401, 403, 404, 422},
	"GET /connection-tag":                         {200, 400, 401, 403, 422},
	"GET /milestone/{milestone_id}/update":        {200, 400, 401, 403, 404, 422},
	"PATCH /milestone/{milestone_id}":             {200, 400, 401, 403, 404, 422},
	"DELETE /milestone/{milestone_id}":            {204, 400, 401, 403, 404, 422},
	"GET /device/{device_id}":                     {200, 400, 401, 403, 404, 422},
	"PATCH /device/{device_id}":                   {200, 400, 401, 403, 404, 422},
	"GET /trip/{trip_id}":                         {200, 400, 401, 403, 404, 422},
	"GET /webhook/{webhook_id}":                   {200, 400, 401, 403, 404, 422},
}

// elsewhere are statuses that a test of their own sees.
var elsewhere = map[string]string{
	"POST /token 400":   "TestBrokenBody",
	"GET /provider 200": "checkProviders",
	"GET /stream 200":   "TestStream",

	"GET /tile/{z}/{x}/{y} 200":   "TestTile",
	"POST /session/sso/start 200": "TestSingleSignOn",
	"POST /session/sso/start 409": "TestSingleSignOnRefusals",
	"POST /session/sso 200":       "TestSingleSignOn",
	"POST /session/sso 409":       "TestSingleSignOnRefusals",
	"PATCH /account/sso 409":      "TestPasswordLoginOff",
	"POST /account/sso/test 200":  "TestIssuerTrial",

	"POST /user/me/second-factor 200":               "TestSecondFactor",
	"POST /user/me/second-factor 409":               "TestSecondFactor",
	"POST /user/me/second-factor/confirm 200":       "TestSecondFactor",
	"POST /user/me/second-factor/verify 200":        "TestSecondFactor",
	"POST /user/me/second-factor/recovery-code 200": "TestSecondFactor",
	"DELETE /user/me/second-factor 204":             "TestSecondFactor",
	"DELETE /user/{user_id}/second-factor 204":      "TestSecondFactor",

	"POST /user/me/passkey/start 200":          "TestPasskey",
	"POST /user/me/passkey 200":                "TestPasskey",
	"POST /user/me/passkey 409":                "TestPasskeyAttacks",
	"DELETE /user/me/passkey/{passkey_id} 204": "TestPasskey",
	"POST /user/me/second-factor/passkey 200":  "TestPasskey",
	"POST /session/passkey/start 200":          "TestPasskey",
	"POST /session/passkey 200":                "TestPasskey",
	"POST /session/passkey 403":                "TestPasskeyAttacks",

	"GET /export/{export_id}/file 200":           "TestExportFile",
	"GET /export/{export_id}/file 206":           "TestExportFile",
	"GET /public/share/{share_token}/stream 200": "TestJourneyStream",
	"POST /public/link/{link_token} 403":         "TestInvitationAtTheLimit",

	"POST /connection/{connection_id}/inbound 200":      "TestNotice",
	"POST /inbound/{connection_id}/{inbound_token} 204": "TestNotice",
	"POST /inbound/{connection_id}/{inbound_token} 403": "TestNotice",
	"POST /connection/{connection_id}/record 200":       "TestPush",
}

// anyTime reports whether a status comes from the service's condition rather
// than from what is asked. TestOverload, TestInternalError, TestRateLimit and
// TestThrottle see them.
func anyTime(status int) bool { return status == 429 || status >= 500 }

// checkComplete expects a row for every status of every operation, so that none
// is served without being held to its rules.
func checkComplete(t *testing.T, s *service) {
	t.Helper()
	covered := map[string]bool{}
	for name := range elsewhere {
		covered[name] = true
	}
	for _, rows := range tables() {
		cover(s, covered, rows)
	}
	for _, o := range s.doc().operations() {
		cover(s, covered, commonRows(t, o))
	}
	statuses := 0
	for _, o := range s.doc().operations() {
		statuses += len(o.Responses)
		for status := range o.Responses {
			code, err := strconv.Atoi(status)
			if err != nil {
				t.Fatal(err)
			}
			if !covered[o.String()+" "+status] && !anyTime(code) {
				t.Errorf("no row expects %s to answer %d", o, code)
			}
		}
	}
	t.Logf("%d operations are described with %d statuses; rows expect %d", len(s.doc().operations()), statuses, len(covered))
}

// cover notes which statuses of which operations rows expect.
func cover(s *service, covered map[string]bool, rows []row) {
	for _, r := range rows {
		if o, ok := s.doc().find(r.method, r.path); ok {
			covered[fmt.Sprintf("%s %d", o, r.status)] = true
		}
		cover(s, covered, r.then)
	}
}

// checkSpecified holds the document to the interface: all its operations, with
// all their statuses.
func checkSpecified(t *testing.T, s *service) {
	t.Helper()
	described := map[string]operation{}
	for _, o := range s.doc().operations() {
		described[o.String()] = o
	}
	for name, statuses := range specified {
		o, ok := described[name]
		if !ok {
			t.Errorf("%s is not described", name)
			continue
		}
		for _, status := range statuses {
			if _, ok := o.Responses[strconv.Itoa(status)]; !ok {
				t.Errorf("%s is not described with %d", name, status)
			}
		}
		public := name == "POST /token" || name == "POST /refresh"
		if o.public() != public {
			t.Errorf("%s: public is %t", name, o.public())
		}
		if !slices.Contains(o.parameters("header"), "x-api-version") {
			t.Errorf("%s has no x-api-version", name)
		}
	}
}
