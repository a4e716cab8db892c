package openid

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/coreos/go-oidc/v3/oidc"
)

// userinfo asks the provider for what its ID token does not say of a person: many send the address
// and the groups by this endpoint alone. What comes is the person's only where it has the subject
// of the token, whose signature was checked: an access token that was exchanged for another one
// would bring another person's roles.
func (p *Provider) userinfo(ctx context.Context, token *oidc.IDToken, access string) (map[string]any, error) {
	if token.AccessTokenHash != "" && token.VerifyAccessToken(access) != nil {
		return nil, refuse(wrongAccessToken)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.Userinfo, http.NoBody)
	if err != nil {
		return nil, refuse(BadDiscovery)
	}
	req.Header.Set("Authorization", "Bearer "+access)
	req.Header.Set("Accept", "application/json")
	resp, err := p.client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, refuse(Unreachable)
	}
	defer resp.Body.Close()
	var said map[string]any
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || json.Unmarshal(text, &said) != nil {
		return nil, refuse(badUserinfo)
	}
	if subject, _ := said["sub"].(string); subject != token.Subject {
		return nil, refuse(wrongUserinfo)
	}
	return said, nil
}
