package storetest

import (
	"strings"
	"testing"
)

// TestTenancyTracer shows that the rules find what breaks them.
func TestTenancyTracer(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"SELECT id FROM device WHERE tenant_id = $1":    "",
		"SELECT id FROM device WHERE active":            "a statement on device names no tenant",
		"DELETE FROM trip WHERE id = $1":                "a statement on trip names no tenant",
		"INSERT INTO tag (tenant_id, id) VALUES ($1)":   "",
		"INSERT INTO tag (id, tenant_id) VALUES ($1)":   "a statement on tag names no tenant",
		"SELECT name FROM tenant ORDER BY name":         "",
		"SELECT version FROM auth_version WHERE one=1":  "",
		"UPDATE webhook SET enabled = $2 WHERE id = $1": "a statement on webhook names no tenant",
	} {
		if got := namesNoTenant(query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if got := writtenTenant("UPDATE trip SET reported = $1 WHERE tenant_id = $2",
		[]any{true, strings.Repeat("a", 36)}); got != strings.Repeat("a", 36) {
		t.Errorf("the tenant of a write is %q", got)
	}
}
