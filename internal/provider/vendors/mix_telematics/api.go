package mixtelematics

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
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
	// strangers are the system drivers by organisation, and names what its events are called,
	// by their type.
	strangers map[string]*session.Kept[map[string]bool]
	names     map[string]*session.Kept[map[string]string]
}

// login gets an access token. The refresh token is not used: the password is at
// hand, and works after a long break too.
func (a *Adapter) login(ctx context.Context) (session.Token, error) {
	c := a.cfg.Credentials
	return session.Endpoint{
		HTTP: a.cfg.HTTP, Now: a.cfg.Now, ClientID: c["client_id"], ClientSecret: c["client_secret"],
		URL: cmp.Or(a.cfg.BaseURL, "https://identity."+c["data_centre"]+".mixtelematics.com") + "/core/connect/token",
	}.Password(ctx, c["username"], c["password"], "offline_access MiX.Integrate")
}

// check asks for the organisations of the login, and names those that are read.
func (a *Adapter) check(ctx context.Context) error {
	groups, err := client.Get[[]organisation](ctx, a.api, "/organisationgroups", nil)
	if err != nil {
		return err
	}
	var names []string
	for _, g := range groups {
		if id := strings.TrimSpace(a.cfg.Credentials["organisation_id"]); g.Name != "" && (id == "" || id == g.GroupID.String()) {
			names = append(names, g.Name)
		}
	}
	a.cfg.Name(strings.Join(names, ", "))
	return nil
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
	groups, _, err := list[organisation](ctx, a, "/organisationgroups", nil)
	if err != nil {
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
	assets, _, err := list[asset](ctx, a, "/assets/group/"+organisation, nil)
	if err != nil {
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

// systemDrivers returns the ids that stand for no one. A user who may not list the
// drivers gets the ids as they are.
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
	drivers, _, err := list[driver](ctx, a, "/drivers/organisation/"+organisation, nil)
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

// list makes one call, with a body where there is one, and returns what stands beside
// its rows too.
func list[T any](ctx context.Context, a *Adapter, path string, body any) (rows []T, answer wire.Answer, err error) {
	api := *a.api
	answer.Doer, api.HTTP = api.HTTP, &answer
	if body != nil {
		err = api.Post(ctx, path, body, &rows)
	} else {
		err = api.Get(outbound.WithRetry(ctx), path, nil, &rows)
	}
	return rows, answer, err
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
