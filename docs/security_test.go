package docs_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestNamedTestsExist wants every test that security.md names to be there.
func TestNamedTestsExist(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("security.md")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	tree := os.DirFS("..")
	err = fs.WalkDir(tree, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "node_modules":
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		source, err := fs.ReadFile(tree, path)
		for _, match := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(source, -1) {
			there[string(match[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`(Test\\w+)").FindAllStringSubmatch(string(text), -1)
	if len(names) < 50 {
		t.Errorf("only %d tests are named", len(names))
	}
	for _, name := range names {
		if !there[name[1]] {
			t.Errorf("there is no %s", name[1])
		}
	}
}
