package docs_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
