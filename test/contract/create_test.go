package contract_test

import (
	"strconv"
	"strings"
	"time"
)

// input is the least that makes a connection.
const input = `{"integration_name":"traccar","business_name":"New","credentials":{"base_url":"` + publicURL + `","token":"t"}}`

// madeConn is what comes of it, with the defaults of what was left out.
const madeConn = `{"id":"<uuid>","tenant_id":"$work","integration_name":"traccar","business_name":"New","abn":null,"email":null,
	"active":true,"collection_start_time":"2024-05-02T10:15:30Z","collection_end_time":null,
	"configuration":{"poll_interval_seconds":15,"trips":"native","base_url":"` + publicURL + `","health":"pending"}}`

// createRows are POST /connection. They work in the tenant of wanda.
func createRows() []row {
	create := func(name, body string, status int, want string) row {
		return row{name: name, as: wanda, method: "POST", path: "/connection", body: body, status: status, want: want}
	}
	missing := func(loc ...any) string { return invalid("missing", "Field required", append([]any{"body"}, loc...)...) }
	credentials := func(object string) string { return with(input, "credentials", object) }
	secretInURL := invalid("value_error", "Value error, the URL must have no user, password, query or fragment", "body", "credentials",
		"base_url")
	rows := []row{
		create("DefaultsOfWhatIsLeftOut", input, 200, data(madeConn)),
		create("Everything", with(input, "abn", `"51 824"`, "email", `"a@b.example"`, "active", "false", "collection_start_time",
			`"2024-01-01T00:00:00.123+02:00"`,
			"collection_end_time", `"2024-02-01T00:00:00"`, "tags", `[" A ","b","a"]`, "tenant_id", `"$work"`), 200,
			data(with(madeConn, "abn", `"51 824"`, "email", `"a@b.example"`, "active", "false", "collection_start_time",
				`"2023-12-31T22:00:00.123Z"`,
				"collection_end_time", `"2024-02-01T00:00:00Z"`, "configuration",
				`{"poll_interval_seconds":15,"trips":"native","base_url":"`+publicURL+`","health":"disabled"}`))),
		create("NullsCountAsLeftOut", with(input, "abn", "null", "email", "null", "active", "null", "collection_start_time", "null",
			"collection_end_time", "null", "tenant_id", "null"), 200, data(madeConn)),
		create("UnknownFieldsIgnored", with(input, "id", `"x"`, "configuration", `{"health":"healthy"}`, "colour", `["red"]`), 200,
			data(madeConn)),
		{name: "ForMember", as: will, method: "POST", path: "/connection", body: input, status: 200, want: data(madeConn)},
		{name: "ForViewer", as: vera, method: "POST", path: "/connection", body: input, status: 403, want: forbidden},
		{
			name: "ViewerLearnsNothingOfItsBody", as: vera, method: "POST", path: "/connection", body: credentials(`{}`), status: 403,
			want: forbidden,
		},
		create("OtherTenant", with(input, "tenant_id", `"$alpha"`), 403, forbidden),
		create("UnknownTenant", with(input, "tenant_id", `"$unknown"`), 403, forbidden),

		create("NoBody", "", 422, missing()),
		create("Empty", `{}`, 422, missing("integration_name")),
		create("NoCredentials", `{"integration_name":"traccar"}`, 422, missing("credentials")),
		create("NoBusinessName", `{"integration_name":"traccar","credentials":{}}`, 422, missing("business_name")),
		create("UnknownProvider", with(input, "integration_name", `"acme"`), 422, providerFault("body", "integration_name")),
		create("ProviderNoString", with(input, "integration_name", `5`), 422,
			invalid("string_type", "Input should be a valid string", "body", "integration_name")),
		create("CredentialsNoObject", credentials(`[]`), 422, invalid("dict_type", "Input should be a valid dictionary", "body", "credentials")),
		create("CredentialNoString", credentials(`{"base_url":1}`), 422,
			invalid("string_type", "Input should be a valid string", "body", "credentials", "base_url")),
		create("CredentialMissing", credentials(`{"token":"t"}`), 422, missing("credentials", "base_url")),
		create("CredentialEmpty", credentials(`{"base_url":"","token":"t"}`), 422,
			invalid("string_too_short", "String should have at least 1 character", "body", "credentials", "base_url")),
		create("CredentialMissingUnlessAnother", credentials(`{"base_url":"`+publicURL+`"}`), 422, missing("credentials", "token")),
		create("CredentialAlternative", credentials(`{"base_url":"`+publicURL+`","email":"a@b.example","password":"p"}`), 200, data(madeConn)),
		create("BaseURLPrivate", credentials(`{"base_url":"http://127.0.0.1/","token":"t"}`), 422,
			invalid("value_error", "Value error, the address is in a private network (loopback); the operator can open it with --allow-network",
				"body", "credentials", "base_url")),
		create("BaseURLNoHTTP", credentials(`{"base_url":"ftp://93.184.216.34/","token":"t"}`), 422,
			invalid("value_error", "Value error, the URL must start with http:// or https://", "body", "credentials", "base_url")),
		create("BaseURLWithAKey", credentials(`{"base_url":"http://93.184.216.34/?key=SECRET","token":"t"}`), 422, secretInURL),
		create("BaseURLWithAPassword", credentials(`{"base_url":"http://ann:SECRET@93.184.216.34/","token":"t"}`), 422, secretInURL),
		create("BaseURLWithAFragment", credentials(`{"base_url":"http://93.184.216.34/#SECRET","token":"t"}`), 422, secretInURL),
		create("BaseURLWithAnEmptyQuery", credentials(`{"base_url":"http://93.184.216.34/?","token":"t"}`), 422, secretInURL),
		create("BusinessNameEmpty", with(input, "business_name", `""`), 422,
			invalid("string_too_short", "String should have at least 1 character", "body", "business_name")),
		create("BusinessNameNull", with(input, "business_name", `null`), 422,
			invalid("string_type", "Input should be a valid string", "body", "business_name")),
		create("BusinessNameOf255", with(input, "business_name", quote("é", 255)), 200, data(with(madeConn, "business_name", quote("é", 255)))),
		create("BusinessNameOf256", with(input, "business_name", quote("é", 256)), 422,
			invalid("string_too_long", "String should have at most 255 characters", "body", "business_name")),
		create("EmailOf320", with(input, "email", address(320)), 200, data(with(madeConn, "email", address(320)))),
		create("EmailOf321", with(input, "email", address(321)), 422,
			invalid("string_too_long", "String should have at most 320 characters", "body", "email")),
		create("CredentialOf8192", credentials(with(access, "token", quote("é", 8192))), 200, data(madeConn)),
		create("CredentialOf8193", credentials(with(access, "token", quote("é", 8193))), 422,
			invalid("string_too_long", "String should have at most 8192 characters", "body", "credentials", "token")),
		create("Credentials64", credentials(manyCredentials(64)), 200, data(madeConn)),
		create("Credentials65", credentials(manyCredentials(65)), 422,
			invalid("too_long", "Dictionary should have at most 64 items after validation, not 65", "body", "credentials")),
		create("ABNOf64", with(input, "abn", quote("é", 64)), 200, data(with(madeConn, "abn", quote("é", 64)))),
		create("ABNOf65", with(input, "abn", quote("é", 65)), 422,
			invalid("string_too_long", "String should have at most 64 characters", "body", "abn")),
		create("ActiveNoBoolean", with(input, "active", `"true"`), 422,
			invalid("bool_type", "Input should be a valid boolean", "body", "active")),
		create("StartNoDateTime", with(input, "collection_start_time", `"yesterday"`), 422, timeFault("body", "collection_start_time")),
		create("StartADate", with(input, "collection_start_time", `"2024-05-01"`), 422, timeFault("body", "collection_start_time")),
		create("StartANumber", with(input, "collection_start_time", `1714558530`), 422,
			invalid("datetime_type", "Input should be a valid datetime", "body", "collection_start_time")),
		create("EndAtStart", with(input, "collection_end_time", `"2024-05-02T10:15:30Z"`), 200,
			data(with(madeConn, "collection_end_time", `"2024-05-02T10:15:30Z"`))),
		create("EndBeforeStart", with(input, "collection_end_time", `"2024-05-02T10:15:29.999Z"`), 422,
			invalid("value_error", "Value error, collection_end_time must not be before collection_start_time", "body", "collection_end_time")),
		create("FirstFaultInOrderOfFields", `{"business_name":5,"abn":5,"credentials":5,"integration_name":5}`, 422,
			invalid("string_type", "Input should be a valid string", "body", "integration_name")),
		create("TagsNoList", with(input, "tags", `"a"`), 422, invalid("list_type", "Input should be a valid list", "body", "tags")),
		create("TagNoString", with(input, "tags", `["a",1]`), 422, invalid("string_type", "Input should be a valid string", "body", "tags", 1)),
		create("TagBlank", with(input, "tags", `["a"," "]`), 422,
			invalid("string_too_short", "String should have at least 1 character", "body", "tags", 1)),
		create("TagsEleven", with(input, "tags", numbered(11)), 422,
			invalid("too_long", "List should have at most 10 items after validation, not 11", "body", "tags")),
	}
	for _, address := range []string{`"x"`, `"a@b"`, `"a b@c.example"`, `"A <a@b.example>"`, `""`} {
		rows = append(rows, create("Email"+address, with(input, "email", address), 422,
			invalid("value_error", "value is not a valid email address", "body", "email")))
	}
	return append(rows, idempotencyRows()...)
}

