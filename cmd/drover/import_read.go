package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/drover-fleet/drover"
)

// csvFile reads rows below a header.
type csvFile struct {
	*csv.Reader
	header []string
}

func newCSVFile(r *bufio.Reader) (*csvFile, error) {
	head, _ := r.Peek(1 << 12)
	first, _, _ := strings.Cut(string(head), "\n")
	f := &csvFile{Reader: csv.NewReader(r)}
	f.LazyQuotes, f.FieldsPerRecord, f.ReuseRecord = true, -1, true
	for _, comma := range ",;\t|" {
		if strings.Count(first, string(comma)) > strings.Count(first, string(f.Comma)) {
			f.Comma = comma
		}
	}
	header, err := f.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file has no rows")
	}
	if err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	for _, name := range header {
		f.header = append(f.header, strings.TrimSpace(name))
	}
	return f, nil
}

func (f *csvFile) names() []string { return f.header }

func (f *csvFile) next() (fileRow, error) {
	fields, err := f.Read()
	if syntax, ok := errors.AsType[*csv.ParseError](err); ok {
		return fileRow{}, badRow{syntax.Line, syntax.Err.Error()}
	}
	if err != nil {
		return fileRow{}, err
	}
	line, _ := f.FieldPos(0)
	row := fileRow{line: line, values: make(map[string]string, len(fields))}
	for i, value := range fields {
		if i < len(f.header) {
			row.values[f.header[i]] = strings.TrimSpace(value)
		}
	}
	return row, nil
}

// gpxFile reads the points of tracks.
type gpxFile struct {
	decoder *xml.Decoder
	track   string
}

func newGPXFile(r io.Reader) *gpxFile { return &gpxFile{decoder: xml.NewDecoder(r)} }

func (*gpxFile) names() []string {
	return []string{"track", "time", "lat", "lon", "speed m/s", "course"}
}

// gpxPoint is a point with what the common extensions say of it.
type gpxPoint struct {
	Latitude  string `xml:"lat,attr"`
	Longitude string `xml:"lon,attr"`
	Time      string `xml:"time"`
	Speed     string `xml:"speed"`
	Course    string `xml:"course"`
	Extended  struct {
		Speed  string `xml:"speed"`
		Course string `xml:"course"`
	} `xml:"extensions>TrackPointExtension"`
}

func (f *gpxFile) next() (fileRow, error) {
	for {
		line, _ := f.decoder.InputPos()
		token, err := f.decoder.Token()
		if err != nil {
			if errors.Is(err, io.EOF) {
				return fileRow{}, io.EOF
			}
			return fileRow{}, fmt.Errorf("line %d is no XML: %w", line, err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "trk":
			f.track = ""
		case "name":
			var name string
			if err := f.decoder.DecodeElement(&name, &start); err != nil {
				return fileRow{}, fmt.Errorf("line %d is no XML: %w", line, err)
			}
			f.track = strings.TrimSpace(name)
		case "trkpt":
			line, _ := f.decoder.InputPos()
			var p gpxPoint
			if err := f.decoder.DecodeElement(&p, &start); err != nil {
				return fileRow{}, fmt.Errorf("line %d is no XML: %w", line, err)
			}
			return fileRow{line: line, values: map[string]string{
				"track": f.track, "time": strings.TrimSpace(p.Time), "lat": p.Latitude, "lon": p.Longitude,
				"speed m/s": strings.TrimSpace(p.Speed + p.Extended.Speed), "course": strings.TrimSpace(p.Course + p.Extended.Course),
			}}, nil
		}
	}
}

// lineFile reads a JSON object a line: a record as the interface has it, or one with names
// of its own.
type lineFile struct {
	lines *bufio.Scanner
	line  int
	seen  map[string]bool
}

func newLineFile(r io.Reader) *lineFile {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	return &lineFile{lines: s, seen: map[string]bool{}}
}

func (f *lineFile) names() []string { return slices.Sorted(maps.Keys(f.seen)) }

func (f *lineFile) next() (fileRow, error) {
	for f.lines.Scan() {
		f.line++
		text := bytes.TrimSpace(f.lines.Bytes())
		if len(text) == 0 {
			continue
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(text, &object); err != nil {
			return fileRow{}, badRow{f.line, "it is no JSON object"}
		}
		row := fileRow{line: f.line}
		if own(object) {
			row.record = bytes.Clone(text)
			return row, nil
		}
		row.values = map[string]string{}
		flatten("", object, row.values)
		for name := range row.values {
			f.seen[name] = true
		}
		return row, nil
	}
	if err := f.lines.Err(); err != nil {
		return fileRow{}, fmt.Errorf("line %d: %w", f.line+1, err)
	}
	return fileRow{}, io.EOF
}

// own reports whether an object is a record as the interface has it.
func own(object map[string]json.RawMessage) bool {
	var kind drover.RecordType
	_, named := object["system_device_id"]
	_, driver := object["system_driver_id"]
	return (named || driver) && json.Unmarshal(object["type"], &kind) == nil && slices.Contains(drover.RecordTypes, kind)
}

// flatten names the values of an object and of those within it, with dots between.
func flatten(prefix string, object map[string]json.RawMessage, into map[string]string) {
	for name, raw := range object {
		var inner map[string]json.RawMessage
		var text string
		switch {
		case len(raw) > 0 && raw[0] == '{' && json.Unmarshal(raw, &inner) == nil:
			flatten(prefix+name+".", inner, into)
		case json.Unmarshal(raw, &text) == nil:
			into[prefix+name] = strings.TrimSpace(text)
		case raw[0] != '[':
			into[prefix+name] = string(raw) // a number or a boolean; null was read as a text
		}
	}
}

// geoFile reads points, and lines with a time for each of their points.
type geoFile struct {
	decoder *json.Decoder
	lines   *lineCounter
	seen    map[string]bool
	ready   []fileRow
}

// lineCounter knows on which line a place of what was read lies.
type lineCounter struct {
	io.Reader
	read int64
	ends []int64
}

func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			l.ends = append(l.ends, l.read+int64(i))
		}
	}
	l.read += int64(n)
	return n, err //nolint:wrapcheck // a reader's errors are its own.
}

