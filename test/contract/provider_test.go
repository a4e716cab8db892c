package contract_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// checkProviders checks the form of every provider; what each one says of itself
// is for its own tests.
func checkProviders(t *testing.T, s *service) {
	t.Helper()
	providers, _ := get[[]map[string]any](t, s, vera, "/provider")
	var names []string
	for _, p := range providers {
		name, _ := p["name"].(string)
		names = append(names, name)
		want := []string{"credentials", "driver_assignments", "faults", "features", "homepage", "limits", "name", "notes", "polling", "readings", "safety_types", "title"}
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(p))); diff != "" {
			t.Errorf("fields of %s (-want +got):\n%s", name, diff)
		}
		credentials, ok := p["credentials"].([]any)
		if !ok || len(credentials) == 0 {
			t.Errorf("%s has the credentials %v", name, p["credentials"])
		}
	}
	if !slices.Contains(names, "traccar") || !slices.IsSorted(names) {
		t.Errorf("providers are %v, want them by name with traccar", names)
	}
}