// timeFault is the refusal of a text that is no date-time.
func timeFault(loc ...any) string {
	return invalid("datetime_parsing", "Input should be a valid datetime, invalid ISO 8601 date-time", loc...)
}

// quote is a JSON string of n times the same character.
func quote(character string, n int) string { return `"` + strings.Repeat(character, n) + `"` }

// address is an e-mail address of n characters, as JSON.
func address(n int) string {
	const domain = "@b.example"
	return `"` + strings.Repeat("a", n-len(domain)) + domain + `"`
}

// access is what Traccar asks for.
const access = `{"base_url":"` + publicURL + `","token":"t"}`

// manyCredentials are n, most of which no provider knows.
func manyCredentials(n int) string {
	fields := map[string]string{"base_url": publicURL, "token": "t"}
	for i := len(fields); i < n; i++ {
		fields["field_"+strconv.Itoa(i)] = "x"
	}
	return jsonText(fields)
}

// numbered is a list of n different tags.
func numbered(n int) string {
	tags := make([]string, n)
	for i := range tags {
		tags[i] = string(rune('a' + i))
	}
	return jsonText(tags)
}

func idempotencyRows() []row {
	post := func(key, body string, after time.Duration, status int, want string) row {
		return row{
			as: wanda, method: "POST", path: "/connection", body: body, header: map[string]string{"Idempotency-Key": key}, after: after,
			status: status, want: want,
		}
	}
	named := func(name string, r row, then ...row) row {
		r.name, r.then = name, then
		return r
	}
	other := invalid("value_error", "Value error, this key was used for another request", "header", "idempotency-key")
	stays := with(madeConn, "collection_start_time", `"2024-05-02T10:15:30Z"`)
	later := with(madeConn, "collection_start_time", `"2024-05-03T10:15:30Z"`)
	const lifetime = 24 * time.Hour
	return []row{
		named("KeyGivesTheSameAnswer", post("same", input, 0, 200, data(stays)),
			post("same", input, time.Minute, 200, data(stays)),
			post("same", input, lifetime-time.Millisecond, 200, data(stays)),
			post("same", input, lifetime, 200, data(later))),
		named("KeyWithOtherBody", post("other", input, 0, 200, data(stays)), post("other", with(input, "abn", `"1"`), 0, 422, other)),
		named("KeyOfAnotherUser", post("mine", input, 0, 200, data(stays)),
			row{
				as: bob, method: "POST", path: "/connection", body: with(input, "credentials", "{}"),
				header: map[string]string{"Idempotency-Key": "mine"}, status: 422,
				want: invalid("missing", "Field required", "body", "credentials", "base_url"),
			}),
		named("RefusalIsNotKept", post("refused", `{}`, 0, 422, invalid("missing", "Field required", "body", "integration_name")),
			post("refused", input, 0, 200, data(stays))),
		named("KeyOf255", post(strings.Repeat("k", 255), input, 0, 200, data(stays))),
		named("KeyOf256", post(strings.Repeat("k", 256), input, 0, 422,
			invalid("string_too_long", "String should have at most 255 characters", "header", "idempotency-key"))),
		named("KeyNoText", post("\xff", input, 0, 422,
			invalid("string_unicode", "Input should be a valid string, unable to parse raw data as a unicode string", "header", "idempotency-key"))),
	}
}
