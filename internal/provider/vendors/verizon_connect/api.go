package verizonconnect

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/session"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	// tokenLife is how long a token is used. The vendor's own bound is said to be
	// 20 minutes.
	tokenLife = 18 * time.Minute
	// longestToken is more than any token has.
	longestToken = 16 << 10
)

// login gets a token, which is the bare text of the answer.
func (a *Adapter) login(ctx context.Context) (session.Token, error) {
	req, err := wire.Get(ctx, a.api.Base+"/token", nil)
	if err != nil {
		return session.Token{}, err
	}
	req.SetBasicAuth(a.cfg.Credentials["username"], a.cfg.Credentials["password"])
	req.Header.Set("Accept", "text/plain")
	resp, err := a.cfg.HTTP.Do(req)
	if err != nil {
		return session.Token{}, loginMeaning(err)
	}
	defer func() { _ = resp.Body.Close() }() // all that counts was read
	body, err := io.ReadAll(io.LimitReader(resp.Body, longestToken))
	if err != nil {
		return session.Token{}, err
	}
	token := strings.Trim(string(body), "\" \t\r\n")
	if token == "" || strings.ContainsAny(token, "<>{}\"\r\n ") {
		return session.Token{}, provider.Errorf(provider.KindTemporary, "the login gave no token")
	}
	return session.Token{Value: token, Expires: a.cfg.Now().Add(tokenLife)}, nil
}

// loginMeaning corrects the kind of an error: a login has nothing to refuse but
// the credentials.
func loginMeaning(err error) error {
	switch provider.StatusOf(err) {
	case http.StatusBadRequest, http.StatusForbidden:
		return provider.Errorf(provider.KindCredentials, "the provider refused the credentials: %w", err)
	default:
		return err
	}
}

// meaning corrects the kind of an error: a token that is old or broken is refused
// with 400 too, and words about it.
func meaning(err error) error {
	status, ok := errors.AsType[*provider.StatusError](err)
	if ok && status.Status == http.StatusBadRequest && strings.Contains(strings.ToLower(status.Body), "token") {
		return provider.Errorf(provider.KindCredentials, "the provider refused the token: %w", status)
	}
	return err
}
