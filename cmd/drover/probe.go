package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
)

type connectionProbe struct {
	connectionID
	listing
}

func (connectionProbe) Help() string {
	return example("drover connection probe northern-haulage", "drover connection probe 0197a3c4-7d5e-7b1a-9c2d-3e4f5a6b7c8d --json") +
		"\n\nIt logs in and reads a page of devices, of positions and of trips of the last day, within the provider's limits, and stores nothing. The report has the calls, " +
		"the fields that were seen and in which form, what is otherwise than expected, and timings: no credentials, plates, names or places. Look it through before you send it."
}

func (c *connectionProbe) Run(w world) error {
	return c.find(w, func(a *app.App, conn drover.Connection) error {
		report, err := a.Collector.Probe(w, conn.TenantID, conn.ID)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(w, report)
		}
		return printProbe(w, report)
	})
}

// printProbe writes a report for people.
func printProbe(w world, r drover.ProbeReport) error {
	fmt.Fprintf(w.out, "%s, by %s at %s\n\n", r.Provider, r.Version, r.At)
	rows := [][]string{{"STEP", "OUTCOME", "RECORDS", "MORE", "TIME", "HAS"}}
	for _, s := range r.Steps {
		outcome := "ok"
		if s.Error != nil {
			outcome = *s.ErrorKind
		}
		rows = append(rows, []string{
			s.Name, outcome, fmt.Sprint(s.Records), fmt.Sprint(s.More), fmt.Sprintf("%d ms", s.Milliseconds),
			counted(s.Coverage),
		})
	}
	if err := table(w, rows); err != nil {
		return err
	}
	for _, s := range r.Steps {
		for _, call := range s.Calls {
			fmt.Fprintf(w.out, "\n%s: %s %s %s: %d, %s, %d bytes, %d ms\n", s.Name, call.Method, call.Path, strings.Join(call.Query, " "),
				call.Status, call.ContentType, call.Bytes, call.Milliseconds)
			for _, field := range call.Fields {
				fmt.Fprintf(w.out, "  %s\n", field)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Forms)) {
		fmt.Fprintf(w.out, "\nseen: %s is %s\n", name, r.Forms[name])
	}
	fmt.Fprintf(w.out, "\n%d deviations\n", len(r.Deviations))
	for _, text := range r.Deviations {
		fmt.Fprintf(w.out, "- %s\n", text)
	}
	return nil
}

func counted(of map[string]int) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		out = append(out, fmt.Sprintf("%s %d", name, of[name]))
	}
	return strings.Join(out, ", ")
}
