package store

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/history"
)

const noteColumns = `n.id, n.device_id, n.trip_id, n.author, n.author_id, n.created_at, n.text`

func scanNote(row database.Scanner) (n drover.Note, err error) {
	err = row.Scan(&n.ID, &n.DeviceID, &n.TripID, &n.Author, &n.AuthorID, &n.CreatedAt, &n.Text)
	return n, err
}

// Notes lists the notes about a tenant's own device and its trips, or about one trip, newest
// first, behind the one given.
func (q VehiclesReader) Notes(ctx context.Context, tenantID, deviceID, tripID, after string, limit int) ([]drover.Note, error) {
	w := database.Where{Args: []any{tenantID, deviceID}, Parts: []string{`n.tenant_id = $1`, `n.device_id = $2`}}
	w.ID("n.trip_id =", tripID)
	w.ID("n.id <", after)
	rows, err := q.db.QueryContext(ctx, `SELECT `+noteColumns+` FROM note n`+w.SQL()+w.Limit("n.id DESC", limit), w.Args...)
	return database.ReadAll(rows, err, "list notes", scanNote)
}

// Note reads a note about a tenant's own device.
func (q VehiclesReader) Note(ctx context.Context, tenantID, deviceID, id string) (drover.Note, error) {
	if !drover.IsID(id) {
		return drover.Note{}, database.ErrNotFound
	}
	n, err := scanNote(q.db.QueryRowContext(ctx, `SELECT `+noteColumns+` FROM note n WHERE n.tenant_id = $1 AND n.id = $2 AND n.device_id = $3`,
		tenantID, id, deviceID))
	return n, database.Found(err, "read note")
}

// CountNotes counts the notes about a device.
func (q VehiclesReader) CountNotes(ctx context.Context, tenantID, deviceID string) (n int, err error) {
	err = q.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM note n WHERE n.tenant_id = $1 AND n.device_id = $2`, tenantID, deviceID).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count notes: %w", err)
	}
	return n, nil
}

// AddNote stores a new note.
func (tx VehiclesTx) AddNote(ctx context.Context, tenantID string, n drover.Note) error {
	_, err := tx.write("note").ExecContext(ctx, `INSERT INTO note (tenant_id, id, device_id, trip_id, author, author_id, created_at, text)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, tenantID, n.ID, n.DeviceID, n.TripID, n.Author, n.AuthorID, n.CreatedAt, n.Text)
	if err != nil {
		return fmt.Errorf("add note: %w", err)
	}
	return nil
}

// DeleteNote deletes a note.
func (tx VehiclesTx) DeleteNote(ctx context.Context, tenantID, id string) error {
	if _, err := tx.write("note").ExecContext(ctx, `DELETE FROM note WHERE tenant_id = $1 AND id = $2`, tenantID, id); err != nil {
		return fmt.Errorf("delete note: %w", err)
	}
	return nil
}

// ForgetNotes forgets the notes before each tenant's cut, in many small transactions.
func (s *Store) ForgetNotes(ctx context.Context, cuts []history.Cut) (int64, error) {
	return s.forgetRecords(ctx, "note", "created_at", cuts)
}

// EraseNotes erases notes about a device, some at a time, and reports whether there are more.
func (tx VehiclesTx) EraseNotes(ctx context.Context, tenantID, deviceID string) (more bool, err error) {
	return tx.eraseRecords(ctx, "note", tenantID, deviceID)
}
