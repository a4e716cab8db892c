package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// provided is a service whose tenant signs in by a provider that is not ours, a process of its own.
type provided struct {
	issuer  string
	service *process
	person  *person
}

// provide builds the provider of a folder, and sets it up with a role for fleet-admins alone.
func provide(t *testing.T, folder, page string) provided {
	t.Helper()
	program := filepath.Join(t.TempDir(), "provider")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", program, ".")
	build.Dir = filepath.Join("..", folder)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v: %s", err, out)
	}
	s := newSite(t, "sqlite")
	var sso struct {
		RedirectURI string `json:"redirect_uri"`
		SignInURL   string `json:"sign_in_url"`
	}
	const public = "http://fleet.localhost" // the provider wants TLS elsewhere
	name := "signing-on"
	s.drover(t, "", "tenant", "add", name)
	decode(t, s.drover(t, "", "tenant", "sso", name, "--public-url", public), &sso)
	provider := launch(t, exec.Command(program, "-redirect", sso.RedirectURI))
	issuer := provider.await(t, provider.stdout, regexp.MustCompile(`issuer (\S+)`))
	decode(t, s.drover(t, `{"enabled":true,"issuer":"`+issuer+`","client_id":"drover","client_secret":"a client secret of the tests",
		"new_users":"automatic","role_claim":"groups","roles":[{"value":"fleet-admins","role":"admin"}]}`,
		"tenant", "sso", name, "--set", "--public-url", public), &sso)
	service := serve(t, s, "--public-url", public)
	return provided{issuer, service, &person{
		t: t, base: "http://" + service.address, start: sso.SignInURL, redirect: sso.RedirectURI, issuer: issuer, page: page,
	}}
}

// TestSingleSignOn signs in by a provider made of ory/fosite: the code flow with PKCE, the keys
// after a change, a code that is used twice.
func TestSingleSignOn(t *testing.T) {
	t.Parallel()
	p := provide(t, "provider", "")
	browser := p.person
	back := browser.signIn("ann")
	session := browser.finish(back, http.StatusOK)
	if session.Role != "admin" || session.User.Email != "ann@northern.example" {
		t.Errorf("ann is %+v", session)
	}
	browser.finish(back, http.StatusUnauthorized)
	// The provider refuses its code the second time, also with a new sign-in around it.
	again := browser.signIn("ann")
	again.Set("code", back.Get("code"))
	browser.finish(again, http.StatusUnauthorized)

	resp, err := http.Post(p.issuer+"/rotate", "", nil)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	resp.Body.Close()
	if after := browser.finish(browser.signIn("ann"), http.StatusOK); after.User.ID != session.User.ID {
		t.Errorf("ann is %+v, and was %+v", after.User, session.User)
	}
	if log := p.service.log.String(); strings.Contains(log, "a client secret of the tests") {
		t.Error("the log has the secret")
	}
}

// TestSingleSignOnByUserinfo signs in by the example provider of zitadel/oidc, whose ID token has no
// more than the subject: address and groups come from its userinfo endpoint.
func TestSingleSignOnByUserinfo(t *testing.T) {
	t.Parallel()
	p := provide(t, "zitadel", "/login/username")
	back := p.person.signIn("ann")
	if session := p.person.finish(back, http.StatusOK); session.Role != "admin" || session.User.Email != "ann@northern.example" {
		t.Errorf("ann is %+v", session)
	}
	p.person.finish(back, http.StatusUnauthorized)
	again := p.person.signIn("ann")
	again.Set("code", back.Get("code"))
	p.person.finish(again, http.StatusUnauthorized)
	// The userinfo of bob has no groups.
	p.person.finish(p.person.signIn("bob"), http.StatusForbidden)
	if log := p.service.log.String(); strings.Contains(log, "a client secret of the tests") {
		t.Error("the log has the secret")
	}
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// person is someone with a browser.
type person struct {
	t                     *testing.T
	base, start, redirect string
	// issuer is the provider, and page where its form of a name and a password is; without one it takes a name at once.
	issuer, page string
	client       *http.Client
}

type signedIn struct {
	Role string
	User struct{ ID, Email string }
}

// signIn begins at the service and signs in at the provider, which sends the browser back
// with something.
func (p *person) signIn(name string) url.Values {
	p.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		p.t.Fatal(err)
	}
	p.client = &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	_, code, _ := strings.Cut(p.start, "?code=")
	var begun struct{ Data struct{ URL string } }
	p.post("/session/sso/start", map[string]string{"code": code}, http.StatusOK, &begun)
	to, err := p.sent(begun.Data.URL+"&login="+name, nil)
	for err == nil && strings.HasPrefix(to.String(), p.issuer) {
		var form url.Values
		if to.Path == p.page {
			form = url.Values{"id": {to.Query().Get("authRequestID")}, "username": {name}, "password": {"a password of the tests"}}
		}
		to, err = p.sent(to.String(), form)
	}
	if err != nil || !strings.HasPrefix(to.String(), p.redirect+"?") || to.Query().Get("error") != "" {
		p.t.Fatalf("the provider leads to %v: %v", to, err)
	}
	return to.Query()
}

// sent is where the answer to an address sends the browser; with a form it is posted there.
func (p *person) sent(address string, form url.Values) (*url.URL, error) {
	var resp *http.Response
	var err error
	if form == nil {
		resp, err = p.client.Get(address)
	} else {
		resp, err = p.client.PostForm(address, form)
	}
	if err != nil {
		return nil, err
	}
	resp.Body.Close()
	return resp.Location()
}

// finish hands the service what the provider sent.
func (p *person) finish(back url.Values, want int) signedIn {
	p.t.Helper()
	var in struct{ Data signedIn }
	p.post("/session/sso", map[string]string{
		"tenant_id": p.redirect[strings.LastIndex(p.redirect, "/")+1:], "code": back.Get("code"), "state": back.Get("state"),
	}, want, &in)
	return in.Data
}

func (p *person) post(path string, body map[string]string, want int, into any) {
	p.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	resp, err := p.client.Post(p.base+path, "application/json", strings.NewReader(string(text)))
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != want {
		p.t.Fatalf("POST %s: %d, want %d", path, resp.StatusCode, want)
	}
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		p.t.Fatal(err)
	}
}
