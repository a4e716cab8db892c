package mixtelematics

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/session"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	// memory is how long what is known of an account is used before it is read
	// again.
	memory = 12 * time.Hour
	// quotaPeriod is how long to wait where the vendor does not say.
	quotaPeriod = time.Minute
)

// known is what was read of the account.
type known struct {
	organisations []string
	owner         map[string]string // of each asset
	ownerAt       time.Time         // when it was read last
	// strangers are the system drivers by organisation.
	strangers map[string]*session.Kept[map[string]bool]
}

// login gets an access token. The refresh token is not used: the password is at
// hand, and works after a long break too.
func (a *Adapter) login(ctx context.Context) (session.Token, error) {
	endpoint := session.Endpoint{
		HTTP: a.cfg.HTTP, URL: a.identity + "/core/connect/token", Now: a.cfg.Now,
		ClientID: a.cfg.Credentials["client_id"], ClientSecret: a.cfg.Credentials["client_secret"],
	}
	grant, err := endpoint.Request(ctx, url.Values{
		"grant_type": {"password"}, "scope": {"offline_access MiX.Integrate"},
		"username": {a.cfg.Credentials["username"]}, "password": {a.cfg.Credentials["password"]},
	})
	return grant.Token, err
}

// organisations returns the ids of the organisations to read.
func (a *Adapter) organisations(ctx context.Context) ([]string, error) {
	if id := strings.TrimSpace(a.cfg.Credentials["organisation_id"]); id != "" {
		if _, err := strconv.ParseInt(id, 10, 64); err != nil {
			return nil, provider.Errorf(provider.KindPermanent, "the organisation id is no whole number")
		}
		return []string{id}, nil
	}
	if len(a.known.organisations) > 0 {
		return a.known.organisations, nil
	}
	var groups []organisation
	if _, err := a.call(ctx, "/organisationgroups", nil, &groups); err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	for _, g := range groups {
		ids[g.GroupID.String()] = true
	}
	a.known.organisations = slices.Sorted(maps.Keys(ids))
	return a.known.organisations, nil
}

// assets returns the assets of an organisation, and remembers whose they are.
func (a *Adapter) assets(ctx context.Context, organisation string) ([]asset, error) {
	var assets []asset
	if _, err := a.call(ctx, "/assets/group/"+organisation, nil, &assets); err != nil {
		return nil, err
	}
	maps.DeleteFunc(a.known.owner, func(_, owner string) bool { return owner == organisation })
	for _, asset := range assets {
		a.known.owner[asset.AssetID.String()] = organisation
	}
	return assets, nil
}

// owned are assets of one organisation.
type owned struct {
	organisation string
	assets       []string
}

// owners groups assets by their organisation. Those that are no longer in any are
// left out: the vendor would refuse the whole call for one of them.
func (a *Adapter) owners(ctx context.Context, assets []string) ([]owned, error) {
	organisations, err := a.organisations(ctx)
	if err != nil {
		return nil, err
	}
	if a.cfg.Now().Sub(a.known.ownerAt) > memory {
		for _, o := range organisations {
			if _, err := a.assets(ctx, o); err != nil {
				return nil, err
			}
		}
		a.known.ownerAt = a.cfg.Now()
	}
	var owners []owned
	for _, o := range organisations {
		mine := slices.DeleteFunc(slices.Clone(assets), func(id string) bool { return a.known.owner[id] != o })
		if len(mine) > 0 {
			owners = append(owners, owned{o, mine})
		}
	}
	return owners, nil
}

// systemDrivers returns the ids that stand for nobody. A user who may not list the
// drivers is not told them, and gets the ids as they are.
func (a *Adapter) systemDrivers(ctx context.Context, organisation string) (map[string]bool, error) {
	kept := a.known.strangers[organisation]
	if kept == nil {
		read := func(ctx context.Context) (map[string]bool, error) { return a.readSystemDrivers(ctx, organisation) }
		kept = &session.Kept[map[string]bool]{Read: read, Now: a.cfg.Now, For: memory}
		a.known.strangers[organisation] = kept
	}
	return kept.Get(ctx)
}

func (a *Adapter) readSystemDrivers(ctx context.Context, organisation string) (map[string]bool, error) {
	var drivers []driver
	_, err := a.call(ctx, "/drivers/organisation/"+organisation, nil, &drivers)
	if err != nil && provider.KindOf(err) != provider.KindPermanent {
		return nil, err
	}
	strangers := map[string]bool{}
	for _, d := range drivers {
		if d.IsSystemDriver.Or(false) {
			strangers[d.DriverID.String()] = true
		}
	}
	return strangers, nil
}

// call makes one call to the API, with ids as its body where there are some.
func (a *Adapter) call(ctx context.Context, path string, ids []string, into any) (wire.Answer, error) {
	answer := wire.Answer{Doer: a.cfg.HTTP}
	err := a.session.Bearer(ctx, func(ctx context.Context, header string) error {
		ctx = outbound.WithRetry(ctx)
		req, err := wire.Get(ctx, a.api+"/api"+path, nil)
		if len(ids) > 0 {
			req, err = wire.PostJSON(ctx, a.api+"/api"+path, numbers(ids))
		}
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", header)
		return a.meaning(outbound.JSON(ctx, &answer, req, into))
	})
	return answer, err
}

// meaning corrects the kind of an error. A call with a good token is refused with
// 401 too, where the user may not see what it asks for.
func (a *Adapter) meaning(err error) error {
	if status, ok := errors.AsType[*provider.StatusError](err); ok && status.Status == http.StatusUnauthorized {
		return provider.Errorf(provider.KindPermanent, "the provider does not let this user see the organisation or its vehicles: %w", status)
	}
	if e, ok := errors.AsType[*provider.Error](err); ok && e.Kind == provider.KindRateLimited && e.Until.IsZero() {
		e.Until = a.cfg.Now().Add(quotaPeriod)
	}
	return err
}

// refused reports whether a call may have failed for an old token.
func refused(err error) bool {
	return provider.StatusOf(err) == http.StatusUnauthorized
}
