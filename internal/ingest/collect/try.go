package collect

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
)

// tryTime bounds a trial, tryPages the pages of devices that it counts, and tryDevices those
// of which it asks for positions.
const (
	tryTime    = 20 * time.Second
	tryPages   = 20
	tryDevices = 5
)

// Try asks a vendor whether credentials work, of which account they are, how many
// vehicles they show, and for one position. Nothing is stored. What the vendor refuses is part of the answer;
// an error is one of ours.
func (c *Collector) Try(ctx context.Context, name drover.ProviderName, credentials map[string]string) (drover.ConnectionTrial, error) {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	info := c.current(name)
	tokens := &keptTokens{credentials: maps.Clone(credentials)}
	// It counts for no tenant and no origin: it is bounded as a request is.
	config := c.config(drover.Connection{IntegrationName: name}, info, credentials, nil)
	config.Tokens = tokens
	account := info.Account(credentials)
	config.Named = func(name string) { account = &name }
	p, err := info.New(config)
	if err != nil {
		return refusedTrial(err), nil
	}
	if err := p.Check(ctx); err != nil {
		return tokens.complete(refusedTrial(err)), nil
	}
	t := drover.ConnectionTrial{OK: true, Account: account}
	ids, err := countDevices(ctx, p, &t)
	if err != nil {
		return tokens.complete(refusedTrial(err)), nil
	}
	// Where the newest are not to be had in time, the credentials are good all the same.
	now := c.opts.Now()
	page, err := p.Positions(ctx, provider.Query{From: now.Add(-time.Hour), Devices: ids})
	if err == nil && len(page.Records) > 0 {
		last := page.Records[len(page.Records)-1]
		t.Position = &drover.TrialPosition{SystemDeviceID: last.SystemDeviceID, CurrentPosition: *last.View()}
	}
	return tokens.complete(t), nil
}

// countDevices counts the vehicles that a vendor shows, and returns the ids of some.
func countDevices(ctx context.Context, p provider.Provider, t *drover.ConnectionTrial) (ids []string, err error) {
	cursor := ""
	for range tryPages {
		page, err := p.Devices(ctx, cursor)
		if err != nil {
			return nil, err
		}
		for _, d := range page.Records {
			if t.Devices++; len(ids) < tryDevices {
				ids = append(ids, d.SystemDeviceID)
			}
		}
		if cursor = page.Cursor; !page.More {
			return ids, nil
		}
	}
	t.More = true
	return ids, nil
}

func refusedTrial(err error) drover.ConnectionTrial {
	return drover.ConnectionTrial{Error: new(err.Error()), ErrorKind: new(string(provider.KindOf(err)))}
}

// keptTokens keeps what a vendor renews for the time of a trial, and hands it back:
// a token that may be used once is spent by then.
type keptTokens struct {
	credentials provider.Credentials
	renewed     map[string]string
}

// Exchange implements provider.TokenStore.
func (k *keptTokens) Exchange(
	ctx context.Context,
	renew func(context.Context, provider.Credentials) (provider.Credentials, error),
) (provider.Credentials, error) {
	after, err := renew(ctx, maps.Clone(k.credentials))
	if err != nil {
		return nil, err
	}
	for name, value := range after {
		if k.credentials[name] != value {
			if k.renewed == nil {
				k.renewed = map[string]string{}
			}
			k.renewed[name] = value
		}
	}
	k.credentials = after
	return after, nil
}

func (k *keptTokens) complete(t drover.ConnectionTrial) drover.ConnectionTrial {
	if k.renewed != nil {
		t.RenewedCredentials = &k.renewed
	}
	return t
}

// Confirm calls an address that a vendor wants to be called before it sends notices.
func (c *Collector) Confirm(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return fmt.Errorf("confirm notices: %w", err)
	}
	res, err := outbound.NewHTTPClient(c.opts.Transport, tryTime).Do(req)
	if err != nil {
		return errors.New("confirm notices: the address could not be called")
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("confirm notices: the answer was %s", res.Status)
	}
	return nil
}
