package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
)

// TestOperatorIsAudited holds that what the operator changes is written down where the
// tenant's admins read it.
func TestOperatorIsAudited(t *testing.T) {
	t.Parallel()
	data := folder(t)
	do := func(in string, args ...string) { succeed(t, in, append(args, "--data", data)...) }
	do("", "tenant", "add", "acme")
	do("a long enough password\n", "user", "add", "--tenant", "acme", "--username", "ann", "--email", "ann@acme.example", "--role", "admin")
	do("", "user", "disable", "ann")
	do("", "user", "enable", "ann")
	do("another long password\n", "user", "password", "ann")
	do("", "user", "sessions", "ann", "--end")
	do("", "user", "second-factor", "ann", "--reset")
	do("", "tenant", "limit", "acme", "--set", "devices=5")
	do("", "tenant", "retention", "acme", "--positions", "30d")
	do("", "tenant", "suspend", "acme")
	do("", "tenant", "resume", "acme")

	var got []string
	for _, e := range audited(t, data) {
		if e.ActorType != drover.ActorOperator || e.ActorName != "operator" || e.RecordID == nil || e.Outcome != drover.AuditDone {
			t.Errorf("an entry is %+v", e)
		}
		got = append(got, e.Action)
	}
	want := []string{
		"tenant.resume", "tenant.suspend", "tenant.retention.update", "tenant.limit.update", "user.second-factor.delete",
		"user.sessions.delete", "user.password", "user.enable", "user.disable",
		"user.create", "tenant.create",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what was done (-want +got):\n%s", diff)
	}
}
