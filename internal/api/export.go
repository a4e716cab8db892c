package api

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/middle"
	"github.com/drover-fleet/drover/internal/api/openapi"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

const tagExport = "Exports"

func (s *server) exportRoutes() []route {
	return []route{
		opQuery(http.MethodGet, "/export", s.listExports).
			named("listExports", tagExport, "List exports", "The tenant's exports, newest first.").
			can(errorsOfList...),
		opBody(http.MethodPost, "/export", s.postExport).
			named("postExport", tagExport, "Create export", "Makes a file of the records that a list would show, in the background.").
			can(errorsOfList...),
		op(http.MethodGet, "/export/{export_id}", s.getExport).
			named("getExport", tagExport, "Get export", "One export with its state and progress.").
			can(errorsOfOne...).missing(guard.UnknownExport),
		op(http.MethodDelete, "/export/{export_id}", s.deleteExport).
			named("deleteExport", tagExport, "Delete export", "Cancels an export that has not ended: it stays, as cancelled. Forgets one that has ended, with its file.").
			can(errorsOfOne...).missing(guard.UnknownExport),
		opFile(http.MethodGet, "/export/{export_id}/file", s.getExportFile, exportTypes()...).
			named("getExportFile", tagExport, "Get file of an export",
				"The file of an export that is done, whole or, with Range, in part. It is kept for 7 days, and as long as the shares last that it was made with: after that it is 410.").
			with(openapi.HeaderParam("Range", "The bytes that are wanted, such as bytes=1000- to go on with a file that was cut.")).
			can(slices.Concat(errorsOfOne, []int{409, 410, 416})...).missing(guard.UnknownExport).clash("Export with ID " + openapi.ExampleID +
			" is running and has no file").lasting(),
	}
}

// exportTypes are the media types of the files.
func exportTypes() []string {
	types := make([]string, len(drover.ExportFormats))
	for i, f := range drover.ExportFormats {
		types[i], _, _ = strings.Cut(f.ContentType(), ";")
	}
	return types
}

func (s *server) listExports(c *call, q paging) (page[drover.Export], error) {
	var after drover.IDCursor
	if err := q.place(&after); err != nil {
		return page[drover.Export]{}, err
	}
	exports, err := s.Fleet.Exports.Exports(c.Context, c.principal, after, q.Limit+1)
	if err != nil {
		return page[drover.Export]{}, err
	}
	return newPage(exports, q.Limit, func(e drover.Export) cursor { return drover.IDCursor(e.ID) })
}

func (s *server) postExport(c *call, body drover.ExportInput) (drover.Export, error) {
	return s.Fleet.Exports.CreateExport(c.Context, c.principal, body)
}

func (s *server) getExport(c *call) (drover.Export, error) {
	return s.Fleet.Exports.Export(c.Context, c.principal, c.PathValue("export_id"))
}

func (s *server) deleteExport(c *call) (nothing, error) {
	return nothing{}, s.Fleet.Exports.DeleteExport(c.Context, c.principal, c.PathValue("export_id"))
}

// getExportFile sends a file for as long as it takes. It is sent as it is, also to
// those who would take it compressed: a part of it could not be asked for otherwise.
func (s *server) getExportFile(c *call) (any, error) {
	id := c.PathValue("export_id")
	e, file, err := s.Fleet.Exports.ExportFile(c.Context, c.principal, id)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	possible := satisfiable(c.Request, e.Bytes) // before whileGood, which reads the same header
	ctx, done := s.whileGood(c, func(ctx context.Context) error { return s.Fleet.Exports.MayDownload(ctx, c.principal, id) })
	defer func() { _ = done() }() // what ended it does not matter any more
	w := newDownload(ctx, c.w)
	defer w.end()
	h := c.w.Header()
	h.Set("Content-Type", e.Format.ContentType())
	h.Set("Content-Disposition", `attachment; filename="`+string(e.Kind)+"-"+e.CreatedAt.Format("20060102-150405")+"."+string(e.Format)+`"`)
	h.Set("Cache-Control", "private, no-store, no-transform")
	if !possible {
		h.Del("Content-Disposition")
		h.Set("Content-Range", "bytes */"+strconv.FormatInt(e.Bytes, 10))
		middle.WriteError(c.w, http.StatusRequestedRangeNotSatisfiable, "The file has no such part")
		return streamed{}, nil
	}
	http.ServeContent(w, c.Request, "", e.FinishedAt.Time, file)
	return streamed{}, nil
}

// download sends a file for as long as its receiver takes some of it and may have it, and its
// place is not wanted back.
type download struct {
	http.ResponseWriter
	stuck *time.Timer
	asked func() bool
}

func newDownload(ctx context.Context, w http.ResponseWriter) *download {
	control := liftDeadlines(w)
	// A deadline in the past ends the write under way.
	cut := func() { _ = control.SetWriteDeadline(time.Unix(1, 0)) }
	return &download{ResponseWriter: w, stuck: time.AfterFunc(stuckAfter, cut), asked: context.AfterFunc(ctx, cut)}
}

func (d *download) Write(b []byte) (int, error) {
	d.stuck.Reset(stuckAfter)
	return d.ResponseWriter.Write(b)
}

func (d *download) end() {
	d.stuck.Stop()
	d.asked()
}

var oneRange = regexp.MustCompile(`^bytes=(?:(\d{1,18})-\d{0,18}|-\d{1,18})$`)

// satisfiable reports whether a file of a size has the part that is asked for. What
// is no single range is taken out, which asks for the whole file.
func satisfiable(r *http.Request, size int64) bool {
	m := oneRange.FindStringSubmatch(r.Header.Get("Range"))
	if m == nil {
		r.Header.Del("Range")
		return true
	}
	first, err := strconv.ParseInt(m[1], 10, 64)
	return err != nil || first < size
}
