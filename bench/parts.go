package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// part is a number of figures that can be measured without the others.
type part struct {
	name    string
	measure func(b *bench, ctx context.Context) error
}

// parts are all of them in the order in which they run. The summaries are the
// last of those that use the installations, because they fill them up.
func parts() []part {
	return []part{
		{name: "start", measure: (*bench).start},
		{name: "read", measure: (*bench).reads},
		{name: "write", measure: (*bench).writes},
		{name: "scale", measure: (*bench).scale},
		{name: "summary", measure: (*bench).summaries},
		{name: "ingest", measure: (*bench).ingest},
		{name: "idle", measure: (*bench).idle},
		{name: "deliver", measure: (*bench).deliveries},
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
// all.
func choose(list string) ([]part, error) {
	names := strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
	for _, name := range names {
		if !slices.ContainsFunc(parts(), func(p part) bool { return p.name == name }) {
			return nil, fmt.Errorf("no part %q; there are %s", name, partNames())
		}
	}
	return slices.DeleteFunc(parts(), func(p part) bool {
		return len(names) > 0 && !slices.Contains(names, p.name)
	}), nil
}
