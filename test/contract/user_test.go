package contract_test

import (
	"strings"
	"testing"
	"time"
)

const (
	noUser    = "User with ID %s not found"
	noKey     = "API key with ID %s not found"
	noSession = "Session with ID %s not found"

	annRecord = `{"id":"<uuid>","tenant_id":"$work","username":"<any>","email":"<any>","role":"member","disabled":false,"second_factor":false,"created_at":"2024-05-02T10:15:30Z"}`
	newKey    = `{"id":"<uuid>","name":"Nightly","role":null,"scopes":["read"],"networks":[],"created_at":"2024-05-02T10:15:30Z","expires_at":null,"last_used_at":null,"owner":"user","maker_id":"$wanda_sub","maker_name":"wanda","key":"<key>"}`
)

// userRows are the users of a tenant, as its admins see them.
func userRows() []row {
	ask := func(name, user, method, path, body string, status int, want string) row {
		return row{name: name, as: user, method: method, path: path, body: body, status: status, want: want}
	}
	fault := func(typ, msg string, loc ...any) string { return invalid(typ, msg, append([]any{"body"}, loc...)...) }
	post := func(name, body string, status int, want string) row {
		return ask(name, wanda, "POST", "/user", body, status, want)
	}
	input := func(username string, fields ...string) string {
		return with(`{"username":"`+username+`","email":"`+username+`@mail.example","role":"member","password":"grey-owl"}`, fields...)
	}
	patch := func(name, body string, status int, want string) row {
		return ask(name, wanda, "PATCH", "/user/$new_user", body, status, want)
	}
	taken := refusal(409, "The username or the e-mail address is taken")
	noName := fault("value_error", "Value error, a username must not contain @, control or invisible characters", "username")
	guessed := fault("value_error", "Value error, password is too common", "password")
	lastAdmin := refusal(409, "The last admin cannot be removed")
	created := post("Create", input("ann"), 200, data(with(annRecord, "username", `"ann"`, "email", `"ann@mail.example"`)))
	created.then = []row{
		ask("", "", "POST", "/token", `{"username":"ann","password":"grey-owl"}`, 200,
			data(`{"token_type":"Bearer","expires_in":3600,"access_token":"<jwt>","refresh_token":"<jwt>","sub":"<uuid>"}`)),
		post("", input("ANN", "email", `"other@mail.example"`), 409, taken),
		post("", input("other", "email", `"Ann@mail.example"`), 409, taken),
	}
	return []row{
		created,
		ask("List", carol, "GET", "/user", "", 200, list(`{"id":"$carol_sub","tenant_id":"$gamma","username":"carol","email":"carol@Mail.example","role":"admin","disabled":false,"second_factor":false,"created_at":"2024-05-02T10:15:30Z"}`)),
		ask("ListByMember", will, "GET", "/user", "", 403, forbidden),
		ask("ListByViewer", vera, "GET", "/user", "", 403, forbidden),
		ask("CreateByMember", will, "POST", "/user", input("x"), 403, forbidden),
		post("NameOf255", input(strings.Repeat("n", 255), "email", `"n@mail.example"`), 200, data(annRecord)),
		post("NameOf256", input(strings.Repeat("n", 256)), 422,
			fault("string_too_long", "String should have at most 255 characters", "username")),
		post("NoName", `{"email":"a@b.example","role":"member","password":"grey-owl"}`, 422, fault("missing", "Field required", "username")),
		post("EmptyName", input("x", "username", `""`), 422, fault("string_too_short", "String should have at least 1 character", "username")),
		post("BlankName", input("x", "username", `"  "`), 422, fault("string_too_short", "String should have at least 1 character", "username")),
		post("NameIsAnAddress", input("x", "username", `"Vera@Mail.example"`), 422, noName),
		post("NameWithLineBreak", input("x", "username", `"ann\r\nlee"`), 422, noName),
		post("NameWithZeroWidth", input("x", "username", `"wi\u200bll"`), 422, noName),
		post("NameTakenInAnotherForm", input("x", "username", `"ｗｉｌｌ"`), 409, taken),
		post("NameTakenElsewhere", input("x", "username", `"BOB"`), 409, taken),
		post("PasswordGuessedFirst", input("x", "password", `"password"`), 422, guessed),
		post("PasswordIsTheName", input("northern", "password", `"northern1"`), 422, guessed),
		post("NoEmail", input("x", "email", `"nowhere"`), 422, fault("value_error", "value is not a valid email address", "email")),
		post("OtherRole", input("x", "role", `"owner"`), 422, fault("enum", "Input should be 'admin', 'member' or 'viewer'", "role")),
		post("PasswordOf7", input("x", "password", `"1234567"`), 422,
			fault("value_error", "Value error, password must have 8 to 1024 bytes", "password")),
		post("PasswordOf1025", input("x", "password", `"`+strings.Repeat("p", 1025)+`"`), 422,
			fault("string_too_long", "String should have at most 1024 characters", "password")),

		patch("Nothing", `{}`, 200, data(annRecord)),
		patch("Role", `{"role":"viewer"}`, 200, data(with(annRecord, "role", `"viewer"`))),
		patch("Disable", `{"disabled":true}`, 200, data(with(annRecord, "disabled", "true"))),
		patch("Rename", `{"username":" renamed ","email":"renamed@mail.example"}`, 200,
			data(with(annRecord, "username", `"renamed"`, "email", `"renamed@mail.example"`))),
		patch("Password", `{"password":"tall-elm"}`, 200, data(annRecord)),
		patch("ShortPassword", `{"password":"1"}`, 422, fault("value_error", "Value error, password must have 8 to 1024 bytes", "password")),
		patch("NameIsAnAddress", `{"username":"will@mail.example"}`, 422, noName),
		patch("NameTaken", `{"username":"WILL"}`, 409, taken),
		patch("RoleNull", `{"role":null}`, 422, fault("string_type", "Input should be a valid string", "role")),
		ask("PatchByMember", will, "PATCH", "/user/$will_sub", `{"role":"admin"}`, 403, forbidden),
		ask("PatchForeign", wanda, "PATCH", "/user/$bob_sub", `{}`, 403, forbidden),
		ask("PatchUnknown", wanda, "PATCH", "/user/$unknown", `{}`, 404, notFound(noUser, "$unknown")),
		ask("PatchNoUUID", wanda, "PATCH", "/user/x", `{}`, 404, notFound(noUser, "x")),
		ask("DemoteLastAdmin", bob, "PATCH", "/user/$bob_sub", `{"role":"member"}`, 409, lastAdmin),
		ask("DisableLastAdmin", bob, "PATCH", "/user/$bob_sub", `{"disabled":true}`, 409, lastAdmin),
		ask("DeleteLastAdmin", bob, "DELETE", "/user/$bob_sub", "", 409, lastAdmin),
		ask("RenameLastAdmin", bob, "PATCH", "/user/$bob_sub", `{"username":"bob"}`, 200,
			data(`{"id":"$bob_sub","tenant_id":"$beta","username":"bob","email":"bob@Mail.example","role":"admin","disabled":false,"second_factor":false,"created_at":"2024-05-02T10:15:30Z"}`)),
		{name: "Delete", as: wanda, method: "DELETE", path: "/user/$new_user", status: 204, then: []row{
			ask("", wanda, "DELETE", "/user/$new_user", "", 404, notFound(noUser, "$new_user")),
		}},
		ask("DeleteByMember", will, "DELETE", "/user/$will_sub", "", 403, forbidden),
		ask("DeleteForeign", wanda, "DELETE", "/user/$bob_sub", "", 403, forbidden),
		ask("DeleteNoUUID", wanda, "DELETE", "/user/x", "", 404, notFound(noUser, "x")),
	}
}

