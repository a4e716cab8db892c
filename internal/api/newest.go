package api

import (
	"net/http"
	"reflect"
	"strconv"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/openapi"
)

func (s *server) newestRoutes() []route {
	return []route{
		opFormats[newestQuery, []drover.NewestPosition](http.MethodGet, "/position", s.listNewest).
			named("listNewestPositions", tagDevice, "Newest positions",
				"The newest position of every readable device, and what it does: driving, idling, stopped or silent, since when. "+
					"As JSON, as GeoJSON, or with format=columns as one list for each field, which is small and quick to read for maps. "+
					"A stream that starts after x-event-sequence misses nothing that is newer.").
			also(openapi.GeoJSON).or(reflect.TypeFor[newestColumns]()).
			answers("x-event-sequence", "Sequence of the caller's feed for which the answer is true, for last_event_id of GET /stream.").
			shows(drover.ScopePositions, drover.ScopeDrivers).can(errorsOfList...),
	}
}

type newestQuery struct {
	drover.NewestFilter
	Format format `query:"format" enum:"json,geojson,columns" doc:"Instead of the Accept header."`
}

func (s *server) listNewest(c *call, q newestQuery) (any, error) {
	rows, sequence, err := s.Fleet.Devices.NewestPositions(c.Context, c.principal, q.NewestFilter)
	if err != nil {
		return nil, err
	}
	c.w.Header().Set("X-Event-Sequence", strconv.FormatInt(sequence, 10))
	switch q.Format.or(c.Header) {
	case formatColumns:
		return columnsOf(rows), nil
	case formatGeoJSON:
		return newestGeoJSON(rows)
	case formatJSON, formatGPX:
	}
	return rows, nil
}

// newestGeoJSON writes newest positions as points; a device without one has no
// place on a map.
func newestGeoJSON(rows []drover.NewestPosition) (document, error) {
	features := make([]feature, 0, len(rows))
	for _, r := range rows {
		if r.Position != nil {
			features = append(features, pointFeature(r.Position.Longitude, r.Position.Latitude, r))
		}
	}
	return geoJSON(features)
}
