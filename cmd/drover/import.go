package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/client"
)

type importCommand struct {
	acting
	File         string            `arg:"" help:"CSV with a header, GPX, GeoJSON, or NDJSON with one record per line." placeholder:"FILE"`
	Connection   string            `help:"Id of the push connection that receives the records." required:"" placeholder:"ID"`
	Format       string            `help:"csv, gpx, geojson or ndjson; by default guessed from the file." enum:"csv,gpx,geojson,ndjson," default:""`
	Device       string            `help:"Device of all positions, if the file has none." placeholder:"NAME"`
	Column       map[string]string `help:"Meaning of a column: one of device, timestamp, latitude, longitude, speed, heading, ignition, odometer and driver, or nothing; repeatable." placeholder:"NAME=FIELD"`
	TimeZone     string            `help:"Time zone of times without one, such as Europe/Berlin." placeholder:"ZONE"`
	SpeedUnit    string            `help:"km/h, mph, knots or m/s." enum:"km/h,mph,knots,m/s," default:""`
	OdometerUnit string            `help:"m, km or miles." enum:"m,km,miles," default:""`
	Yes          bool              `short:"y" help:"Do not ask: send."`
	DryRun       bool              `help:"Show what would be sent, and send nothing."`
}

func (importCommand) Help() string {
	return "Reads a file, shows what it takes columns, units and the time zone for, asks, and sends the records to a connection to push. What was sent before changes nothing, so that an import that was interrupted is run again. Rows that are not taken are listed with their lines.\n\n" +
		example("drover import trucks.csv --connection ID", "drover import tour.gpx --connection ID --device truck-7 --yes",
			"drover import log.csv --connection ID --column Unit=device --time-zone Europe/Berlin --speed-unit mph")
}

// importSample is how many rows a guess is made by, and importShown how many are shown.
const (
	importSample = 1000
	importShown  = 3
)

// fileRow is one row of a file: named values, or a record as the interface has it.
type fileRow struct {
	line   int
	values map[string]string
	record json.RawMessage
}

// badRow is a row that cannot be read. The next one can.
type badRow struct {
	line int
	why  string
}

func (b badRow) Error() string { return fmt.Sprintf("line %d: %s", b.line, b.why) }

// fileReader reads the rows of a file one after the other, up to io.EOF.
type fileReader interface {
	// names are those of the values, in the order of the file.
	names() []string
	next() (fileRow, error)
}

func (c *importCommand) Run(w world) error {
	plan, err := c.plan()
	if err != nil {
		return err
	}
	if err := plan.show(w.out); err != nil {
		return err
	}
	if c.DryRun {
		return nil
	}
	service, keep, err := c.open()
	if err != nil {
		return err
	}
	if err := c.confirm(w); err != nil {
		return err
	}
	if err := c.send(w, service, plan); err != nil {
		return err
	}
	return keep()
}

// plan reads the beginning of the file, and guesses what it holds.
func (c *importCommand) plan() (*importPlan, error) {
	file, reader, err := c.openFile()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var rows []fileRow
	for len(rows) < importSample {
		row, err := reader.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if _, bad := errors.AsType[badRow](err); bad {
			continue
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s has no valid rows of %s", c.File, c.Format)
	}
	return guess(*c, reader.names(), rows)
}

func (c *importCommand) openFile() (*os.File, fileReader, error) {
	file, err := os.Open(filepath.Clean(c.File))
	if err != nil {
		return nil, nil, fmt.Errorf("open the file: %w", err)
	}
	buffered := bufio.NewReaderSize(file, 1<<16)
	if mark, _ := buffered.Peek(3); string(mark) == "\ufeff" {
		_, _ = buffered.Discard(len(mark)) // it was peeked at
	}
	if c.Format == "" {
		head, _ := buffered.Peek(512)
		c.Format = formatOf(c.File, head)
	}
	var reader fileReader
	switch c.Format {
	case "gpx":
		reader = newGPXFile(buffered)
	case "geojson":
		reader, err = newGeoJSONFile(buffered)
	case "ndjson":
		reader = newLineFile(buffered)
	default:
		reader, err = newCSVFile(buffered)
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, reader, nil
}

// formatOf is what a file looks like, by its name or, where that says nothing, its beginning.
func formatOf(name string, head []byte) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".gpx":
		return "gpx"
	case ".geojson":
		return "geojson"
	case ".ndjson", ".jsonl":
		return "ndjson"
	case ".csv", ".tsv":
		return "csv"
	}
	text := strings.TrimSpace(string(head))
	switch {
	case strings.HasPrefix(text, "<"):
		return "gpx"
	case strings.HasPrefix(text, "{") && strings.Contains(text, `"Feature`):
		return "geojson"
	case strings.HasPrefix(text, "{"):
		return "ndjson"
	}
	return "csv"
}