// ownUserRows are what a user does to itself.
func ownUserRows() []row {
	me := func(name, body string, status int, want string) row {
		return row{name: name, as: will, method: "PATCH", path: "/user/me", body: body, status: status, want: want}
	}
	fault := func(typ, msg string, loc ...any) string { return invalid(typ, msg, append([]any{"body"}, loc...)...) }
	end := func(name, user, id string, status int, want string) row {
		return row{name: name, as: user, method: "DELETE", path: "/user/me/session/" + id, status: status, want: want}
	}
	object := func(bytes int) string { return `{"p":"` + strings.Repeat("x", bytes-len(`{"p":""}`)) + `"}` }
	preferred := me("Preferences", `{"preferences":{"units":"metric"}}`, 200, data(with(willSession, "preferences", `{"units":"metric"}`)))
	preferred.then = []row{
		me("", `{}`, 200, data(with(willSession, "preferences", `{"units":"metric"}`))),
		me("", `{"preferences":{}}`, 200, data(willSession)),
	}
	byKey := me("ByKey", `{}`, 403, forbidden)
	byKey.as, byKey.header = "", map[string]string{"Authorization": "Bearer $writer_key_secret"}
	full := me("PreferencesOf16384", `{"preferences":`+object(16384)+`}`, 200, data(with(willSession, "preferences", object(16384))))
	full.then = []row{me("", `{"preferences":{}}`, 200, data(willSession))}
	return []row{
		preferred, full, byKey,
		me("PreferencesOf16385", `{"preferences":`+object(16385)+`}`, 422,
			fault("value_error", "Value error, preferences have at most 16384 bytes", "preferences")),
		me("PreferencesNoObject", `{"preferences":[]}`, 422, fault("dict_type", "Input should be a valid dictionary", "preferences")),
		me("PasswordAlone", `{"password":"grey-owl"}`, 422, fault("missing", "Field required", "old_password")),
		me("WrongOldPassword", `{"old_password":"wrong","password":"grey-owl"}`, 422,
			fault("value_error", "Value error, the password is wrong", "old_password")),
		me("ShortPassword", `{"old_password":"`+password+`","password":"1234567"}`, 422,
			fault("value_error", "Value error, password must have 8 to 1024 bytes", "password")),
		me("Password", `{"old_password":"`+password+`","password":"`+password+`"}`, 200, data(willSession)),
		{name: "Sessions", as: mark, method: "GET", path: "/user/me/session", status: 200, want: list(
			`{"id":"$mark_session","kind":"token","current":true,"created_at":"2024-05-02T10:15:30Z","expires_at":"2024-06-01T10:15:30Z"}`)},
		{
			name: "SessionsOfKey", method: "GET", path: "/user/me/session",
			header: map[string]string{"Authorization": "Bearer $writer_key_secret"}, status: 403, want: forbidden,
		},
		{
			name: "EndSession", method: "DELETE", path: "/user/me/session/$new_session",
			header: map[string]string{"Authorization": "Bearer $new_access"}, status: 204,
			then: []row{{
				method: "GET", path: "/session", header: map[string]string{"Authorization": "Bearer $new_access"}, status: 401,
				want: unauthenticated,
			}},
		},
		end("EndAnothersSession", will, "$wanda_session", 403, forbidden),
		end("EndForeignSession", will, "$bob_session", 403, forbidden),
		end("EndUnknownSession", will, "$unknown", 404, notFound(noSession, "$unknown")),
		end("EndNoUUID", will, "x", 404, notFound(noSession, "x")),
	}
}

