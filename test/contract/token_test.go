package contract_test

import (
	"strings"
	"time"
)

const (
	loggedIn  = `{"data":{"token_type":"Bearer","expires_in":3600,"access_token":"<jwt>","refresh_token":"<jwt>","sub":"$alice_sub"}}`
	refreshed = `{"data":{"token_type":"Bearer","expires_in":3600,"access_token":"<jwt>","refresh_token":"<jwt>"}}`
)

func login(username, secret string) string {
	return jsonText(map[string]string{"username": username, "password": secret})
}

func refresh(sub, token string) string {
	return jsonText(map[string]string{"sub": sub, "refresh_token": token})
}

// tokenRows are POST /token, POST /refresh and POST /logout.
func tokenRows() []row {
	post := func(name, path, body string, status int, want string) row {
		return row{name: name, method: "POST", path: path, body: body, status: status, want: want}
	}
	wrong := refusal(401, "Invalid username or password")
	badRefresh := refusal(401, "Invalid Refresh Token")
	const notString, notObject = "Input should be a valid string", "Input should be a valid dictionary or object to extract fields from"
	rows := []row{
		post("ByUsername", "/token", login("alice", password), 200, loggedIn),
		post("ByEmail", "/token", login("alice@mail.example", password), 200, loggedIn),
		post("UsernameIgnoresCase", "/token", login("ALICE", password), 200, loggedIn),
		post("EmailIgnoresCase", "/token", login("Alice@MAIL.Example", password), 200, loggedIn),
		post("UnknownFieldsIgnored", "/token", `{"username":"alice","password":"`+password+`","scope":{"a":[1]}}`, 200, loggedIn),
		{
			name: "TokenInHeaderIsNotLookedAt", method: "POST", path: "/token", body: login("alice", password),
			header: map[string]string{"Authorization": "Bearer x"}, status: 200, want: loggedIn,
		},
		post("WrongPassword", "/token", login("alice", "wrong"), 401, wrong),
		post("PasswordIsCaseSensitive", "/token", login("alice", "CORRECT horse battery staple"), 401, wrong),
		post("EmptyPassword", "/token", login("alice", ""), 401, wrong),
		post("UsernameOf320", "/token", login(strings.Repeat("é", 320), "x"), 401, wrong),
		post("UsernameOf321", "/token", login(strings.Repeat("é", 321), "x"), 422,
			invalid("string_too_long", "String should have at most 320 characters", "body", "username")),
		post("PasswordOf1024", "/token", login("alice", strings.Repeat("é", 1024)), 401, wrong),
		post("PasswordOf1025", "/token", login("alice", strings.Repeat("é", 1025)), 422,
			invalid("string_too_long", "String should have at most 1024 characters", "body", "password")),
		post("SubOf256", "/refresh", refresh(strings.Repeat("x", 256), "x"), 422,
			invalid("string_too_long", "String should have at most 255 characters", "body", "sub")),
		post("SubOf255", "/refresh", refresh(strings.Repeat("x", 255), "x"), 401, badRefresh),
		post("RefreshTokenOf4096", "/refresh", refresh("$alice_sub", strings.Repeat("x", 4096)), 401, badRefresh),
		post("RefreshTokenOf4097", "/refresh", refresh("$alice_sub", strings.Repeat("x", 4097)), 422,
			invalid("string_too_long", "String should have at most 4096 characters", "body", "refresh_token")),
		post("UnknownUser", "/token", login("nobody", password), 401, wrong),
		post("DisabledUser", "/token", login("dora", password), 403, forbidden),
		post("DisabledUserWithWrongPassword", "/token", login("dora", "wrong"), 401, wrong),
		post("SuspendedTenant", "/token", login("sam", password), 403, forbidden),
		post("NoUsername", "/token", `{"password":"x"}`, 422, invalid("missing", "Field required", "body", "username")),
		post("NoPassword", "/token", `{"username":"alice"}`, 422, invalid("missing", "Field required", "body", "password")),
		post("UsernameFirst", "/token", `{}`, 422, invalid("missing", "Field required", "body", "username")),
		post("NoBody", "/token", "", 422, invalid("missing", "Field required", "body")),
		post("UsernameNoString", "/token", `{"username":1,"password":"x"}`, 422, invalid("string_type", notString, "body", "username")),
		post("UsernameNull", "/token", `{"username":null,"password":"x"}`, 422, invalid("string_type", notString, "body", "username")),
		post("BodyIsList", "/token", `[]`, 422, invalid("model_attributes_type", notObject, "body")),
		post("BodyIsNull", "/token", `null`, 422, invalid("model_attributes_type", notObject, "body")),
		post("NotJSON", "/token", `{"username":`, 422, invalid("json_invalid", "JSON decode error", "body", 12)),
		post("NotJSONAtOffset", "/token", `{"username": x}`, 422, invalid("json_invalid", "JSON decode error", "body", 13)),
		post("TrailingText", "/token", `{"username":"a","password":"b"} x`, 422, invalid("json_invalid", "JSON decode error", "body", 32)),
		post("SecondObject", "/token", `{"username":"a","password":"b"}{}`, 422, invalid("json_invalid", "JSON decode error", "body", 31)),
	}
	return append(rows, append(refreshRows(post, badRefresh), logoutRows(badRefresh)...)...)
}