// confirm asks a person whether the guesses are right.
func (c *importCommand) confirm(w world) error {
	if c.Yes {
		return nil
	}
	if _, err := fmt.Fprintf(w.out, "Send the records to connection %s? [y/N] ", c.Connection); err != nil {
		return err
	}
	answer, err := bufio.NewReader(w.in).ReadString('\n')
	if err != nil && answer == "" {
		return errors.New("no answer: confirm with --yes")
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return errors.New("nothing was sent: correct it with --column, --time-zone, --speed-unit or --odometer-unit")
	}
	return nil
}

// importTotals count what became of the rows.
type importTotals struct{ stored, known, refused int }

// importBatch is what is sent at once, with the lines that the records were on.
type importBatch struct {
	records []any
	lines   []int
	size    int
}

// batchBytes keeps a batch below what a body may have.
const batchBytes = 900 << 10

// send sends all rows.
func (c *importCommand) send(w world, service *client.Client, plan *importPlan) error {
	file, reader, err := c.openFile()
	if err != nil {
		return err
	}
	defer file.Close()
	var totals importTotals
	var batch importBatch
	for {
		row, err := reader.next()
		if errors.Is(err, io.EOF) {
			break
		}
		var record json.RawMessage
		if err == nil {
			record, err = plan.record(row)
		}
		if bad, ok := errors.AsType[badRow](err); ok {
			totals.refused++
			fmt.Fprintln(w.err, bad)
			continue
		}
		if err != nil {
			return err
		}
		if len(batch.records) == drover.MaxRecords || batch.size+len(record) > batchBytes {
			if err := c.flush(w, service, &batch, &totals); err != nil {
				return err
			}
		}
		batch.records, batch.lines, batch.size = append(batch.records, record), append(batch.lines, row.line), batch.size+len(record)+1
	}
	if err := c.flush(w, service, &batch, &totals); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w.out, "%d records stored, %d known before, %d not taken\n", totals.stored, totals.known, totals.refused); err != nil {
		return err
	}
	if totals.refused > 0 {
		return fmt.Errorf("%d rows were refused; the others are stored", totals.refused)
	}
	return nil
}

// patience is how often a batch is sent again that the service has no room for.
const patience = 20

func (c *importCommand) flush(w world, service *client.Client, batch *importBatch, totals *importTotals) error {
	if len(batch.records) == 0 {
		return nil
	}
	var result drover.RecordResult
	var err error
	for range patience {
		_, err = service.Do(w, http.MethodPost, "/connection/"+c.Connection+"/record", nil, batch.records, &result)
		refused, ok := errors.AsType[*client.Error](err)
		if !ok || refused.Status != http.StatusTooManyRequests && refused.Status != http.StatusServiceUnavailable {
			break
		}
		if err := pause(w, time.Second); err != nil {
			return err
		}
	}
	if err != nil {
		return fmt.Errorf("send lines %d to %d (earlier lines are stored; run it again): %w", batch.lines[0], batch.lines[len(batch.lines)-1], err)
	}
	for i, outcome := range result.Records {
		if outcome.Outcome == drover.RecordRefused && outcome.Reason != nil && i < len(batch.lines) {
			fmt.Fprintln(w.err, badRow{batch.lines[i], *outcome.Reason})
		}
	}
	totals.stored, totals.known, totals.refused = totals.stored+result.Stored, totals.known+result.Known, totals.refused+result.Refused
	*batch = importBatch{}
	return nil
}

// pause waits, unless the program is asked to stop.
func pause(w world, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-w.Done():
		return w.Err()
	}
}
