package contract_test

import "strings"

const (
	noFilter  = `{"connection_ids":[],"tags":[],"device_ids":[],"connection_devices":[]}`
	noOption  = `{"include_speed":false,"include_driver_id":false}`
	hookState = `"error_count":0,"last_error":null,"last_error_at":null`
	leastHook = `{"url":"` + publicURL + `"}`
	madeHook  = `{"id":"<uuid>","url":"` + publicURL + `","enabled":true,` + hookState +
		`,"created_at":"2024-05-02T10:15:30Z","updated_at":"2024-05-02T10:15:30Z","filters":` + noFilter + `,"options":` + noOption +
		`,"secret":"<secret>"}`
	newWebhook = `{"id":"$new_webhook","url":"` + publicURL + `","enabled":true,` + hookState +
		`,"created_at":"2024-05-02T09:15:30Z","updated_at":"2024-05-02T10:15:30Z","filters":` + noFilter + `,"options":` + noOption + `}`
)

// webhookCreateRows are POST /webhook.
func webhookCreateRows() []row {
	create := func(name, body string, status int, want string) row {
		return row{name: name, as: wanda, method: "POST", path: "/webhook", body: body, status: status, want: want}
	}
	fault := func(typ, msg string, loc ...any) string { return invalid(typ, msg, append([]any{"body"}, loc...)...) }
	filters := func(text string) string { return with(leastHook, "filters", text) }
	return []row{
		create("DefaultsOfWhatIsLeftOut", leastHook, 200, data(madeHook)),
		{name: "ByMember", as: will, method: "POST", path: "/webhook", body: leastHook, status: 200, want: data(madeHook)},
		create("NullsCountAsLeftOut", with(leastHook, "enabled", "null", "filters", "null", "options", "null"), 200, data(madeHook)),
		create("Everything", with(leastHook, "enabled", "false", "options", `{"include_speed":true,"include_driver_id":true}`,
			"filters", `{"connection_ids":["$work_conn","$work_conn"],"tags":[" North ","north"],"device_ids":["$work_device"],"connection_devices":[{"connection_id":"$work_conn","system_device_ids":["a","a"]}]}`), 200,
			data(with(madeHook, "enabled", "false", "options", `{"include_speed":true,"include_driver_id":true}`,
				"filters", `{"connection_ids":["$work_conn"],"tags":["north"],"device_ids":["$work_device"],"connection_devices":[{"connection_id":"$work_conn","system_device_ids":["a"]}]}`))),
		create("PartsOfFiltersAndOptions", with(leastHook, "filters", `{"tags":["x"]}`, "options", `{"include_speed":true}`), 200,
			data(with(madeHook, "filters", `{"connection_ids":[],"tags":["x"],"device_ids":[],"connection_devices":[]}`, "options",
				`{"include_speed":true,"include_driver_id":false}`))),
		{
			name: "FilterBySharedConnection", as: carol, method: "POST", path: "/webhook", body: filters(`{"connection_ids":["$conn"]}`),
			status: 200,
			want:   data(with(madeHook, "filters", `{"connection_ids":["$conn"],"tags":[],"device_ids":[],"connection_devices":[]}`)),
		},
		create("EventTypes", filters(`{"event_types":["trip.completed","milestone.ended","trip.completed"]}`), 200,
			data(with(madeHook, "filters", `{"connection_ids":[],"tags":[],"device_ids":[],"connection_devices":[],"event_types":["trip.completed","milestone.ended"]}`))),
		create("ReadingKinds", filters(`{"reading_kinds":["odometer_metres","fuel_level_percent","odometer_metres"]}`), 200,
			data(with(madeHook, "filters", `{"connection_ids":[],"tags":[],"device_ids":[],"connection_devices":[],"reading_kinds":["odometer_metres","fuel_level_percent"]}`))),
		create("NoReadingKinds", filters(`{"reading_kinds":[]}`), 200, data(madeHook)),
		create("ReadingKindsNull", filters(`{"reading_kinds":null}`), 200, data(madeHook)),
		create("NoEventTypes", filters(`{"event_types":[]}`), 200, data(madeHook)),
		create("EventTypesNull", filters(`{"event_types":null}`), 200, data(madeHook)),
		create("UnknownEventType", filters(`{"event_types":["trip.completed","lunch"]}`), 422,
			strings.Replace(typeFault(), `["query","type"]`, `["body","filters","event_types",1]`, 1)),
		{name: "ForViewer", as: vera, method: "POST", path: "/webhook", body: leastHook, status: 403, want: forbidden},
		create("NoURL", `{}`, 422, fault("missing", "Field required", "url")),
		create("EmptyURL", `{"url":""}`, 422, fault("string_too_short", "String should have at least 1 character", "url")),
		create("URLNoHTTP", `{"url":"ftp://93.184.216.34"}`, 422,
			fault("value_error", "Value error, the URL must start with http:// or https://", "url")),
		create("URLPrivate", `{"url":"http://169.254.169.254/latest"}`, 422,
			fault("value_error", "Value error, the address is in a private network (link-local); the operator can open it with --allow-network",
				"url")),
		create("URLBeforeFilters", `{"url":"x","filters":{"device_ids":["x"]}}`, 422,
			fault("value_error", "Value error, the URL must start with http:// or https://", "url")),
		create("EnabledNoBoolean", with(leastHook, "enabled", `"x"`), 422, fault("bool_type", "Input should be a valid boolean", "enabled")),
		create("LongestSystemDeviceID", filters(`{"connection_devices":[{"connection_id":"$work_conn","system_device_ids":["`+
			strings.Repeat("x", 255)+`"]}]}`), 200,
			data(with(madeHook, "filters", `{"connection_ids":[],"tags":[],"device_ids":[],"connection_devices":[{"connection_id":"$work_conn","system_device_ids":["`+strings.Repeat("x", 255)+`"]}]}`))),
		create("SystemDeviceIDTooLong", filters(`{"connection_devices":[{"connection_id":"$work_conn","system_device_ids":["a","`+
			strings.Repeat("x", 256)+`"]}]}`), 422,
			fault("string_too_long", "String should have at most 255 characters", "filters", "connection_devices", 0, "system_device_ids", 1)),
		create("ConnectionIDOfDevicesTooLong", filters(`{"connection_devices":[{"connection_id":"`+strings.Repeat("x", 256)+
			`","system_device_ids":[]}]}`), 422,
			fault("string_too_long", "String should have at most 255 characters", "filters", "connection_devices", 0, "connection_id")),
		create("BlankTag", filters(`{"tags":["a"," "]}`), 422,
			fault("string_too_short", "String should have at least 1 character", "filters", "tags", 1)),
		create("UnknownConnection", filters(`{"connection_ids":["$work_conn","$unknown"]}`), 422,
			fault("value_error", "Value error, Connection with ID $unknown not found", "filters", "connection_ids", 1)),
		create("ForeignConnection", filters(`{"connection_ids":["$conn"]}`), 403, forbidden),
		create("UnknownDevice", filters(`{"device_ids":["x"]}`), 422,
			fault("value_error", "Value error, Device with ID x not found", "filters", "device_ids", 0)),
		create("ForeignDevice", filters(`{"device_ids":["$device"]}`), 403, forbidden),
		create("UnknownConnectionOfDevices", filters(`{"connection_devices":[{"connection_id":"x","system_device_ids":[]}]}`), 422,
			fault("value_error", "Value error, Connection with ID x not found", "filters", "connection_devices", 0, "connection_id")),
	}
}

