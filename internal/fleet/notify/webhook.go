package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/deliver/signing"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
)

// Webhook reads one webhook.
func (s *Notifier) Webhook(ctx context.Context, p drover.Principal, id string) (drover.Webhook, error) {
	w, err := s.store.Webhooks.Webhook(ctx, p.TenantID, id)
	if err != nil {
		return drover.Webhook{}, guard.OrNotFound(err, guard.UnknownWebhook, id)
	}
	return w.SeenBy(p), guard.Owned(p, w.TenantID)
}

// Webhooks lists webhooks by id, after the id given.
func (s *Notifier) Webhooks(ctx context.Context, p drover.Principal, after drover.IDCursor, limit int) ([]drover.Webhook, error) {
	webhooks, err := s.store.Webhooks.Webhooks(ctx, p.TenantID, string(after), limit)
	for i := range webhooks {
		webhooks[i] = webhooks[i].SeenBy(p)
	}
	return webhooks, err
}

// writableWebhook finds a webhook that the caller may change.
func (s *Notifier) writableWebhook(ctx context.Context, p drover.Principal, id string) (drover.Webhook, error) {
	if err := guard.MayWrite(p); err != nil {
		return drover.Webhook{}, err
	}
	return s.Webhook(ctx, p, id)
}

// CreateWebhook stores a webhook and makes its secret, which is shown this once.
func (s *Notifier) CreateWebhook(ctx context.Context, p drover.Principal, in drover.WebhookInput) (drover.WebhookCreated, error) {
	if err := guard.MayWrite(p); err != nil {
		return drover.WebhookCreated{}, err
	}
	w := drover.Webhook{ID: store.NewID(), URL: in.URL, Enabled: true, CreatedAt: s.now(), UpdatedAt: s.now()}
	if in.Enabled != nil {
		w.Enabled = *in.Enabled
	}
	if in.Options != nil {
		w.Options = drover.WebhookOptions(*in.Options)
	}
	var err error
	if err := s.checkWebhookURL(ctx, in.URL); err != nil {
		return drover.WebhookCreated{}, err
	}
	if w.Filters, err = s.checkFilters(ctx, p, in.Filters); err != nil {
		return drover.WebhookCreated{}, err
	}
	ring, err := signing.NewRing()
	if err != nil {
		return drover.WebhookCreated{}, err
	}
	sealed, err := ring.Seal(s.vault, store.Sealed{TenantID: p.TenantID, ID: w.ID})
	if err != nil {
		return drover.WebhookCreated{}, err
	}
	return guard.Change(ctx, s.guard, p, func(tx *store.Tx) (drover.WebhookCreated, error) {
		made := drover.WebhookCreated{Webhook: w, Secret: ring.View(s.clock()).Secret}
		if err := guard.Within(ctx, tx, p.TenantID, drover.QuotaWebhooks, 1); err != nil {
			return made, err
		}
		if err := guard.Within(ctx, tx, p.TenantID, drover.QuotaFilterBytes, w.Filters.Size()); err != nil {
			return made, err
		}
		made.Webhook = w.SeenBy(p)
		return made, tx.Webhooks.AddWebhook(ctx, store.Webhook{Webhook: w, TenantID: p.TenantID}, sealed.Sealed)
	})
}

// UpdateWebhook changes the fields that were sent. Switched off, what waits for
// the webhook is skipped; it can be replayed.
func (s *Notifier) UpdateWebhook(ctx context.Context, p drover.Principal, id string, u drover.WebhookUpdate) (drover.Webhook, error) {
	seen, err := s.writableWebhook(ctx, p, id)
	if err != nil {
		return drover.Webhook{}, err
	}
	if u.URL.Value != nil {
		if err := s.checkWebhookURL(ctx, *u.URL.Value); err != nil {
			return drover.Webhook{}, err
		}
	}
	filters, err := s.checkFilters(ctx, p, u.Filters.Value)
	if err != nil {
		return drover.Webhook{}, err
	}
	var changed store.Webhook
	err = s.guard.Update(ctx, p, func(tx *store.Tx) error {
		if u.Filters.Set {
			if err := guard.Within(ctx, tx, p.TenantID, drover.QuotaFilterBytes, filters.Size()-seen.Filters.Size()); err != nil {
				return err
			}
		}
		if changed, err = tx.Webhooks.WebhookForUpdate(ctx, p.TenantID, id); err != nil {
			return guard.OrNotFound(err, guard.UnknownWebhook, id)
		}
		if err := guard.Unchanged(ctx, changed.SeenBy(p)); err != nil {
			return err
		}
		before := changed.Webhook
		p.SentAddress(u.URL, before.URL).ApplyValue(&changed.URL)
		u.Enabled.ApplyValue(&changed.Enabled)
		if u.Filters.Set {
			changed.Filters = filters
		}
		if u.Options.Set {
			changed.Options = drover.WebhookOptions{}
			if u.Options.Value != nil {
				changed.Options = drover.WebhookOptions(*u.Options.Value)
			}
		}
		if reflect.DeepEqual(before, changed.Webhook) {
			return nil
		}
		changed.UpdatedAt = s.now()
		return tx.Webhooks.SetWebhook(ctx, changed)
	})
	return changed.SeenBy(p), err
}

