package api

import (
	"reflect"

	"github.com/drover-fleet/drover"
)

// copying are the parameters by which a program keeps a copy of a list's records.
type copying struct {
	UpdatedAfter *drover.Time `query:"updated_after" doc:"Only records that were changed or deleted after this time, as sort=updated_at lists them; some from up to 15 minutes before may be among them. Not longer ago than 30 days."`
}

// copyWords say it in the words of each list.
const copyWords = "With sort=updated_at it lists changes: each record that was changed after the cursor, once, as it is now, and of a deleted one id and deleted_at alone. " +
	"x-next-cursor is then always there, and can be kept."

// copies reports whether the list is one of changes.
func (q copying) copies(sort string) bool { return q.UpdatedAfter != nil || sort == sortUpdated }

// sortUpdated is the order of changes.
const sortUpdated = "updated_at"

// listChanges is a list of changes: each record that was changed or deleted after the
// cursor, once, as it is now. It takes no filter: a record that leaves one would not
// leave the copy.
func listChanges[T any](s *server, c *call, kind drover.ChangeKind, q copying, p paging, filter any) (page[T], error) {
	if !reflect.ValueOf(filter).IsZero() {
		return page[T]{}, drover.InvalidValue("a list of changes takes no other parameters than limit and cursor", "query", "sort")
	}
	var at *drover.ChangeCursor
	if p.Cursor != nil {
		at = &drover.ChangeCursor{}
		if err := p.place(at); err != nil {
			return page[T]{}, err
		}
		if at.Kind != kind {
			return page[T]{}, badCursor()
		}
	}
	list, err := s.Fleet.Account.Changes(c.Context, c.principal, kind, at, q.UpdatedAfter, p.Limit)
	if err != nil {
		return page[T]{}, err
	}
	next, err := writeCursor(list.Next)
	return page[T]{changes: list.Changes, next: next, end: list.End}, err
}
