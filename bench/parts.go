package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/drover-fleet/drover/bench/traces"
)

// part is a number of figures that can be measured without the others.
type part struct {
	name    string
	measure func(b *bench, ctx context.Context) error
	// optional says that it runs only where it is asked for.
	optional bool
}

// parts are all of them in the order in which they run. The summaries are the
// last of those that use the installations, because they fill them up.
func parts() []part {
	return []part{
		{name: "start", measure: (*bench).start},
		{name: "read", measure: (*bench).reads},
		{name: "against", measure: (*bench).readsAgainst, optional: true},
		{name: "write", measure: (*bench).writes},
		{name: "summary", measure: (*bench).summaries},
		{name: "ingest", measure: (*bench).ingest},
		{name: "readings", measure: (*bench).readings, optional: true},
		{name: "push", measure: (*bench).pushes},
		{name: "live", measure: (*bench).live},
		{name: "beside", measure: (*bench).readsBeside},
		{name: "guess", measure: (*bench).guesses, optional: true},
		{name: "history", measure: (*bench).packing},
		{name: "map", measure: (*bench).newest},
		{name: "tiles", measure: (*bench).tiles},
		{name: "pages", measure: (*bench).tripPages},
		{name: "copy", measure: (*bench).copies, optional: true},
		{name: "export", measure: (*bench).exports},
		{name: "idle", measure: (*bench).idle},
		{name: "deliver", measure: (*bench).deliveries},
		{name: "webhook", measure: (*bench).webhookLag},
		{name: "attack", measure: func(b *bench, ctx context.Context) error { return b.arena().Attacks(ctx) }},
		{name: "listing", measure: func(b *bench, ctx context.Context) error { return b.arena().Listing(ctx) }},
		{name: "lag", measure: (*bench).tripLag, optional: true},
		{name: "tracing", measure: (*bench).tracing, optional: true},
		{name: "citus", measure: (*bench).citus, optional: true},
		{name: "console", measure: (*bench).console, optional: true},
		{name: "view", measure: (*bench).view, optional: true},
		{
			name: "traces", measure: func(b *bench, _ context.Context) error { return traces.Measure(b.tracesDir, &b.table, b.progress) },
			optional: true,
		},
	}
}

func partNames() string {
	var names []string
	for _, p := range parts() {
		names = append(names, p.name)
	}
	return strings.Join(names, ",")
}

// choose returns the parts that a list of names asks for; an empty one asks for
// all that are not optional.
func choose(list string) ([]part, error) {
	names := strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
	for _, name := range names {
		if !slices.ContainsFunc(parts(), func(p part) bool { return p.name == name }) {
			return nil, fmt.Errorf("no part %q; there are %s", name, partNames())
		}
	}
	return slices.DeleteFunc(parts(), func(p part) bool {
		if len(names) == 0 {
			return p.optional
		}
		return !slices.Contains(names, p.name)
	}), nil
}
