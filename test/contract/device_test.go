package contract_test

import "strings"

// The devices of alpha, and a new one of work.
const (
	device = `{"id":"$device","system_device_id":"truck-12","connection_id":"$conn","description":"Truck 12","registration":"AB12 CDE",
		"make":"DAF","model":"XF","year":2019,"active":true,"tags":["cold","north"]}`
	bareDevice = `{"id":"$bare_device","system_device_id":"bare","connection_id":"$conn","description":null,"registration":null,
		"make":null,"model":null,"year":null,"active":false,"tags":[]}`
	privateDevice = `{"id":"$private_device","system_device_id":"van-1","connection_id":"$plain_conn","description":null,"registration":null,
		"make":null,"model":null,"year":null,"active":true,"tags":[]}`
	betaDevice = `{"id":"$beta_device","system_device_id":"system-$beta_device","connection_id":"$beta_conn","description":null,"registration":null,
		"make":null,"model":null,"year":null,"active":true,"tags":[]}`
	newDevice = `{"id":"$new_device","system_device_id":"system-$new_device","connection_id":"$work_conn","description":"Fresh","registration":"FR 1",
		"make":"MAN","model":"TGX","year":2020,"active":true,"tags":["old"]}`
)

const noDevice = "Device with ID %s not found"

// deviceRows are what is read of devices.
func deviceRows() []row {
	read := func(name, user, path string, status int, want string) row {
		return row{name: name, as: user, method: "GET", path: path, status: status, want: want}
	}
	badBool := invalid("bool_parsing", "Input should be a valid boolean, unable to interpret input", "query", "active")
	return []row{
		read("GetOwn", alice, "/device/$device", 200, data(device)),
		read("GetForViewer", vera, "/device/$device", 200, data(device)),
		read("UnknownIsNull", alice, "/device/$bare_device", 200, data(bareDevice)),
		read("GetShared", carol, "/device/$device", 200, data(device)),
		read("GetNotShared", carol, "/device/$private_device", 403, forbidden),
		read("GetForeign", bob, "/device/$device", 403, forbidden),
		read("GetUnknown", alice, "/device/$unknown", 404, notFound(noDevice, "$unknown")),
		read("GetNoUUID", alice, "/device/truck-12", 404, notFound(noDevice, "truck-12")),
		read("GetIdOfAnotherKind", alice, "/device/$trip", 404, notFound(noDevice, "$trip")),

		read("ListOldestFirst", alice, "/device", 200, list(device, bareDevice, privateDevice)),
		read("ListShared", carol, "/device", 200, list(device, bareDevice)),
		read("ListChangesOfAnotherDatabase", alice, "/device?sort=updated_at&cursor="+cursorElsewhere("device"), 410,
			refusal(410, "The changes since then are not known any more: take a new snapshot, from a first page without cursor and updated_after")),
		read("ListChangesByACursorOfAnotherList", alice, "/device?sort=updated_at&cursor="+cursorElsewhere("trip"), 422,
			invalid("value_error", "Value error, cursor is not one that this list returned", "query", "cursor")),
		read("ListChangesAfterNoTime", alice, "/device?updated_after=today", 422, timeFault("query", "updated_after")),
		read("ListChangesWithAFilter", alice, "/device?updated_after=2024-05-02T00:00:00Z&connection_id=$conn", 422, noFilterOfChanges),
		read("ListOfOtherTenant", bob, "/device", 200, list(betaDevice)),
		read("ListByConnection", alice, "/device?connection_id=$plain_conn", 200, list(privateDevice)),
		read("ListByForeignConnection", bob, "/device?connection_id=$conn", 200, list()),
		read("ListByConnectionNoUUID", alice, "/device?connection_id=x", 200, list()),
		read("ListByTag", alice, "/device?tag=north", 200, list(device)),
		read("ListByPartOfTag", alice, "/device?tag=nort", 200, list()),
		read("ListByTagIgnoresCase", alice, "/device?tag=%20North", 200, list(device)),
		read("ListByWildcard", alice, "/device?tag=%25", 200, list()),
		read("ListByLongestTag", alice, "/device?tag="+strings.Repeat("x", 255), 200, list()),
		read("ListByTooLongTag", alice, "/device?tag="+strings.Repeat("x", 256), 422,
			invalid("string_too_long", "String should have at most 255 characters", "query", "tag")),
		read("ListByDescription", alice, "/device?q=UCK%2012", 200, list(device)),
		read("ListByRegistration", alice, "/device?q=ab12", 200, list(device)),
		read("ListBySystemID", alice, "/device?q=VAN", 200, list(privateDevice)),
		read("ListByID", alice, "/device?q=$bare_device", 200, list(bareDevice)),
		read("ListByForeignID", alice, "/device?q=$beta_device", 200, list()),
		read("ListByWildcardText", alice, "/device?q=%25", 200, list()),
		read("ListByTextAndTag", alice, "/device?q=truck&tag=none", 200, list()),
		read("ListByLongestText", alice, "/device?q="+strings.Repeat("x", 255), 200, list()),
		read("ListByTooLongText", alice, "/device?q="+strings.Repeat("x", 256), 422,
			invalid("string_too_long", "String should have at most 255 characters", "query", "q")),
		read("ListByState", alice, "/device?state=driving", 200, list(device)),
		read("ListByStateAndTag", alice, "/device?state=driving&tag=south", 200, list()),
		read("ListByStateOfNone", alice, "/device?state=idling", 200, list()),
		read("ListByStateOfOthers", bob, "/device?state=driving", 200, list()),
		read("ListByUnknownState", alice, "/device?state=flying", 422,
			invalid("enum", "Input should be 'driving', 'idling', 'stopped' or 'silent'", "query", "state")),
		read("ListByDescriptionInOrder", alice, "/device?sort=description", 200, list(device, bareDevice, privateDevice)),
		read("ListByDescriptionDescending", alice, "/device?sort=description&order=desc", 200, list(device, privateDevice, bareDevice)),
		read("ListByRegistrationInOrder", alice, "/device?sort=registration", 200, list(device, bareDevice, privateDevice)),
		read("ListByPositionTime", alice, "/device?sort=position_time", 200, list(privateDevice, device, bareDevice)),
		read("ListByPositionTimeDescending", alice, "/device?sort=position_time&order=desc", 200, list(device, privateDevice, bareDevice)),
		read("ListNewestFirst", alice, "/device?order=desc", 200, list(privateDevice, bareDevice, device)),
		read("ListByAnything", alice, "/device?sort=year", 422,
			invalid("enum", "Input should be 'id', 'description', 'registration', 'position_time' or 'updated_at'", "query", "sort")),
		read("ListInAnyDirection", alice, "/device?order=up", 422, invalid("enum", "Input should be 'asc' or 'desc'", "query", "order")),
		read("ListActive", alice, "/device?active=true", 200, list(device, privateDevice)),
		read("ListInactive", alice, "/device?active=0", 200, list(bareDevice)),
		read("ListActiveNoBoolean", alice, "/device?active=maybe", 422, badBool),
		read("ListActiveEmpty", alice, "/device?active=", 422, badBool),
	}
}

