package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
)

// Deliveries lists the tenant's deliveries over all targets, newest event first.
func (s *Notifier) Deliveries(
	ctx context.Context,
	p drover.Principal,
	f drover.DeliveryFilter,
	after drover.DeliveryCursor,
	limit int,
) ([]drover.DeliverySummary, error) {
	return s.store.Feed.Deliveries(ctx, p.TenantID, f, after, limit)
}

// maxLog bounds the attempts that one delivery shows; retries end long before.
const maxLog = 100

// Delivery reads one delivery with its attempts and the request as it is sent.
func (s *Notifier) Delivery(ctx context.Context, p drover.Principal, id string) (drover.DeliveryDetail, error) {
	targetID, eventID, ok := drover.ParseDeliveryID(id)
	if !ok {
		return drover.DeliveryDetail{}, drover.Errorf(drover.KindNotFound, guard.UnknownDelivery, id)
	}
	target := drover.Target{TenantID: p.TenantID, ID: targetID}
	summary, delivery, err := s.store.Feed.Delivery(ctx, target, eventID)
	if errors.Is(err, store.ErrNotFound) {
		return drover.DeliveryDetail{}, s.absentDelivery(ctx, p, id, targetID)
	}
	if err != nil {
		return drover.DeliveryDetail{}, err
	}
	out := drover.DeliveryDetail{DeliverySummary: summary}
	if out.Log, err = s.store.Feed.DeliveryLogOf(ctx, target, eventID, maxLog); err != nil {
		return out, err
	}
	// What was not sent yet is shown without a signature: it would be one for a time at
	// which nothing was sent.
	at, sent := s.clock(), summary.LastAttemptAt != nil
	if sent {
		at = summary.LastAttemptAt.Time
	}
	if out.Request, err = s.showDelivery(ctx, delivery, at); err != nil || out.Request == nil {
		return out, err
	}
	if !sent || !p.Can(drover.PermissionSecrets) {
		delete(out.Request.Headers, signatureHeader)
	}
	if !sent {
		delete(out.Request.Headers, timestampHeader)
	}
	out.Request.URL = p.Address(out.Request.URL)
	return out, nil
}

// The headers of a delivery that are its signature, and the time that is signed.
const (
	signatureHeader = "webhook-signature"
	timestampHeader = "webhook-timestamp"
)

func (s *Notifier) absentDelivery(ctx context.Context, p drover.Principal, id, targetID string) error {
	other, err := s.store.Feed.OtherTarget(ctx, p.TenantID, targetID)
	if err != nil {
		return err
	}
	if other {
		return drover.Forbidden()
	}
	return drover.Errorf(drover.KindNotFound, guard.UnknownDelivery, id)
}

// TestMilestoneWebhook sends a test to a milestone's own webhook.
func (s *Notifier) TestMilestoneWebhook(
	ctx context.Context,
	p drover.Principal,
	id string,
	wait time.Duration,
) (drover.DeliveryAttempt, error) {
	if _, err := s.ownWebhook(ctx, p, id); err != nil {
		return drover.DeliveryAttempt{}, err
	}
	data, err := json.Marshal(drover.MilestoneTest{MilestoneID: id, Message: "This is a test."})
	if err != nil {
		return drover.DeliveryAttempt{}, fmt.Errorf("write test: %w", err)
	}
	return s.sendTest(ctx, p, drover.Target{TenantID: p.TenantID, ID: id}, drover.TargetMilestone, data, wait)
}

// ownWebhook finds a milestone with a webhook of its own that the caller may change.
func (s *Notifier) ownWebhook(ctx context.Context, p drover.Principal, id string) (store.Milestone, error) {
	if err := guard.MayWrite(p); err != nil {
		return store.Milestone{}, err
	}
	m, err := s.guard.Milestone(ctx, p, id, guard.UnknownMilestone)
	if err == nil && m.WebhookURL == nil {
		err = drover.InvalidValue("the milestone has no webhook_url", "path", "milestone_id")
	}
	return m, err
}

// ReplayMilestoneWebhook sends again what was sent to a milestone's own webhook.
func (s *Notifier) ReplayMilestoneWebhook(
	ctx context.Context,
	p drover.Principal,
	id string,
	in drover.ReplayInput,
) (drover.ReplayResult, error) {
	m, err := s.ownWebhook(ctx, p, id)
	if err != nil {
		return drover.ReplayResult{}, err
	}
	return s.replay(ctx, p, receiver{id: id, enabled: m.WebhookEnabled, param: "milestone_id"}, in)
}

