//go:build citus || faults

package e2e

import "testing"

// noError ends a test that cannot go on.
func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
