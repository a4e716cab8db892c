package config_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/config"
)

const chart = "../../deploy/helm/drover"

// chartOwn are the settings that the chart decides by itself, and those that name files: its
// containers have none.
var chartOwn = []string{
	"data", "database-file", "master-key-file", "master-key-command", "role", "listen", "operator-listen", "tls-cert", "tls-key",
}

// TestChartTakesEverySetting holds the names of settings in the chart's schema to the flags:
// what the program does not know, and a secret that would stand in clear, is refused before
// anything is installed.
func TestChartTakesEverySetting(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&config.Serve{})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string][]string{}
	var variables []string
	for _, f := range parser.Model.Flags {
		variables = append(variables, f.Envs...)
		if f.Name == "help" || slices.Contains(chartOwn, f.Name) {
			continue
		}
		if want := "DROVER_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")); !slices.Contains(f.Envs, want) {
			t.Errorf("the chart would set %s, which is no variable of --%s", want, f.Name)
		}
		kind := "settings"
		if f.Tag.Get("secret") != "" {
			kind = "secrets"
		}
		names[kind] = append(names[kind], f.Name)
	}
	holdSchema(t, names)
	templates, err := filepath.Glob(chart + "/templates/*")
	if err != nil || len(templates) == 0 {
		t.Fatalf("there are no templates: %v", err)
	}
	for _, file := range templates {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, variable := range regexp.MustCompile(`DROVER_[A-Z_]*[A-Z]\b`).FindAllString(string(text), -1) {
			if !slices.Contains(variables, variable) {
				t.Errorf("%s sets %s, which is no variable of the program", file, variable)
			}
		}
	}
}

// holdSchema compares the names that the schema takes, or writes them.
func holdSchema(t *testing.T, names map[string][]string) {
	t.Helper()
	file := chart + "/values.schema.json"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	for kind, want := range names {
		slices.Sort(want)
		rule := schema["properties"].(map[string]any)[kind].(map[string]any)["propertyNames"].(map[string]any)
		var got []string
		for _, name := range rule["enum"].([]any) {
			got = append(got, name.(string))
		}
		if diff := cmp.Diff(want, got); diff != "" && !*update {
			t.Errorf("the %s of the chart differ from the flags; run make generate (-want +got):\n%s", kind, diff)
		}
		rule["enum"] = want
	}
	if !*update {
		return
	}
	if text, err = json.MarshalIndent(schema, "", "  "); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(text, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
}
