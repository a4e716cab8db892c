package collect

import (
	"context"
	"maps"
	"net/url"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/session"
)

// Consent returns credentials with what the code of a person's consent gives: a refresh
// token that the vendor trades for it, or the code itself. Nothing is stored.
func (c *Collector) Consent(
	ctx context.Context,
	name drover.ProviderName,
	credentials map[string]string,
	code string,
) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	return c.agreed(ctx, drover.Connection{IntegrationName: name}, credentials, code)
}

func (c *Collector) agreed(
	ctx context.Context,
	conn drover.Connection,
	credentials provider.Credentials,
	code string,
) (provider.Credentials, error) {
	info := c.current(conn.IntegrationName)
	if info.OAuth == nil {
		return nil, provider.Errorf(provider.KindPermanent, "%s wants no one's consent", info.Title)
	}
	with := maps.Clone(credentials)
	with[info.OAuth.Field] = code // which no error shows
	if info.OAuth.TokenURL == "" {
		return with, nil
	}
	config := c.config(conn, info, with, nil)
	endpoint := session.Endpoint{
		HTTP: config.HTTP, Now: c.opts.Now, URL: info.OAuth.TokenURLAt(config.BaseURL),
		ClientID: credentials[provider.ClientIDField], ClientSecret: credentials[provider.ClientSecretField],
	}
	grant, err := endpoint.Request(ctx, url.Values{
		"grant_type":   {"authorization_code"},
		"code":         {code},
		"redirect_uri": {credentials[provider.RedirectField]},
	})
	if err != nil {
		return nil, err
	}
	if grant.Refresh == "" {
		return nil, provider.Errorf(provider.KindPermanent, "%s gave no refresh token: the application lacks the right for it", info.Title)
	}
	with[info.OAuth.Field] = grant.Refresh
	return with, nil
}
