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
	// Links is a member of our own, as RFC 7946 lets there be.
	Links []geoLink `json:"links,omitempty"`
}

type geoLink struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
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
// Where there are more, a link says so.
func positionGeoJSON(positions []drover.HistoricPosition, next string) (document, error) {
	features := make([]feature, len(positions))
	for i, p := range positions {
		features[i] = pointFeature(p.Longitude, p.Latitude, p)
	}
	collection := featureCollection{Type: "FeatureCollection", Features: features}
	if next != "" {
		collection.Links = []geoLink{{Rel: "next", Href: next}}
	}
	return collection.document()
}

func geoJSON(features []feature) (document, error) {
	return featureCollection{Type: "FeatureCollection", Features: features}.document()
}

func (f featureCollection) document() (document, error) {
	body, err := json.Marshal(f)
	if err != nil {
		return document{}, fmt.Errorf("write GeoJSON: %w", err)
	}
	return document{openapi.GeoJSON, body}, nil
}

type gpxFile struct {
	XMLName xml.Name `xml:"http://www.topografix.com/GPX/1/1 gpx"`
	Version string   `xml:"version,attr"`
	Creator string   `xml:"creator,attr"`
	Next    *gpxLink `xml:"metadata>link"`
	Points  []gpxFix `xml:"trk>trkseg>trkpt"`
}

// gpxLink is where a file goes on that does not hold all.
type gpxLink struct {
	Href string `xml:"href,attr"`
	Text string `xml:"text"`
}

type gpxFix struct {
	Latitude  float64 `xml:"lat,attr"`
	Longitude float64 `xml:"lon,attr"`
	Time      string  `xml:"time"`
}

// gpx writes positions as one track. Where there are more, a link says so.
func gpx(positions []drover.HistoricPosition, next string) (document, error) {
	file := gpxFile{Version: "1.1", Creator: "drover", Points: make([]gpxFix, len(positions))}
	for i, p := range positions {
		file.Points[i] = gpxFix{p.Latitude, p.Longitude, p.Timestamp.String()}
	}
	if next != "" {
		file.Next = &gpxLink{Href: next, Text: "The positions that follow"}
	}
	body, err := xml.Marshal(file)
	if err != nil {
		return document{}, fmt.Errorf("write GPX: %w", err)
	}
	return document{gpxType, append([]byte(xml.Header), body...)}, nil
}
