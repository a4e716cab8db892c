package main

import (
	"fmt"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api"
	"github.com/drover-fleet/drover/internal/api/openapi"
)

// rightsCommand prints who may call what, as the routes of the service have it.
type rightsCommand struct{}

// Help shows an example.
func (rightsCommand) Help() string { return example("drover rights") }

// Run prints two tables: operations by callers, and by the scopes of a share.
func (rightsCommand) Run(w world) error {
	if err := table(w, rightsTable(api.Operations())); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w.out); err != nil {
		return err
	}
	return table(w, scopesTable(api.Operations()))
}

func rightsTable(operations []openapi.Operation) [][]string {
	head := []string{"OPERATION"}
	for _, c := range openapi.Callers() {
		head = append(head, c.Name)
	}
	rows := [][]string{head}
	for _, o := range operations {
		row := []string{o.Method + " " + o.Path}
		for _, c := range openapi.Callers() {
			row = append(row, marked(o.Allows(c), "yes"))
		}
		rows = append(rows, row)
	}
	return rows
}

// scopesTable has what of a share is refused without a scope, and what is left out.
func scopesTable(operations []openapi.Operation) [][]string {
	head := []string{"OF A SHARE"}
	for _, scope := range drover.ShareScopes {
		head = append(head, string(scope))
	}
	rows := [][]string{head}
	for _, o := range operations {
		if o.Public || o.Method != "GET" || len(o.Operator) > 0 {
			continue
		}
		row := []string{o.Method + " " + o.Path}
		for _, scope := range drover.ShareScopes {
			text := marked(slices.Contains(o.Shows, scope), "shows more")
			if o.OfShare == scope {
				text = "needed"
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	return rows
}

func marked(is bool, text string) string {
	if is {
		return text
	}
	return "-"
}
