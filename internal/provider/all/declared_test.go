package all_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider/all"
)

// TestWhatFilesExpress holds that the guide says of each provider, once and in the order of their
// names, how far a file goes, that its sums are right, and that those which a file expresses in
// whole are those that have one in the tests.
func TestWhatFilesExpress(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../docs/any-vendor.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(guide), "### How far it goes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := map[string][]string{}
	for line := range strings.Lines(section) {
		if cells := strings.Split(strings.Trim(line, "| \n"), " | "); len(cells) > 1 {
			rows[cells[0]] = append(rows[cells[0]], cells[1:]...)
		}
	}
	whole, part := 0, 0
	for _, name := range drover.ProviderNames {
		said := rows[all.Providers()[name].Title]
		if len(said) != 2 || len(said[1]) < 20 {
			t.Errorf("the guide says of %s %q", name, said)
			continue
		}
		_, err := os.Stat(filepath.Join("..", "declared", "testdata", string(name)+".yaml"))
		if written := err == nil; written != (said[0] == "in whole") {
			t.Errorf("of %s the guide says %q, and that the tests have a file is %t", name, said[0], written)
		}
		switch how, what, _ := strings.Cut(said[0], ": "); {
		case how == "in whole" && what == "":
			whole++
		case how == "in part" && what != "":
			part++
		case said[0] != "no":
			t.Errorf("of %s the guide says %q", name, said[0])
		}
	}
	sums := fmt.Sprintf("a file expresses %d in whole, %d in part, and %d not at all", whole, part, len(drover.ProviderNames)-whole-part)
	if !strings.Contains(section, sums) {
		t.Errorf("the guide does not say that %s", sums)
	}
	if want := len(drover.ProviderNames) + 1; len(rows) != want {
		t.Errorf("the table has %d rows with its head, and should have %d", len(rows), want)
	}
}
