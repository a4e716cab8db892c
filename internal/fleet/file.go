package fleet

import (
	"context"
	"errors"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
)

// ConnectionFile shows the file that describes a connection's provider, and what the last runs
// used of it. It is the owner's.
func (s Connections) ConnectionFile(ctx context.Context, p drover.Principal, id string) (drover.ConnectionFile, error) {
	c, err := s.store.Fleet.Connection(ctx, p.TenantID, id)
	if err != nil {
		return drover.ConnectionFile{}, guard.OrNotFound(err, guard.UnknownConnection, id)
	}
	if err := guard.Readable(p, c.Access); err != nil {
		return drover.ConnectionFile{}, err
	}
	if c.Connection.TenantID != p.TenantID {
		return drover.ConnectionFile{}, drover.Forbidden()
	}
	out := drover.ConnectionFile{ConnectionID: c.ID, FileUsed: drover.FileUsed{Parts: []drover.FilePart{}, Records: []drover.FileRecords{}}}
	f, err := s.store.Jobs.File(ctx, p.TenantID, c.ID)
	if errors.Is(err, store.ErrNotFound) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	out.Version, out.Since, out.Text = &f.Version, &f.Since, &f.Text
	if f.Refused != nil {
		out.Refused = &drover.FileRefusal{Version: *f.Refused, At: *f.RefusedAt, Reason: *f.Reason}
	}
	out.Parts, out.Records = append(out.Parts, f.Used.Parts...), append(out.Records, f.Used.Records...)
	return out, nil
}