// webhookPatchRows are PATCH and DELETE /webhook/{webhook_id}.
func webhookPatchRows() []row {
	patch := func(name, body string, status int, want string) row {
		return row{name: name, as: will, method: "PATCH", path: "/webhook/$new_webhook", body: body, status: status, want: want}
	}
	as := func(name, user, method, path string, status int, want string) row {
		return row{name: name, as: user, method: method, path: path, body: map[string]string{"PATCH": "{}"}[method], status: status, want: want}
	}
	fault := func(typ, msg string, loc ...any) string { return invalid(typ, msg, append([]any{"body"}, loc...)...) }
	later := func(fields ...string) string {
		return data(with(newWebhook, append([]string{"updated_at", `"2024-05-02T10:16:30Z"`}, fields...)...))
	}
	changes := func(name, body string, fields ...string) row {
		r := patch(name, body, 200, later(fields...))
		r.after = 60e9
		r.then = []row{{as: wanda, method: "GET", path: "/webhook/$new_webhook", status: 200, want: later(fields...)}}
		return r
	}
	gone := as("Delete", will, "DELETE", "/webhook/$new_webhook", 204, "")
	gone.then = []row{
		as("", will, "DELETE", "/webhook/$new_webhook", 404, notFound(noWebhook, "$new_webhook")),
		as("", will, "GET", "/webhook/$new_webhook", 404, notFound(noWebhook, "$new_webhook")),
	}
	cleared := changes("NullClearsFiltersAndOptions", `{"filters":{"tags":["x"]},"options":{"include_driver_id":true}}`,
		"filters", `{"connection_ids":[],"tags":["x"],"device_ids":[],"connection_devices":[]}`, "options",
		`{"include_speed":false,"include_driver_id":true}`)
	cleared.then = []row{patch("", `{"filters":null,"options":null}`, 200, data(newWebhook))}
	return []row{
		patch("NothingChangesNothing", `{}`, 200, data(newWebhook)),
		changes("URL", `{"url":"http://93.184.216.34/h"}`, "url", `"http://93.184.216.34/h"`),
		changes("Enabled", `{"enabled":false}`, "enabled", "false"),
		changes("Filters", `{"filters":{"tags":["x"]}}`, "filters", `{"connection_ids":[],"tags":["x"],"device_ids":[],"connection_devices":[]}`),
		changes("Options", `{"options":{"include_driver_id":true}}`, "options", `{"include_speed":false,"include_driver_id":true}`),
		cleared,
		patch("URLCannotBeEmpty", `{"url":null}`, 422, fault("string_type", "Input should be a valid string", "url")),
		patch("EnabledCannotBeEmpty", `{"enabled":null}`, 422, fault("bool_type", "Input should be a valid boolean", "enabled")),
		patch("URLPrivate", `{"url":"http://10.0.0.1/"}`, 422,
			fault("value_error", "Value error, the address is in a private network (private); the operator can open it with --allow-network",
				"url")),
		patch("UnknownDevice", `{"filters":{"device_ids":["x"]}}`, 422,
			fault("value_error", "Value error, Device with ID x not found", "filters", "device_ids", 0)),
		as("PatchForViewer", vera, "PATCH", "/webhook/$webhook", 403, forbidden),
		as("PatchForeign", bob, "PATCH", "/webhook/$webhook", 403, forbidden),
		as("PatchUnknown", alice, "PATCH", "/webhook/$unknown", 404, notFound(noWebhook, "$unknown")),
		gone,
		as("DeleteForViewer", vera, "DELETE", "/webhook/$webhook", 403, forbidden),
		as("DeleteForeign", bob, "DELETE", "/webhook/$webhook", 403, forbidden),
		as("DeleteUnknown", alice, "DELETE", "/webhook/abc", 404, notFound(noWebhook, "abc")),
	}
}

