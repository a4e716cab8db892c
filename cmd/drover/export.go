package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/drover-fleet/drover/client"
)

type exportCommand struct {
	remote
	sinkOptions
	Kind   string        `arg:"" optional:"" help:"device, position, trip, stand, milestone or event; none with --sink." enum:"device,position,trip,stand,milestone,event," default:"" placeholder:"KIND"`
	Format string        `help:"csv, jsonl, geojson or parquet." default:"csv" enum:"csv,jsonl,geojson,parquet"`
	Filter []string      `short:"f" sep:"none" help:"Which records: a query parameter of the list, name=value; repeatable." placeholder:"NAME=VALUE"`
	Output string        `short:"o" help:"File to write; - is standard output." default:"-" placeholder:"FILE"`
	Every  time.Duration `help:"Time between two looks at the progress." default:"1s" hidden:""`
}

func (exportCommand) Help() string {
	return "Has the service make a file, shows how far it is, and fetches it. With --sink it keeps Parquet files of the history up to date, beside the service.\n\n" +
		example("drover export trip -f from=2024-05-01T00:00:00Z -o trips.csv", "drover export position --format parquet -f device_id=ID -o positions.parquet",
			"drover export --sink s3://fleet/history --repeat 1h")
}

func (c *exportCommand) Run(w world) error {
	switch {
	case c.Sink != "" && c.Kind != "":
		return errors.New("--sink writes positions of packed days: give no kind with it")
	case c.Sink != "":
		return c.run(w)
	case c.Kind == "":
		return errors.New("say what to export: device, position, trip, stand, milestone or event; or --sink PLACE")
	}
	service, keep, err := c.open()
	if err != nil {
		return err
	}
	filters := map[string]string{}
	for _, f := range c.Filter {
		name, value, ok := strings.Cut(f, "=")
		if !ok {
			return misused("--filter %s: a filter is name=value", f)
		}
		filters[name] = value
	}
	raw, err := json.Marshal(filters)
	if err != nil {
		return fmt.Errorf("write filters: %w", err)
	}
	e, err := service.PostExport(w, client.ExportInput{Kind: client.ExportKind(c.Kind), Format: client.ExportFormat(c.Format), Filters: client.Some(json.RawMessage(raw))})
	if err != nil {
		return err
	}
	if e, err = c.await(w, service, e); err != nil {
		return err
	}
	if e.State != client.ExportStateDone {
		return fmt.Errorf("the export is %s: %s", e.State, reason(e))
	}
	if err := c.fetch(w, service, e); err != nil {
		return err
	}
	return keep()
}

func reason(e client.Export) string {
	if e.Error == nil {
		return "somebody has ended it"
	}
	return *e.Error
}

// await looks at an export until it has ended, and draws a bar on standard error.
func (c *exportCommand) await(w world, service *client.Client, e client.Export) (client.Export, error) {
	const width = 30
	for e.State == client.ExportStateQueued || e.State == client.ExportStateRunning {
		done := int(e.ProgressPercent * width / 100)
		fmt.Fprintf(w.err, "\r[%s%s] %3.0f %% %d records ", strings.Repeat("#", done), strings.Repeat(".", width-done), e.ProgressPercent, e.Records)
		select {
		case <-w.Done():
			return e, w.Err()
		case <-time.After(c.Every):
		}
		var err error
		if e, err = service.GetExport(w, e.ID); err != nil {
			return e, err
		}
	}
	fmt.Fprintf(w.err, "\r[%s] %s: %d records, %d bytes\n", strings.Repeat("#", width), e.State, e.Records, e.Bytes)
	return e, nil
}

func (c *exportCommand) fetch(w world, service *client.Client, e client.Export) (err error) {
	out := w.out
	if c.Output != "-" {
		file, err := os.OpenFile(c.Output, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("write the file: %w", err)
		}
		defer func() {
			if closing := file.Close(); err == nil {
				err = closing
			}
		}()
		out = file
	}
	_, err = service.GetExportFile(w, e.ID, out)
	return err
}