// receiver is a target that something is sent to again. Param is its name in the path.
type receiver struct {
	id      string
	enabled bool
	param   string
}

// replay sends one delivery again, or all since a time that failed or were skipped.
func (s *Notifier) replay(ctx context.Context, p drover.Principal, to receiver, in drover.ReplayInput) (drover.ReplayResult, error) {
	switch {
	case in.EventID == nil && in.Since == nil:
		return drover.ReplayResult{}, drover.Invalid("missing", "Field required", "body", "event_id")
	case in.EventID != nil && in.Since != nil:
		return drover.ReplayResult{}, drover.InvalidValue("event_id and since exclude each other", "body", "since")
	case !to.enabled:
		return drover.ReplayResult{}, drover.InvalidValue("the webhook is not enabled", "path", to.param)
	}
	target := drover.Target{TenantID: p.TenantID, ID: to.id}
	return guard.Change(ctx, s.guard, p, func(tx *store.Tx) (drover.ReplayResult, error) {
		if in.EventID == nil {
			n, err := tx.Feed.ReplayDeliveries(ctx, target, *in.Since, s.now())
			return drover.ReplayResult{Replayed: n}, err
		}
		err := tx.Feed.ReplayDelivery(ctx, target, *in.EventID, s.now())
		if errors.Is(err, store.ErrNotFound) {
			err = drover.InvalidValue(fmt.Sprintf("no delivery of event %s is known", *in.EventID), "body", "event_id")
		}
		return drover.ReplayResult{Replayed: 1}, err
	})
}

// firstLook is when the outcome of a test is first looked for. A receiver that has not answered by
// then may be silent, so the database is asked less and less often, in the end every lastLook.
const firstLook, lastLook = 50 * time.Millisecond, time.Second

// sendTest makes a test due and waits for what comes of it.
func (s *Notifier) sendTest(
	ctx context.Context,
	p drover.Principal,
	t drover.Target,
	kind drover.TargetKind,
	data json.RawMessage,
	wait time.Duration,
) (drover.DeliveryAttempt, error) {
	made, err := guard.Change(ctx, s.guard, p, func(tx *store.Tx) (drover.DeliveryAttempt, error) {
		d, err := tx.Feed.AddTest(ctx, t, kind, data, s.now())
		return drover.DeliveryAttempt{EventID: d.EventID, Type: d.Type, State: d.State, CreatedAt: d.CreatedAt, NextAttemptAt: &d.DueAt}, err
	})
	if err != nil || wait <= 0 {
		return made, err
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	gap := firstLook
	look := time.NewTimer(gap)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return made, nil // what comes of it will be in the log
		case <-look.C:
		}
		log, err := s.store.Feed.DeliveryLogOf(ctx, t, made.EventID, 1)
		if err == nil && len(log) > 0 && log[0].Attempt > 0 {
			return log[0], nil
		}
		gap = min(2*gap, lastLook)
		look.Reset(gap)
	}
}

// statsTime is how far back the stats of webhooks reach.
const statsTime = 24 * time.Hour

// heldAfter failures in a row hold the deliveries of a webhook back.
const heldAfter = 5

// WebhooksWithStats is Webhooks, each with how it goes.
func (s *Notifier) WebhooksWithStats(
	ctx context.Context,
	p drover.Principal,
	after drover.IDCursor,
	limit int,
) ([]drover.WebhookView, error) {
	webhooks, err := s.Webhooks(ctx, p, after, limit)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(webhooks))
	for i, w := range webhooks {
		ids[i] = w.ID
	}
	counts, err := s.store.Feed.AttemptCounts(ctx, p.TenantID, ids, drover.At(s.clock().Add(-statsTime)))
	if err != nil {
		return nil, err
	}
	waits, err := s.store.Feed.Waits(ctx, p.TenantID, drover.At(s.clock()))
	if err != nil {
		return nil, err
	}
	views := make([]drover.WebhookView, len(webhooks))
	for i, w := range webhooks {
		stats := statsOf(w.ID, counts)
		stats.Pending, stats.Held = waits[w.ID].Pending, w.Enabled && w.ErrorCount >= heldAfter
		if until := waits[w.ID].WaitUntil; until.After(s.clock()) {
			stats.HeldUntil = &until
		}
		views[i] = drover.WebhookView{Webhook: w, Stats: &stats}
	}
	return views, nil
}
