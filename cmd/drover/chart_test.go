package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestChartCallsCommands runs the help of each command that a container of the chart runs.
func TestChartCallsCommands(t *testing.T) {
	t.Parallel()
	templates, err := filepath.Glob("../../deploy/helm/drover/templates/*")
	if err != nil {
		t.Fatal(err)
	}
	called := 0
	for _, file := range templates {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, command := range regexp.MustCompile(`args: \[(.*)\]`).FindAllStringSubmatch(string(text), -1) {
			succeed(t, "", command[1], "--help")
			called++
		}
	}
	if called != 2 {
		t.Errorf("the chart calls %d commands, want serve and migrate", called)
	}
}
