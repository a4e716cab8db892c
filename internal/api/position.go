package api

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/openapi"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) positionRoutes() []route {
	return []route{
		opFormats[newestPositionQuery, *drover.CurrentPosition](http.MethodGet, "/device/{device_id}/position", s.getPosition).
			named("getDevicePosition", tagDevice, "Get newest position",
				"Where a device was last; with include=detail also ignition, auxiliary and odometer.").
			places().shows(drover.ScopeDrivers).or(reflect.TypeFor[drover.DetailedPosition]()).can(errorsOfOne...).missing(guard.UnknownDevice),
		opFormats[positionQuery, page[drover.HistoricPosition]](http.MethodGet, "/device/{device_id}/positions", s.listPositions).
			named("listDevicePositions", tagDevice, "List positions",
				"A device's positions of [from, to), oldest first, as JSON, GeoJSON or GPX. In the last two, without a limit, up to 20,000 are in one answer; where there are more, x-next-cursor and a link in the file itself say so.").
			places().shows(drover.ScopeDrivers).also(openapi.GeoJSON, gpxType).can(errorsOfOne...).missing(guard.UnknownDevice),
	}
}

type newestPositionQuery struct {
	Include string `query:"include" enum:"detail" doc:"Adds ignition, auxiliary and odometer_metres."`
}

func (s *server) getPosition(c *call, q newestPositionQuery) (any, error) {
	p, err := s.Fleet.Devices.Position(c.Context, c.principal, c.PathValue("device_id"))
	if err != nil {
		return nil, err
	}
	if q.Include != "" {
		return p.Detail(), nil
	}
	return p.View(), nil
}

// format names a way to write positions.
type format string

const (
	formatJSON    format = "json"
	formatGeoJSON format = "geojson"
	formatGPX     format = "gpx"
	formatColumns format = "columns"
)

// wholeFile is how many positions a file has that is asked for without a limit.
const wholeFile = 20_000

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
	shape := q.Format.or(c.Header)
	if shape != formatJSON && !c.URL.Query().Has("limit") {
		q.Limit = wholeFile
	}
	stored, err := s.Fleet.Devices.Positions(c.Context, c.principal, c.PathValue("device_id"), q.PositionFilter, after, q.Limit+1)
	if err != nil {
		return nil, err
	}
	p, err := newPage(stored, q.Limit, func(last drover.HistoricPosition) cursor { return drover.PositionCursor{After: last.Timestamp} })
	if err != nil {
		return nil, err
	}
	switch shape {
	case formatGeoJSON:
		return positionGeoJSON(p.items, setNext(c, p.next))
	case formatGPX:
		return gpx(p.items, setNext(c, p.next))
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