// webhookWorkRows are tests, rotation, the log and replays.
func webhookWorkRows() []row {
	do := func(name, user, method, path, body string, status int, want string) row {
		return row{name: name, as: user, method: method, path: path, body: body, status: status, want: want}
	}
	const (
		tested = `{"event_id":"<uuid>","type":"webhook.test","sequence":null,"state":"pending","created_at":"2024-05-02T10:15:30Z",
			"next_attempt_at":"2024-05-02T10:15:30Z","attempt":0,"time":null,"status":null,"duration_ms":null,"error":null,"response":null}`
		secret  = `{"secret":"<secret>","previous_expires_at":null}`
		rotated = `{"secret":"<secret>","previous_expires_at":"2024-05-03T10:15:30Z"}`
	)
	test := do("Test", will, "POST", "/webhook/$new_webhook/test?wait=0", "", 200, data(tested))
	test.then = []row{do("", will, "GET", "/webhook/$new_webhook/delivery", "", 200, list(tested))}
	rows := []row{
		test,
		do("LogOfNothing", will, "GET", "/webhook/$new_webhook/delivery?state=failed", "", 200, list()),
		do("LogOfWrongState", will, "GET", "/webhook/$new_webhook/delivery?state=x", "", 422,
			invalid("enum", "Input should be 'pending', 'delivered', 'failed', 'skipped' or 'superseded'", "query", "state")),
		do("LogForViewer", vera, "GET", "/webhook/$webhook/delivery?state=failed", "", 200, list()),
		do("RotateForMember", will, "POST", "/webhook/$new_webhook/rotate-secret", "", 403, forbidden),
		do("Rotate", wanda, "POST", "/webhook/$new_webhook/rotate-secret", "", 200, data(rotated)),
		do("ReplaySince", will, "POST", "/webhook/$new_webhook/replay", `{"since":"2024-05-02T00:00:00Z"}`, 200, data(`{"replayed":0}`)),
		do("ReplayUnknown", will, "POST", "/webhook/$new_webhook/replay", `{"event_id":"$unknown"}`, 422,
			invalid("value_error", "Value error, no delivery of event $unknown is known", "body", "event_id")),
		do("ReplayNothing", will, "POST", "/webhook/$new_webhook/replay", `{}`, 422, invalid("missing", "Field required", "body", "event_id")),
		do("ReplayBoth", will, "POST", "/webhook/$new_webhook/replay", `{"event_id":"x","since":"2024-05-02T00:00:00Z"}`, 422,
			invalid("value_error", "Value error, event_id and since exclude each other", "body", "since")),
		do("ReplayDisabled", alice, "POST", "/webhook/$bare_webhook/replay", `{"since":"2024-05-02T00:00:00Z"}`, 422,
			invalid("value_error", "Value error, the webhook is not enabled", "path", "webhook_id")),
		do("AccountSecret", bob, "GET", "/account/webhook-secret", "", 200, data(secret)),
		do("RotateAccountSecret", wanda, "POST", "/account/webhook-secret", "", 200, data(rotated)),
		do("AccountSecretForMember", mark, "GET", "/account/webhook-secret", "", 403, forbidden),
		do("AccountSecretForViewer", vera, "GET", "/account/webhook-secret", "", 403, forbidden),
		do("RotateAccountSecretForViewer", vera, "POST", "/account/webhook-secret", "", 403, forbidden),
	}
	for _, o := range []struct{ method, path, body string }{
		{"POST", "/test", ""}, {"POST", "/rotate-secret", ""}, {"GET", "/delivery", ""}, {"POST", "/replay", `{"since":"2024-05-02T00:00:00Z"}`},
	} {
		rows = append(rows,
			do("Foreign"+o.path, bob, o.method, "/webhook/$webhook"+o.path, o.body, 403, forbidden),
			do("Unknown"+o.path, alice, o.method, "/webhook/$unknown"+o.path, o.body, 404, notFound(noWebhook, "$unknown")))
		if o.method == "POST" {
			rows = append(rows, do("Viewer"+o.path, vera, o.method, "/webhook/$webhook"+o.path, o.body, 403, forbidden))
		}
	}
	return rows
}
