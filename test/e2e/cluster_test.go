package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
)

// TestTwoProcesses holds what an operator relies on who runs several processes
// on one PostgreSQL: it does not matter which one a request reaches.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	s := newSite(t, "postgres")
	first, second := serve(t, s), serve(t, s, "--role", "api")

	t.Run("SameData", func(t *testing.T) {
		t.Parallel()
		here := logIn(t, first, "demo")
		there := here.at(second)
		path := "/device/" + s.world.Devices[0].ID
		var changed, seen drover.Device
		here.must(t, &changed, http.MethodPatch, path, `{"description":"seen by both"}`)
		there.must(t, &seen, http.MethodGet, path, "")
		if diff := cmp.Diff(changed, seen); diff != "" {
			t.Errorf("the other process tells another story:\n%s", diff)
		}
		var made drover.Connection
		there.must(t, &made, http.MethodPost, "/connection", connectionBody("made there", "t"))
		here.status(t, http.StatusOK, http.MethodGet, "/connection/"+made.ID, "")
	})

	t.Run("EndedSession", func(t *testing.T) {
		t.Parallel()
		here := logIn(t, first, "demo")
		there := here.at(second)
		there.status(t, http.StatusOK, http.MethodGet, "/connection", "")
		here.status(t, http.StatusNoContent, http.MethodPost, "/logout", "")
		here.status(t, http.StatusUnauthorized, http.MethodGet, "/connection", "")
		there.becomes(t, http.StatusUnauthorized, http.MethodGet, "/connection")
	})

	t.Run("DisabledUser", func(t *testing.T) {
		t.Parallel()
		here := logIn(t, first, "viewer")
		there := here.at(second)
		there.status(t, http.StatusOK, http.MethodGet, "/connection", "")
		s.drover(t, "", "user", "disable", "viewer")
		here.becomes(t, http.StatusForbidden, http.MethodGet, "/connection")
		there.becomes(t, http.StatusForbidden, http.MethodGet, "/connection")
		login := `{"username":"viewer","password":"drover-demo"}`
		anonymous(t, second).status(t, http.StatusForbidden, http.MethodPost, "/token", login)
		s.drover(t, "", "user", "enable", "viewer")
		anonymous(t, first).status(t, http.StatusOK, http.MethodPost, "/token", login)
	})
}

// TestUsageAddsUp asks two processes, which stop in order: what each has counted is in the
// tenant's usage.
func TestUsageAddsUp(t *testing.T) {
	t.Parallel()
	s := newSite(t, "postgres")
	processes := []*process{serve(t, s), serve(t, s, "--role", "api")}
	c := logIn(t, processes[0], "demo")
	const each = 7
	for _, p := range processes {
		for range each {
			c.at(p).status(t, http.StatusOK, http.MethodGet, "/connection", "")
		}
	}
	for _, p := range processes {
		p.terminate(t)
		if code := p.wait(t); code != 0 {
			t.Fatalf("exit code %d:\n%s", code, p.log)
		}
	}
	billing := anonymous(t, serve(t, s, "--role", "api"))
	billing.token = strings.TrimSpace(s.drover(t, "", "operator", "key", "create", "billing", "--scope", "usage:read"))
	var days []drover.Usage
	now := time.Now().UTC() // it may have been yesterday when they asked
	billing.must(t, &days, http.MethodGet, "/operator/tenant/"+s.world.Owner.ID+"/usage?start_date="+now.AddDate(0, 0, -1).Format(time.DateOnly)+
		"&end_date="+now.Format(time.DateOnly), "")
	requests := int64(0)
	for _, day := range days {
		requests += day.Requests
	}
	if requests != int64(each*len(processes)) {
		t.Errorf("%d requests were counted, want %d", requests, each*len(processes))
	}
}

// TestKeyRotation changes the keys under two running processes. No one who is
// logged in notices.
func TestKeyRotation(t *testing.T) {
	t.Parallel()
	s := newSite(t, "postgres")
	processes := []*process{serve(t, s), serve(t, s)}
	path := "/connection/" + s.world.Connections[0].ID + "/credentials"
	before := logIn(t, processes[0], "demo")
	want := before.status(t, http.StatusOK, http.MethodGet, path, "")

	for range 3 {
		s.drover(t, "", "key", "rotate")
		for _, p := range processes {
			if got := before.at(p).status(t, http.StatusOK, http.MethodGet, path, ""); got != want {
				t.Errorf("after the rotation the credentials are %s, want %s", got, want)
			}
		}
		// A process that knows the new key signs with it; the other must take
		// what it signed, whether it knows the key already or not.
		for i, p := range processes {
			after := logIn(t, p, "demo")
			after.at(processes[1-i]).status(t, http.StatusOK, http.MethodGet, path, "")
		}
	}
	old := strings.SplitN(before.token, ".", 2)[0]
	eventually(t, func() error {
		for i, p := range processes {
			after := logIn(t, p, "demo")
			if strings.HasPrefix(after.token, old+".") {
				return errNotYet
			}
			after.at(processes[1-i]).status(t, http.StatusOK, http.MethodGet, path, "")
		}
		return nil
	})
	if keys := s.drover(t, "", "key", "list"); strings.Count(keys, "signing") != 4 || strings.Count(keys, "active") != 2 {
		t.Errorf("key list:\n%s\nwant four signing keys, and one active key of each kind", keys)
	}
}
