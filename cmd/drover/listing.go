package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"
)

// listing is a list that people read in columns, and programs as JSON.
type listing struct {
	JSON bool `help:"Print JSON." name:"json"`
}

// print shows rows, of which the first is the heading, or the records that they are of.
func (l listing) print(w world, rows [][]string, records any) error {
	if l.JSON {
		return printJSON(w, records)
	}
	return table(w, rows)
}

// printJSON prints a value over several lines.
func printJSON(w world, value any) error {
	enc := json.NewEncoder(w.out)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	return nil
}

// table prints rows in columns.
func table(w world, rows [][]string) error {
	t := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(t, "\t")
			}
			fmt.Fprint(t, cell)
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}
