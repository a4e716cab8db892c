package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/openapi"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) positionRoutes() []route {
	return []route{
		op(http.MethodGet, "/device/{device_id}/position", s.getPosition).
			named("getDevicePosition", tagDevice, "Get newest position", "Where a device was last.").
			can(errorsOfOne...).missing(guard.UnknownDevice),
		opFormats[positionQuery, page[drover.HistoricPosition]](http.MethodGet, "/device/{device_id}/positions", s.listPositions).
			named("listDevicePositions", tagDevice, "List positions", "A device's positions of [from, to), oldest first, as JSON, GeoJSON or GPX.").
			also(openapi.GeoJSON, gpxType).can(errorsOfOne...).missing(guard.UnknownDevice),
	}
}

func (s *server) getPosition(c *call) (*drover.CurrentPosition, error) {
	return s.Fleet.Position(c.Context, c.principal, c.PathValue("device_id"))
}

// format names a way to write positions.
type format string

const (
	formatJSON    format = "json"
	formatGeoJSON format = "geojson"
	formatGPX     format = "gpx"
	formatColumns format = "columns"
)

type positionQuery struct {
	drover.PositionFilter
	Format format `query:"format" enum:"json,geojson,gpx" doc:"Instead of the Accept header."`
	paging
}

func (s *server) listPositions(c *call, q positionQuery) (any, error) {
	var after drover.PositionCursor
	if err := q.place(&after); err != nil {
		return nil, err
	}
	stored, err := s.Fleet.Positions(c.Context, c.principal, c.PathValue("device_id"), q.PositionFilter, after, q.Limit+1)
	if err != nil {
		return nil, err
	}
	p, err := newPage(stored, q.Limit, func(last drover.HistoricPosition) cursor { return drover.PositionCursor{After: last.Timestamp} })
	if err != nil {
		return nil, err
	}
	switch q.Format.or(c.Header) {
	case formatGeoJSON:
		setNext(c, p.next)
		return positionGeoJSON(p.items)
	case formatGPX:
		setNext(c, p.next)
		return gpx(p.items)
	case formatJSON, formatColumns:
	}
	return p, nil
}

// or returns the format, or what the Accept header asks for without one.
func (f format) or(h http.Header) format {
	if f != "" {
		return f
	}
	accept := strings.ToLower(strings.Join(h.Values("Accept"), ","))
	types := strings.FieldsFunc(accept, func(c rune) bool { return c == ',' || c == ';' || c == ' ' })
	switch {
	case slices.Contains(types, openapi.GeoJSON):
		return formatGeoJSON
	case slices.Contains(types, gpxType):
		return formatGPX
	}
	return formatJSON
}
