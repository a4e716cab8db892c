package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/vendors/flespi/flespitest"
	"github.com/drover-fleet/drover/internal/provider/vendors/john_deere/johndeeretest"
	"github.com/drover-fleet/drover/internal/sim"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// branch is an installation whose tenant acme has one connection.
type branch struct {
	connections
	id      string
	account *sim.Account
}

// args is a command line for the installation.
func (b branch) args(args ...string) []string {
	args = append(args, "--data", b.Data)
	if b.Database != "" {
		args = append(args, "--database", b.Database)
	}
	if args[0] == "connection" {
		args = append(args, "--allow-network", b.AllowNetwork[0].String())
	}
	return args
}

// branches runs f with one on each database. The vendor accepts the credentials
// in accepted, and the connection has those in given.
func branches(
	t *testing.T,
	name drover.ProviderName,
	vendor func(*sim.Account) http.Handler,
	accepted, given map[string]string,
	f func(t *testing.T, b branch),
) {
	t.Helper()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			b := branch{account: sim.NewAccount(sim.New(sim.Options{Seed: 4, Vehicles: 2}), time.Now, accepted)}
			b.Data, b.LogLevel, b.AllowNetwork = folder(t), "error", []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
			if database == "postgres" {
				b.Database = storetest.Options(t, database).URL
			}
			server := httptest.NewServer(vendor(b.account))
			t.Cleanup(server.Close)
			tenant := strings.TrimSpace(succeed(t, "", b.args("tenant", "add", "acme")...))
			credentials := maps.Clone(given)
			credentials[provider.BaseURLField] = server.URL
			err := b.with(world{Context: t.Context(), err: t.Output()}, func(a *app.App) error {
				start := drover.At(time.Now().Add(-48 * time.Hour))
				conn, err := a.Fleet.Connections.CreateConnection(t.Context(), operator(tenant), drover.ConnectionInput{
					IntegrationName: name, BusinessName: "Haulage", Credentials: credentials, CollectionStartTime: &start,
				})
				b.id = conn.ID
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			f(t, b)
		})
	}
}

func TestConnections(t *testing.T) {
	t.Parallel()
	credentials := map[string]string{"token": "a-very-secret-token"}
	branches(t, drover.Flespi, flespitest.New, credentials, credentials, func(t *testing.T, b branch) {
		t.Helper()
		for _, args := range [][]string{{"connection", "list"}, {"connection", "list", "--tenant", "acme"}} {
			got := succeed(t, "", b.args(args...)...)
			for _, want := range []string{b.id, "acme", "flespi", "Haulage", "pending"} {
				if !strings.Contains(got, want) {
					t.Errorf("%q is missing in\n%s", want, got)
				}
			}
		}
		refuse(t, `no tenant named "absent"`, "", b.args("connection", "list", "--tenant", "absent")...)

		if got := succeed(t, "", b.args("connection", "check", b.id)...); !strings.Contains(got, "flespi accepts the credentials of Haulage") {
			t.Errorf("connection check prints %q", got)
		}
		b.account.Rotate("token")
		refuse(t, "does not accept the credentials", "", b.args("connection", "check", b.id)...)
		refuse(t, "no connection with the id x", "", b.args("connection", "check", "x")...)

		succeed(t, "", b.args("connection", "sync", b.id)...)
		from := drover.At(time.Now().Add(-24 * time.Hour)).String()
		if got := succeed(t, "", b.args("connection", "sync", b.id, "--from", from)...); !strings.Contains(got, from) ||
			!strings.Contains(got, "0 % done") {
			t.Errorf("connection sync prints\n%s", got)
		}
		misuse(t, "--to needs --from", "", b.args("connection", "sync", b.id, "--to", from)...)
		misuse(t, "is not a time", "", b.args("connection", "sync", b.id, "--from", "yesterday")...)
		refuse(t, "collection_start_time", "", b.args("connection", "sync", b.id, "--from", "2020-01-01T00:00:00Z")...)
		if got := succeed(t, "", b.args("connection", "recompute", b.id, "--from", from)...); !strings.Contains(got, from) ||
			!strings.Contains(got, "queued") {
			t.Errorf("connection recompute prints\n%s", got)
		}
		if got := succeed(t, "", b.args("connection", "recompute", b.id)...); !strings.Contains(got, from) ||
			!strings.Contains(got, "0 added, 0 changed, 0 removed") {
			t.Errorf("connection recompute lists\n%s", got)
		}
		misuse(t, "--to needs --from", "", b.args("connection", "recompute", b.id, "--to", from)...)
		refuse(t, "needs no consent", "", b.args("connection", "authorize", b.id)...)
	})
}

