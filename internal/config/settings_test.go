package config_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/config"
)

var update = flag.Bool("update", false, "write the table of docs/settings.md instead of comparing it")

const (
	settingsPage = "../../docs/settings.md"
	tableBegin   = "<!-- settings: written by make generate -->\n"
	tableEnd     = "<!-- end of settings -->\n"
)

// TestSettingsPage compares the table in docs/settings.md with the flags.
func TestSettingsPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(settingsPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(text), tableBegin)
	stored, after, ended := strings.Cut(rest, tableEnd)
	if !begun || !ended {
		t.Fatal("docs/settings.md has lost the marks around its table of settings")
	}
	want := settingsTable(t)
	if *update {
		if err := os.WriteFile(settingsPage, []byte(before+tableBegin+want+tableEnd+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, stored); diff != "" {
		t.Errorf("the settings in docs/settings.md differ from the flags; run make generate (-want +got):\n%s", diff)
	}
}

func settingsTable(t *testing.T) string {
	t.Helper()
	parser, err := kong.New(&config.Serve{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| flag | variable | default | meaning |\n|---|---|---|---|\n")
	for _, f := range parser.Model.Flags {
		if f.Name == "help" {
			continue
		}
		fmt.Fprintf(&b, "| `--%s` | `%s` | %s | %s |\n", f.Name, strings.Join(f.Envs, "`, `"), code(f.Default), f.Help)
	}
	return b.String()
}

// code prints a default; a setting without one is empty.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}
