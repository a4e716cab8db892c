// Package docs_test holds the documentation to the code that it is about.
package docs_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/api"
)

var update = flag.Bool("update", false, "write reference.md instead of comparing it")

// TestReferenceIsWritten holds reference.md to the OpenAPI document.
func TestReferenceIsWritten(t *testing.T) {
	t.Parallel()
	text, err := api.Document("")
	if err != nil {
		t.Fatal(err)
	}
	want := reference(t, text)
	if *update {
		if err := os.WriteFile("reference.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	stored, err := os.ReadFile("reference.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(stored)); diff != "" {
		t.Errorf("docs/reference.md differs from the interface; run make generate (-want +got):\n%s", diff)
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	dropped = regexp.MustCompile("[^a-z0-9 _-]")
)

// TestLinksLead follows every link between the project's own pages, to the page
// and to the heading.
func TestLinksLead(t *testing.T) {
	t.Parallel()
	anchors := map[string]map[string]bool{}
	for _, page := range pages(t) {
		text := read(t, page)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(m[1], "://") {
				continue
			}
			to := page
			if target != "" {
				to = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", page, m[1])
				continue
			}
			if anchor == "" {
				continue
			}
			if anchors[to] == nil {
				anchors[to] = headings(read(t, to))
			}
			if !anchors[to][anchor] {
				t.Errorf("%s: %s has no heading for the link to %s", page, to, m[1])
			}
		}
	}
}

// TestArchitectureFits holds the prose of ARCHITECTURE.md to 120 columns, so that it is
// read beside code. A row of a table may be wider.
func TestArchitectureFits(t *testing.T) {
	t.Parallel()
	for i, line := range strings.Split(read(t, "../ARCHITECTURE.md"), "\n") {
		if n := utf8.RuneCountInString(line); n > 120 && !strings.HasPrefix(line, "|") {
			t.Errorf("ARCHITECTURE.md:%d has %d columns: %s", i+1, n, line)
		}
	}
}

// pages are those at the root of the project and all below docs.
func pages(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("../*.md")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// headings are the anchors of a page.
func headings(text string) map[string]bool {
	anchors := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		anchors[anchorOf(m[1])] = true
	}
	return anchors
}

// anchorOf makes the anchor of a heading as GitHub does.
func anchorOf(heading string) string {
	return strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}
