package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) passkeyRoutes() []route {
	const (
		path   = "/user/me/passkey"
		noSite = "Passkeys need a public address with a name and TLS, which the operator has to set first"
		there  = "The passkey is registered already"
	)
	return []route{
		opBody(http.MethodPost, path+"/start", s.postPasskeyStart).
			named("postPasskeyStart", tagUser, "Begin to add a passkey",
				"Gives what a browser makes a passkey with (WebAuthn), for five minutes. The caller's password is needed or, where it has a second factor, that a moment ago.").
			own().part().can(errorsOfCreate...).clash(noSite),
		opBody(http.MethodPost, path, s.postPasskey).
			named("postPasskey", tagUser, "Add a passkey",
				"Takes what the browser has made, without attestation: the device must have verified the person, and keep the passkey by itself. It counts as a second factor at once, and signs in without a password. "+
					"The first second factor comes with recovery codes, and ends all other sessions. A user has at most ten.").
			own().part().can(errorsOfCreate...).clash(there),
		opBody(http.MethodPatch, path+"/{passkey_id}", s.patchPasskey).
			named("patchPasskey", tagUser, "Rename a passkey", "Gives a passkey of the caller another name.").
			own().can(errorsOfOne...).missing(guard.UnknownPasskey),
		op(http.MethodDelete, path+"/{passkey_id}", s.deletePasskey).
			named("deletePasskey", tagUser, "Remove a passkey",
				"It is refused from then on. With the last one, where there is no authenticator app, the recovery codes go too.").
			own().can(errorsOfOne...).missing(guard.UnknownPasskey),
		op(http.MethodPost, "/user/me/second-factor/passkey", s.postPasskeyProofStart).
			named("postPasskeyProofStart", tagUser, "Begin to show a passkey",
				"Gives what a passkey of the caller is to sign, for five minutes and in this session, to be sent to POST /user/me/second-factor/verify.").
			own().part().can(errorsOfCreate...).clash(noFactor),
		op(http.MethodPost, "/session/passkey/start", s.postPasskeySignInStart).
			named("postPasskeySignInStart", tagToken, "Begin to sign in with a passkey",
				"Gives what a passkey is to sign, for five minutes: to be sent to POST /session/passkey, or beside a password to POST /session or POST /token.").
			open().can(409, 422).clash(noSite),
		opBody(http.MethodPost, "/session/passkey", s.postPasskeySignIn).
			named("postPasskeySignIn", tagToken, "Sign in with a passkey",
				"Takes what a passkey has signed, once, and sets the cookie of a session as POST /session does. No password and no other second factor is needed. "+
					"People who may not sign in with a password may not with a passkey.").
			open().can(errorsOfSession...),
	}
}

func (s *server) postPasskeyStart(c *call, body drover.FactorInput) (drover.PasskeyChallenge, error) {
	return s.Fleet.Identity.BeginPasskey(c.Context, c.principal, c.RemoteAddr, body)
}

func (s *server) postPasskey(c *call, body drover.PasskeyInput) (drover.PasskeyCreated, error) {
	return s.Fleet.Identity.AddPasskey(c.Context, c.principal, body)
}

func (s *server) patchPasskey(c *call, body drover.PasskeyUpdate) (drover.Passkey, error) {
	return s.Fleet.Identity.RenamePasskey(c.Context, c.principal, c.PathValue("passkey_id"), body)
}

func (s *server) deletePasskey(c *call) (nothing, error) {
	return nothing{}, s.Fleet.Identity.RemovePasskey(c.Context, c.principal, c.PathValue("passkey_id"))
}

func (s *server) postPasskeyProofStart(c *call) (drover.PasskeyChallenge, error) {
	return s.Fleet.Identity.BeginPasskeyProof(c.Context, c.principal)
}

func (s *server) postPasskeySignInStart(*call) (drover.PasskeyChallenge, error) {
	return s.Fleet.Identity.BeginPasskeySignIn()
}

func (s *server) postPasskeySignIn(c *call, body drover.PasskeyProof) (sessionView, error) {
	if err := s.sameOrigin(c.Request); err != nil {
		return sessionView{}, err
	}
	p, cookie, err := s.Fleet.Identity.SignInByPasskey(c.Context, c.RemoteAddr, body)
	if err != nil {
		return sessionView{}, err
	}
	c.principal = p
	s.setCookie(c, cookie)
	return s.getSession(c)
}