// DeleteWebhook forgets a webhook, its log, and what waits for it.
func (s *Notifier) DeleteWebhook(ctx context.Context, p drover.Principal, id string) error {
	if _, err := s.writableWebhook(ctx, p, id); err != nil {
		return err
	}
	err := s.guard.Update(ctx, p, func(tx *store.Tx) error {
		w, err := tx.Webhooks.WebhookForUpdate(ctx, p.TenantID, id)
		if err != nil {
			return guard.OrNotFound(err, guard.UnknownWebhook, id)
		}
		if err := guard.Unchanged(ctx, w.SeenBy(p)); err != nil {
			return err
		}
		return tx.Webhooks.DropWebhook(ctx, p.TenantID, id)
	})
	if err != nil {
		return err
	}
	return s.dropDeliveries(ctx, drover.Target{TenantID: p.TenantID, ID: id})
}

// dropPage bounds the deliveries that one transaction drops with their webhook,
// and dropPages how many pages the caller waits for: the hourly sweep drops the
// rest.
const (
	dropPage  = 500
	dropPages = 4
)

func (s *Notifier) dropDeliveries(ctx context.Context, t drover.Target) error {
	for range dropPages {
		ids, err := s.store.Feed.LostDeliveries(ctx, t, dropPage)
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := s.store.Update(ctx, func(tx *store.Tx) error { return tx.Feed.DropDeliveries(ctx, t, ids) }); err != nil {
			return err
		}
	}
	return nil
}

func (s *Notifier) checkWebhookURL(ctx context.Context, url string) error {
	if err := s.checkURL(ctx, url); err != nil {
		return drover.InvalidValue(err.Error(), "body", "url")
	}
	return nil
}

// checkFilters checks that a filter names what the caller may see.
func (s *Notifier) checkFilters(ctx context.Context, p drover.Principal, in *drover.WebhookFiltersInput) (drover.WebhookFilters, error) {
	f, err := in.Normalize()
	if err != nil {
		return f, drover.Under(err, "body", "filters")
	}
	if in == nil {
		return f, nil
	}
	for i, id := range in.ConnectionIDs {
		if err := s.visibleConnection(ctx, p, id, "connection_ids", i); err != nil {
			return f, err
		}
	}
	for i, id := range in.DeviceIDs {
		d, err := s.store.Fleet.Device(ctx, p.TenantID, id)
		if errors.Is(err, store.ErrNotFound) {
			return f, drover.InvalidValue(fmt.Sprintf(guard.UnknownDevice, id), "body", "filters", "device_ids", i)
		}
		if err := errors.Join(err, guard.Readable(p, d.Access)); err != nil {
			return f, err
		}
	}
	for i, c := range in.ConnectionDevices {
		if err := s.visibleConnection(ctx, p, c.ConnectionID, "connection_devices", i, "connection_id"); err != nil {
			return f, err
		}
	}
	return f, nil
}

func (s *Notifier) visibleConnection(ctx context.Context, p drover.Principal, id string, loc ...any) error {
	c, err := s.store.Fleet.Connection(ctx, p.TenantID, id)
	if errors.Is(err, store.ErrNotFound) {
		return drover.InvalidValue(fmt.Sprintf(guard.UnknownConnection, id), append([]any{"body", "filters"}, loc...)...)
	}
	if err != nil {
		return err
	}
	return guard.Readable(p, c.Access)
}

// TestWebhook sends a test to a webhook, whether it is enabled or not, and waits for
// what comes of it, which is in the log too.
func (s *Notifier) TestWebhook(ctx context.Context, p drover.Principal, id string, wait time.Duration) (drover.DeliveryAttempt, error) {
	w, err := s.writableWebhook(ctx, p, id)
	if err != nil {
		return drover.DeliveryAttempt{}, err
	}
	data, err := json.Marshal(drover.WebhookTest{WebhookID: w.ID, Message: "This is a test."})
	if err != nil {
		return drover.DeliveryAttempt{}, fmt.Errorf("write test: %w", err)
	}
	return s.sendTest(ctx, p, drover.Target{TenantID: p.TenantID, ID: id}, drover.TargetWebhook, data, wait)
}

