package api

import (
	"encoding/json"
	"encoding/xml"
	"fmt"

	"github.com/danielgtaylor/huma/v2"

	"github.com/drover-fleet/drover"
)

const (
	geoJSONType = "application/geo+json"
	gpxType     = "application/gpx+xml"
)

// formatContent describes an answer that is no JSON envelope.
func formatContent(typ string) *huma.MediaType {
	if typ == geoJSONType {
		return &huma.MediaType{Schema: &huma.Schema{
			Type: huma.TypeObject, Description: "A FeatureCollection of RFC 7946: the records of the JSON answer, as properties of their geometries.",
			Required: []string{"type", "features"},
			Properties: map[string]*huma.Schema{
				"type":     {Type: huma.TypeString, Enum: []any{"FeatureCollection"}},
				"features": {Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeObject}},
			},
		}}
	}
	return &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Description: "A track as GPX 1.1."}}
}

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
	Type       string                  `json:"type"`
	Geometry   pointGeom               `json:"geometry"`
	Properties drover.HistoricPosition `json:"properties"`
}

type pointGeom struct {
	Type        string     `json:"type"`
	Coordinates [2]float64 `json:"coordinates"`
}

// geoJSON writes positions as points, each with all that is known of it.
func geoJSON(positions []drover.HistoricPosition) (document, error) {
	all := featureCollection{Type: "FeatureCollection", Features: make([]feature, len(positions))}
	for i, p := range positions {
		all.Features[i] = feature{"Feature", pointGeom{"Point", [2]float64{p.Longitude, p.Latitude}}, p}
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
func gpx(positions []drover.HistoricPosition) (document, error) {
	file := gpxFile{Version: "1.1", Creator: "drover", Points: make([]gpxFix, len(positions))}
	for i, p := range positions {
		file.Points[i] = gpxFix{p.Latitude, p.Longitude, p.Timestamp.String()}
	}
	body, err := xml.Marshal(file)
	if err != nil {
		return document{}, fmt.Errorf("write GPX: %w", err)
	}
	return document{gpxType, append([]byte(xml.Header), body...)}, nil
}
