package contract_test

import (
	"net/http"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/provider/vendors/john_deere/johndeeretest"
	"github.com/drover-fleet/drover/internal/provider/vendors/traccar/traccartest"
	"github.com/drover-fleet/drover/internal/sim"
)

// vendorHost is a vendor that is served within the process.
const vendorHost = "traccar.contract.invalid"

// consentHost is a vendor that wants a person's consent.
const consentHost = "deere.contract.invalid"

func vendors(now func() time.Time) map[string]http.Handler {
	fleet := sim.New(sim.Options{Seed: 1, Vehicles: 3, Interval: 15 * time.Second, Heartbeat: 5 * time.Minute})
	return map[string]http.Handler{
		slowHost: http.HandlerFunc(answerSlowly), vendorHost: traccartest.New(sim.NewAccount(fleet, now, map[string]string{"token": "good"})),
		consentHost: johndeeretest.New(sim.NewAccount(fleet, now, map[string]string{
			"client_id": "0oa1", "client_secret": "application-secret", "authorization_code": "good", "refresh_token": "nobody-knows",
		})),
	}
}

// newConn is a fresh connection of work.
const newConn = `{"id":"$new_conn","tenant_id":"$work","integration_name":"traccar","business_name":"Fresh","abn":null,"email":null,
	"active":true,"collection_start_time":"2024-05-02T10:15:30Z","collection_end_time":null,
	"configuration":{"poll_interval_seconds":15,"trips":"native","base_url":"` + publicURL + `","health":"pending"}}`

// configured is a connection's configuration in a state.
func configured(state string) string {
	return `{"poll_interval_seconds":15,"trips":"native","base_url":"` + publicURL + `","health":"` + state + `"}`
}

