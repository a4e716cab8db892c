package drover

import "slices"

// FactorStep is what a session needs before anything else is done in it.
type FactorStep string

// The steps.
const (
	StepEnrol   FactorStep = "enrol"    // the user has to set up a second factor
	StepConfirm FactorStep = "required" // the user has to show its second factor
)

// FactorSteps lists the closed set.
var FactorSteps = []FactorStep{StepEnrol, StepConfirm}

// NeedsFactor refuses what needs a step of the second factor first. A login is not
// authenticated without it; a session is, and lacks a right.
func NeedsFactor(kind Kind, step FactorStep) *Error {
	message := "A second factor is required"
	if step == StepEnrol {
		message = "A second factor has to be set up first"
	}
	return &Error{Kind: kind, Message: message, Factor: step}
}

// FactorRule is whose second factor a tenant requires.
type FactorRule struct {
	RequiredRoles []Role `json:"required_roles" doc:"Users with one of these roles can do nothing but set one up until they have it; empty requires it of no one."`
	IncludeSSO    bool   `json:"include_sso" doc:"Whether that holds for sessions that the tenant's own provider opened, too. Without it the second factor is the provider's matter."`
}

// Requires reports whether a session needs a second factor.
func (r FactorRule) Requires(role Role, byProvider bool) bool {
	return slices.Contains(r.RequiredRoles, role) && (r.IncludeSSO || !byProvider)
}

// FactorRuleUpdate changes what is sent.
type FactorRuleUpdate struct {
	RequiredRoles []Role         `json:"required_roles" required:"false" maxItems:"3" doc:"The list replaces the one before."`
	IncludeSSO    Optional[bool] `json:"include_sso" required:"false" nullable:"false" doc:"Whether it holds for single sign-on, too."`
}

// SecondFactor is what a user has besides its password.
type SecondFactor struct {
	Enabled        bool      `json:"enabled" doc:"Whether the user has one."`
	Required       bool      `json:"required" doc:"Whether the tenant requires it of the user."`
	App            bool      `json:"app" doc:"Whether an authenticator app is set up."`
	Passkeys       []Passkey `json:"passkeys" doc:"The user's passkeys, oldest first."`
	RecoveryCodes  int       `json:"recovery_codes" doc:"How many recovery codes are left."`
	ConfirmedUntil *Time     `json:"confirmed_until" doc:"Until when it is not asked for again in this session; null where it would be."`
}

// FactorInput begins to set up an authenticator app.
type FactorInput struct {
	Password *string `json:"password" required:"false" maxLength:"1024" format:"password" doc:"The user's own. Those who have come in by single sign-on leave it out."`
}

// FactorSecret is what an authenticator app is set up with. It is shown this once.
type FactorSecret struct {
	Secret string `json:"secret" doc:"The secret, in base32, to be typed."`
	URI    string `json:"uri" doc:"The same as an address, to be shown as a QR code."`
}

// FactorCode is a code that someone shows.
type FactorCode struct {
	Code string `json:"code" minLength:"1" maxLength:"64" doc:"Six digits of the authenticator app, or a recovery code."`
}

// FactorProof is a second factor that someone shows: a code, or what a passkey has signed.
type FactorProof struct {
	Code    string        `json:"code,omitzero" required:"false" maxLength:"64" doc:"Six digits of the authenticator app, or a recovery code."`
	Passkey *PasskeyProof `json:"passkey,omitzero" required:"false" doc:"What a passkey has signed, in place of a code."`
}

// FactorConfirmed says for how long a second factor is not asked for again.
type FactorConfirmed struct {
	ConfirmedUntil Time `json:"confirmed_until" doc:"Until when it is not asked for again in this session."`
}

// RecoveryCodes let a user in without its authenticator app.
type RecoveryCodes struct {
	Codes []string `json:"recovery_codes" doc:"Each is good once. They are shown this once, and replace those before."`
}
