package contract_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestCallersWhoLeave has callers go before they are answered: no alarm counts them as
// faults of the service.
func TestCallersWhoLeave(t *testing.T) {
	t.Parallel()
	s := newService(t, defaults(t.TempDir()))
	left, leave := context.WithCancel(t.Context())
	leave()
	for _, path := range []string{"/device", "/trip", "/reading", "/event?wait=30"} {
		got := httptest.NewRecorder()
		s.app.API.ServeHTTP(got, s.newRequest(t, left, "", request{"GET", path, s.authorized(t, alice), ""}))
		if got.Code != 499 || got.Body.Len() > 0 {
			t.Errorf("GET %s: status %d, body %s", path, got.Code, got.Body)
		}
	}
}

// transportRows are the rules that concern no operation in particular.
func transportRows() []row {
	const summary = "/account/summary"
	versionOf := func(name, version string, status int, want string) row {
		return row{
			name: name, as: alice, method: "GET", path: summary, header: map[string]string{"x-api-version": version}, status: status, want: want,
			wantHeader: map[string]string{"x-api-version": "2024-03-26"},
		}
	}
	noDate := invalid("date_parsing", "Input should be a valid date in the format YYYY-MM-DD", "header", "x-api-version")
	accept := func(name, value string, status int, want string) row {
		return row{
			name: name, as: carol, method: "GET", path: "/connection-tag", header: map[string]string{"Accept": value}, status: status,
			want: want,
		}
	}
	typed := func(name, header, value string, status int, want string) row {
		return row{name: name, method: "POST", path: "/refresh", body: `{}`, header: map[string]string{header: value}, status: status, want: want}
	}
	missing, notFound := invalid("missing", "Field required", "body", "sub"), refusal(404, http.StatusText(http.StatusNotFound))
	notAllowed := refusal(405, http.StatusText(http.StatusMethodNotAllowed))
	allow := func(methods string) map[string]string { return map[string]string{"Allow": methods} }
	unsupported := refusal(415, "Content-Type must be application/json")
	unacceptable := refusal(406, "Accept must allow application/json")
	return []row{
		{
			name: "VersionByDefault", as: alice, method: "GET", path: summary, status: 200, want: data(alphaSummary),
			wantHeader: map[string]string{"x-api-version": "2024-03-26"},
		},
		versionOf("VersionEqual", "2024-03-26", 200, data(alphaSummary)),
		versionOf("VersionAfterOneIsTheOlderOne", "2024-03-27", 200, data(alphaSummary)),
		versionOf("VersionFarAheadIsTheNewest", "9999-12-31", 200, data(alphaSummary)),
		versionOf("VersionEarlierThanTheFirst", "2024-03-25", 422,
			invalid("value_error", "Value error, the first version is 2024-03-26", "header", "x-api-version")),
		versionOf("VersionNoDate", "latest", 422, noDate),
		versionOf("VersionEmpty", "", 422, noDate),
		versionOf("VersionNoDayOfTheCalendar", "2024-02-30", 422, noDate),
		versionOf("VersionWithTime", "2024-03-26T00:00:00Z", 422, noDate),
		{
			name: "VersionOfARefusal", method: "GET", path: summary, status: 401, want: unauthenticated,
			wantHeader: map[string]string{"x-api-version": "2024-03-26"},
		},
		{
			name: "TokenBeforeVersion", method: "GET", path: summary, header: map[string]string{"x-api-version": "latest"}, status: 401,
			want: unauthenticated,
		},

		{
			name: "NoWordOfALimitWithoutOne", as: carol, method: "GET", path: "/connection-tag", status: 200, want: list(),
			wantHeader: map[string]string{"RateLimit-Limit": "", "RateLimit-Remaining": "", "RateLimit-Reset": "", "Retry-After": ""},
		},
		{name: "UnknownPath", method: "GET", path: "/nowhere", status: 404, want: notFound},
		{name: "UnknownPathWithToken", as: alice, method: "GET", path: "/device/x/y", status: 404, want: notFound},
		{name: "Root", method: "GET", path: "/", status: 404, want: notFound},
		{name: "TrailingSlash", as: alice, method: "GET", path: "/device/", status: 404, want: notFound},
		{name: "DoubleSlash", as: alice, method: "GET", path: "//device", status: 404, want: notFound},
		{name: "NoRedirect", as: alice, method: "GET", path: "/connection/../device", status: 404, want: notFound},
		{
			name: "MethodOfDevice", as: alice, method: "DELETE", path: "/device/$device", status: 405, want: notAllowed,
			wantHeader: allow("GET, HEAD, PATCH"),
		},
		{name: "MethodOfToken", method: "GET", path: "/token", status: 405, want: notAllowed, wantHeader: allow("POST")},
		{
			name: "MethodOfMilestone", method: "PUT", path: "/milestone/x", body: "{}", status: 405, want: notAllowed,
			wantHeader: allow("DELETE, GET, HEAD, PATCH"),
		},

		accept("AcceptAll", "*/*", 200, list()),
		accept("AcceptApplication", "application/*;q=0.1", 200, list()),
		accept("AcceptSeveral", "text/html, application/json;q=0.9", 200, list()),
		accept("AcceptOther", "text/html", 406, unacceptable),
		accept("AcceptAllButJSON", "*/*, application/json;q=0", 406, unacceptable),
		typed("TypeWithCharset", "Content-Type", "application/json; charset=utf-8", 422, missing),
		typed("TypeOfJSONKind", "Content-Type", "application/merge-patch+json", 422, missing),
		typed("TypeOther", "Content-Type", "text/plain", 415, unsupported),
		typed("TypeOfForm", "Content-Type", "application/x-www-form-urlencoded", 415, unsupported),
		typed("Compressed", "Content-Encoding", "gzip", 415, refusal(415, "Content-Encoding of a request body is not supported")),

		{name: "BodyOfOneMebibyte", method: "POST", path: "/refresh", body: padded(1 << 20), status: 422, want: missing},
		{
			name: "BodyOfOneByteMore", method: "POST", path: "/refresh", body: padded(1<<20 + 1), status: 413,
			want: refusal(413, "Request body is larger than 1048576 bytes"),
		},

		{
			name: "RequestIDKept", method: "GET", path: "/nowhere", header: map[string]string{"x-request-id": "caller-1.2_3"},
			status: 404, want: notFound, wantHeader: map[string]string{"x-request-id": "caller-1.2_3"},
		},
		{
			name: "NotToBeKeptByAnyone", as: alice, method: "GET", path: "/connection/$conn/credentials", status: 200,
			want:       data(`{"connection_id":"$conn","credentials":{"base_url":"` + publicURL + `","token":"alpha-secret"}}`),
			wantHeader: map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"},
		},
	}
}

// padded is a body of n bytes in which only the end is a JSON object.
func padded(n int) string { return strings.Repeat(" ", n-2) + "{}" }
