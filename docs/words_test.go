package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// wordsOut are the words that CONTRIBUTING.md leaves out: in sentences, where vendors and
// vehicles report and do not tell, and as parts of names.
var wordsOut = regexp.MustCompile(`\b([Aa]new|[Ww]hoever|[AaEe](ny|very)body|[Nn]obody|[Ss]omebody|[Ff]oretold)(\b|[A-Z0-9])|` +
	`[a-z0-9](Anew|Whoever|Anybody|Everybody|Nobody|Somebody|Foretold|OfLate)(\b|[A-Z0-9])|\b[Oo]f late\b|` +
	`\b([Vv]endor|[Pp]rovider|[Aa]ccount|[Vv]ehicle|[Tt]racker|feed|fleet)s?( can| may)? (tells?|told)\b`)

var (
	// stems are what a line has that has one of these words, and found sooner.
	stems   = []string{"anew", "Anew", "hoever", "body", "oretold", "late", "Late", " tell", " told"}
	written = map[string]bool{".go": true, ".md": true, ".sql": true, ".ts": true, ".svelte": true, ".py": true}
)

// TestPlainWords reads comments, texts, names and pages. A text without a space is a value, such
// as the user nobody of a machine, and is left alone.
func TestPlainWords(t *testing.T) {
	t.Parallel()
	read := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && slices.Contains([]string{".git", "bin", "dist", "node_modules", "out"}, d.Name()) {
			return orSkip(err)
		}
		if d.IsDir() || !written[filepath.Ext(path)] {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read++
		for i, line := range strings.Split(string(text), "\n") {
			if !slices.ContainsFunc(stems, func(stem string) bool { return strings.Contains(line, stem) }) {
				continue
			}
			if at := wordsOut.FindStringIndex(line); at != nil && !isList(path, line) && !isValue(line, at[0]) {
				t.Errorf("%s:%d: %q is a word that CONTRIBUTING.md leaves out", path, i+1, line[at[0]:at[1]])
			}
		}
		return nil
	})
	if err != nil || read < 500 {
		t.Fatalf("%d files were read: %v", read, err)
	}
}

func orSkip(err error) error {
	if err != nil {
		return err
	}
	return fs.SkipDir
}

// isList reports whether a line is of a list of these words.
func isList(path, line string) bool {
	return strings.HasSuffix(path, "words_test.go") || strings.HasSuffix(path, "source.test.ts") ||
		strings.Contains(line, "anew (again)") || strings.Contains(line, "everybody (everyone)")
}

// isValue reports whether a place of a line is within a quoted text that has no space.
func isValue(line string, at int) bool {
	const quotes = "\"`'"
	begin, end := strings.LastIndexAny(line[:at+1], quotes), strings.IndexAny(line[at+1:], quotes)
	return begin >= 0 && end >= 0 && !strings.Contains(line[begin+1:at+1+end], " ")
}
