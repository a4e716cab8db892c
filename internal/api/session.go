package api

import (
	"cmp"
	"context"
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/identity"
)

func (s *server) sessionRoutes() []route {
	return []route{
		opBody(http.MethodPost, "/session", s.postSession).
			named("postSession", tagToken, "Sign in to the console",
				"Checks a name and a password as POST /token does, and sets a cookie that programs in the page cannot read. "+
					"It is accepted wherever a token is, lasts for 12 hours without a request, and for 30 days at the most. A token goes before it. "+
					"A request with the cookie that comes from a page of another origin is refused with 403.").
			open().can(errorsOfSession...),
		op(http.MethodGet, "/session", s.getSession).
			named("getSession", tagToken, "Who am I", "The caller's user, tenant, role, permissions and preferences, and the version of the service.").
			part().can(errorsOfList...),
		op(http.MethodDelete, "/session", s.deleteSession).
			named("deleteSession", tagToken, "Sign out", "Ends the session of the cookie or of the token, and takes the cookie back.").
			own().part().can(errorsOfList...),
	}
}

// errorsOfSession are those of a login; no token is read.
var errorsOfSession = []int{401, 403, 422}

// sessionView is the caller, and the service that it speaks with.
type sessionView struct {
	drover.Profile
	Version string     `json:"version" doc:"The version of the service."`
	System  systemView `json:"system" doc:"How the service runs."`
}

// systemView is how the process runs that answers.
type systemView struct {
	Database string `json:"database" enum:"embedded,postgresql" doc:"Which database it uses."`
	Role     string `json:"role" enum:"all,api,worker" doc:"What the process does that answers."`
}

// view is a caller as it is shown.
func (s *server) view(p drover.Profile) sessionView {
	database := "postgresql"
	if s.Embedded {
		database = "embedded"
	}
	return sessionView{Profile: p, Version: s.Version, System: systemView{Database: database, Role: cmp.Or(s.Role, "all")}}
}

// The names of the cookie. A browser keeps one with the prefix only where it came
// over TLS from this very host, so that no other host can plant it.
const (
	cookieName   = "drover"
	secureCookie = "__Host-drover"
)

// secure reports whether the browser speaks TLS, with us or with a proxy before us.
func (s *server) secure(r *http.Request) bool { return r.TLS != nil || s.SecureCookies }

func (s *server) cookieName(r *http.Request) string {
	if s.secure(r) {
		return secureCookie
	}
	return cookieName
}

// setCookie gives the browser the cookie; an empty value takes it back.
func (s *server) setCookie(c *call, value string) {
	age := int(identity.ConsoleLifetime.Seconds())
	if value == "" {
		age = -1
	}
	http.SetCookie(c.w, s.cookie(c.Request, "", value, age))
}

// cookie is one that programs in a page cannot read, and that pages of other sites do not
// send.
func (s *server) cookie(r *http.Request, suffix, value string, age int) *http.Cookie {
	return &http.Cookie{
		Name: s.cookieName(r) + suffix, Value: value, Path: "/", MaxAge: age,
		HttpOnly: true, Secure: s.secure(r), SameSite: http.SameSiteStrictMode,
	}
}

func (s *server) postSession(c *call, body usernamePassword) (sessionView, error) {
	if err := s.sameOrigin(c.Request); err != nil {
		return sessionView{}, err
	}
	p, cookie, err := s.Fleet.Identity.OpenConsole(c.Context, c.RemoteAddr, body.credentials())
	if err != nil {
		return sessionView{}, err
	}
	c.principal = p
	s.setCookie(c, cookie)
	return s.getSession(c)
}

func (s *server) getSession(c *call) (sessionView, error) {
	profile, err := s.Fleet.Identity.Profile(c.Context, c.principal)
	return s.view(profile), err
}

func (s *server) deleteSession(c *call) (nothing, error) {
	if err := s.Fleet.Identity.LogOut(c.Context, c.principal); err != nil {
		return nothing{}, err
	}
	s.setCookie(c, "")
	return nothing{}, nil
}

// caller tells who sent a request: by its token or, without one, by its cookie,
// which a browser would send along from any page that asks it to.
func (s *server) caller(ctx context.Context, r *http.Request) (drover.Principal, error) {
	if header := r.Header.Get("Authorization"); header != "" {
		return s.Fleet.Identity.Authenticate(ctx, header, r.Header.Get(drover.TenantHeader))
	}
	cookie, err := r.Cookie(s.cookieName(r))
	if err != nil {
		return s.Fleet.Identity.Authenticate(ctx, "", r.Header.Get(drover.TenantHeader))
	}
	if r.Header.Get(drover.TenantHeader) != "" {
		return drover.Principal{}, identity.ErrOperatorHeader()
	}
	if err := s.sameOrigin(r); err != nil {
		return drover.Principal{}, err
	}
	return s.Fleet.Identity.AuthenticateCookie(ctx, cookie.Value)
}

// sameOrigin refuses what a page of another origin asks a browser to send.
func (s *server) sameOrigin(r *http.Request) error {
	if err := s.crossOrigin.Check(r); err != nil {
		return &drover.Error{Kind: drover.KindForbidden, Message: "Requests from another origin are refused", Err: err}
	}
	return nil
}
