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
			named("listNewestPositions", tagDevice, "Newest positions", "The newest position of every readable device, and what it does: driving, idling, stopped or silent, since when. "+
				"As JSON, as GeoJSON, or with format=columns as one list for each field, which is small and quick to read for maps. "+
				"A stream that starts after x-event-sequence misses nothing that is newer.").
			also(openapi.GeoJSON).or(reflect.TypeFor[newestColumns]()).
			answers("x-event-sequence", "Sequence of the caller's feed for which the answer is true, for last_event_id of GET /stream.").
			can(errorsOfList...),
	}
}

type newestQuery struct {
	drover.NewestFilter
	Format format `query:"format" enum:"json,geojson,columns" doc:"Instead of the Accept header."`
}

func (s *server) listNewest(c *call, q newestQuery) (any, error) {
	rows, sequence, err := s.Fleet.NewestPositions(c.Context, c.principal, q.NewestFilter)
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

// newestColumns is the newest positions with one list for each field, all of the
// same length.
type newestColumns struct {
	DeviceID       []string             `json:"device_id"`
	ConnectionID   []string             `json:"connection_id"`
	Description    []*string            `json:"description"`
	Registration   []*string            `json:"registration"`
	State          []drover.DeviceState `json:"state"`
	StateSince     []*drover.Time       `json:"state_since"`
	Timestamp      []*drover.Time       `json:"timestamp"`
	Longitude      []*float64           `json:"longitude"`
	Latitude       []*float64           `json:"latitude"`
	Heading        []*float64           `json:"heading"`
	SpeedKPH       []*float64           `json:"speed_kph"`
	DriverID       []*string            `json:"driver_id"`
	Ignition       []*bool              `json:"ignition"`
	Auxiliary      []*bool              `json:"auxiliary"`
	OdometerMetres []*float64           `json:"odometer_metres"`
}

func columnsOf(rows []drover.NewestPosition) newestColumns {
	n := len(rows)
	c := newestColumns{
		DeviceID: make([]string, n), ConnectionID: make([]string, n), Description: make([]*string, n), Registration: make([]*string, n),
		State: make([]drover.DeviceState, n), StateSince: make([]*drover.Time, n), Timestamp: make([]*drover.Time, n),
		Longitude: make([]*float64, n), Latitude: make([]*float64, n), Heading: make([]*float64, n), SpeedKPH: make([]*float64, n),
		DriverID: make([]*string, n), Ignition: make([]*bool, n), Auxiliary: make([]*bool, n), OdometerMetres: make([]*float64, n),
	}
	for i := range rows {
		c.set(i, &rows[i])
	}
	return c
}

func (c *newestColumns) set(i int, r *drover.NewestPosition) {
	c.DeviceID[i], c.ConnectionID[i], c.Description[i], c.Registration[i] = r.DeviceID, r.ConnectionID, r.Description, r.Registration
	c.State[i], c.StateSince[i] = r.State, r.StateSince
	p := r.Position
	if p == nil {
		return
	}
	c.Timestamp[i], c.Longitude[i], c.Latitude[i], c.Heading[i] = &p.Timestamp, &p.Longitude, &p.Latitude, p.Heading
	c.Ignition[i], c.Auxiliary[i], c.OdometerMetres[i] = p.Ignition, p.Auxiliary, p.OdometerMetres
	if p.Speed != nil {
		c.SpeedKPH[i] = &p.Speed.SpeedKPH
	}
	if p.DriverID != nil {
		c.DriverID[i] = &p.DriverID.Value
	}
}