func (l *lineCounter) at(offset int64) int {
	i, _ := slices.BinarySearch(l.ends, offset)
	return i + 1
}

func newGeoJSONFile(r io.Reader) (*geoFile, error) {
	lines := &lineCounter{Reader: r}
	f := &geoFile{decoder: json.NewDecoder(lines), lines: lines, seen: map[string]bool{}}
	// The features follow their key; what stands before it is of no use.
	for {
		token, err := f.decoder.Token()
		if err != nil {
			return nil, errors.New("the file is not a GeoJSON FeatureCollection: it has no list of features")
		}
		if token != "features" {
			continue
		}
		if open, err := f.decoder.Token(); err == nil && open == json.Delim('[') {
			return f, nil
		}
	}
}

func (f *geoFile) names() []string { return slices.Sorted(maps.Keys(f.seen)) }

// geoFeature is a feature. Of a line, the times of its points are in one of two customs.
type geoFeature struct {
	Geometry struct {
		Type        string          `json:"type"`
		Coordinates json.RawMessage `json:"coordinates"`
	} `json:"geometry"`
	Properties map[string]json.RawMessage `json:"properties"`
}

func (f *geoFile) next() (fileRow, error) {
	for len(f.ready) == 0 {
		if !f.decoder.More() {
			return fileRow{}, io.EOF
		}
		var feature geoFeature
		err := f.decoder.Decode(&feature)
		line := f.lines.at(f.decoder.InputOffset() - 1)
		if _, wrong := errors.AsType[*json.UnmarshalTypeError](err); wrong {
			return fileRow{}, badRow{line, "it is no feature"}
		}
		if err != nil {
			return fileRow{}, fmt.Errorf("line %d is no JSON: %w", line, err)
		}
		if f.ready, err = feature.rows(line); err != nil {
			return fileRow{}, err
		}
	}
	row := f.ready[0]
	f.ready = f.ready[1:]
	for name := range row.values {
		f.seen[name] = true
	}
	return row, nil
}

// rows are the points of a feature.
func (g geoFeature) rows(line int) ([]fileRow, error) {
	values := map[string]string{}
	flatten("", g.Properties, values)
	if g.Geometry.Type == "Point" {
		var at []float64
		if json.Unmarshal(g.Geometry.Coordinates, &at) != nil || len(at) < 2 {
			return nil, badRow{line, "the point has no coordinates"}
		}
		return []fileRow{place(line, values, at, "")}, nil
	}
	var points [][]float64
	if g.Geometry.Type != "LineString" || json.Unmarshal(g.Geometry.Coordinates, &points) != nil {
		return nil, badRow{line, "only points, and lines with times, hold positions"}
	}
	var times []string
	for _, name := range []string{"coordTimes", "times"} {
		if json.Unmarshal(g.Properties[name], &times) == nil && len(times) == len(points) {
			break
		}
	}
	if len(times) != len(points) {
		return nil, badRow{line, "the line has no times of its points (coordTimes)"}
	}
	rows := make([]fileRow, 0, len(points))
	for i, at := range points {
		if len(at) >= 2 {
			rows = append(rows, place(line, values, at, times[i]))
		}
	}
	return rows, nil
}

func place(line int, values map[string]string, at []float64, when string) fileRow {
	row := fileRow{line: line, values: maps.Clone(values)}
	row.values["longitude"] = strconv.FormatFloat(at[0], 'f', -1, 64)
	row.values["latitude"] = strconv.FormatFloat(at[1], 'f', -1, 64)
	if when != "" {
		row.values["timestamp"] = when
	}
	return row
}
