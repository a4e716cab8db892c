package export

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/drover-fleet/drover"
)

// encoder writes records in one format. Nothing of it is whole before Close.
type encoder[R any] interface {
	Encode(records []R) error
	Close() error
}

func newEncoder[R, T any](format drover.ExportFormat, w io.Writer, t table[R, T]) (encoder[R], error) {
	switch format {
	case drover.ExportCSV:
		return newCSV(w, t)
	case drover.ExportJSONL:
		return &jsonlEncoder[R]{json.NewEncoder(w)}, nil
	case drover.ExportGeoJSON:
		return &geoJSONEncoder[R, T]{table: t, w: w}, nil
	case drover.ExportParquet:
		return newParquet(w, t), nil
	}
	return nil, fmt.Errorf("no such format: %s", format)
}

// jsonlEncoder writes each record on a line, in the shape of the interface.
type jsonlEncoder[R any] struct{ *json.Encoder }

func (e *jsonlEncoder[R]) Encode(records []R) error {
	for i := range records {
		if err := e.Encoder.Encode(records[i]); err != nil {
			return fmt.Errorf("write a line: %w", err)
		}
	}
	return nil
}

func (e *jsonlEncoder[R]) Close() error { return nil }

// geoJSONEncoder writes a collection of features, whose properties are the flat
// rows.
type geoJSONEncoder[R, T any] struct {
	table table[R, T]
	w     io.Writer
	begun bool
}

type feature[T any] struct {
	Type       string    `json:"type"`
	Geometry   *geometry `json:"geometry"`
	Properties T         `json:"properties"`
}

func (e *geoJSONEncoder[R, T]) Encode(records []R) error {
	for i := range records {
		text, err := json.Marshal(feature[T]{"Feature", e.table.place(records[i]), e.table.flat(records[i])})
		if err != nil {
			return fmt.Errorf("write a feature: %w", err)
		}
		if _, err := e.w.Write(append([]byte(e.separator()), text...)); err != nil {
			return err
		}
	}
	return nil
}

// separator is what stands before the next feature.
func (e *geoJSONEncoder[R, T]) separator() string {
	if e.begun {
		return ",\n"
	}
	e.begun = true
	return `{"type":"FeatureCollection","features":[` + "\n"
}

func (e *geoJSONEncoder[R, T]) Close() error {
	end := "\n]}\n"
	if !e.begun {
		end = e.separator() + end
	}
	_, err := io.WriteString(e.w, end)
	return err
}

// csvEncoder writes rows with a header, as RFC 4180 has them. What is not known is
// empty.
type csvEncoder[R, T any] struct {
	table table[R, T]
	w     *csv.Writer
	cells []string
}

func newCSV[R, T any](w io.Writer, t table[R, T]) (*csvEncoder[R, T], error) {
	row := reflect.TypeFor[T]()
	e := &csvEncoder[R, T]{table: t, w: csv.NewWriter(w), cells: make([]string, row.NumField())}
	for i := range e.cells {
		e.cells[i] = row.Field(i).Tag.Get("json")
	}
	if err := e.w.Write(e.cells); err != nil {
		return nil, fmt.Errorf("write the header: %w", err)
	}
	return e, nil
}

func (e *csvEncoder[R, T]) Encode(records []R) error {
	for i := range records {
		row := reflect.ValueOf(e.table.flat(records[i]))
		for c := range e.cells {
			e.cells[c] = cell(row.Field(c).Interface())
		}
		if err := e.w.Write(e.cells); err != nil {
			return fmt.Errorf("write a row: %w", err)
		}
	}
	return nil
}

func (e *csvEncoder[R, T]) Close() error {
	e.w.Flush()
	return e.w.Error()
}

// cell is a value as text.
func cell(v any) string {
	switch v := v.(type) {
	case string:
		return drover.CSVText(v)
	case *string:
		return optional(v, drover.CSVText)
	case float64:
		return number(v)
	case *float64:
		return optional(v, number)
	case bool:
		return strconv.FormatBool(v)
	case *bool:
		return optional(v, strconv.FormatBool)
	case int64:
		return strconv.FormatInt(v, 10)
	case *int64:
		return optional(v, func(n int64) string { return strconv.FormatInt(n, 10) })
	case time.Time:
		return drover.At(v).String()
	case *time.Time:
		return optional(v, func(t time.Time) string { return drover.At(t).String() })
	case []string:
		return drover.CSVText(strings.Join(v, ";"))
	case json.RawMessage:
		return string(v)
	}
	panic(fmt.Sprintf("no cell for a %T", v)) // a fault of a row's type
}

func optional[V any](v *V, text func(V) string) string {
	if v == nil {
		return ""
	}
	return text(*v)
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// rowGroup bounds the rows that a Parquet file holds back before it writes them. What is
// noted of each group is held to the end, so that small groups take more memory in a
// large file than the rows of one.
const rowGroup = 200_000

// parquetEncoder writes columns, compressed, in groups of rows.
type parquetEncoder[R, T any] struct {
	table table[R, T]
	w     *parquet.GenericWriter[T]
	rows  []T
	held  int
}

func newParquet[R, T any](w io.Writer, t table[R, T]) *parquetEncoder[R, T] {
	return &parquetEncoder[R, T]{table: t, w: parquet.NewGenericWriter[T](w, parquet.Compression(&parquet.Snappy),
		parquet.CreatedBy("drover", "", ""))}
}

func (e *parquetEncoder[R, T]) Encode(records []R) error {
	for part := range slices.Chunk(records, batch) {
		e.rows = e.rows[:0]
		for i := range part {
			e.rows = append(e.rows, e.table.flat(part[i]))
		}
		if _, err := e.w.Write(e.rows); err != nil {
			return fmt.Errorf("write columns: %w", err)
		}
	}
	if e.held += len(records); e.held < rowGroup {
		return nil
	}
	e.held = 0
	if err := e.w.Flush(); err != nil {
		return fmt.Errorf("write a group of rows: %w", err)
	}
	return nil
}

func (e *parquetEncoder[R, T]) Close() error {
	if err := e.w.Close(); err != nil {
		return fmt.Errorf("end the columns: %w", err)
	}
	return nil
}

// PositionFile writes positions as one Parquet file, with the columns that an export
// of positions has.
type PositionFile struct {
	encoder *parquetEncoder[devicePosition, positionRow]
}

// NewPositionFile begins a file.
func NewPositionFile(w io.Writer) *PositionFile { return &PositionFile{newParquet(w, positions)} }

// Note writes a name and a value into the file, for those who look for it there.
func (f *PositionFile) Note(name, value string) { f.encoder.w.SetKeyValueMetadata(name, value) }

// Write adds positions of a device.
func (f *PositionFile) Write(deviceID string, positions []drover.StoredPosition) error {
	return f.encoder.Encode(positionsOf(deviceID, positions))
}

// Close ends the file, but not what it is written to.
func (f *PositionFile) Close() error { return f.encoder.Close() }