func refreshRows(post func(name, path, body string, status int, want string) row, bad string) []row {
	const notString = "Input should be a valid string"
	month := 30 * 24 * time.Hour
	return []row{
		{
			name: "Refresh", method: "POST", path: "/refresh", body: refresh("$alice_sub", "$alice_refresh"), status: 200, want: refreshed,
			then: []row{
				{method: "POST", path: "/refresh", body: refresh("$alice_sub", "$alice_refresh"), status: 200, want: refreshed},
			},
		},
		{
			name: "RefreshAfterAccessExpired", method: "POST", path: "/refresh", body: refresh("$alice_sub", "$alice_refresh"),
			after: 2 * time.Hour, status: 200, want: refreshed,
		},
		{
			name: "RefreshUntilItsOwnExpiry", method: "POST", path: "/refresh", body: refresh("$alice_sub", "$alice_refresh"),
			after: month - time.Second, status: 200, want: refreshed,
		},
		{
			name: "RefreshExpired", method: "POST", path: "/refresh", body: refresh("$alice_sub", "$alice_refresh"), after: month, status: 401,
			want: bad,
		},
		post("RefreshWrongSub", "/refresh", refresh("$bob_sub", "$alice_refresh"), 401, bad),
		post("RefreshEmptySub", "/refresh", refresh("", "$alice_refresh"), 401, bad),
		post("RefreshWithAccessToken", "/refresh", refresh("$alice_sub", "$alice_access"), 401, bad),
		post("RefreshGarbage", "/refresh", refresh("$alice_sub", "garbage"), 401, bad),
		post("RefreshEmptyToken", "/refresh", refresh("$alice_sub", ""), 401, bad),
		post("RefreshWrongSignature", "/refresh", refresh("$carol_sub", "$token_wrong_signature"), 401, bad),
		post("RefreshNoSub", "/refresh", `{"refresh_token":"x"}`, 422, invalid("missing", "Field required", "body", "sub")),
		post("RefreshNoToken", "/refresh", `{"sub":"x"}`, 422, invalid("missing", "Field required", "body", "refresh_token")),
		post("RefreshTokenNoString", "/refresh", `{"sub":"x","refresh_token":[]}`, 422,
			invalid("string_type", notString, "body", "refresh_token")),
		post("RefreshNoBody", "/refresh", "", 422, invalid("missing", "Field required", "body")),
		post("RefreshUnknownFieldsIgnored", "/refresh", `{"x":1,"sub":"$alice_sub","refresh_token":"$alice_refresh"}`, 200, refreshed),
	}
}

