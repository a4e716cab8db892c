package drover

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// NewUsers is what happens when a person signs in who is not a user of the tenant.
type NewUsers string

// The choices.
const (
	NewUsersInvited   NewUsers = "invited"   // refused, unless an admin has made a user with the address
	NewUsersAutomatic NewUsers = "automatic" // a user is made at the first sign-in
)

// NewUsersKinds lists the closed set.
var NewUsersKinds = []NewUsers{NewUsersInvited, NewUsersAutomatic}

// RoleRule gives a role to persons whose claim has a value.
type RoleRule struct {
	Value string `json:"value" minLength:"1" maxLength:"255" doc:"A value of the claim, such as the name of a group."`
	Role  Role   `json:"role" doc:"What those may do who have it. Of several the mightiest counts."`
}

// SSOSettings are what a tenant has set for signing in with its own provider.
type SSOSettings struct {
	Enabled            bool       `json:"enabled" doc:"Whether people can sign in by it."`
	Issuer             *string    `json:"issuer" doc:"The provider's issuer, as its discovery document names it; null where none is set."`
	ClientID           *string    `json:"client_id" doc:"The service as the provider knows it; null where it is not set."`
	HasClientSecret    bool       `json:"has_client_secret" doc:"Whether a client secret is kept. It is never shown."`
	Scopes             []string   `json:"scopes" doc:"What is asked for besides openid."`
	RoleClaim          *string    `json:"role_claim" doc:"The claim that roles are read from at each sign-in; null where roles are set here."`
	Roles              []RoleRule `json:"roles" doc:"Which values of the claim give which role."`
	DefaultRole        *Role      `json:"default_role" doc:"The role of those whom no rule names; null refuses them."`
	NewUsers           NewUsers   `json:"new_users" doc:"What becomes of people who have no user yet."`
	EmailDomains       []string   `json:"email_domains" doc:"Only people with a verified address in one of these domains are let in; empty lets in all whom the provider does."`
	TrustEmail         bool       `json:"trust_email" doc:"Whether addresses in email_domains count as verified of which the provider does not say so. One that it says is not verified never does."`
	SessionHours       int        `json:"session_hours" doc:"How long a session lasts at the most until the provider is asked again."`
	EndProviderSession bool       `json:"end_provider_session" doc:"Whether signing out here signs out at the provider too."`
}

// SingleSignOn is how the people of a tenant sign in.
type SingleSignOn struct {
	SSOSettings
	PasswordLogin bool    `json:"password_login" doc:"Whether people can also sign in with a password."`
	RedirectURI   *string `json:"redirect_uri" doc:"What to register at the provider; null where the operator has set no public address."`
	SignInURL     *string `json:"sign_in_url" doc:"Where people begin. It cannot be guessed; null before anything is saved."`
}

// SingleSignOnUpdate changes what is sent.
type SingleSignOnUpdate struct {
	Enabled            Optional[bool]       `json:"enabled" required:"false" nullable:"false" doc:"Whether people can sign in by it."`
	Issuer             Optional[string]     `json:"issuer" required:"false" maxLength:"2048" doc:"An https address. A new one drops the client secret, unless that is sent too; null takes it back."`
	ClientID           Optional[string]     `json:"client_id" required:"false" minLength:"1" maxLength:"255" doc:"The service as the provider knows it; null takes it back."`
	ClientSecret       Optional[string]     `json:"client_secret" required:"false" minLength:"1" maxLength:"1024" format:"password" doc:"Kept sealed, and never shown; null for a public client."`
	Scopes             Optional[[]string]   `json:"scopes" required:"false" nullable:"false" maxItems:"20" maxLength:"255" doc:"What is asked for besides openid."`
	RoleClaim          Optional[string]     `json:"role_claim" required:"false" minLength:"1" maxLength:"255" doc:"The name of a claim, such as groups, or its way, such as realm_access.roles; null leaves roles as they are set here."`
	Roles              Optional[[]RoleRule] `json:"roles" required:"false" nullable:"false" maxItems:"100" doc:"Which values of the claim give which role; the list replaces the one before."`
	DefaultRole        Optional[Role]       `json:"default_role" required:"false" doc:"The role of those whom no rule names; null refuses them."`
	NewUsers           Optional[NewUsers]   `json:"new_users" required:"false" nullable:"false" doc:"What becomes of people who have no user yet."`
	EmailDomains       Optional[[]string]   `json:"email_domains" required:"false" nullable:"false" maxItems:"50" maxLength:"253" doc:"Only people with a verified address in one of these domains are let in; empty lets in all."`
	TrustEmail         Optional[bool]       `json:"trust_email" required:"false" nullable:"false" doc:"Whether addresses count as verified of which the provider does not say so; true needs email_domains."`
	SessionHours       Optional[int]        `json:"session_hours" required:"false" nullable:"false" minimum:"1" maximum:"720" doc:"How long a session lasts at the most until the provider is asked again."`
	EndProviderSession Optional[bool]       `json:"end_provider_session" required:"false" nullable:"false" doc:"Whether signing out here signs out at the provider too."`
	PasswordLogin      Optional[bool]       `json:"password_login" required:"false" nullable:"false" doc:"False needs an admin who has signed in by the provider."`
}

