package scania

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/session"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// tokenLife is how long a token is good: an hour, which the answer does not say.
const tokenLife = time.Hour

// login gets tokens by challenge and response: the secret key signs what the
// server sends, and never leaves. The refresh token is not used. It may be used
// once only, and a new challenge is always allowed.
type login struct {
	cfg  provider.Config
	base string
}

// token implements session.Session's Login.
func (l login) token(ctx context.Context) (session.Token, error) {
	id := l.cfg.Credentials["client_id"]
	var asked struct{ Challenge string }
	if err := l.post(ctx, "/clientid2challenge", url.Values{"clientId": {id}}, &asked); err != nil {
		return session.Token{}, err
	}
	response, err := sign(l.cfg.Credentials["client_secret"], asked.Challenge)
	if err != nil {
		return session.Token{}, err
	}
	var granted struct{ Token string }
	if err := l.post(ctx, "/response2token", url.Values{"clientId": {id}, "Response": {response}}, &granted); err != nil {
		return session.Token{}, err
	}
	if granted.Token == "" {
		return session.Token{}, provider.Errorf(provider.KindTemporary, "log in: the provider gave no token")
	}
	return session.Token{Value: granted.Token, Expires: l.cfg.Now().Add(tokenLife)}, nil
}

// sign returns the response to a challenge. Both it and the key are base64 for
// URLs, with or without padding.
func sign(key, challenge string) (string, error) {
	secret, err := decode(key)
	if err != nil || len(secret) == 0 {
		return "", provider.Errorf(provider.KindCredentials, "the secret key is not the base64 text that Scania gives")
	}
	message, err := decode(challenge)
	if err != nil || len(message) == 0 {
		return "", provider.Errorf(provider.KindTemporary, "log in: the provider's challenge could not be read")
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write(message)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)), nil
}

func decode(text string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(strings.TrimSpace(text), "="))
}

// post makes one call of a login.
func (l login) post(ctx context.Context, path string, form url.Values, into any) error {
	ctx = outbound.WithRetry(ctx) // a challenge that went unanswered costs nothing
	req, err := wire.PostForm(ctx, l.base+path, form)
	if err != nil {
		return err
	}
	if err := outbound.JSON(ctx, l.cfg.HTTP, req, into); err != nil {
		return refusal(err)
	}
	return nil
}

// refusal says that every answer with which the server refuses a login is about
// the credentials: which ones it uses is not documented.
func refusal(err error) error {
	status, ok := errors.AsType[*provider.StatusError](err)
	if kind := provider.KindOf(err); !ok || kind == provider.KindTemporary || kind == provider.KindRateLimited {
		return fmt.Errorf("log in: %w", err)
	}
	return provider.Errorf(provider.KindCredentials, "the provider refuses the client id or the secret key: %w", status)
}
