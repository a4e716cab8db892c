package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/identity"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/quota"
)

func (s *server) ssoRoutes() []route {
	return []route{
		op(http.MethodGet, "/account/sso", s.getSingleSignOn).
			named("getSingleSignOn", tagAccount, "Get single sign-on",
				"How the tenant's people sign in by its own OpenID Connect provider, and whether they may with a password too. The client secret is not shown.").
			admin().can(errorsOfList...),
		opBody(http.MethodPatch, "/account/sso", s.patchSingleSignOn).
			named("patchSingleSignOn", tagAccount, "Update single sign-on",
				"Changes what is sent, at once. Sessions that are open stay so. Password login can be switched off once an admin has signed in by the provider; the operator can switch it on again.").
			admin().can(errorsOfCreate...).clash("An admin must have signed in by the provider before password login is switched off"),
		op(http.MethodPost, "/account/sso/test", s.postSingleSignOnTest).
			named("postSingleSignOnTest", tagAccount, "Test single sign-on",
				"Asks the provider for its discovery document and its keys, and says what is wrong with them. Nothing is stored.").
			admin().tries().can(errorsOfCreate...).clash("No issuer is set"),
		opBody(http.MethodPost, signInStart, s.postSignInStart).
			named("postSignInStart", tagToken, "Begin single sign-on",
				"Says where a person signs in, and sets a cookie by which its browser is known when it comes back, within ten minutes.").
			open().tries().can(403, 404, 409, 422).missing(identity.NoSignIn).clash("The identity provider cannot be used"),
		opBody(http.MethodPost, "/session/sso", s.postSignIn).
			named("postSignIn", tagToken, "Sign in by single sign-on",
				"Takes what the provider sent the browser back with, once, and sets the cookie of a session as POST /session does. "+
					"People who may not come in are refused with 403, without a reason: the tenant's audit has it.").
			open().tries().can(401, 403, 409, 422).clash("The identity provider cannot be used"),
		op(http.MethodDelete, "/session/sso", s.deleteSignIn).
			named("deleteSignIn", tagToken, "Sign out everywhere",
				"Ends the session as DELETE /session does, and says where it ends at the provider, where the tenant wants that.").
			own().part().can(errorsOfList...),
	}
}

func (s *server) getSingleSignOn(c *call) (drover.SingleSignOn, error) {
	return s.Fleet.Identity.SingleSignOn(c.Context, c.principal)
}

func (s *server) patchSingleSignOn(c *call, body drover.SingleSignOnUpdate) (drover.SingleSignOn, error) {
	return s.Fleet.Identity.UpdateSingleSignOn(c.Context, c.principal, body)
}

func (s *server) postSingleSignOnTest(c *call) (drover.SSOTest, error) {
	return s.Fleet.Identity.TestSingleSignOn(c.Context, c.principal)
}

// signInStart is where a sign-in begins: its body has the code of a tenant.
const signInStart = "/session/sso/start"

// signInCookie is the suffix of the name of the cookie of a sign-in under way.
const signInCookie = "-sign-in"

// setSignIn gives the browser the cookie of a sign-in under way; an empty value takes it
// back. The page of the console that the provider sends the browser to is the only one to
// show it, so that it need not be sent along from other sites.
func (s *server) setSignIn(c *call, value string) {
	age := int(identity.SignInLifetime.Seconds())
	if value == "" {
		age = -1
	}
	http.SetCookie(c.w, s.cookie(c.Request, signInCookie, value, age))
}

func (s *server) postSignInStart(c *call, body drover.SignInInput) (drover.SignInStart, error) {
	if err := s.sameOrigin(c.Request); err != nil {
		return drover.SignInStart{}, err
	}
	start, cookie, err := s.Fleet.Identity.BeginSignIn(c.Context, body)
	if err == nil {
		s.setSignIn(c, cookie)
	}
	return start, err
}

// signedInView is the caller, and the page to show.
type signedInView struct {
	drover.Profile
	Version  string     `json:"version" doc:"The version of the service."`
	System   systemView `json:"system" doc:"How the service runs."`
	ReturnTo string     `json:"return_to" doc:"The page of the console to show."`
}

func (s *server) postSignIn(c *call, body drover.SignInAnswer) (signedInView, error) {
	if err := s.sameOrigin(c.Request); err != nil {
		return signedInView{}, err
	}
	in, err := s.Fleet.Identity.EndSignIn(c.Context, s.keptSignIn(c), body)
	if err != nil {
		return signedInView{}, err
	}
	c.principal = in.Principal
	s.setSignIn(c, "")
	s.setCookie(c, in.Cookie)
	session, err := s.getSession(c)
	return signedInView{session.Profile, session.Version, session.System, in.ReturnTo}, err
}

func (s *server) deleteSignIn(c *call) (drover.SignOut, error) {
	out, err := s.Fleet.Identity.SignOut(c.Context, c.principal)
	if err == nil {
		s.setCookie(c, "")
	}
	return out, err
}

// enterSignIn takes the place of someone who signs in by a provider, which may be slow: it must
// take neither the places of those who need none, nor those of other tenants.
func (s *server) enterSignIn(c *call) (*quota.Place, error) {
	if err := s.links.Allow(auth.AddressGroup(c.RemoteAddr), 0).Err(); err != nil {
		return nil, err
	}
	return s.enterTrial(c, s.places.signIns, 0, func() (string, error) {
		var sent drover.SignInInput
		if c.URL.Path == signInStart && c.decoder.JSON(c.raw, &sent) != nil {
			return "", nil //nolint:nilerr // the handler refuses it, without a call
		}
		return s.Fleet.Identity.SignInTenant(c.Context, sent.Code, s.keptSignIn(c))
	})
}

// keptSignIn is what the browser shows of a sign-in under way; empty is none.
func (s *server) keptSignIn(c *call) string {
	cookie, err := c.Cookie(s.cookieName(c.Request) + signInCookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}
