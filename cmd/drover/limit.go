package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/identity"
	"github.com/drover-fleet/drover/internal/store"
)

type tenantLimit struct {
	tenantName
	listing
	Set   map[string]int64 `help:"Limit to set, as NAME=N; repeatable." placeholder:"NAME=N" mapsep:","`
	Unset []string         `help:"Limit to reset to its default; repeatable." placeholder:"NAME"`
}

func (tenantLimit) Help() string {
	return example("drover tenant limit northern-haulage", "drover tenant limit northern-haulage --set devices=5000,webhooks=20",
		"drover tenant limit northern-haulage --unset devices")
}

// Check is called by the command line.
func (c *tenantLimit) Check() error {
	for _, name := range append(slices.Sorted(maps.Keys(c.Set)), c.Unset...) {
		if !drover.Quota(name).Known() {
			return fmt.Errorf("there is no limit named %q; the limits are %s", name, quotaNames())
		}
		if n, ok := c.Set[name]; ok && n < 0 {
			return fmt.Errorf("%s must not be negative", name)
		}
		if _, both := c.Set[name]; both && slices.Contains(c.Unset, name) {
			return fmt.Errorf("%s is both set and unset", name)
		}
	}
	return nil
}

func quotaNames() string {
	var names []string
	for _, q := range drover.Quotas() {
		names = append(names, string(q))
	}
	return strings.Join(names, ", ")
}

func (c *tenantLimit) Run(w world) error {
	with, changes := withExisting, len(c.Set) > 0 || len(c.Unset) > 0
	if changes {
		with = withStore
	}
	return with(w, c.Store, c.Log, func(s *store.Store) error {
		t, err := findTenant(w, s, c.Name)
		if err != nil {
			return err
		}
		if changes {
			_, err := directory(s).UpdateTenant(asking(w, "tenant.limit.update", "tenant", t.ID), identity.CommandLine, t.ID,
				drover.TenantUpdate{Limits: c.changes()})
			if err != nil {
				return err
			}
		}
		return c.print(w, s, t.ID)
	})
}

func (c *tenantLimit) changes() []drover.LimitInput {
	var out []drover.LimitInput
	for _, name := range slices.Sorted(maps.Keys(c.Set)) {
		out = append(out, drover.LimitInput{Name: drover.Quota(name), Limit: new(c.Set[name])})
	}
	for _, name := range c.Unset {
		out = append(out, drover.LimitInput{Name: drover.Quota(name)})
	}
	return out
}

// print shows all limits. What is open on a running service is not known here.
func (c *tenantLimit) print(w world, s *store.Store, tenantID string) error {
	type row struct {
		drover.AccountLimit
		Default int64 `json:"default"`
	}
	var rows []row
	cells := [][]string{{"NAME", "LIMIT", "USED", "DEFAULT"}}
	for _, q := range drover.Quotas() {
		limit, err := s.Accounts.Limit(w, tenantID, q)
		if err != nil {
			return err
		}
		used, err := s.Accounts.Used(w, tenantID, q)
		if err != nil {
			return err
		}
		rows = append(rows, row{drover.AccountLimit{Name: q, Limit: limit, Used: used}, q.Default()})
		shown := strconv.FormatInt(used, 10)
		if q == drover.QuotaStreams || q == drover.QuotaRequestsPerMinute {
			shown = "-"
		}
		cells = append(cells, []string{string(q), strconv.FormatInt(limit, 10), shown, strconv.FormatInt(q.Default(), 10)})
	}
	return c.listing.print(w, cells, rows)
}
