package drover

// Webhook is a stored notification target.
type Webhook struct {
	ID          string         `json:"id"`
	URL         string         `json:"url"`
	Enabled     bool           `json:"enabled"`
	ErrorCount  int            `json:"error_count"`
	LastError   *string        `json:"last_error"`
	LastErrorAt *Time          `json:"last_error_at"`
	CreatedAt   Time           `json:"created_at"`
	UpdatedAt   Time           `json:"updated_at"`
	Filters     WebhookFilters `json:"filters"`
	Options     WebhookOptions `json:"options"`
}

// WebhookFilters narrows what a webhook is told of. Empty means everything of
// the tenant; otherwise a device matches when any of the lists does.
type WebhookFilters struct {
	ConnectionIDs     []string            `json:"connection_ids"`
	Tags              []string            `json:"tags"`
	DeviceIDs         []string            `json:"device_ids"`
	ConnectionDevices []ConnectionDevices `json:"connection_devices"`
}

// ConnectionDevices names devices of one connection by the provider's ids.
type ConnectionDevices struct {
	ConnectionID    string   `json:"connection_id"`
	SystemDeviceIDs []string `json:"system_device_ids"`
}

// WebhookOptions adds to what a delivered position holds.
type WebhookOptions struct {
	IncludeSpeed    bool `json:"include_speed"`
	IncludeDriverID bool `json:"include_driver_id"`
}