// RotateWebhookSecret makes a new secret. The one before signs deliveries for a
// while longer.
func (s *Notifier) RotateWebhookSecret(ctx context.Context, p drover.Principal, id string) (drover.WebhookSecret, error) {
	if err := guard.MayWrite(p); err != nil {
		return drover.WebhookSecret{}, err
	}
	if err := guard.MayReadSecrets(p); err != nil {
		return drover.WebhookSecret{}, err
	}
	if _, err := s.Webhook(ctx, p, id); err != nil {
		return drover.WebhookSecret{}, err
	}
	return guard.Change(ctx, s.guard, p, func(tx *store.Tx) (drover.WebhookSecret, error) {
		stored, err := tx.Webhooks.WebhookSecrets(ctx, p.TenantID, id)
		if err != nil {
			return drover.WebhookSecret{}, guard.OrNotFound(err, guard.UnknownWebhook, id)
		}
		view, sealed, err := s.rotate(ctx, stored)
		if err != nil {
			return view, err
		}
		return view, tx.Webhooks.SetWebhookSecrets(ctx, sealed)
	})
}

func (s *Notifier) rotate(ctx context.Context, stored store.Sealed) (drover.WebhookSecret, store.Sealed, error) {
	ring, err := signing.Open(ctx, s.vault, stored)
	if err != nil {
		return drover.WebhookSecret{}, stored, err
	}
	if ring, err = ring.Rotate(s.clock()); err != nil {
		return drover.WebhookSecret{}, stored, err
	}
	stored, err = ring.Seal(s.vault, stored)
	return ring.View(s.clock()), stored, err
}

// AccountWebhookSecret reads the secret that signs what is sent to the webhooks
// of the tenant's milestones, for admins: who has it can pass for us.
func (s *Notifier) AccountWebhookSecret(ctx context.Context, p drover.Principal) (drover.WebhookSecret, error) {
	secret, err := s.accountSecret(ctx, p)
	if err != nil {
		return drover.WebhookSecret{}, err
	}
	return secret, s.guard.AuditRead(ctx, p)
}

func (s *Notifier) accountSecret(ctx context.Context, p drover.Principal) (drover.WebhookSecret, error) {
	if err := guard.MayReadSecrets(p); err != nil {
		return drover.WebhookSecret{}, err
	}
	ring, err := signing.Account(ctx, s.store, s.vault, p.TenantID)
	if err != nil {
		return drover.WebhookSecret{}, err
	}
	return ring.View(s.clock()), nil
}

// RotateAccountWebhookSecret makes a new one.
func (s *Notifier) RotateAccountWebhookSecret(ctx context.Context, p drover.Principal) (drover.WebhookSecret, error) {
	if err := guard.MayWrite(p); err != nil {
		return drover.WebhookSecret{}, err
	}
	// The first is made where there is none, so that there is one to replace.
	if _, err := s.accountSecret(ctx, p); err != nil {
		return drover.WebhookSecret{}, err
	}
	return guard.Change(ctx, s.guard, p, func(tx *store.Tx) (drover.WebhookSecret, error) {
		stored, err := tx.Webhooks.AccountSecretsForUpdate(ctx, p.TenantID)
		if err != nil {
			return drover.WebhookSecret{}, err
		}
		view, sealed, err := s.rotate(ctx, stored)
		if err != nil {
			return view, err
		}
		return view, tx.Webhooks.SetAccountSecrets(ctx, sealed)
	})
}

// WebhookLog lists what was sent to a webhook, newest event first.
func (s *Notifier) WebhookLog(
	ctx context.Context,
	p drover.Principal,
	id string,
	state drover.DeliveryState,
	after drover.AttemptCursor,
	limit int,
) ([]drover.DeliveryAttempt, error) {
	if _, err := s.Webhook(ctx, p, id); err != nil {
		return nil, err
	}
	return s.store.Feed.DeliveryLog(ctx, drover.Target{TenantID: p.TenantID, ID: id}, state, after, limit)
}

// ReplayWebhook sends one delivery again, or all since a time that failed or were
// skipped. They keep their ids.
func (s *Notifier) ReplayWebhook(ctx context.Context, p drover.Principal, id string, in drover.ReplayInput) (drover.ReplayResult, error) {
	w, err := s.writableWebhook(ctx, p, id)
	if err != nil {
		return drover.ReplayResult{}, err
	}
	return s.replay(ctx, p, receiver{id: id, enabled: w.Enabled, param: "webhook_id"}, in)
}
