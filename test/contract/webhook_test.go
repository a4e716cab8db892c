package contract_test

// The webhooks of alpha.
const (
	webhook = `{"id":"$webhook","url":"https://hooks.example/full","enabled":true,"error_count":3,"last_error":"the target answered 503",
		"last_error_at":"2024-05-02T10:15:30Z","created_at":"2024-05-02T09:15:30Z","updated_at":"2024-05-02T10:15:30Z",
		"filters":{"connection_ids":["$conn"],"tags":["north"],"device_ids":["$device"],"connection_devices":[{"connection_id":"$plain_conn","system_device_ids":["van-1"]}]},
		"options":{"include_speed":true,"include_driver_id":true}}`
	bareWebhook = `{"id":"$bare_webhook","url":"https://hooks.example/bare","enabled":false,"error_count":0,"last_error":null,
		"last_error_at":null,"created_at":"2024-05-02T09:15:30Z","updated_at":"2024-05-02T10:15:30Z",
		"filters":{"connection_ids":[],"tags":[],"device_ids":[],"connection_devices":[]},"options":{"include_speed":false,"include_driver_id":false}}`
)

const noWebhook = "Unknown webhook id %s"

func webhookRows() []row {
	read := func(name, user, path string, status int, want string) row {
		return row{name: name, as: user, method: "GET", path: path, status: status, want: want}
	}
	return []row{
		read("GetOwn", alice, "/webhook/$webhook", 200, data(webhook)),
		read("GetForViewer", vera, "/webhook/$webhook", 200, data(webhook)),
		read("UnknownIsNull", alice, "/webhook/$bare_webhook", 200, data(bareWebhook)),
		read("GetForeign", bob, "/webhook/$webhook", 403, forbidden),
		read("SharingAConnectionSharesNoWebhook", carol, "/webhook/$webhook", 403, forbidden),
		read("GetUnknown", alice, "/webhook/$unknown", 404, notFound(noWebhook, "$unknown")),
		read("GetNoUUID", alice, "/webhook/abc", 404, notFound(noWebhook, "abc")),
		read("ListOldestFirst", alice, "/webhook", 200, list(webhook, bareWebhook)),
		read("ListIsOwn", carol, "/webhook", 200, list()),
	}
}
