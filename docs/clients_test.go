package docs_test

import (
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
