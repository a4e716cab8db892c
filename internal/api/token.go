package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/identity"
)

func (s *server) tokenRoutes() []route {
	return []route{
		op(http.MethodPost, "/logout", s.postLogout).
			named("postLogout", tagToken, "Log out", "Ends the session of the token: all its tokens are refused from then on.").
			own().part().can(errorsOfList...),
	}
}

type usernamePassword struct {
	Username string `json:"username" maxLength:"320" doc:"A username or an e-mail address." example:"demo"`
	Password string `json:"password" maxLength:"1024" example:"drover-demo" format:"password"`
	Code     string `json:"code,omitzero" required:"false" maxLength:"64" doc:"Six digits of the authenticator app, or a recovery code. Only users with a second factor need it: without it they are answered 401 with X-Second-Factor."`

	Passkey *drover.PasskeyProof `json:"passkey,omitzero" required:"false" doc:"What a passkey has signed, in place of the code. POST /session/passkey/start gives the challenge."`
}

func (b usernamePassword) credentials() identity.Credentials {
	return identity.Credentials{Name: b.Username, Password: b.Password, Code: b.Code, Passkey: b.Passkey}
}

type authenticationResult struct {
	TokenType    string `json:"token_type" example:"Bearer"`
	ExpiresIn    int    `json:"expires_in" example:"3600" doc:"Seconds until the access token expires."`
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	Sub          string `json:"sub" doc:"To be sent with the refresh token to POST /refresh."`
}

type refreshToken struct {
	Sub          string `json:"sub" maxLength:"255"`
	RefreshToken string `json:"refresh_token" maxLength:"4096"`
}

type refreshResult struct {
	TokenType    string `json:"token_type" example:"Bearer"`
	ExpiresIn    int    `json:"expires_in" example:"3600"`
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token" doc:"With a new lifetime; the one that was sent stays valid until its own expiry."`
}

const bearer = "Bearer"

func (s *server) postToken(c *call, body usernamePassword) (authenticationResult, error) {
	t, err := s.Fleet.Identity.LogIn(c.Context, c.RemoteAddr, body.credentials())
	if err != nil {
		return authenticationResult{}, err
	}
	return authenticationResult{bearer, t.ExpiresIn, t.AccessToken, t.RefreshToken, t.Subject}, nil
}

func (s *server) postRefresh(c *call, body refreshToken) (refreshResult, error) {
	var t identity.Tokens
	t, err := s.Fleet.Identity.Refresh(c.Context, c.RemoteAddr, body.Sub, body.RefreshToken)
	if err != nil {
		return refreshResult{}, err
	}
	return refreshResult{bearer, t.ExpiresIn, t.AccessToken, t.RefreshToken}, nil
}

func (s *server) postLogout(c *call) (nothing, error) {
	return nothing{}, s.Fleet.Identity.LogOut(c.Context, c.principal)
}
