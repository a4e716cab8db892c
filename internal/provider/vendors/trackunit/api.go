package trackunit

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/iso15143"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/session"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
)

// The kinds of credentials.
const (
	tokensV2 = "v2"
	tokensV1 = "v1"
)

const exportPath = "/public/api/aemp/v2/15143/-3"

// exportScopes are what the export needs.
const exportScopes = "api.iso15143.snapshot api.iso15143.timeseries"

// loginOf returns how to log in, and the host of the APIs.
func loginOf(cfg provider.Config) (login func(context.Context) (session.Token, error), host string, err error) {
	c := cfg.Credentials
	signIn := cmp.Or(cfg.BaseURL, "https://auth.trackunit.com")
	host = cmp.Or(cfg.BaseURL, "https://iris.trackunit.com")
	endpoint := session.Endpoint{HTTP: cfg.HTTP, Now: cfg.Now, URL: signIn + "/token/v2"}
	form := url.Values{
		"grant_type": {"client_credentials"}, "client_id": {c["client_id"]}, "client_secret": {c["client_secret"]},
		"scope": {cmp.Or(c["scope"], exportScopes+" asset.view")},
	}
	if c["auth_version"] == tokensV1 {
		if c["username"] == "" || c["password"] == "" {
			return nil, "", provider.Errorf(provider.KindPermanent, "a classic API user needs a user name and a password")
		}
		endpoint.URL = signIn + "/token"
		endpoint.ClientID, endpoint.ClientSecret = c["client_id"], c["client_secret"]
		form = url.Values{
			"grant_type": {"password"}, "username": {c["username"]}, "password": {c["password"]},
			"scope": {cmp.Or(c["scope"], "api")},
		}
	}
	return func(ctx context.Context) (session.Token, error) {
		grant, err := endpoint.Request(ctx, form)
		if c["scope"] == "" && refusedScope(err) {
			// The export alone will do: a key may have no more.
			form.Set("scope", exportScopes)
			grant, err = endpoint.Request(ctx, form)
		}
		return grant.Token, err
	}, host, nil
}

// refusedScope reports whether a key does not allow all that it is asked for.
func refusedScope(err error) bool {
	status, ok := errors.AsType[*provider.StatusError](err)
	return ok && status.Status == http.StatusBadRequest && strings.Contains(status.Body, "invalid_scope")
}

// fleet returns a page of the fleet that is at most so old.
func (a *Adapter) fleet(ctx context.Context, number int, age time.Duration) (iso15143.Page, error) {
	page, err := a.pages.Get(ctx, number, age)
	if err != nil {
		return page, a.patient(err)
	}
	for _, e := range page.Fleet.Equipment {
		a.keys[idOf(e)] = keyOf(e.Header)
	}
	return page, nil
}

// patient has a refusal for too many calls, of an export that may be read once in
// 15 minutes, wait for that long where Trackunit does not say.
func (a *Adapter) patient(err error) error {
	if provider.KindOf(err) != provider.KindRateLimited || !provider.RetryAt(err).IsZero() {
		return err
	}
	return &provider.Error{Kind: provider.KindRateLimited, Until: a.cfg.Now().Add(renewal), Err: err}
}

// readAssets reads the names of all machines when a listing begins.
func (a *Adapter) readAssets(ctx context.Context, number int) error {
	if number > iso15143.FirstPage && a.assets != nil {
		return nil
	}
	list, err := all[asset](ctx, a, "/api/asset/v2/assets")
	if err != nil {
		return err
	}
	a.assets = map[string]asset{}
	for _, m := range list {
		a.assets[m.SerialNumber.String()] = m
		a.assets[m.ID.String()] = m
	}
	return nil
}

// readPlaces reads the newest locations with a speed when a round begins.
func (a *Adapter) readPlaces(ctx context.Context, number int) error {
	if number > iso15143.FirstPage && a.places != nil {
		return nil
	}
	list, err := all[place](ctx, a, "/api/location/v1/locations")
	if err != nil {
		return err
	}
	a.places = map[string]place{}
	for _, p := range list {
		a.places[p.asset()] = p
	}
	return nil
}

// all reads all pages of a list of Trackunit's own APIs. They add to the export,
// which does without: a list that is not there or may not be read is empty.
func all[T any](ctx context.Context, a *Adapter, path string) ([]T, error) {
	list, err := paging.ByNumber(func(number int) ([]T, bool, error) {
		var answer struct {
			TotalPages int `json:"totalPages"`
			Content    []T `json:"content" required:"true"`
		}
		// The vendor counts from 0.
		query := url.Values{"page": {strconv.Itoa(number - 1)}, "size": {"1000"}}
		err := a.api.Get(ctx, path, query, &answer)
		return answer.Content, number < answer.TotalPages, err
	})
	if forbidden(err) || window.Gone(err) {
		return nil, nil
	}
	return list, err
}

// forbidden reports whether the token lacks a right, which is no fault of the
// credentials.
func forbidden(err error) bool {
	return provider.StatusOf(err) == http.StatusForbidden
}