func TestAuthorize(t *testing.T) {
	t.Parallel()
	given := map[string]string{
		"client_id": "0oa1", "client_secret": "application-secret",
		"redirect_uri": "https://fleet.example.com/callback",
	}
	accepted := map[string]string{
		"client_id": "0oa1", "client_secret": "application-secret", "authorization_code": "code-of-the-consent", "refresh_token": "nobody-knows",
	}
	branches(t, drover.JohnDeere, johndeeretest.New, accepted, given, func(t *testing.T, b branch) {
		t.Helper()
		refuse(t, "no one has agreed", "", b.args("connection", "check", b.id)...)
		r := execute(t.Context(), "another-code\n", b.args("connection", "authorize", b.id)...)
		if r.code != 1 || !strings.Contains(r.err, "does not accept the credentials") {
			t.Errorf("with a wrong code: exit code %d: %s", r.code, r.err)
		}
		r = execute(t.Context(), "code-of-the-consent\n", b.args("connection", "authorize", b.id)...)
		if r.code != 0 || !strings.Contains(r.out, "John Deere accepts the consent") {
			t.Fatalf("exit code %d: %s%s", r.code, r.out, r.err)
		}
		address, _, _ := strings.Cut(r.out, "\n")
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		if !strings.HasSuffix(u.Path, "/authorize") || q.Get("client_id") != "0oa1" || q.Get("scope") != "eq1 offline_access" ||
			q.Get("state") == "" ||
			q.Get("redirect_uri") != given["redirect_uri"] || q.Get("response_type") != "code" {
			t.Errorf("the owner is sent to %s", address)
		}
		succeed(t, "", b.args("connection", "check", b.id)...)
		if strings.Contains(r.out+r.err, "application-secret") {
			t.Error("a secret is printed")
		}
	})
}

func TestReadCode(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"abc\n":   "abc",
		"  abc  ": "abc",
		"a?b":     "", // an address without the state
		"\n":      "",
		"https://fleet.example.com/callback?code=a%2Fb&state=s\n":       "a/b",
		"https://fleet.example.com/callback?code=abc&state=other\n":     "",
		"https://fleet.example.com/callback?code=abc\n":                 "",
		"https://fleet.example.com/callback?error=denied&state=s\n":     "",
		"https://fleet.example.com/callback?state=s\n":                  "",
		"https://fleet.example.com/callback?code=abc&state=s&x=%zz\n\n": "",
	} {
		got, err := readCode(strings.NewReader(input), "s")
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q is read as %q: %v", input, got, err)
		}
	}
}

func TestProbe(t *testing.T) {
	t.Parallel()
	credentials := map[string]string{"token": "a-very-secret-token"}
	branches(t, drover.Flespi, flespitest.New, credentials, credentials, func(t *testing.T, b branch) {
		t.Helper()
		for _, name := range []string{b.id, "Haulage"} {
			text := succeed(t, "", b.args("connection", "probe", name)...)
			for _, want := range []string{"login", "positions  ok", "result[].id: integer", "0 deviations"} {
				if !strings.Contains(text, want) {
					t.Errorf("the report lacks %q:\n%s", want, text)
				}
			}
			if strings.Contains(text, credentials["token"]) || strings.Contains(text, "Haulage") {
				t.Errorf("the report shows what is private:\n%s", text)
			}
		}
		var report drover.ProbeReport
		if err := json.Unmarshal([]byte(succeed(t, "", b.args("connection", "probe", b.id, "--json")...)), &report); err != nil ||
			len(report.Steps) < 3 {
			t.Errorf("the report as JSON has %d steps: %v", len(report.Steps), err)
		}
		refuse(t, "there is no connection", "", b.args("connection", "probe", "Nobody")...)
	})
}
