package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/drover-fleet/drover/internal/api"
	"github.com/drover-fleet/drover/internal/api/openapi"
)

// TestRightsNamesEveryOperation holds that both tables are whole, and that each says what
// two operations are known for.
func TestRightsNamesEveryOperation(t *testing.T) {
	t.Parallel()
	rights, shares, _ := strings.Cut(succeed(t, "", "rights"), "\n\n")
	for _, o := range api.Operations() {
		if name := o.Method + " " + o.Path + " "; !strings.Contains(rights, name) || ofTenants(o) && !strings.Contains(shares, name) {
			t.Errorf("%s is missing", name)
		}
	}
	for table, lines := range map[string][]string{
		rights: {
			"OPERATION anyone admin member viewer key:read key:write key:secrets key:admin key:push" +
				" operator:tenants:read operator:tenants:write operator:usage:read operator:audit:read operator:act",
			"POST /token yes yes yes yes yes yes yes yes yes yes yes yes yes yes",
			"POST /webhook - yes yes - - yes - - - - - - - yes",
			"POST /connection/{connection_id}/record - yes yes - - - - - yes - - - - yes",
			"GET /connection/{connection_id}/credentials - yes - - - - yes - - - - - - yes",
			"PATCH /user/me - yes yes yes - - - - - - - - - -",
			"GET /operator/audit - - - - - - - - - - - - yes -",
		},
		shares: {
			"GET /trip/{trip_id}/path needed - - -", "GET /position shows more shows more - -", "GET /device/{device_id}/reading - - needed -",
			"GET /safety-event/{safety_event_id} shows more shows more - needed",
			"GET /event shows more shows more shows more shows more", "GET /stream shows more shows more shows more shows more",
		},
	} {
		var rows []string
		for line := range strings.Lines(table) {
			rows = append(rows, strings.Join(strings.Fields(line), " "))
		}
		for _, line := range lines {
			if !slices.Contains(rows, line) {
				t.Errorf("%q is missing in %q", line, rows)
			}
		}
	}
}

// ofTenants reports whether an operation reads what a tenant may have of another.
func ofTenants(o openapi.Operation) bool {
	return o.Method == "GET" && !o.Public && len(o.Operator) == 0
}
