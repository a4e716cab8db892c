package providertest

import (
	"os"
	"strings"
	"testing"
)

// Deviations holds the table of deviations on the page of a provider to those that its fakes
// have: each row is served by one, so that the suite runs on it.
func Deviations(t *testing.T, page string, served map[string]bool) {
	t.Helper()
	text, err := os.ReadFile("../../../../docs/providers/" + page + ".md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n## Deviations\n")
	part, _, _ := strings.Cut(rest, "\n## ")
	rows := 0
	for line := range strings.Lines(part) {
		cells := strings.Split(line, " | ")
		if len(cells) != 3 || cells[1] == "what" {
			continue
		}
		if rows++; !served[cells[1]] {
			t.Errorf("no fake serves this deviation: %s", cells[1])
		}
		delete(served, cells[1])
	}
	if rows == 0 {
		t.Error("the page has no deviations")
	}
	for left := range served {
		t.Errorf("the page lacks a deviation that a fake serves: %s", left)
	}
}
