package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
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
	const sso = `{"issuer":"https://login.acme.example","client_id":"drover","client_secret":"hunter2","enabled":true,"password_login":false}`
	shown := succeed(t, sso, "tenant", "sso", "acme", "--set", "--data", data)
	if !strings.Contains(shown, `"password_login": false`) || strings.Contains(shown, "hunter2") {
		t.Errorf("the settings are shown as %s", shown)
	}
	misuse(t, "issuer: issuer must be an https address", `{"issuer":"http://login.acme.example"}`, "tenant", "sso", "acme", "--set", "--data", data)
	for _, c := range []struct {
		args []string
		want bool
	}{{nil, true}, {[]string{"--off"}, false}} {
		do("", append([]string{"user", "break-glass", "ann"}, c.args...)...)
		if got := mayUsePassword(t, data, "ann"); got != c.want {
			t.Errorf("after break-glass %q ann may sign in with a password: %t", c.args, got)
		}
	}
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
		"tenant.resume", "tenant.suspend", "tenant.retention.update", "tenant.limit.update",
		"user.break-glass", "user.break-glass", "account.sso.update", "user.second-factor.delete",
		"user.sessions.delete", "user.password", "user.enable", "user.disable",
		"user.create", "tenant.create",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what was done (-want +got):\n%s", diff)
	}
}

// mayUsePassword is whether a user may sign in with a password.
func mayUsePassword(t *testing.T, data, name string) bool {
	t.Helper()
	s, err := app.OpenStore(t.Context(), config.Store{Data: data}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	user, err := s.Accounts.LoginByName(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return user.PasswordLogin
}
