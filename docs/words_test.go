package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// wordsOut are the words that CONTRIBUTING.md leaves out.
var wordsOut = regexp.MustCompile(`\b([Aa]new|[Ww]hoever|[Nn]obody|[Ss]omebody|[Ee]verybody|[Ff]oretold|[Oo]f late)\b`)

// TestPlainWords reads comments, texts and pages. What has no space is a name or a value, such as
// the user nobody of a machine, and is left alone.
func TestPlainWords(t *testing.T) {
	t.Parallel()
	read := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "node_modules" || d.Name() == "bin" || d.Name() == ".git") {
			return orSkip(err)
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".md") && !strings.HasSuffix(path, ".sql") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read++
		for i, line := range strings.Split(string(text), "\n") {
			if word := wordsOut.FindString(line); word != "" && said(path, line) {
				t.Errorf("%s:%d: %q is a word that CONTRIBUTING.md leaves out", path, i+1, word)
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

// said reports whether the words of a line are for people: the list itself is not, nor is a name in
// the code.
func said(path, line string) bool {
	if strings.HasSuffix(path, "words_test.go") || strings.Contains(line, "anew (again)") || strings.Contains(line, "everybody (everyone)") {
		return false
	}
	if !strings.HasSuffix(path, ".go") {
		return true
	}
	comment := strings.Index(line, "//")
	at := wordsOut.FindStringIndex(line)[0]
	return comment >= 0 && comment < at || inText(line, at)
}

// inText reports whether a place of a line is within a text that has a space.
func inText(line string, at int) bool {
	begin := strings.LastIndexAny(line[:at], "\"`")
	end := strings.IndexAny(line[at:], "\"`")
	return begin >= 0 && end >= 0 && strings.Contains(strings.TrimSpace(line[begin+1:at+end]), " ")
}