// logoutRows end a session of their own: $new_access and $new_refresh are its
// tokens.
func logoutRows(bad string) []row {
	leaver := map[string]string{"Authorization": "Bearer $new_access"}
	return []row{
		{name: "LogoutEndsTheSession", method: "POST", path: "/logout", header: leaver, status: 204, then: []row{
			{method: "GET", path: "/account/summary", header: leaver, status: 401, want: unauthenticated},
			{method: "POST", path: "/logout", header: leaver, status: 401, want: unauthenticated},
			{method: "POST", path: "/refresh", body: refresh("$carol_sub", "$new_refresh"), status: 401, want: bad},
			// The user's other sessions go on.
			{as: carol, method: "GET", path: "/connection-tag", status: 200, want: list()},
		}},
	}
}

// authorizationRows are what becomes of a token. One operation stands for all
// here; TestEveryOperation sends the main faults to each.
func authorizationRows() []row {
	const path = "/connection-tag"
	ok := list()
	ask := func(name, authorization string, status int, want string) row {
		return row{name: name, method: "GET", path: path, header: map[string]string{"Authorization": authorization}, status: status, want: want}
	}
	later := func(r row, after time.Duration) row {
		r.after = after
		return r
	}
	return []row{
		ask("Bearer", "Bearer $carol_access", 200, ok),
		ask("SchemeIgnoresCase", "bearer $carol_access", 200, ok),
		{name: "NoHeader", method: "GET", path: path, status: 401, want: unauthenticated},
		ask("EmptyHeader", "", 401, unauthenticated),
		ask("SchemeAlone", "Bearer", 401, unauthenticated),
		ask("OtherScheme", "Basic Y2Fyb2w6eA==", 401, unauthenticated),
		ask("TokenWithoutScheme", "$carol_access", 401, unauthenticated),
		ask("Garbage", "Bearer garbage", 400, malformed),
		ask("TwoParts", "Bearer e30.e30", 400, malformed),
		ask("FourParts", "Bearer $carol_access.e30", 400, malformed),
		ask("NotBase64", "Bearer e30.!!.e30", 400, malformed),
		ask("HeaderNoJSON", "Bearer bm90.e30.e30", 400, malformed),
		ask("HeaderNoObject", "Bearer W10.e30.e30", 400, malformed),
		ask("AlgNone", "Bearer $token_alg_none", 401, unauthenticated),
		ask("AlgOther", "Bearer $token_alg_other", 401, unauthenticated),
		ask("UnknownKey", "Bearer $token_unknown_key", 401, unauthenticated),
		ask("NoKey", "Bearer $token_no_key", 401, unauthenticated),
		ask("WrongSignature", "Bearer $token_wrong_signature", 401, unauthenticated),
		ask("ChangedPayload", "Bearer $token_changed_payload", 401, unauthenticated),
		ask("RefreshTokenAsAccessToken", "Bearer $carol_refresh", 401, unauthenticated),
		ask("UnknownSession", "Bearer $token_unknown_session", 401, unauthenticated),
		ask("DisabledUser", "Bearer $token_disabled_user", 403, forbidden),
		ask("SuspendedTenant", "Bearer $token_suspended_tenant", 403, forbidden),
		later(ask("LastSecond", "Bearer $carol_access", 200, ok), time.Hour-time.Millisecond),
		later(ask("Expired", "Bearer $carol_access", 401, expired), time.Hour),
		later(ask("LongExpired", "Bearer $carol_access", 401, expired), 1000*time.Hour),
		later(ask("ExpiredAndForged", "Bearer $token_wrong_signature", 401, unauthenticated), time.Hour),
		later(ask("ExpiredRefreshTokenAsAccessToken", "Bearer $carol_refresh", 401, unauthenticated), 1000*time.Hour),
	}
}
