package api

import (
	"encoding/json"
	"encoding/xml"
	"fmt"

	"github.com/drover-fleet/drover/internal/store"
)

const (
	geoJSONType = "application/geo+json"
	gpxType     = "application/gpx+xml"
)

// document is an answer that is no JSON envelope.
type document struct {
	contentType string
	body        []byte
}

type featureCollection struct {
	Type     string    `json:"type"`
	Features []feature `json:"features"`
}

type feature struct {
	Type       string       `json:"type"`
	Geometry   pointGeom    `json:"geometry"`
	Properties positionView `json:"properties"`
}

type pointGeom struct {
	Type        string     `json:"type"`
	Coordinates [2]float64 `json:"coordinates"`
}

// geoJSON writes positions as points, each with all that is known of it.
func geoJSON(positions []store.Position) (document, error) {
	all := featureCollection{Type: "FeatureCollection", Features: make([]feature, len(positions))}
	for i, p := range positions {
		all.Features[i] = feature{"Feature", pointGeom{"Point", [2]float64{p.Longitude, p.Latitude}}, viewPosition(p)}
	}
	body, err := json.Marshal(all)
	if err != nil {
		return document{}, fmt.Errorf("write GeoJSON: %w", err)
	}
	return document{geoJSONType, body}, nil
}

type gpxFile struct {
	XMLName xml.Name `xml:"http://www.topografix.com/GPX/1/1 gpx"`
	Version string   `xml:"version,attr"`
	Creator string   `xml:"creator,attr"`
	Points  []gpxFix `xml:"trk>trkseg>trkpt"`
}

type gpxFix struct {
	Latitude  float64 `xml:"lat,attr"`
	Longitude float64 `xml:"lon,attr"`
	Time      string  `xml:"time"`
}

// gpx writes positions as one track.
func gpx(positions []store.Position) (document, error) {
	file := gpxFile{Version: "1.1", Creator: "drover", Points: make([]gpxFix, len(positions))}
	for i, p := range positions {
		file.Points[i] = gpxFix{p.Latitude, p.Longitude, p.Time.String()}
	}
	body, err := xml.Marshal(file)
	if err != nil {
		return document{}, fmt.Errorf("write GPX: %w", err)
	}
	return document{gpxType, append([]byte(xml.Header), body...)}, nil
}