// NewSSOSettings are those of a tenant that has set nothing.
func NewSSOSettings() SSOSettings {
	return SSOSettings{
		Scopes: []string{"profile", "email"}, Roles: []RoleRule{}, NewUsers: NewUsersInvited, EmailDomains: []string{}, SessionHours: 12,
	}
}

// Apply returns s with the update's fields set. Moved reports that the issuer has changed:
// the old client secret must not be sent to it.
func (u SingleSignOnUpdate) Apply(s SSOSettings) (out SSOSettings, moved bool) {
	before := s.Issuer
	u.Enabled.ApplyValue(&s.Enabled)
	u.Issuer.Apply(&s.Issuer)
	u.ClientID.Apply(&s.ClientID)
	u.Scopes.ApplyValue(&s.Scopes)
	u.RoleClaim.Apply(&s.RoleClaim)
	u.Roles.ApplyValue(&s.Roles)
	u.DefaultRole.Apply(&s.DefaultRole)
	u.NewUsers.ApplyValue(&s.NewUsers)
	if u.EmailDomains.Value != nil {
		s.EmailDomains = []string{}
		for _, d := range *u.EmailDomains.Value {
			s.EmailDomains = append(s.EmailDomains, strings.ToLower(strings.TrimSpace(d)))
		}
	}
	u.TrustEmail.ApplyValue(&s.TrustEmail)
	u.SessionHours.ApplyValue(&s.SessionHours)
	u.EndProviderSession.ApplyValue(&s.EndProviderSession)
	return s, !SameText(before, s.Issuer)
}

// Check returns an error for settings with which no one, or anyone, could sign in.
func (s SSOSettings) Check() error {
	if s.Issuer != nil {
		if problem := issuerProblem(*s.Issuer); problem != "" {
			return InvalidValue(problem, "body", "issuer")
		}
	}
	for i, scope := range s.Scopes {
		if scope == "" || strings.ContainsFunc(scope, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }) {
			return InvalidValue("a scope has no spaces and no quotes", "body", "scopes", i)
		}
	}
	for i, domain := range s.EmailDomains {
		if !strings.Contains(domain, ".") || strings.ContainsAny(domain, "@/ *") {
			return InvalidValue("a domain is such as example.com", "body", "email_domains", i)
		}
	}
	if s.TrustEmail && len(s.EmailDomains) == 0 {
		return InvalidValue("trust_email needs email_domains, in which the provider alone gives addresses", "body", "trust_email")
	}
	if s.Enabled && (s.Issuer == nil || s.ClientID == nil) {
		return InvalidValue("single sign-on needs an issuer and a client_id", "body", "enabled")
	}
	return nil
}

// issuerProblem describes what is wrong with an issuer. It must use TLS, except on the same
// machine: otherwise anyone on the network could replace its keys.
func issuerProblem(text string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http":
		return "issuer must be an https address without a query"
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return "issuer must be an https address"
	}
	return ""
}

func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// RoleOf is the role for the values of the claim; nil if there is none.
func (s SSOSettings) RoleOf(values []string) *Role {
	for _, role := range Roles { // the mightiest first
		for _, rule := range s.Roles {
			if rule.Role == role && slices.Contains(values, rule.Value) {
				return &role
			}
		}
	}
	return s.DefaultRole
}

// HasDomain reports whether an address is in one of the domains, if any are set.
func (s SSOSettings) HasDomain(email string) bool {
	_, domain, _ := strings.Cut(email, "@")
	return len(s.EmailDomains) == 0 || slices.Contains(s.EmailDomains, strings.ToLower(domain))
}

// SSOTest is what the provider publishes about itself.
type SSOTest struct {
	OK                    bool     `json:"ok" doc:"Whether people can be sent there. Whether the client id and its secret are right shows at the first sign-in."`
	Error                 *string  `json:"error" doc:"What is wrong; null where nothing is."`
	AuthorizationEndpoint *string  `json:"authorization_endpoint" doc:"Where people sign in."`
	Keys                  int      `json:"keys" doc:"How many keys verify its tokens."`
	Algorithms            []string `json:"algorithms" doc:"What it signs tokens with, as far as it is accepted."`
	NamesIssuer           bool     `json:"names_issuer" doc:"Whether its answers name the issuer (RFC 9207)."`
	EndsSessions          bool     `json:"ends_sessions" doc:"Whether it can be asked to sign people out."`
}

// SignInStart is where a person signs in.
type SignInStart struct {
	URL string `json:"url" doc:"The provider's page. The browser is to go there."`
}

// SignInInput begins a sign-in.
type SignInInput struct {
	Code     string  `json:"code" minLength:"1" maxLength:"64" doc:"That of the address where people begin."`
	ReturnTo *string `json:"return_to" required:"false" maxLength:"2048" doc:"The page of the console to show afterwards."`
}

// SignInAnswer has the parameters with which the provider sent the browser back.
type SignInAnswer struct {
	TenantID string  `json:"tenant_id" maxLength:"64" doc:"That of the address to which the provider sent the browser."`
	Code     string  `json:"code" minLength:"1" maxLength:"4096"`
	State    string  `json:"state" minLength:"1" maxLength:"255"`
	Issuer   *string `json:"iss" required:"false" maxLength:"2048" doc:"Where the provider sent it along."`
}

// SignOut is what the browser must do after signing out.
type SignOut struct {
	URL *string `json:"url" doc:"Where to end the session at the provider; null where the tenant does not want that, or the provider cannot."`
}
