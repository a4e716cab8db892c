package contract_test

import (
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// addNote stores a note, as a user of the tenant writes one.
func (w *world) addNote(tb testing.TB, tenant, name, author, device, trip string, ago time.Duration) string {
	tb.Helper()
	n := drover.Note{
		ID: store.NewID(), DeviceID: w.ids[device], Author: author, AuthorID: w.ids[author+"_sub"], CreatedAt: drover.At(present.Add(-ago)),
		Text: "Fuel is missing",
	}
	if trip != "" {
		n.TripID = new(w.ids[trip])
	}
	w.ids[name] = n.ID
	w.update(tb, func(tx *store.Tx) error { return tx.Vehicles.AddNote(tb.Context(), w.ids[tenant], n) })
	return n.ID
}

// addNotes writes one about a device, and one about a trip of it.
func (w *world) addNotes(tb testing.TB) {
	tb.Helper()
	w.addNote(tb, "alpha", "note", alice, "device", "", time.Hour)
	w.addNote(tb, "alpha", "trip_note", mark, "device", "trip", time.Minute)
}

// noteRows are what people write down about devices and trips.
func noteRows() []row {
	ask := func(name, user, method, path, body string, status int, want string, then ...row) row {
		return row{name: name, as: user, method: method, path: path, body: body, status: status, want: want, then: then}
	}
	said := func(id, device, trip, author, at, text string) string {
		return `{"id":"` + id + `","device_id":"` + device + `","trip_id":` + trip + `,"author":"` + author + `","author_id":"$` + author + `_sub",
			"created_at":"` + at + `","text":"` + text + `"}`
	}
	const (
		path, own, now = "/device/$device/note", "/device/$work_device/note", "2024-05-02T10:15:30Z"
		noNote         = "Note with ID %s not found"
		noDevice       = "Device with ID %s not found"
		noTrip         = "Value error, Trip with ID 01900000-0000-7000-8000-000000000000 not found"
	)
	note := said("$note", "$device", "null", alice, "2024-05-02T09:15:30Z", "Fuel is missing")
	ofTrip := said("$trip_note", "$device", `"$trip"`, mark, "2024-05-02T10:14:30Z", "Fuel is missing")
	post := func(name, body string, status int, want string, then ...row) row {
		return ask(name, will, "POST", own, body, status, want, then...)
	}
	return []row{
		ask("List", mark, "GET", path, "", 200, list(ofTrip, note)),
		ask("ListForViewer", vera, "GET", path, "", 200, list(ofTrip, note)),
		ask("ListOfTrip", alice, "GET", path+"?trip_id=$trip", "", 200, list(ofTrip)),
		ask("ListOfTripNoUUID", alice, "GET", path+"?trip_id=x", "", 200, list()),
		ask("ListOfOtherDevice", alice, "GET", "/device/$private_device/note", "", 200, list()),
		ask("ListForGuest", carol, "GET", path, "", 403, forbidden),
		ask("ListForeign", bob, "GET", path, "", 403, forbidden),
		ask("ListUnknown", alice, "GET", "/device/$unknown/note", "", 404, notFound(noDevice, "$unknown")),

		post("Write", `{"text":"  Ask the depot. "}`, 200, data(said("<uuid>", "$work_device", "null", will, now, "Ask the depot.")),
			ask("", wanda, "GET", "/audit?action=device.note.create&limit=1", "", 200, "<any>")),
		post("WriteLongest", `{"text":"`+strings.Repeat("ß", 2000)+`"}`, 200,
			data(said("<uuid>", "$work_device", "null", will, now, strings.Repeat("ß", 2000)))),
		post("WriteTooLong", `{"text":"`+strings.Repeat("ß", 2001)+`"}`, 422,
			invalid("string_too_long", "String should have at most 2000 characters", "body", "text")),
		post("WriteNothing", `{"text":" "}`, 422, invalid("string_too_short", "String should have at least 1 character", "body", "text")),
		post("WriteWithoutText", `{}`, 422, invalid("missing", "Field required", "body", "text")),
		post("WriteOfUnknownTrip", `{"text":"x","trip_id":"$unknown"}`, 422, invalid("value_error", noTrip, "body", "trip_id")),
		ask("WriteOfTripOfAnotherDevice", alice, "POST", "/device/$private_device/note", `{"text":"x","trip_id":"$trip"}`, 422,
			`<any>`),
		ask("WriteForeign", bob, "POST", path, `{"text":"x"}`, 403, forbidden),
		ask("WriteByGuest", carol, "POST", path, `{"text":"x"}`, 403, forbidden),
		ask("WriteByViewer", vera, "POST", path, `{"text":"x"}`, 403, forbidden),
		ask("WriteOfUnknownDevice", alice, "POST", "/device/x/note", `{"text":"x"}`, 404, notFound(noDevice, "x")),

		ask("Delete", will, "DELETE", own+"/$new_note", "", 204, "",
			ask("", will, "DELETE", own+"/$new_note", "", 404, notFound(noNote, "$new_note"))),
		ask("DeleteByAdmin", wanda, "DELETE", own+"/$new_note", "", 204, ""),
		ask("DeleteOfOther", mark, "DELETE", path+"/$note", "", 403, forbidden),
		ask("DeleteByViewer", vera, "DELETE", path+"/$note", "", 403, forbidden),
		ask("DeleteByGuest", carol, "DELETE", path+"/$note", "", 403, forbidden),
		ask("DeleteOfOtherDevice", alice, "DELETE", "/device/$private_device/note/$note", "", 404, notFound(noNote, "$note")),
		ask("DeleteUnknown", alice, "DELETE", path+"/$unknown", "", 404, notFound(noNote, "$unknown")),
		ask("DeleteNoUUID", alice, "DELETE", path+"/x", "", 404, notFound(noNote, "x")),
	}
}

// addNote adds one to the list that is read page by page.
func (c *changes) addNote() string {
	c.t.Helper()
	return c.s.addNote(c.t, "work", "new_note", wanda, "work_device", "", 0)
}

// notes is the path of the notes of a device.
func (c *changes) notes(more string) string {
	return "/device/" + c.s.ids["work_device"] + "/note" + more
}
