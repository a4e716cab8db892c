package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

// The words of a 409.
const (
	noFactor = "No second factor is set up"
	hasOne   = "A second factor is set up already"
)

func (s *server) factorRoutes() []route {
	const path = "/user/me/second-factor"
	return []route{
		op(http.MethodGet, path, s.getSecondFactor).
			named("getSecondFactor", tagUser, "Get my second factor", "Whether the caller has one, and whether the tenant requires it.").
			own().part().can(errorsOfList...),
		opBody(http.MethodPost, path, s.postSecondFactor).
			named("postSecondFactor", tagUser, "Set up my second factor",
				"Makes the secret of an authenticator app (RFC 6238) and shows it this once. It counts once a code of it was confirmed. The caller's password is needed or, where it has passkeys, one of these a moment ago.").
			own().part().can(errorsOfCreate...).clash(hasOne),
		opBody(http.MethodPost, path+"/confirm", s.postSecondFactorConfirm).
			named("postSecondFactorConfirm", tagUser, "Confirm my second factor",
				"Takes a code of the authenticator app. From then on each login needs one. Answers ten recovery codes, which are shown this once. All other sessions end.").
			own().part().can(errorsOfCreate...).clash(hasOne),
		op(http.MethodPost, path+"/recovery-code", s.postRecoveryCodes).
			named("postRecoveryCodes", tagUser, "Make new recovery codes", "Ten new ones, in place of those before.").
			own().can(errorsOfCreate...).clash(noFactor),
		op(http.MethodDelete, path, s.deleteSecondFactor).
			named("deleteSecondFactor", tagUser, "Remove my second factor", "Takes all of it away: the authenticator app, the passkeys and the recovery codes.").
			own().can(errorsOfCreate...).clash(noFactor),
		op(http.MethodDelete, "/user/{user_id}/second-factor", s.deleteUserSecondFactor).
			named("deleteUserSecondFactor", tagUser, "Reset a user's second factor",
				"Takes it away from a user who has lost it, and ends the user's sessions. Admins reset that of no one who has more rights.").
			admin().can(errorsOfChange...).missing(guard.UnknownUser).clash(noFactor),
		opBody(http.MethodPost, path+"/verify", s.postSecondFactorVerify).
			named("postSecondFactorVerify", tagUser, "Show my second factor again",
				"Takes a code, or what a passkey has signed, for the session of the caller. What asks for the second factor again is then answered for ten minutes.").
			own().part().can(errorsOfCreate...).clash(noFactor),
		op(http.MethodGet, "/account/second-factor", s.getFactorRule).
			named("getFactorRule", tagAccount, "Get whose second factor is required", "The roles of which the tenant requires a second factor.").
			admin().can(errorsOfList...),
		opBody(http.MethodPatch, "/account/second-factor", s.patchFactorRule).
			named("patchFactorRule", tagAccount, "Require second factors",
				"Changes what is sent, at once: users of these roles who have none can do nothing but set one up. API keys go on.").
			admin().can(errorsOfCreate...).clash("An admin must have set up a second factor before it is required"),
	}
}

// part lets a session pass that needs a step of the second factor first: the operation is
// that step, says which it is, or ends the session.
func (r route) part() route {
	r.halfway = true
	return r
}

// askAgain are the operations that ask a user who has a second factor to have shown it in the last
// minutes, with the reason: they read secrets, erase, or open another way in. A test goes through
// all operations for those that are missing.
var askAgain = map[string]string{
	"GET /connection/{connection_id}/credentials":       "reads a secret",
	"GET /account/webhook-secret":                       "reads a secret",
	"POST /account/webhook-secret":                      "makes a secret and shows it",
	"POST /webhook/{webhook_id}/rotate-secret":          "makes a secret and shows it",
	"POST /connection/{connection_id}/inbound":          "makes a secret and shows it",
	"POST /api-key":                                     "opens another way in",
	"POST /user":                                        "opens another way in",
	"PATCH /user/{user_id}":                             "opens another way in, or gives more rights",
	"DELETE /user/{user_id}":                            "erases a user",
	"PATCH /account/sso":                                "opens another way in",
	"POST /connection/{connection_id}/share":            "shows the fleet to another tenant",
	"PUT /connection/{connection_id}/share/{tenant_id}": "shows the fleet to another tenant",
	"DELETE /connection/{connection_id}":                "erases what was collected",
	"DELETE /driver/{driver_id}":                        "erases a driver",
	"PATCH /account/second-factor":                      "may switch the requirement off",
	"DELETE /user/{user_id}/second-factor":              "takes a second factor away",
	"DELETE /user/me/second-factor":                     "takes a second factor away",
	"POST /user/me/second-factor/recovery-code":         "makes codes that are a second factor",
	"POST /user/me/passkey":                             "adds a second factor, and opens another way in",
	"DELETE /user/me/passkey/{passkey_id}":              "takes a second factor away",
}

func (s *server) getSecondFactor(c *call) (drover.SecondFactor, error) {
	return s.Fleet.Identity.SecondFactor(c.Context, c.principal)
}

func (s *server) postSecondFactor(c *call, body drover.FactorInput) (drover.FactorSecret, error) {
	return s.Fleet.Identity.BeginFactor(c.Context, c.principal, c.RemoteAddr, body)
}

func (s *server) postSecondFactorConfirm(c *call, body drover.FactorCode) (drover.RecoveryCodes, error) {
	return s.Fleet.Identity.ConfirmFactor(c.Context, c.principal, c.RemoteAddr, body)
}

func (s *server) postRecoveryCodes(c *call) (drover.RecoveryCodes, error) {
	return s.Fleet.Identity.NewRecoveryCodes(c.Context, c.principal)
}

func (s *server) deleteSecondFactor(c *call) (nothing, error) {
	return nothing{}, s.Fleet.Identity.RemoveFactor(c.Context, c.principal)
}

func (s *server) deleteUserSecondFactor(c *call) (nothing, error) {
	return nothing{}, s.Fleet.Identity.ResetFactor(c.Context, c.principal, c.PathValue("user_id"))
}

func (s *server) postSecondFactorVerify(c *call, body drover.FactorProof) (drover.FactorConfirmed, error) {
	return s.Fleet.Identity.ConfirmSession(c.Context, c.principal, c.RemoteAddr, body)
}

func (s *server) getFactorRule(c *call) (drover.FactorRule, error) {
	return s.Fleet.Identity.FactorRule(c.Context, c.principal)
}

func (s *server) patchFactorRule(c *call, body drover.FactorRuleUpdate) (drover.FactorRule, error) {
	return s.Fleet.Identity.UpdateFactorRule(c.Context, c.principal, body)
}