// devicePatchRows are PATCH /device/{device_id}.
func devicePatchRows() []row {
	patch := func(name, body string, status int, want string) row {
		return row{name: name, as: wanda, method: "PATCH", path: "/device/$new_device", body: body, status: status, want: want}
	}
	changed := func(fields ...string) string { return data(with(newDevice, fields...)) }
	fault := func(typ, msg string, loc ...any) string { return invalid(typ, msg, append([]any{"body"}, loc...)...) }
	const notString = "Input should be a valid string"
	tooLong, tooShort := "String should have at most 255 characters", "String should have at least 1 character"
	refused := func(name, user, path string, status int, want string) row {
		return row{name: name, as: user, method: "PATCH", path: path, body: `{"make":"X"}`, status: status, want: want}
	}
	rows := []row{
		patch("EmptyChangesNothing", `{}`, 200, changed()),
		patch("OneField", `{"description":"Lorry"}`, 200, changed("description", `"Lorry"`)),
		patch("EveryField", `{"description":"d","registration":"r","make":"m","model":"o","year":1999,"active":false,"tags":["t"]}`, 200,
			changed("description", `"d"`, "registration", `"r"`, "make", `"m"`, "model", `"o"`, "year", "1999", "active", "false", "tags", `["t"]`)),
		{
			name: "ChangeStays", as: will, method: "PATCH", path: "/device/$new_device", body: `{"year":1999}`, status: 200,
			want: changed("year", "1999"), then: []row{
				{as: wanda, method: "GET", path: "/device/$new_device", status: 200, want: changed("year", "1999")},
			},
		},
		patch("NullClears", `{"description":null,"registration":null,"make":null,"model":null,"year":null,"tags":null}`, 200,
			changed("description", "null", "registration", "null", "make", "null", "model", "null", "year", "null", "tags", "[]")),
		patch("ActiveCannotBeEmpty", `{"active":null}`, 422, fault("bool_type", "Input should be a valid boolean", "active")),
		patch("ARecordSentBack", newDevice, 200, changed()),
		patch("OtherFieldsIgnored", `{"id":"x","system_device_id":5,"connection_id":null,"colour":"red"}`, 200, changed()),

		patch("DescriptionNoString", `{"description":5}`, 422, fault("string_type", notString, "description")),
		patch("RegistrationNoString", `{"registration":true}`, 422, fault("string_type", notString, "registration")),
		patch("MakeNoString", `{"make":{}}`, 422, fault("string_type", notString, "make")),
		patch("ModelNoString", `{"model":[]}`, 422, fault("string_type", notString, "model")),
		patch("DescriptionWithNUL", `{"description":"a\u0000"}`, 422,
			fault("value_error", "Value error, string must not contain NUL characters", "description")),
		patch("YearAText", `{"year":"new"}`, 422, fault("int_type", "Input should be a valid integer", "year")),
		patch("YearABoolean", `{"year":true}`, 422, fault("int_type", "Input should be a valid integer", "year")),
		patch("YearWithFraction", `{"year":2019.5}`, 422, fault("int_from_float",
			"Input should be a valid integer, got a number with a fractional part", "year")),
		patch("YearTooLarge", `{"year":99999999999999999999}`, 422,
			fault("int_parsing_size", "Unable to parse input string as an integer, exceeded maximum size", "year")),
		patch("Year1900", `{"year":1900}`, 200, changed("year", "1900")),
		patch("Year1899", `{"year":1899}`, 422, fault("greater_than_equal", "Input should be greater than or equal to 1900", "year")),
		patch("Year2200", `{"year":2200}`, 200, changed("year", "2200")),
		patch("Year2201", `{"year":2201}`, 422, fault("less_than_equal", "Input should be less than or equal to 2200", "year")),
		patch("YearAsFloat", `{"year":2021.0}`, 200, changed("year", "2021")),
		patch("ActiveAText", `{"active":"true"}`, 422, fault("bool_type", "Input should be a valid boolean", "active")),
		patch("FirstFaultInOrderOfFields", `{"tags":5,"active":5,"year":"x","make":5}`, 422, fault("string_type", notString, "make")),
		patch("NullFaultInOrderOfFields", `{"tags":5,"active":null}`, 422, fault("bool_type", "Input should be a valid boolean", "active")),
		patch("NoBody", "", 422, fault("missing", "Field required")),
		patch("BodyNoObject", `[1]`, 422, fault("model_attributes_type", "Input should be a valid dictionary or object to extract fields from")),
		patch("TrailingText", `{} {}`, 422, fault("json_invalid", "JSON decode error", 3)),

		patch("TagsNormalised", `{"tags":["  North ","COLD","north","ÄÖ"]}`, 200, changed("tags", `["north","cold","äö"]`)),
		patch("TagsEmpty", `{"tags":[]}`, 200, changed("tags", `[]`)),
		patch("TagsTen", `{"tags":`+numbered(10)+`}`, 200, changed("tags", numbered(10))),
		patch("TagsEleven", `{"tags":`+numbered(11)+`}`, 422,
			fault("too_long", "List should have at most 10 items after validation, not 11", "tags")),
		patch("RepetitionsDoNotCount", `{"tags":["a","A"," a","b","c","d","e","f","g","h","i","j","J"]}`, 200, changed("tags", numbered(10))),
		patch("TagOfOne", `{"tags":["x"]}`, 200, changed("tags", `["x"]`)),
		patch("TagOf255", `{"tags":[`+quote("ü", 255)+`]}`, 200, changed("tags", `[`+quote("ü", 255)+`]`)),
		patch("TagOf255AfterTrimming", `{"tags":["  `+strings.Repeat("ü", 255)+` "]}`, 200, changed("tags", `[`+quote("ü", 255)+`]`)),
		patch("TagOf256", `{"tags":["ok",`+quote("ü", 256)+`]}`, 422, fault("string_too_long", tooLong, "tags", 1)),
		patch("TagEmpty", `{"tags":[""]}`, 422, fault("string_too_short", tooShort, "tags", 0)),
		patch("TagBlank", `{"tags":["a"," \t "]}`, 422, fault("string_too_short", tooShort, "tags", 1)),
		patch("TagNoString", `{"tags":["a",null]}`, 422, fault("string_type", notString, "tags", 1)),
		patch("TagsNoList", `{"tags":"a"}`, 422, fault("list_type", "Input should be a valid list", "tags")),

		refused("Viewer", vera, "/device/$device", 403, forbidden),
		refused("ViewerUnknown", vera, "/device/$unknown", 403, forbidden),
		refused("Foreign", bob, "/device/$device", 403, forbidden),
		refused("SharedIsReadOnly", carol, "/device/$device", 403, forbidden),
		refused("Unknown", wanda, "/device/$unknown", 404, notFound(noDevice, "$unknown")),
		refused("NoUUID", wanda, "/device/7", 404, notFound(noDevice, "7")),
	}
	for _, field := range []string{"description", "registration", "make", "model"} {
		rows = append(rows,
			patch(field+"Of255", `{"`+field+`":`+quote("ü", 255)+`}`, 200, changed(field, quote("ü", 255))),
			patch(field+"Of256", `{"`+field+`":`+quote("ü", 256)+`}`, 422, fault("string_too_long", tooLong, field)))
	}
	return rows
}
