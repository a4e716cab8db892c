package contract_test

import (
	"encoding/json"
	"fmt"
	"strings"
)

const (
	// journey is the least that makes a milestone.
	journey = `{"device_id":"$work_device",` + points + `}`
	// madeMilestone is what comes of it, with the defaults of what was left out.
	madeMilestone = `{"id":"<uuid>","tenant_id":"$work","device_id":"$work_device",` + points + `,"start_time":"2024-05-02T10:15:30Z",
		"created_at":"2024-05-02T10:15:30Z","updated_at":"2024-05-02T10:15:30Z","status":"trip_not_started",` + nulls + `}`
)

// milestoneCreateRows are POST /milestone.
func milestoneCreateRows() []row {
	create := func(name, body string, status int, want string) row {
		return row{name: name, as: wanda, method: "POST", path: "/milestone", body: body, status: status, want: want}
	}
	fault := func(typ, msg string, loc ...any) string { return invalid(typ, msg, append([]any{"body"}, loc...)...) }
	required := func(field string) string { return fault("missing", "Field required", field) }
	const hook = `"` + publicURL + `"`
	return []row{
		create("DefaultsOfWhatIsLeftOut", journey, 200, data(madeMilestone)),
		create("Everything", with(journey, "start_time", `"2024-05-02T12:00:00+02:00"`, "end_time", `"2024-05-03T00:00:00.5Z"`, "webhook_url",
			hook, "webhook_enabled", "false"), 200,
			data(with(madeMilestone, "start_time", `"2024-05-02T10:00:00Z"`, "end_time", `"2024-05-03T00:00:00.500Z"`, "webhook_url", hook))),
		create("AWebhookIsOnUnlessSaidOtherwise", with(journey, "webhook_url", hook), 200,
			data(with(madeMilestone, "webhook_url", hook, "webhook_enabled", "true"))),
		create("NullsCountAsLeftOut", with(journey, "start_time", "null", "end_time", "null", "webhook_url", "null", "webhook_enabled", "null"),
			200, data(madeMilestone)),
		create("UnknownFieldsIgnored", with(journey, "id", `"x"`, "status", `"trip_ended"`, "tenant_id", "5"), 200, data(madeMilestone)),
		{
			name: "NotSharedDevice", as: carol, method: "POST", path: "/milestone", body: with(journey, "device_id", `"$private_device"`),
			status: 403, want: forbidden,
		},
		{name: "ForViewer", as: vera, method: "POST", path: "/milestone", body: journey, status: 403, want: forbidden},
		create("ForeignDevice", with(journey, "device_id", `"$device"`), 403, forbidden),
		create("UnknownDevice", with(journey, "device_id", `"$unknown"`), 422,
			fault("value_error", "Value error, Device with ID $unknown not found", "device_id")),
		create("DeviceBeforeURL", with(journey, "device_id", `"x"`, "webhook_url", `"ftp://x"`), 422,
			fault("value_error", "Value error, Device with ID x not found", "device_id")),
		create("NoDevice", `{}`, 422, required("device_id")),
		create("NoStart", `{"device_id":"$work_device"}`, 422, required("start_point")),
		create("NoEnd", `{"device_id":"$work_device","start_point":{"latitude":0,"longitude":0}}`, 422, required("end_point")),
		create("EndBeforeStart", with(journey, "end_time", `"2024-05-02T10:15:29Z"`), 422,
			fault("value_error", "Value error, end_time must not be before start_time", "end_time")),
		create("EnabledWithoutURL", with(journey, "webhook_enabled", "true"), 422,
			fault("value_error", "Value error, webhook_enabled needs a webhook_url", "webhook_enabled")),
		create("SmallestRadius", with(journey, "radius_metres", "50"), 200, data(with(madeMilestone, "radius_metres", "50"))),
		create("LargestRadius", with(journey, "radius_metres", "20000"), 200, data(with(madeMilestone, "radius_metres", "20000"))),
		create("NullRadiusIsLeftOut", with(journey, "radius_metres", "null"), 200, data(madeMilestone)),
		create("RadiusTooSmall", with(journey, "radius_metres", "49.9"), 422,
			fault("greater_than_equal", "Input should be greater than or equal to 50", "radius_metres")),
		create("RadiusTooLarge", with(journey, "radius_metres", "20000.1"), 422,
			fault("less_than_equal", "Input should be less than or equal to 20000", "radius_metres")),
		create("RadiusNoNumber", with(journey, "radius_metres", `"wide"`), 422,
			fault("float_type", "Input should be a valid number", "radius_metres")),
		create("Reference", with(journey, "reference", `"`+strings.Repeat("ü", 255)+`"`), 200,
			data(with(madeMilestone, "reference", `"`+strings.Repeat("ü", 255)+`"`))),
		create("ReferenceTooLong", with(journey, "reference", `"`+strings.Repeat("ü", 256)+`"`), 422,
			fault("string_too_long", "String should have at most 255 characters", "reference")),
		create("ReferenceEmpty", with(journey, "reference", `""`), 422,
			fault("string_too_short", "String should have at least 1 character", "reference")),
		create("ReferenceOfBlanks", with(journey, "reference", `"  "`), 422,
			fault("string_too_short", "String should have at least 1 character", "reference")),
		create("ReferenceNoText", with(journey, "reference", `7`), 422, fault("string_type", "Input should be a valid string", "reference")),
		create("NullReferenceIsLeftOut", with(journey, "reference", "null", "metadata", "null"), 200, data(madeMilestone)),
		create("Metadata", with(journey, "metadata", entries(16, 4096)), 200, data(with(madeMilestone, "metadata", entries(16, 4096)))),
		create("EmptyMetadataIsLeftOut", with(journey, "metadata", "{}"), 200, data(madeMilestone)),
		create("MetadataOfTooManyEntries", with(journey, "metadata", entries(17, 1000)), 422,
			fault("too_long", "Dictionary should have at most 16 items after validation, not 17", "metadata")),
		create("MetadataTooLong", with(journey, "metadata", entries(16, 4097)), 422,
			fault("value_error", "Value error, metadata must not hold more than 4096 bytes", "metadata")),
		create("MetadataNoObject", with(journey, "metadata", `["a"]`), 422, fault("dict_type", "Input should be a valid dictionary", "metadata")),
		create("MetadataNoText", with(journey, "metadata", `{"weight":12}`), 422,
			fault("string_type", "Input should be a valid string", "metadata", "weight")),
		create("URLNoHTTP", with(journey, "webhook_url", `"x"`), 422,
			fault("value_error", "Value error, the URL must start with http:// or https://", "webhook_url")),
	}
}

// entries is an object of so many entries that hold so many bytes, keys included.
func entries(n, bytes int) string {
	out := map[string]string{}
	for i := range n {
		key, value := fmt.Sprintf("key-%03d", i), ""
		if left := bytes - n*7; i == 0 {
			value = strings.Repeat("x", left)
		}
		out[key] = value
	}
	text, _ := json.Marshal(out)
	return string(text)
}
