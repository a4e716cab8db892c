package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// CreateExport has a file made of the records that the caller may read.
func (s Exports) CreateExport(ctx context.Context, p drover.Principal, in drover.ExportInput) (drover.Export, error) {
	if err := guard.MayWrite(p); err != nil {
		return drover.Export{}, err
	}
	if err := s.exports.Check(in); err != nil {
		return drover.Export{}, err
	}
	filters, err := compactFilters(in.Filters)
	if err != nil {
		return drover.Export{}, err
	}
	defer s.exports.Wake()
	return guard.Change(ctx, s.guard, p, func(tx *store.Tx) (drover.Export, error) {
		if err := guard.Within(ctx, tx, p.TenantID, drover.QuotaExports, 1); err != nil {
			return drover.Export{}, err
		}
		e := work.Export{TenantID: p.TenantID, Export: drover.Export{
			ID: store.NewID(), Kind: in.Kind, Format: in.Format, Filters: filters, State: drover.ExportQueued, CreatedAt: s.now(),
		}}
		return e.Export, tx.Jobs.AddExport(ctx, e)
	})
}

// compactFilters are filters as they are stored: an object also where there are none.
func compactFilters(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}"), nil
	}
	var out bytes.Buffer
	if err := json.Compact(&out, raw); err != nil {
		return nil, fmt.Errorf("keep filters: %w", err)
	}
	return out.Bytes(), nil
}

// Export reads one export.
func (s Exports) Export(ctx context.Context, p drover.Principal, id string) (drover.Export, error) {
	e, err := s.export(ctx, p, id)
	return e.Export, err
}

func (s *core) export(ctx context.Context, p drover.Principal, id string) (work.Export, error) {
	e, err := s.store.Jobs.Export(ctx, p.TenantID, id)
	if err != nil {
		return e, guard.OrNotFound(err, guard.UnknownExport, id)
	}
	return e, guard.Owned(p, e.TenantID)
}

// Exports lists the caller's exports, newest first.
func (s Exports) Exports(ctx context.Context, p drover.Principal, after drover.IDCursor, limit int) ([]drover.Export, error) {
	return s.store.Jobs.Exports(ctx, p.TenantID, string(after), limit)
}

// DeleteExport cancels an export that has not ended, which stays to be read, and
// forgets one that has, together with its file.
func (s Exports) DeleteExport(ctx context.Context, p drover.Principal, id string) error {
	if err := guard.MayWrite(p); err != nil {
		return err
	}
	e, err := s.export(ctx, p, id)
	if err != nil {
		return err
	}
	if e.State.Unfinished() {
		return s.guard.Update(ctx, p, func(tx *store.Tx) error {
			return guard.OrNotFound(tx.Jobs.CancelExport(ctx, e.TenantID, id, s.now(), drover.At(s.clock().Add(drover.ExportLifetime))),
				guard.UnknownExport, id)
		})
	}
	err = s.guard.Update(ctx, p, func(tx *store.Tx) error { return tx.Jobs.DropExport(ctx, e.TenantID, id) })
	if err != nil || e.File == "" {
		return guard.OrNotFound(err, guard.UnknownExport, id)
	}
	return s.exports.Remove(ctx, e, e.File)
}

// ExportFile opens the file of an export that is done. It must be closed.
func (s Exports) ExportFile(ctx context.Context, p drover.Principal, id string) (drover.Export, io.ReadSeekCloser, error) {
	e, err := s.downloadable(ctx, p, id)
	if err != nil {
		return drover.Export{}, nil, err
	}
	file, err := s.exports.Open(ctx, e)
	return e.Export, file, err
}

// MayDownload refuses a caller who may not read, or go on reading, the file of an export.
func (s Exports) MayDownload(ctx context.Context, p drover.Principal, id string) error {
	_, err := s.downloadable(ctx, p, id)
	return err
}

func (s *core) downloadable(ctx context.Context, p drover.Principal, id string) (work.Export, error) {
	e, err := s.export(ctx, p, id)
	if err != nil {
		return e, err
	}
	if e.State != drover.ExportDone {
		return e, drover.Errorf(drover.KindConflict, "Export with ID %s is %s and has no file", id, e.State)
	}
	if e.ExpiresAt != nil && !e.ExpiresAt.After(s.clock()) { // its file goes soon; what was erased may be in it
		return e, drover.Errorf(drover.KindGone, "Export with ID %s has expired: make it again", id)
	}
	ended, err := s.exports.Ended(ctx, e)
	if ended {
		err = drover.Errorf(drover.KindGone, "Export with ID %s holds records of a share that has ended: make it again without them", id)
	}
	return e, err
}
