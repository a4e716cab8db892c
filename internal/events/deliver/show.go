package deliver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/deliver/signing"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// Show makes the request of a delivery as it is sent at a time: the same delivery
// always has the same body, and the signature follows from it. It is nil where
// nothing could be sent.
func (d *Deliverer) Show(ctx context.Context, delivery drover.Delivery, at time.Time) (*drover.DeliveryRequest, error) {
	settings, err := d.Store.Feed.TargetSettings(ctx, delivery.Target, d.now())
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	j := &job{Delivery: delivery, url: settings.URL, at: at}
	if j.url == "" && delivery.URL != nil {
		j.url = *delivery.URL
	}
	if j.ring, err = d.ringOf(ctx, delivery, settings); err != nil {
		return nil, err
	}
	return d.show(ctx, j)
}

func (d *Deliverer) ringOf(ctx context.Context, delivery drover.Delivery, settings work.TargetSettings) (signing.Ring, error) {
	if delivery.Kind == drover.TargetMilestone {
		return signing.Account(ctx, d.Store, d.Vault, delivery.TenantID)
	}
	return signing.Open(ctx, d.Vault, store.Sealed{TenantID: delivery.TenantID, ID: delivery.ID, Sealed: settings.Secrets})
}

func (d *Deliverer) show(ctx context.Context, j *job) (*drover.DeliveryRequest, error) {
	req, err := j.request(ctx, d)
	if errors.Is(err, errBody) || errors.Is(err, errWithdrawn) {
		return nil, nil //nolint:nilnil // there is nothing to show
	}
	if err != nil {
		return nil, err
	}
	out := &drover.DeliveryRequest{Method: http.MethodPost, URL: j.url, Headers: map[string]string{}}
	for name := range req.Header {
		out.Headers[strings.ToLower(name)] = req.Header.Get(name)
	}
	return out, json.NewDecoder(req.Body).Decode(&out.Body)
}
