package api

import (
	"encoding/xml"
	"fmt"
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/openapi"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

const wayWords = " At most 5,000 points, simplified by tolerance; segments say what the device did: driving, idling, auxiliary, stopped, or a hole that nothing is known of. " +
	"As JSON with one list for each field of the points, GeoJSON or GPX."

func (s *server) wayRoutes() []route {
	return []route{
		opFormats[trackQuery, drover.Track](http.MethodGet, "/device/{device_id}/track", s.getTrack).
			named("getDeviceTrack", tagDevice, "Get track", "The whole way of a device in [from, to), at most 31 days, in one answer."+wayWords).
			places().also(openapi.GeoJSON, gpxType).can(errorsOfOne...).missing(guard.UnknownDevice),
		opFormats[tripPathQuery, drover.Track](http.MethodGet, "/trip/{trip_id}/path", s.getTripPath).
			named("getTripPath", tagTrip, "Get path of a trip", "The way of a trip in one answer."+wayWords).
			places().also(openapi.GeoJSON, gpxType).can(errorsOfOne...).missing(guard.UnknownTrip),
	}
}

type trackQuery struct {
	drover.TrackFilter
	trackFormat
}

type tripPathQuery struct {
	drover.TrackTolerance
	trackFormat
}

type trackFormat struct {
	Format format `query:"format" enum:"json,geojson,gpx" doc:"Instead of the Accept header."`
}

func (s *server) getTrack(c *call, q trackQuery) (any, error) {
	t, err := s.Fleet.Devices.Track(c.Context, c.principal, c.PathValue("device_id"), q.TrackFilter)
	if err != nil {
		return nil, err
	}
	return q.write(c, t)
}

func (s *server) getTripPath(c *call, q tripPathQuery) (any, error) {
	t, err := s.Fleet.Trips.TripPath(c.Context, c.principal, c.PathValue("trip_id"), q.Tolerance)
	if err != nil {
		return nil, err
	}
	return q.write(c, t)
}

func (f trackFormat) write(c *call, t drover.Track) (any, error) {
	switch f.Format.or(c.Header) {
	case formatGeoJSON:
		return trackGeoJSON(t)
	case formatGPX:
		return trackGPX(t)
	case formatJSON, formatColumns:
	}
	return t, nil
}

// trackGeoJSON writes each segment as a line.
func trackGeoJSON(t drover.Track) (document, error) {
	features := make([]feature, len(t.Segments))
	for i, s := range t.Segments {
		line := make([][2]float64, 0, s.Last-s.First+1)
		for j := s.First; j <= s.Last; j++ {
			line = append(line, [2]float64{t.Points.Longitude[j], t.Points.Latitude[j]})
		}
		features[i] = feature{"Feature", geometry{"LineString", line}, s}
	}
	return geoJSON(features)
}

type gpxTrack struct {
	XMLName  xml.Name     `xml:"http://www.topografix.com/GPX/1/1 gpx"`
	Version  string       `xml:"version,attr"`
	Creator  string       `xml:"creator,attr"`
	Segments []gpxSegment `xml:"trk>trkseg"`
}

type gpxSegment struct {
	Points []gpxFix `xml:"trkpt"`
}

// trackGPX writes what is known as one track, cut at each hole.
func trackGPX(t drover.Track) (document, error) {
	file := gpxTrack{Version: "1.1", Creator: "drover"}
	cut := true
	for _, s := range t.Segments {
		if s.Kind == drover.TrackHole {
			cut = true
			continue
		}
		first := s.First + 1
		if cut {
			file.Segments, first, cut = append(file.Segments, gpxSegment{}), s.First, false
		}
		last := &file.Segments[len(file.Segments)-1]
		for j := first; j <= s.Last; j++ {
			last.Points = append(last.Points, gpxFix{t.Points.Latitude[j], t.Points.Longitude[j], t.Points.Timestamp[j].String()})
		}
	}
	body, err := xml.Marshal(file)
	if err != nil {
		return document{}, fmt.Errorf("write GPX: %w", err)
	}
	return document{gpxType, append([]byte(xml.Header), body...)}, nil
}
