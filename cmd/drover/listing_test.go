package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestListsPrintJSON holds that every list can be read by a program, and is one also
// where it is empty.
func TestListsPrintJSON(t *testing.T) {
	t.Parallel()
	data := folder(t)
	succeed(t, "", "tenant", "add", "acme", "--data", data)
	succeed(t, "a fine password\n", "user", "add", "--tenant", "acme", "--username", "ann", "--email", "ann@acme.example", "--role", "admin",
		"--data", data)
	for _, command := range []struct {
		line   string
		fields []string // none where the list is empty
	}{
		{"tenant list", []string{"id", "name", "state", "created_at"}},
		{"tenant limit acme", []string{"name", "limit", "used", "default"}},
		{"user list --tenant acme", []string{"id", "tenant_id", "username", "email", "role", "disabled", "created_at"}},
		{"user sessions ann", nil},
		{"connection list", nil},
		{"key list", nil}, // before the first command that needs keys
		{"key rotate", nil},
		{"key list", []string{"purpose", "id", "state", "created_at"}},
		{"eta-report", []string{"before_arrival", "bias"}},
		{"doctor", []string{"check", "ok", "words"}},
		{"provider list", []string{"name", "title", "trips", "poll_seconds", "credentials"}},
	} {
		line, fields := command.line, command.fields
		if line == "key rotate" { // no list: it makes the keys that the next one has
			succeed(t, "", "key", "rotate", "--data", data)
			continue
		}
		args := append(strings.Fields(line), "--json")
		if line != "provider list" {
			args = append(args, "--data", data)
		}
		var records []map[string]any
		text := succeed(t, "", args...)
		if err := json.Unmarshal([]byte(text), &records); err != nil || records == nil {
			t.Errorf("drover %s --json prints %s: %v", line, text, err)
			continue
		}
		if (len(fields) > 0) != (len(records) > 0) {
			t.Errorf("drover %s --json prints %s", line, text)
			continue
		}
		for _, f := range fields {
			if _, ok := records[0][f]; !ok {
				t.Errorf("drover %s --json lacks %s: %s", line, f, text)
			}
		}
	}
}

// TestEveryListHasJSON finds lists that were added without it.
func TestEveryListHasJSON(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&cli{})
	if err != nil {
		t.Fatal(err)
	}
	lists := 0
	for _, leaf := range parser.Model.Leaves(false) {
		if leaf.Name != "list" && !strings.Contains(leaf.Help, "List ") {
			continue
		}
		lists++
		has := false
		for _, f := range leaf.Flags {
			has = has || f.Name == "json"
		}
		if !has {
			t.Errorf("drover%s has no --json", strings.TrimPrefix(leaf.FullPath(), parser.Model.Name))
		}
	}
	if lists < 6 {
		t.Errorf("only %d lists were found", lists)
	}
}