// apiKeyRows are the keys of programs, and what each may do.
func apiKeyRows() []row {
	ask := func(name, user, method, path, body string, status int, want string) row {
		return row{name: name, as: user, method: method, path: path, body: body, status: status, want: want}
	}
	by := func(name, key, method, path, body string, status int, want string) row {
		r := ask(name, "", method, path, body, status, want)
		r.header = map[string]string{"Authorization": "Bearer " + key}
		return r
	}
	fault := func(typ, msg string, loc ...any) string { return invalid(typ, msg, append([]any{"body"}, loc...)...) }
	post := func(name, body string, status int, want string) row {
		return ask(name, wanda, "POST", "/api-key", body, status, want)
	}
	network := "Value error, a network is an address, or one with the length of its prefix, such as 192.0.2.0/24"
	ofKey := func(maker string) string {
		return with(newKey, "owner", `"tenant"`, "maker_id", "null", "maker_name", `"`+maker+`"`)
	}
	bound := with(ofKey("bound admin"), "networks", `["10.0.0.0/8"]`, "expires_at", `"2024-05-02T11:15:30Z"`)
	late := by("Expired", "$short_key_secret", "GET", "/device", "", 401, unauthenticated)
	late.after = time.Minute
	shortly := by("NotYetExpired", "$short_key_secret", "GET", "/device?connection_id=$unknown", "", 200, list())
	shortly.after = time.Minute - time.Millisecond
	reader := `{"user":null,"api_key":{"id":"$api_key","name":"reader","role":null,"scopes":["read"],"networks":[],"created_at":"2024-05-02T10:15:30Z","expires_at":null,"last_used_at":"<any>","owner":"tenant","maker_id":null,"maker_name":""},` +
		`"tenant":{"id":"$alpha","name":"alpha"},"role":null,"permissions":["read"],"preferences":{},"factor_step":null,"version":"test","system":{"database":"<any>","role":"all"}}`
	return []row{
		post("Create", `{"name":"Nightly","scopes":["read"]}`, 200, data(newKey)),
		ask("List", alice, "GET", "/api-key", "", 200, list(
			`{"id":"$api_key","name":"reader","role":null,"scopes":["read"],"networks":[],"created_at":"2024-05-02T10:15:30Z","expires_at":null,"last_used_at":"<any>","owner":"tenant","maker_id":null,"maker_name":""}`,
			`{"id":"$other_key","name":"other","role":"member","scopes":["read","write","push"],"networks":[],"created_at":"2024-05-02T10:15:30Z","expires_at":null,"last_used_at":null,"owner":"tenant","maker_id":null,"maker_name":""}`)),
		post("CreateWithRole", `{"name":"Nightly","role":"member"}`, 200, data(with(newKey, "role", `"member"`, "scopes", `["read","write","push"]`))),
		post("EveryKeyReads", `{"name":"Nightly","scopes":["secrets"]}`, 200, data(with(newKey, "scopes", `["read","secrets"]`))),
		post("PushAlone", `{"name":"Nightly","scopes":["push"]}`, 200, data(with(newKey, "scopes", `["push"]`))),
		post("PushAndRead", `{"name":"Nightly","scopes":["push","read"]}`, 200, data(with(newKey, "scopes", `["read","push"]`))),
		post("CreateAll", `{"name":" Nightly ","scopes":["admin","write","secrets","read"],"networks":["192.0.2.7/24","2001:db8::1"],"expires_at":"2024-05-02T10:15:31Z"}`, 200,
			data(with(newKey, "scopes", `["read","write","secrets","admin"]`, "networks", `["192.0.2.0/24","2001:db8::1/128"]`, "expires_at",
				`"2024-05-02T10:15:31Z"`))),
		post("CreateForAService", `{"name":"Nightly","scopes":["read"],"owner":"tenant"}`, 200, data(with(newKey, "owner", `"tenant"`))),
		post("OtherOwner", `{"name":"x","scopes":["read"],"owner":"me"}`, 422, fault("enum", "Input should be 'user' or 'tenant'", "owner")),
		by("KeeperRevokesNoMightierKey", "$keeper_key_secret", "DELETE", "/api-key/$new_key", "", 403, forbidden),
		by("BoundKeyRevokesNoUnboundKey", "$bound_admin_key_secret", "DELETE", "/api-key/$new_key", "", 403, forbidden),
		by("KeyRevokesWhatItCouldBe", "$admin_key_secret", "DELETE", "/api-key/$new_key", "", 204, ""),
		post("NoName", `{"scopes":["read"]}`, 422, fault("missing", "Field required", "name")),
		post("BlankName", `{"name":" ","scopes":["read"]}`, 422, fault("string_too_short", "String should have at least 1 character", "name")),
		post("NameOf256", `{"name":"`+strings.Repeat("n", 256)+`","scopes":["read"]}`, 422,
			fault("string_too_long", "String should have at most 255 characters", "name")),
		post("NameOf255", `{"name":"`+strings.Repeat("n", 255)+`","scopes":["read"]}`, 200, data(with(newKey, "name", `"<any>"`))),
		post("NeitherRoleNorScopes", `{"name":"x"}`, 422, fault("missing", "Field required", "role")),
		post("RoleAndScopes", `{"name":"x","role":"viewer","scopes":["read"]}`, 422,
			fault("value_error", "Value error, role and scopes exclude each other", "scopes")),
		post("NoScopes", `{"name":"x","scopes":[]}`, 422, fault("too_short", "List should have at least 1 item after validation, not 0",
			"scopes")),
		post("OtherScope", `{"name":"x","scopes":["all"]}`, 422,
			fault("enum", "Input should be 'read', 'write', 'secrets', 'admin' or 'push'", "scopes", 0)),
		post("NoNetwork", `{"name":"x","role":"viewer","networks":["192.0.2.0/24","home"]}`, 422, fault("value_error", network, "networks", 1)),
		post("ExpiresNow", `{"name":"x","role":"viewer","expires_at":"2024-05-02T10:15:30Z"}`, 422,
			fault("value_error", "Value error, expires_at must lie in the future", "expires_at")),
		ask("CreateByMember", will, "POST", "/api-key", `{"name":"x","role":"viewer"}`, 403, forbidden),
		ask("ListByMember", will, "GET", "/api-key", "", 403, forbidden),
		{name: "Revoke", as: wanda, method: "DELETE", path: "/api-key/$new_key", status: 204, then: []row{
			by("", "$new_key_secret", "GET", "/session", "", 401, unauthenticated),
			ask("", wanda, "DELETE", "/api-key/$new_key", "", 404, notFound(noKey, "$new_key")),
		}},
		by("RevokedWhileKnown", "$new_key_secret", "GET", "/device?connection_id=$unknown", "", 200, list()).next(
			ask("", wanda, "DELETE", "/api-key/$new_key", "", 204, ""),
			by("", "$new_key_secret", "GET", "/device", "", 401, unauthenticated)),
		ask("RevokeByMember", will, "DELETE", "/api-key/$writer_key", "", 403, forbidden),
		ask("RevokeForeign", wanda, "DELETE", "/api-key/$api_key", "", 403, forbidden),
		ask("RevokeUnknown", wanda, "DELETE", "/api-key/$unknown", "", 404, notFound(noKey, "$unknown")),
		ask("RevokeNoUUID", wanda, "DELETE", "/api-key/x", "", 404, notFound(noKey, "x")),

		by("ReaderIs", "$api_key_secret", "GET", "/session", "", 200, data(reader)),
		by("ReaderReads", "$api_key_secret", "GET", "/connection-tag", "", 200,
			list(`{"id":"<uuid>","name":"north"}`, `{"id":"<uuid>","name":"south"}`)),
		by("ReaderWritesNot", "$api_key_secret", "PATCH", "/device/$device", `{}`, 403, forbidden),
		by("ReaderSeesNoSecrets", "$api_key_secret", "GET", "/connection/$conn/credentials", "", 403, forbidden),
		by("ReaderSeesNoUsers", "$api_key_secret", "GET", "/user", "", 403, forbidden),
		by("ReaderSeesNoneOfOthers", "$api_key_secret", "GET", "/device/$beta_device", "", 403, forbidden),
		by("WriterWrites", "$writer_key_secret", "PATCH", "/device/$new_device", `{"description":"by key"}`, 200,
			data(`{"id":"$new_device","system_device_id":"<any>","connection_id":"$work_conn","description":"by key","registration":"FR 1","make":"MAN","model":"TGX","year":2020,"active":true,"tags":["old"]}`)),
		by("WriterSeesNoSecrets", "$writer_key_secret", "GET", "/connection/$work_conn/credentials", "", 403, forbidden),
		by("WriterMakesNoKeys", "$writer_key_secret", "POST", "/api-key", `{"name":"x","role":"viewer"}`, 403, forbidden),
		by("AdminSeesSecrets", "$admin_key_secret", "GET", "/connection/$work_conn/credentials", "", 200,
			data(`{"connection_id":"$work_conn","credentials":{"base_url":"`+publicURL+`","token":"work-secret"}}`)),
		by("KeeperGivesWhatItHas", "$keeper_key_secret", "POST", "/api-key", `{"name":"Nightly","scopes":["read"]}`, 200, data(ofKey("keeper"))),
		by("KeyInheritsItsBounds", "$bound_admin_key_secret", "POST", "/api-key", `{"name":"Nightly","scopes":["read"]}`, 200, data(bound)),
		by("KeyNarrowsItsBounds", "$bound_admin_key_secret", "POST", "/api-key",
			`{"name":"Nightly","scopes":["read"],"networks":["10.1.0.0/16"],"expires_at":"2024-05-02T11:15:30Z"}`, 200,
			data(with(bound, "networks", `["10.1.0.0/16"]`))),
		by("KeyLeavesItsNetworks", "$bound_admin_key_secret", "POST", "/api-key",
			`{"name":"x","scopes":["read"],"networks":["10.0.0.0/8","192.0.2.0/24"]}`, 403, forbidden),
		by("KeyWidensItsNetworks", "$bound_admin_key_secret", "POST", "/api-key", `{"name":"x","scopes":["read"],"networks":["0.0.0.0/0"]}`,
			403, forbidden),
		by("KeyOutlivesItself", "$bound_admin_key_secret", "POST", "/api-key",
			`{"name":"x","scopes":["read"],"expires_at":"2024-05-02T11:15:30.001Z"}`, 403, forbidden),
		by("BoundKeyMakesNoUser", "$bound_admin_key_secret", "POST", "/user",
			`{"username":"key-made","email":"key@made.example","role":"viewer","password":"correct horse battery staple"}`, 403, forbidden),
		by("BoundKeyChangesNoUser", "$bound_admin_key_secret", "PATCH", "/user/$new_user", `{"password":"another long password"}`, 403,
			forbidden),
		by("BoundKeyDeletesNoUser", "$bound_admin_key_secret", "DELETE", "/user/$new_user", "", 403, forbidden),
		by("KeeperDemotesNoMightier", "$keeper_key_secret", "PATCH", "/user/$new_user", `{"role":"viewer"}`, 403, forbidden),
		by("KeeperSetsNoPasswordOfAMightier", "$keeper_key_secret", "PATCH", "/user/$new_user",
			`{"role":"viewer","password":"another long password"}`, 403, forbidden),
		by("KeeperDeletesNoMightier", "$keeper_key_secret", "DELETE", "/user/$new_user", "", 403, forbidden),
		by("KeeperGivesNoMore", "$keeper_key_secret", "POST", "/api-key", `{"name":"x","scopes":["secrets"]}`, 403, forbidden),
		by("KeeperMakesNoAdmin", "$keeper_key_secret", "POST", "/user",
			`{"username":"x","email":"x@y.example","role":"admin","password":"grey-owl"}`, 403, forbidden),
		by("KeeperSetsNoPassword", "$keeper_key_secret", "PATCH", "/user/$wanda_sub", `{"password":"grey-owl"}`, 403, forbidden),
		by("KeyLogsNotOut", "$writer_key_secret", "POST", "/logout", "", 403, forbidden),
		by("WithinItsNetwork", "$bound_key_secret", "GET", "/device?connection_id=$unknown", "", 200, list()),
		by("OutsideItsNetwork", "$astray_key_secret", "GET", "/device", "", 403, forbidden),
		by("OfSuspendedTenant", "$closed_key_secret", "GET", "/device", "", 403, forbidden),
		by("Unknown", "drv_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "GET", "/device", "", 401, unauthenticated),
		shortly, late,
	}
}

// auditRows are what is written down about a tenant.
func auditRows() []row {
	entry := func(user, action, record, id, outcome string) string {
		return `{"id":"<uuid>","time":"2024-05-02T10:15:30Z","actor_type":"user","actor_id":"$` + user + `_sub","actor_name":"` + user +
			`","action":"` + action + `","record_type":"` + record +
			`","record_id":` + id + `,"address":"<any>","request_id":"<any>","outcome":"` + outcome + `","count":1,"last_at":null}`
	}
	// Refusals are counted by caller: those of a key that no one else uses are known.
	byKey := func(method, path string, status int, want string) row {
		return row{method: method, path: path, header: map[string]string{"Authorization": "Bearer $new_key_secret"}, status: status, want: want}
	}
	refused := func(action, record, id string) string {
		return with(entry("new", action, record, id, "refused"), "actor_type", `"api_key"`, "actor_id", `"$new_key"`)
	}
	credentials := byKey("GET", "/connection/$new_conn/credentials", 403, forbidden)
	credentials.name = "SecretRefused"
	change := byKey("DELETE", "/user/$new_user", 403, forbidden)
	change.name = "ChangeRefused"
	read := func(query, want string) row {
		return row{as: wanda, method: "GET", path: "/audit?" + query, status: 200, want: want}
	}
	return []row{
		row{name: "Change", as: will, method: "PATCH", path: "/device/$new_device", body: `{"description":"x"}`, status: 200, want: data(
			`{"id":"$new_device","system_device_id":"<any>","connection_id":"$work_conn","description":"x","registration":"FR 1","make":"MAN","model":"TGX","year":2020,"active":true,"tags":["old"]}`)}.next(
			read("record_id=$new_device", list(entry(will, "device.update", "device", `"$new_device"`, "done"))),
			read("record_id=$new_device&actor_id=$wanda_sub", list()),
			read("record_id=$new_device&from=2024-05-02T10:15:31Z", list()),
			read("record_id=$new_device&to=2024-05-02T10:15:30Z", list())),
		row{
			name: "SecretRead", as: wanda, method: "GET", path: "/connection/$new_conn/credentials", status: 200,
			want: data(`{"connection_id":"$new_conn","credentials":{"base_url":"` + publicURL + `","token":"work-secret"}}`),
		}.next(
			read("record_id=$new_conn", list(entry(wanda, "connection.credentials.read", "connection", `"$new_conn"`, "done")))),
		credentials.next(
			read("record_id=$new_conn&outcome=refused", list(refused("connection.credentials.read", "connection", `"$new_conn"`))),
			read("record_id=$new_conn&outcome=done", list())),
		change.next(read("record_id=$new_user", list(refused("user.delete", "user", `"$new_user"`)))),
		row{
			name: "NoChange", as: will, method: "PATCH", path: "/device/$new_device", body: `{}`, status: 200,
			want: "<any>",
		}.next(read("record_id=$new_device", list())),
		row{
			name: "SameWebhook", as: will, method: "PATCH", path: "/webhook/$new_webhook", body: `{"enabled":true}`, status: 200,
			want: "<any>",
		}.next(
			read("record_id=$new_webhook", list())),
		row{
			name: "SameConnection", as: wanda, method: "PATCH", path: "/connection/$new_conn", body: `{"active":true,"tags":[]}`, status: 200,
			want: "<any>",
		}.next(
			read("record_id=$new_conn", list())),
		row{
			name: "InvalidChange", as: will, method: "PATCH", path: "/device/$new_device", body: `{"year":"x"}`, status: 422,
			want: invalid("int_type", "Input should be a valid integer", "body", "year"),
		}.next(read("record_id=$new_device", list())),
		{name: "ByMember", as: will, method: "GET", path: "/audit", status: 403, want: forbidden},
		{
			name: "OtherOutcome", as: wanda, method: "GET", path: "/audit?outcome=maybe", status: 422,
			want: invalid("enum", "Input should be 'done' or 'refused'", "query", "outcome"),
		},
	}
}

// next says what is asked after a row, of the same new records.
func (r row) next(rows ...row) row {
	r.then = append(r.then, rows...)
	return r
}

// TestLoginsAreWrittenDown follows sign-ins, good and bad, into the audit.
func TestLoginsAreWrittenDown(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		log := func(secret string) {
			s.send(t, request{method: "POST", path: "/token", body: jsonText(map[string]string{"username": carol, "password": secret})})
		}
		log("a wrong password")
		log(password)
		type entry struct {
			Action    string  `json:"action"`
			Outcome   string  `json:"outcome"`
			ActorName string  `json:"actor_name"`
			Address   *string `json:"address"`
		}
		entries, _ := get[[]entry](t, s, carol, "/audit")
		if len(entries) != 2 || entries[0].Outcome != "done" || entries[1].Outcome != "refused" {
			t.Fatalf("the audit is %+v", entries)
		}
		for _, e := range entries {
			if e.Action != "token.create" || e.ActorName != carol || e.Address == nil || !strings.HasPrefix(*e.Address, "10.") ||
				strings.Contains(*e.Address, ":") {
				t.Errorf("%+v", e)
			}
		}
		raw := s.send(t, request{method: "GET", path: "/audit", header: s.authorized(t, carol)})
		if strings.Contains(raw.body, "wrong password") || strings.Contains(raw.body, password) {
			t.Error("the audit holds a password")
		}
	})
}
