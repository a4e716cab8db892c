package contract_test

import (
	"slices"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api"
)

// nothingPosted are the operations that answer a POST with data, none of which is another tenant's.
// One that is not known here fails the test.
var nothingPosted = []string{
	"/account/sso/test", "/account/webhook-secret", "/api-key", "/connection", "/connection-link", "/connection/test",
	"/connection/{connection_id}/inbound", "/connection/{connection_id}/record", "/connection/{connection_id}/share",
	"/connection/{connection_id}/sync", "/device/tag", "/device/{device_id}/note", "/export", "/milestone",
	"/milestone/{milestone_id}/replay", "/milestone/{milestone_id}/share", "/milestone/{milestone_id}/test", "/share-code",
	"/share/{share_id}/accept", "/trip-recompute", "/user", "/user/me/passkey", "/user/me/passkey/start",
	"/user/me/second-factor", "/user/me/second-factor/confirm", "/user/me/second-factor/passkey",
	"/user/me/second-factor/recovery-code", "/user/me/second-factor/verify", "/webhook", "/webhook/{webhook_id}/replay",
	"/webhook/{webhook_id}/rotate-secret", "/webhook/{webhook_id}/test",
}

// TestScopesOfRoutes holds what the routes say of shares, which `drover rights` prints, to
// what TestScopes reads.
func TestScopesOfRoutes(t *testing.T) {
	t.Parallel()
	for _, o := range api.Operations() {
		s, known := sharedBy[o.Path]
		if o.Method == "POST" && !o.Public && len(o.Operator) == 0 && o.Result != nil && !slices.Contains(nothingPosted, o.Path) {
			t.Errorf("POST %s: say in nothingPosted that its answer shows nothing of what is shared, and hold it if it does", o.Path)
		}
		if o.Method != "GET" || o.Public || len(o.Operator) > 0 { // public ones are in publicReads
			continue
		}
		if !known {
			t.Errorf("GET %s: say in sharedBy what it shows of what is shared", o.Path)
			continue
		}
		var want, got []drover.ShareScope
		for part := &s; part != nil; part = part.other {
			for scope, shown := range map[drover.ShareScope]bool{
				drover.ScopePositions: part.places, drover.ScopeDrivers: part.drivers,
				drover.ScopeSafety: part.safety, drover.ScopeReadings: part.readings,
			} {
				if shown {
					want = append(want, scope)
				}
			}
		}
		got = append(got, o.Shows...)
		if o.OfShare != "" {
			got = append(got, o.OfShare)
		}
		slices.Sort(want)
		want = slices.Compact(want)
		slices.Sort(got)
		if !slices.Equal(got, want) || (o.OfShare != "") != s.refused || s.refused && o.OfShare != s.scope() {
			t.Errorf("GET %s shows %v by its route and needs %q, of what is shared it is %v", o.Path, o.Shows, o.OfShare, want)
		}
	}
}
