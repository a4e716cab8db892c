package drover

import (
	"encoding/json"
	"strings"
	"time"
)

// ExportKind is the kind of records in an export.
type ExportKind string

// The kinds of records that can be exported.
const (
	ExportDevices    ExportKind = "device"
	ExportPositions  ExportKind = "position"
	ExportTrips      ExportKind = "trip"
	ExportStops      ExportKind = "stop"
	ExportMilestones ExportKind = "milestone"
	ExportEvents     ExportKind = "event"
	ExportReadings   ExportKind = "reading"
	ExportDrivers    ExportKind = "driver"
	ExportFaults     ExportKind = "fault"
	ExportSafety     ExportKind = "safety_event"
)

// ExportKinds lists the closed set.
var ExportKinds = []ExportKind{
	ExportDevices, ExportPositions, ExportTrips, ExportStops, ExportMilestones, ExportEvents, ExportReadings, ExportDrivers, ExportFaults,
	ExportSafety,
}

// ExportFormat is how the records of an export are written.
type ExportFormat string

// The formats of an export.
const (
	ExportCSV     ExportFormat = "csv"
	ExportJSONL   ExportFormat = "jsonl"
	ExportGeoJSON ExportFormat = "geojson"
	ExportParquet ExportFormat = "parquet"
)

// ExportFormats lists the closed set.
var ExportFormats = []ExportFormat{ExportCSV, ExportJSONL, ExportGeoJSON, ExportParquet}

// ContentType is the media type of a file in the format.
func (f ExportFormat) ContentType() string {
	switch f {
	case ExportCSV:
		return "text/csv; charset=utf-8"
	case ExportJSONL:
		return "application/jsonl"
	case ExportGeoJSON:
		return "application/geo+json"
	case ExportParquet:
		return "application/vnd.apache.parquet"
	}
	return "application/octet-stream"
}

// ExportState is the state of an export.
type ExportState string

// The states of an export. A cancelled or failed export has no file.
const (
	ExportQueued    ExportState = "queued"
	ExportRunning   ExportState = "running"
	ExportDone      ExportState = "done"
	ExportFailed    ExportState = "failed"
	ExportCancelled ExportState = "cancelled"
)

// ExportStates lists the closed set.
var ExportStates = []ExportState{ExportQueued, ExportRunning, ExportDone, ExportFailed, ExportCancelled}

// Unfinished reports whether work is still to be done.
func (s ExportState) Unfinished() bool { return s == ExportQueued || s == ExportRunning }

// ExportLifetime is how long an export and its file are kept once it has ended.
const ExportLifetime = 7 * 24 * time.Hour

// ExportInput is what a tenant sends to start an export.
type ExportInput struct {
	Kind    ExportKind      `json:"kind" doc:"What to export the records of."`
	Format  ExportFormat    `json:"format" doc:"How to write them. Events, readings, drivers and faults have no place, so there is no geojson of them."`
	Filters json.RawMessage `json:"filters" required:"false" doc:"Which records: an object with the query parameters of the list of that kind. For positions and readings these are device_id and connection_id (both may be lists), tag, from and to, with include_suspect for positions, and kind, suspect and every for readings. Without it, all."`
}

// Export is a file of records that is made in the background.
type Export struct {
	ID              string          `json:"id" doc:"Id of the export."`
	Kind            ExportKind      `json:"kind" doc:"What it has the records of."`
	Format          ExportFormat    `json:"format" doc:"How they are written."`
	Filters         json.RawMessage `json:"filters" doc:"Which records, as they were asked for."`
	State           ExportState     `json:"state" doc:"How far it has come. Only one that is done has a file."`
	ProgressPercent float64         `json:"progress_percent" doc:"How much is written, from 0 to 100; an estimate until the end."`
	Records         int64           `json:"records" doc:"Number of records written so far."`
	Bytes           int64           `json:"bytes" doc:"Size of what is written so far."`
	Error           *string         `json:"error" doc:"Why it has failed; null unless it has."`
	CreatedAt       Time            `json:"created_at" doc:"When it was asked for."`
	StartedAt       *Time           `json:"started_at" doc:"When it was last begun; null while it waits."`
	FinishedAt      *Time           `json:"finished_at" doc:"When it ended; null before."`
	ExpiresAt       *Time           `json:"expires_at" doc:"When it is forgotten together with its file; null before it has ended."`
}

// CSVText is untrusted text as a cell of a CSV file. If a spreadsheet would read it as a
// formula, it starts with an apostrophe.
func CSVText(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(text[:min(4, len(text))])[0]) {
		return "'" + text
	}
	return text
}