// connectionChangeRows are PATCH and DELETE /connection/{connection_id}.
func connectionChangeRows() []row {
	const path = "/connection/$new_conn"
	patch := func(name, body string, status int, want string, then ...row) row {
		return row{name: name, as: wanda, method: "PATCH", path: path, body: body, status: status, want: want, then: then}
	}
	read := func(want string) row { return row{as: wanda, method: "GET", path: path, status: 200, want: want} }
	tagged := func(connection, tags string) string { return data(with(connection, "connection_tags", tags)) }
	missing := func(loc ...any) string { return invalid("missing", "Field required", append([]any{"body"}, loc...)...) }
	archived := with(newConn, "active", "false", "configuration", configured("archived"))
	rows := []row{
		patch("Nothing", `{}`, 200, data(newConn), read(tagged(newConn, "[]"))),
		patch("BusinessFields", `{"business_name":"Other","abn":"51","email":"a@b.example"}`, 200,
			data(with(newConn, "business_name", `"Other"`, "abn", `"51"`, "email", `"a@b.example"`)),
			patch("", `{"abn":null,"email":null}`, 200, data(with(newConn, "business_name", `"Other"`)))),
		patch("Pause", `{"active":false}`, 200, data(with(newConn, "active", "false", "configuration", configured("disabled"))),
			patch("", `{"active":true}`, 200, data(newConn))),
		patch("Window", `{"collection_start_time":"2024-05-01T00:00:00Z","collection_end_time":"2024-06-01T00:00:00Z"}`, 200,
			data(with(newConn, "collection_start_time", `"2024-05-01T00:00:00Z"`, "collection_end_time", `"2024-06-01T00:00:00Z"`)),
			patch("", `{"collection_end_time":null}`, 200, data(with(newConn, "collection_start_time", `"2024-05-01T00:00:00Z"`)))),
		patch("Units", `{"configuration":{"units":{"speed":"mph","odometer":"miles","trip_distance":"km","time_offset_minutes":-840,"coordinates":"lon_lat"},"health":"failing"}}`, 200,
			data(with(newConn, "configuration", with(configured("pending"), "units",
				`{"speed":"mph","odometer":"miles","trip_distance":"km","time_offset_minutes":-840,"coordinates":"lon_lat"}`))),
			patch("", `{"configuration":{}}`, 200, data(with(newConn, "configuration",
				with(configured("pending"), "units", `{"speed":"mph","odometer":"miles","trip_distance":"km","time_offset_minutes":-840,"coordinates":"lon_lat"}`)))),
			patch("", `{"configuration":{"units":{"speed":"ms"}},"credentials":{"base_url":"`+publicURL+`","token":"new"}}`, 200,
				data(with(newConn, "configuration", with(configured("pending"), "units", `{"speed":"ms"}`)))),
			patch("", `{"configuration":{"units":null}}`, 200, data(newConn))),
		patch("ConfigurationNull", `{"configuration":null}`, 422,
			invalid("model_attributes_type", "Input should be a valid dictionary or object to extract fields from", "body", "configuration")),
		patch("UnitUnknown", `{"configuration":{"units":{"speed":"furlongs"}}}`, 422,
			invalid("enum", "Input should be 'kmh', 'mph', 'knots' or 'ms'", "body", "configuration", "units", "speed")),
		patch("OdometerUnitUnknown", `{"configuration":{"units":{"odometer":"ft"}}}`, 422,
			invalid("enum", "Input should be 'm', 'km' or 'miles'", "body", "configuration", "units", "odometer")),
		patch("TripUnitUnknown", `{"configuration":{"units":{"trip_distance":"ft"}}}`, 422,
			invalid("enum", "Input should be 'm', 'km' or 'miles'", "body", "configuration", "units", "trip_distance")),
		patch("CoordinatesUnknown", `{"configuration":{"units":{"coordinates":"xy"}}}`, 422,
			invalid("enum", "Input should be 'lat_lon' or 'lon_lat'", "body", "configuration", "units", "coordinates")),
		patch("OffsetOf840", `{"configuration":{"units":{"time_offset_minutes":840}}}`, 200,
			data(with(newConn, "configuration", with(configured("pending"), "units", `{"time_offset_minutes":840}`)))),
		patch("OffsetOf841", `{"configuration":{"units":{"time_offset_minutes":841}}}`, 422,
			invalid("less_than_equal", "Input should be less than or equal to 840", "body", "configuration", "units", "time_offset_minutes")),
		patch("OffsetOfMinus841", `{"configuration":{"units":{"time_offset_minutes":-841}}}`, 422,
			invalid("greater_than_equal", "Input should be greater than or equal to -840", "body", "configuration", "units", "time_offset_minutes")),
		patch("Tags", `{"tags":[" B ","a","b"]}`, 200, data(newConn),
			read(tagged(newConn, `[{"id":"<uuid>","name":"a"},{"id":"<uuid>","name":"b"}]`)),
			patch("", `{"tags":["b"]}`, 200, data(newConn)), read(tagged(newConn, `[{"id":"<uuid>","name":"b"}]`))),
		patch("Credentials", `{"credentials":{"base_url":"`+publicURL+`/v2","token":"new"}}`, 200,
			data(with(newConn, "configuration", strings.Replace(configured("pending"), publicURL, publicURL+"/v2", 1))),
			row{
				as: wanda, method: "GET", path: path + "/credentials", status: 200,
				want: data(`{"connection_id":"$new_conn","credentials":{"base_url":"` + publicURL + `/v2","token":"new"}}`),
			}),
		patch("CredentialsIncomplete", `{"credentials":{"token":"new"}}`, 422, missing("credentials", "base_url")),
		patch("CredentialsNull", `{"credentials":null}`, 422, invalid("dict_type", "Input should be a valid dictionary", "body", "credentials")),
		patch("BusinessNameNull", `{"business_name":null}`, 422,
			invalid("string_type", "Input should be a valid string", "body", "business_name")),
		patch("BusinessNameEmpty", `{"business_name":""}`, 422,
			invalid("string_too_short", "String should have at least 1 character", "body", "business_name")),
		patch("BusinessNameBlank", `{"business_name":"   "}`, 422,
			invalid("string_too_short", "String should have at least 1 character", "body", "business_name")),
		patch("BusinessNameOf255", `{"business_name":`+quote("é", 255)+`}`, 200, data(with(newConn, "business_name", quote("é", 255)))),
		patch("BusinessNameOf256", `{"business_name":`+quote("é", 256)+`}`, 422,
			invalid("string_too_long", "String should have at most 255 characters", "body", "business_name")),
		patch("EmailOf320", `{"email":`+address(320)+`}`, 200, data(with(newConn, "email", address(320)))),
		patch("EmailOf321", `{"email":`+address(321)+`}`, 422,
			invalid("string_too_long", "String should have at most 320 characters", "body", "email")),
		patch("CredentialOf8193", `{"credentials":`+with(access, "token", quote("é", 8193))+`}`, 422,
			invalid("string_too_long", "String should have at most 8192 characters", "body", "credentials", "token")),
		patch("Credentials65", `{"credentials":`+manyCredentials(65)+`}`, 422,
			invalid("too_long", "Dictionary should have at most 64 items after validation, not 65", "body", "credentials")),
		patch("ABNOf64", `{"abn":`+quote("é", 64)+`}`, 200, data(with(newConn, "abn", quote("é", 64)))),
		patch("ABNOf65", `{"abn":`+quote("é", 65)+`}`, 422,
			invalid("string_too_long", "String should have at most 64 characters", "body", "abn")),
		patch("NoEmail", `{"email":"nobody"}`, 422, invalid("value_error", "value is not a valid email address", "body", "email")),
		patch("ActiveNull", `{"active":null}`, 422, invalid("bool_type", "Input should be a valid boolean", "body", "active")),
		patch("EndBeforeStart", `{"collection_end_time":"2024-05-01T00:00:00Z"}`, 422,
			invalid("value_error", "Value error, collection_end_time must not be before collection_start_time", "body", "collection_end_time")),
		patch("BlankTag", `{"tags":["a"," "]}`, 422, invalid("string_too_short", "String should have at least 1 character", "body", "tags", 1)),
		patch("SentBackAsRead", newConn, 200, data(newConn)),
		patch("DerivedTrips", `{"configuration":{"trips":"derived"}}`, 200,
			data(with(newConn, "configuration", with(configured("pending"), "trips", `"derived"`))),
			patch("", `{"credentials":`+access+`}`, 200, data(with(newConn, "configuration", with(configured("pending"), "trips", `"derived"`)))),
			patch("", `{"configuration":{"trips":"native"}}`, 200, data(newConn))),
		patch("TripsNull", `{"configuration":{"trips":null}}`, 422,
			invalid("string_type", "Input should be a valid string", "body", "configuration", "trips")),
		patch("TripsOther", `{"configuration":{"trips":"both"}}`, 422,
			invalid("enum", "Input should be 'native' or 'derived'", "body", "configuration", "trips")),
		patch("TripRules", `{"configuration":{"trip_rules":{"stop_seconds":60,"radius_metres":500}}}`, 200,
			data(with(newConn, "configuration", with(configured("pending"), "trip_rules", ruled("60", "null", "null", "500", "null")))),
			patch("", `{"configuration":{"trip_rules":{"radius_metres":null}}}`, 200,
				data(with(newConn, "configuration", with(configured("pending"), "trip_rules", ruled("60", "null", "null", "null", "null"))))),
			patch("", `{"configuration":{"trip_rules":null}}`, 200, data(newConn))),
		patch("StopTooShort", `{"configuration":{"trip_rules":{"stop_seconds":59}}}`, 422,
			invalid("greater_than_equal", "Input should be greater than or equal to 60", "body", "configuration", "trip_rules", "stop_seconds")),
		patch("ConfigurationNull", `{"configuration":null}`, 422,
			invalid("model_attributes_type", "Input should be a valid dictionary or object to extract fields from", "body", "configuration")),
		{
			name: "ForMember", as: will, method: "PATCH", path: path, body: `{"business_name":"Will's"}`, status: 200,
			want: data(with(newConn, "business_name", `"Will's"`)),
		},
		{name: "PatchShared", as: carol, method: "PATCH", path: "/connection/$conn", body: `{}`, status: 403, want: forbidden},
		{
			name: "PatchUnknown", as: wanda, method: "PATCH", path: "/connection/$unknown", body: `{}`, status: 404,
			want: notFound(noConnection, "$unknown"),
		},

		{name: "Archive", as: wanda, method: "DELETE", path: path, status: 204, then: []row{
			read(tagged(archived, "[]")),
			{as: wanda, method: "GET", path: path + "/credentials", status: 200, want: data(`{"connection_id":"$new_conn","credentials":{}}`)},
			{as: wanda, method: "DELETE", path: path, status: 204},
			patch("", `{"active":true}`, 422, missing("credentials")),
			patch("", `{"active":true,"credentials":{"base_url":"`+publicURL+`","token":"t"}}`, 200, data(newConn)),
		}},
		{name: "Purge", as: wanda, method: "DELETE", path: path + "?purge=true", status: 204, then: []row{
			read(tagged(with(archived, "configuration", with(configured("archived"), "purge",
				`{"requested_at":"2024-05-02T10:15:30Z","devices_total":0,"devices_done":0}`)), "[]")),
			{as: wanda, method: "DELETE", path: path + "?purge=true", status: 204},
			patch("", `{"business_name":"x"}`, 409, refusal(409, "Connection with ID $new_conn is being erased")),
			{as: wanda, method: "GET", path: "/audit?action=connection.purge&record_id=$new_conn&limit=1", status: 200, want: "<any>"},
		}},
		{
			name: "PurgeNoBoolean", as: wanda, method: "DELETE", path: path + "?purge=all", status: 422,
			want: invalid("bool_parsing", "Input should be a valid boolean, unable to interpret input", "query", "purge"),
		},
		{name: "PurgeShared", as: carol, method: "DELETE", path: "/connection/$conn?purge=true", status: 403, want: forbidden},
		{name: "DeleteShared", as: carol, method: "DELETE", path: "/connection/$conn", status: 403, want: forbidden},
		{name: "DeleteUnknown", as: wanda, method: "DELETE", path: "/connection/$unknown", status: 404, want: notFound(noConnection, "$unknown")},

		{
			name: "WithHealth", as: bob, method: "GET", path: "/connection?include=health", status: 200,
			want: list(with(betaConn, "health", idle("$beta_conn", "pending"), "devices", "1")),
		},
		{
			name: "WithSomethingElse", as: bob, method: "GET", path: "/connection?include=all", status: 422,
			want: invalid("enum", "Input should be 'health'", "query", "include"),
		},
	}
	return append(rows, trialRows()...)
}

