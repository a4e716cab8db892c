package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) noteRoutes() []route {
	return []route{
		opQuery(http.MethodGet, "/device/{device_id}/note", s.listNotes).
			named("listNotes", tagDevice, "List notes",
				"What people have written down about a device of the tenant's own and its trips, newest first. Notes are never shared.").
			can(errorsOfOne...).missing(guard.UnknownDevice),
		opBody(http.MethodPost, "/device/{device_id}/note", s.postNote).
			named("postNote", tagDevice, "Write note", "Writes down a text about a device or one of its trips, with the caller's name. A device has at most 1,000 notes.").
			can(errorsOfOne...).missing(guard.UnknownDevice),
		op(http.MethodDelete, "/device/{device_id}/note/{note_id}", s.deleteNote).
			named("deleteNote", tagDevice, "Delete note", "Its author may, and an admin.").
			can(errorsOfOne...).missing(guard.UnknownNote),
	}
}

type noteQuery struct {
	TripID string `query:"trip_id" doc:"Only notes about this trip."`
	paging
}

func (s *server) listNotes(c *call, q noteQuery) (page[drover.Note], error) {
	var after drover.IDCursor
	if err := q.place(&after); err != nil {
		return page[drover.Note]{}, err
	}
	notes, err := s.Fleet.Vehicles.Notes(c.Context, c.principal, c.PathValue("device_id"), q.TripID, after, q.Limit+1)
	if err != nil {
		return page[drover.Note]{}, err
	}
	return newPage(notes, q.Limit, func(n drover.Note) cursor { return drover.IDCursor(n.ID) })
}

func (s *server) postNote(c *call, body drover.NoteInput) (drover.Note, error) {
	return s.Fleet.Vehicles.AddNote(c.Context, c.principal, c.PathValue("device_id"), body)
}

func (s *server) deleteNote(c *call) (nothing, error) {
	return nothing{}, s.Fleet.Vehicles.DeleteNote(c.Context, c.principal, c.PathValue("device_id"), c.PathValue("note_id"))
}
