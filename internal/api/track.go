package api

import (
	"encoding/json"
	"encoding/xml"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/openapi"
)

const gpxType = openapi.GPX

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
	Type       string   `json:"type"`
	Geometry   geometry `json:"geometry"`
	Properties any      `json:"properties"`
}

type geometry struct {
	Type        string `json:"type"`
	Coordinates any    `json:"coordinates"`
}

func pointFeature(longitude, latitude float64, properties any) feature {
	return feature{"Feature", geometry{"Point", [2]float64{longitude, latitude}}, properties}
}

// positionGeoJSON writes positions as points, each with all that is known of it.
func positionGeoJSON(positions []drover.HistoricPosition) (document, error) {
	features := make([]feature, len(positions))
	for i, p := range positions {
		features[i] = pointFeature(p.Longitude, p.Latitude, p)
	}
	return geoJSON(features)
}

func geoJSON(features []feature) (document, error) {
	body, err := json.Marshal(featureCollection{Type: "FeatureCollection", Features: features})
	if err != nil {
		return document{}, fmt.Errorf("write GeoJSON: %w", err)
	}
	return document{openapi.GeoJSON, body}, nil
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