// trialRows are POST /connection/test.
func trialRows() []row {
	try := func(name, user, credentials string, status int, want string) row {
		body := `{"integration_name":"traccar","credentials":` + credentials + `}`
		return row{name: name, as: user, method: "POST", path: "/connection/test", body: body, status: status, want: want}
	}
	credentials := func(token string) string { return `{"base_url":"https://` + vendorHost + `","token":"` + token + `"}` }
	return []row{
		try("TryGood", will, credentials("good"), 200, data(`{"ok":true,"error":null,"error_kind":null,"account":null,"devices":3,"more":false,
			"position":{"system_device_id":"<any>","timestamp":"<any>","longitude":"<any>","latitude":"<any>","heading":"<any>","speed":"<any>","driver_id":"<any>"},"renewed_credentials":null}`)),
		try("TryBad", wanda, credentials("bad"), 200, data(`{"ok":false,"error":"<any>","error_kind":"credentials","account":null,"devices":0,"more":false,"position":null,"renewed_credentials":null}`)),
		try("TryIncomplete", wanda, `{"token":"good"}`, 422, invalid("missing", "Field required", "body", "credentials", "base_url")),
		try("TryPrivateAddress", wanda, `{"base_url":"http://127.0.0.1/","token":"t"}`, 422,
			invalid("value_error", "Value error, the address is in a private network (loopback); the operator can open it with --allow-network",
				"body", "credentials", "base_url")),
		try("TryForViewer", vera, `{}`, 403, forbidden),
	}
}
