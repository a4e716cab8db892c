//go:build clients

package e2e

import (
	"context"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/drover-fleet/drover/test/e2e/world"
)

var journeyLine = regexp.MustCompile(`^4 devices, [1-9]\d* trips\n$`)

// TestOtherClientsJourney runs the journeys of the clients in other languages, each by
// its client alone.
func TestOtherClientsJourney(t *testing.T) {
	t.Parallel()
	p := serve(t, newSite(t, "sqlite"), collecting...)
	connection := sandboxConnection(t)
	for name, command := range map[string][]string{
		"Python":     {"python3", "../../clients/python/journey.py"},
		"TypeScript": {"node", "../../clients/typescript/dist/test/journey.js"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			args := append(command[1:], "http://"+p.address, world.Admin, world.Password, connection)
			out, err := exec.CommandContext(ctx, command[0], args...).CombinedOutput()
			if err != nil || !journeyLine.Match(out) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
