package docs_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/client"
	"github.com/drover-fleet/drover/internal/api"
	"github.com/drover-fleet/drover/internal/api/clientgen"
)

// TestClientsAreWritten holds the generated parts of the clients to the OpenAPI document.
// It is not parallel: the next test reads what it may write.
func TestClientsAreWritten(t *testing.T) {
	text, err := api.Document("")
	if err != nil {
		t.Fatal(err)
	}
	for path, write := range map[string]func([]byte) ([]byte, error){
		"../client/types.go":                             clientgen.GoTypes,
		"../client/operations.go":                        clientgen.GoOperations,
		"../clients/python/drover_client/_operations.py": clientgen.PythonOperations,
		"../clients/python/drover_client/types.py":       clientgen.PythonTypes,
		"../clients/python/drover_client/_version.py":    always("__version__ = \"" + client.Version + "\"\n"),
		"../clients/typescript/src/version.ts": always("/** The version of this client. */\nexport const version = '" +
			client.Version + "';\n"),
		"../clients/typescript/package.json":      versioned(t, "../clients/typescript/package.json", 1),
		"../clients/typescript/package-lock.json": versioned(t, "../clients/typescript/package-lock.json", 2),
		"../clients/python/LICENSE":               always(read(t, "../LICENSE")),
		"../clients/typescript/LICENSE":           always(read(t, "../LICENSE")),
	} {
		want, err := write(text)
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(string(want), read(t, path)); diff != "" {
			t.Errorf("%s differs from the interface; run make generate (-want +got):\n%s", path, diff)
		}
	}
}

// TestExamplesOfCopies holds that the clients' tests run what the page on copies shows.
func TestExamplesOfCopies(t *testing.T) {
	t.Parallel()
	plain := func(code string) string { return regexp.MustCompile(`(?m)^\s+`).ReplaceAllString(code, "") }
	for language, path := range map[string]string{
		"go": "../client/changes_test.go", "ts": "../clients/typescript/test/client.test.ts", "python": "../clients/python/test_client.py",
	} {
		_, code, _ := strings.Cut(read(t, "copy.md"), "```"+language+"\n")
		if code, _, _ = strings.Cut(code, "```"); code == "" || !strings.Contains(plain(read(t, path)), plain(code)) {
			t.Errorf("%s does not run\n%s", path, code)
		}
	}
}

// TestReadmesOfPackages: a registry shows them where the other pages are not.
func TestReadmesOfPackages(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"../clients/python/README.md", "../clients/typescript/README.md"} {
		links := regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(read(t, path), -1)
		if len(links) == 0 {
			t.Errorf("%s links nothing", path)
		}
		for _, link := range links {
			if !strings.HasPrefix(link[1], "https://") {
				t.Errorf("%s links %s, which a registry does not have", path, link[1])
			}
		}
	}
}

// always writes a text, whatever the interface is.
func always(text string) func([]byte) ([]byte, error) {
	return func([]byte) ([]byte, error) { return []byte(text), nil }
}

var packageVersion = regexp.MustCompile(`("name": "drover-client",\s+"version": )"[^"]*"`)

// versioned is a file of npm with the version of the clients, in so many places.
func versioned(t *testing.T, path string, places int) func([]byte) ([]byte, error) {
	t.Helper()
	text := read(t, path)
	if n := len(packageVersion.FindAllString(text, -1)); n != places {
		t.Errorf("%s has %d versions, want %d", path, n, places)
	}
	return always(packageVersion.ReplaceAllString(text, `${1}"`+client.Version+`"`))
}

// TestClientsHaveEveryOperation also sees those that are written by hand.
func TestClientsHaveEveryOperation(t *testing.T) {
	text, err := api.Document("")
	if err != nil {
		t.Fatal(err)
	}
	ids, err := clientgen.Operations(text)
	if err != nil {
		t.Fatal(err)
	}
	golang := read(t, "../client/operations.go") + read(t, "../client/operation.go") + read(t, "../client/stream.go")
	python := read(t, "../clients/python/drover_client/_operations.py") + read(t, "../clients/python/drover_client/__init__.py")
	for _, id := range ids {
		if !strings.Contains(golang, "\nfunc (c *Client) "+strings.ToUpper(id[:1])+id[1:]+"(") {
			t.Errorf("the Go client has no method for %s", id)
		}
		if !strings.Contains(python, "    def "+clientgen.PythonName(id)+"(self") {
			t.Errorf("the Python client has no method for %s", id)
		}
	}
}

// TestClientsCopyEveryList holds the lists of changes that the clients know to the document.
func TestClientsCopyEveryList(t *testing.T) {
	text, err := api.Document("")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	golang, python := read(t, "../client/changes.go"), read(t, "../clients/python/drover_client/__init__.py")
	typescript := read(t, "../clients/typescript/src/drover.ts")
	lists := 0
	for path, methods := range document.Paths {
		if methods["get"]["x-deleted-row"] == nil {
			continue
		}
		lists++
		if !strings.Contains(golang, path) || !strings.Contains(python, `Literal["`+path+`"]`) || !strings.Contains(typescript, "'"+path+"': ") {
			t.Errorf("a client has no copy of %s", path)
		}
	}
	if lists < 9 {
		t.Errorf("%d lists have changes, want 9 at least", lists)
	}
}
