package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/decode"
	"github.com/drover-fleet/drover/internal/store"
)

// positionView is a position of a device's history: the shape of every position,
// and what else the provider said.
type positionView struct {
	drover.CurrentPosition
	Ignition       *bool    `json:"ignition"`
	Auxiliary      *bool    `json:"auxiliary"`
	OdometerMetres *float64 `json:"odometer_metres"`
	Suspect        *string  `json:"suspect" doc:"Why the position is not believed; null where it is."`
}

func (s *server) getPosition(c *call) (*drover.CurrentPosition, error) {
	return s.Fleet.Position(c.Context, c.principal, c.PathValue("device_id"))
}

// positionPlace is the cursor of a history: the time after which it goes on.
type positionPlace struct {
	After drover.Time `json:"t"`
}

// format names a way to write positions.
type format string

const (
	formatJSON    format = "json"
	formatGeoJSON format = "geojson"
	formatGPX     format = "gpx"
)

func (s *server) listPositions(c *call) (any, error) {
	q := c.URL.Query()
	wanted, err := formatOf(c.Request)
	if err != nil {
		return nil, err
	}
	var place positionPlace
	limit, err := paging(q, &place)
	if err != nil {
		return nil, err
	}
	from, to, err := s.historyRange(q)
	if err != nil {
		return nil, err
	}
	if q.Has("cursor") {
		from = drover.Milli(place.After.UnixMilli() + 1)
	}
	suspect, err := decode.QueryBool(q, "include_suspect", false)
	if err != nil {
		return nil, err
	}
	stored, err := s.Fleet.Positions(c.Context, c.principal, c.PathValue("device_id"), from, to, limit+1, suspect)
	if err != nil {
		return nil, err
	}
	p, err := newPage(stored, limit, func(last store.Position) any { return positionPlace{last.Time} })
	if err != nil {
		return nil, err
	}
	switch wanted {
	case formatGeoJSON:
		setNext(c, p.next)
		return geoJSON(p.items)
	case formatGPX:
		setNext(c, p.next)
		return gpx(p.items)
	case formatJSON:
	}
	views := page[positionView]{items: make([]positionView, len(p.items)), next: p.next}
	for i, stored := range p.items {
		views.items[i] = viewPosition(stored)
	}
	return views, nil
}

func viewPosition(p store.Position) positionView {
	v := positionView{CurrentPosition: *p.View(), Ignition: p.Ignition, Auxiliary: p.Auxiliary, OdometerMetres: p.OdometerMetres}
	if p.Suspect != "" {
		v.Suspect = &p.Suspect
	}
	return v
}

// historyRange reads from, which is required, and to, which is now otherwise.
func (s *server) historyRange(q url.Values) (from, to drover.Time, err error) {
	begin, end, err := timeRange(q)
	if err != nil {
		return from, to, err
	}
	if begin == nil {
		return from, to, drover.Invalid("missing", "Field required", "query", "from")
	}
	if end == nil {
		now := drover.At(s.Now())
		end = &now
	}
	if end.Before(begin.Time) {
		return from, to, drover.InvalidValue("to must not be before from", "query", "to")
	}
	return *begin, *end, nil
}

// formatOf reads the format parameter, and the Accept header without one.
func formatOf(r *http.Request) (format, error) {
	f, err := decode.QueryEnum(r.URL.Query(), "format", formatJSON, formatGeoJSON, formatGPX)
	if err != nil || f != "" {
		return f, err
	}
	accept := strings.ToLower(strings.Join(r.Header.Values("Accept"), ","))
	types := strings.FieldsFunc(accept, func(c rune) bool { return c == ',' || c == ';' || c == ' ' })
	switch {
	case slices.Contains(types, geoJSONType):
		return formatGeoJSON, nil
	case slices.Contains(types, gpxType):
		return formatGPX, nil
	}
	return formatJSON, nil
}
