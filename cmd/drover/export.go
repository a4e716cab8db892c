package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/drover-fleet/drover/client"
)

type exportCommand struct {
	remote
	sinkOptions
	Kind   string        `arg:"" optional:"" help:"device, position, trip, stop, milestone, event, reading, driver, fault or safety_event; none with --sink." enum:"device,position,trip,stop,milestone,event,reading,driver,fault,safety_event," default:"" placeholder:"KIND"`
	Format string        `help:"csv, jsonl, geojson or parquet." default:"csv" enum:"csv,jsonl,geojson,parquet"`
	Filter []string      `short:"f" sep:"none" help:"Filter: a query parameter of the list, name=value; repeatable." placeholder:"NAME=VALUE"`
	Output string        `short:"o" help:"File to write; - is standard output." default:"-" placeholder:"FILE"`
	Keep   bool          `help:"Keep the file at the service too."`
	Every  time.Duration `help:"Time between two checks of the progress." default:"1s" hidden:""`
}

func (exportCommand) Help() string {
	return "Has the service make a file, shows how far it is, fetches it, and has the service forget it. With --sink it keeps Parquet files of the history up to date, beside the service.\n\n" +
		example("drover export trip -f from=2024-05-01T00:00:00Z -o trips.csv",
			"drover export position --format parquet -f device_id=ID -o positions.parquet",
			"drover export --sink s3://fleet/history --repeat 1h")
}

func (c *exportCommand) Run(w world) error {
	switch {
	case c.Sink != "" && c.Kind != "":
		return errors.New("--sink writes all kinds: do not give a kind with it")
	case c.Sink != "":
		return c.run(w)
	case c.Kind == "":
		return errors.New("say what to export: device, position, trip, stop, milestone, event, reading, driver, fault or safety_event; or --sink PLACE")
	}
	// An export that cannot be written would be made for nothing.
	if folder := filepath.Dir(c.Output); c.Output != "-" {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return misused("--output: the folder %s does not exist", folder)
		}
	}
	if len(c.Tenant) > 1 {
		return misused("--tenant: an export is of one tenant")
	}
	service, keep, err := c.open(strings.Join(c.Tenant, ""))
	if err != nil {
		return err
	}
	filters, err := c.filters()
	if err != nil {
		return err
	}
	e, err := service.PostExport(w, client.ExportInput{
		Kind: client.ExportKind(c.Kind), Format: client.ExportFormat(c.Format),
		Filters: client.Some(filters),
	})
	if err != nil {
		return err
	}
	if e, err = c.await(w, service, e); err != nil {
		if w.Err() != nil {
			c.forget(w, service, e)
		}
		return err
	}
	if e.State != client.ExportStateDone {
		return fmt.Errorf("the export is %s: %s", e.State, reason(e))
	}
	if err := c.fetch(w, service, e); err != nil {
		return err
	}
	if !c.Keep {
		c.forget(w, service, e)
	}
	return keep()
}

// filters are those of the command line; a name that is repeated has a list.
func (c *exportCommand) filters() (json.RawMessage, error) {
	values := map[string]any{}
	for _, f := range c.Filter {
		name, value, ok := strings.Cut(f, "=")
		if !ok {
			return nil, misused("--filter %s: must be name=value", f)
		}
		switch before := values[name].(type) {
		case nil:
			values[name] = value
		case string:
			values[name] = []string{before, value}
		case []string:
			values[name] = append(before, value)
		}
	}
	raw, err := json.Marshal(values)
	if err != nil {
		return nil, fmt.Errorf("write filters: %w", err)
	}
	return raw, nil
}

// forget has the service delete an export that no one will ask for again: it would count
// against the tenant's limit until it expires. The first call of one that has not ended
// cancels it.
func (*exportCommand) forget(w world, service *client.Client, e client.Export) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w), 5*time.Second)
	defer cancel()
	err := service.DeleteExport(ctx, e.ID)
	if err == nil && e.State != client.ExportStateDone {
		err = service.DeleteExport(ctx, e.ID)
	}
	if err != nil {
		fmt.Fprintf(w.err, "export %s is still at the service: %v\n", e.ID, err)
	}
}

func reason(e client.Export) string {
	if e.Error == nil {
		return "someone has ended it"
	}
	return *e.Error
}

// await looks at an export until it has ended, and draws a bar on standard error.
func (c *exportCommand) await(w world, service *client.Client, e client.Export) (client.Export, error) {
	const width = 30
	for e.State == client.ExportStateQueued || e.State == client.ExportStateRunning {
		done := int(e.ProgressPercent * width / 100)
		fmt.Fprintf(w.err, "\r[%s%s] %3.0f %% %d records ", strings.Repeat("#", done), strings.Repeat(".", width-done), e.ProgressPercent,
			e.Records)
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
