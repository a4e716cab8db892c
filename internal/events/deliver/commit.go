package deliver

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/quota"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

const (
	// commitRows and commitWait bound the results that share a transaction.
	commitRows = 500
	commitWait = 2 * time.Millisecond
	// recommits is how often a result is committed that could not be, every
	// recommitWait.
	recommits    = 10
	recommitWait = time.Second
)

// commitAll commits results until there will be no more.
func (l *loop) commitAll(ctx context.Context) {
	timer := time.NewTimer(commitWait)
	defer timer.Stop()
	var beside sync.WaitGroup
	defer beside.Wait()
	apart := apart{of: map[string][]*job{}}
	for first := range l.results {
		jobs := []*job{first}
		timer.Reset(commitWait)
		for gathering := true; gathering && len(jobs) < commitRows; {
			select {
			case j, ok := <-l.results:
				if gathering = ok; ok {
					jobs = append(jobs, j)
				}
			case <-timer.C:
				gathering = false
			}
		}
		if !l.Store.Distributed() {
			l.commit(ctx, jobs)
			continue
		}
		for _, tenant := range apart.add(jobs) {
			beside.Go(func() {
				for of := apart.take(tenant); len(of) > 0; of = apart.take(tenant) {
					l.commit(ctx, of)
				}
			})
		}
	}
}

// apart are results that wait where each tenant has a transaction of its own: those that come
// while one of a tenant is under way share the next.
type apart struct {
	mu sync.Mutex
	of map[string][]*job // of the tenants of which one is under way
}

// add returns the tenants of which none is under way yet.
func (a *apart) add(jobs []*job) (begin []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, j := range jobs {
		waiting, under := a.of[j.TenantID]
		if !under {
			begin = append(begin, j.TenantID)
		}
		a.of[j.TenantID] = append(waiting, j)
	}
	return begin
}

// take removes results of a tenant. Without any, none of it is under way any more.
func (a *apart) take(tenant string) []*job {
	a.mu.Lock()
	defer a.mu.Unlock()
	waiting := a.of[tenant]
	if len(waiting) == 0 {
		delete(a.of, tenant)
		return nil
	}
	n := min(len(waiting), commitRows)
	a.of[tenant] = waiting[n:]
	return waiting[:n:n]
}

// commit commits results together or, where that fails, one by one, so that one
// that cannot be does not hold up the others.
func (l *loop) commit(ctx context.Context, jobs []*job) {
	if err := l.commitAttempts(ctx, jobs); err == nil {
		l.report(jobs)
		return
	}
	var done []*job
	for _, j := range jobs {
		if err := l.commitAttempts(ctx, []*job{j}); err != nil {
			l.Logger.ErrorContext(ctx, "commit an attempt", "tenant", j.TenantID, "target", j.ID, "event", j.EventID, "err", err)
			if l.recommit(j) {
				continue
			}
			j.cut = true
		}
		done = append(done, j)
	}
	if len(done) > 0 {
		l.report(done)
	}
}

// recommit brings a result back after a while, not for ever. Until then the
// delivery counts as under way, so that it is not sent again at once.
func (l *loop) recommit(j *job) bool {
	if j.commits++; j.commits > recommits {
		return false
	}
	l.beside.Go(func() {
		select {
		case <-time.After(recommitWait):
		case <-l.sends.Done():
		}
		l.results <- j
	})
	return true
}

func (l *loop) report(jobs []*job) {
	for _, j := range jobs {
		if !j.cut {
			l.metrics.attempts.WithLabelValues(string(j.outcome)).Inc()
			l.metrics.duration.Observe(j.took.Seconds())
			l.Usage.Add(j.TenantID, quota.Counts{Deliveries: 1})
		}
		if j.disabled {
			l.metrics.disabled.Inc()
		}
	}
	l.settled <- jobs
}

// commitAttempts commits attempts, what becomes of their deliveries, and what they say of
// their targets.
func (d *Deliverer) commitAttempts(ctx context.Context, jobs []*job) error {
	made := slices.DeleteFunc(slices.Clone(jobs), func(j *job) bool { return j.cut })
	if withdrawn := slices.DeleteFunc(slices.Clone(jobs), func(j *job) bool { return !j.withdrawn }); len(withdrawn) > 0 {
		if err := d.withdraw(ctx, withdrawn); err != nil {
			return err
		}
	}
	if len(made) == 0 {
		return nil
	}
	// In one order everywhere, so that two processes do not wait for each other.
	slices.SortStableFunc(made, func(a, b *job) int {
		return cmp.Or(cmp.Compare(a.TenantID, b.TenantID), cmp.Compare(a.ID, b.ID))
	})
	attempts := make([]work.Attempt, len(made))
	for i, j := range made {
		attempts[i] = d.result(j)
	}
	return d.Store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.Feed.AddAttempts(ctx, attempts); err != nil {
			return err
		}
		well := map[receivers][]string{}
		for start := 0; start < len(made); {
			end := start + 1
			for end < len(made) && made[end].Target == made[start].Target {
				end++
			}
			if err := d.judge(ctx, tx, made[start:end], well); err != nil {
				return err
			}
			start = end
		}
		for _, of := range slices.SortedFunc(maps.Keys(well), func(a, b receivers) int {
			return cmp.Or(cmp.Compare(a.tenant, b.tenant), cmp.Compare(a.kind, b.kind))
		}) {
			if err := tx.Feed.NoteSuccess(ctx, of.tenant, of.kind, well[of]); err != nil {
				return err
			}
		}
		return nil
	})
}

// receivers are the targets of a kind of one tenant.
type receivers struct {
	tenant string
	kind   drover.TargetKind
}

// withdraw gives up what receivers may not read any more.
func (d *Deliverer) withdraw(ctx context.Context, jobs []*job) error {
	ids := map[drover.Target][]string{}
	for _, j := range jobs {
		ids[j.Target] = append(ids[j.Target], j.EventID)
	}
	for t, events := range ids {
		if err := d.Store.Update(ctx, func(tx *store.Tx) error { return tx.Feed.WithdrawDeliveries(ctx, t, events) }); err != nil {
			return err
		}
	}
	return nil
}

// result is an attempt as it is logged, and what becomes of its delivery.
func (d *Deliverer) result(j *job) work.Attempt {
	a := work.Attempt{
		Target: j.Target, EventID: j.EventID, Number: j.Attempts + 1, Time: drover.At(j.at), Duration: j.took.Milliseconds(),
		State: drover.DeliveryDelivered, DueAt: j.DueAt, Tries: j.Tries + 1,
	}
	if j.status != 0 {
		a.Status = &j.status
	}
	if j.status != 0 && !j.internal {
		a.Response = &j.answer
	}
	if j.outcome == outcomeDelivered {
		return a
	}
	a.Error = &j.err
	next, again := nextTry(j.at.Add(j.took), j.Type, a.Tries, j.retryAfter, d.Rand())
	a.State = drover.DeliveryFailed
	if again {
		a.State, a.DueAt = drover.DeliveryPending, drover.At(next)
	}
	return a
}

// judge notes what the attempts of one target say of it, and disables it where
// that is enough. Those of which none failed are added to the ones that are well.
func (d *Deliverer) judge(ctx context.Context, tx *store.Tx, jobs []*job, well map[receivers][]string) error {
	first := jobs[0]
	h := work.AttemptHealth{Target: first.Target, Kind: first.Kind}
	var gone *job
	var wait time.Time
	for _, j := range jobs {
		j.disabled = false
		if j.retryAfter.After(wait) {
			wait = j.retryAfter
		}
		if j.outcome == outcomeDelivered {
			h.Succeeded, h.Failures = true, 0
			continue
		}
		if h.Failures == 0 {
			h.FirstAt = drover.At(j.at)
		}
		h.Failures++
		h.LastAt, h.LastError = drover.At(j.at), j.err
		if j.outcome == outcomeGone && j.Type != drover.EventWebhookTest {
			gone = j
		}
	}
	if !wait.IsZero() {
		if err := tx.Feed.SetWait(ctx, first.Target, d.now(), drover.At(wait)); err != nil {
			return err
		}
	}
	if h.Failures == 0 {
		of := receivers{first.TenantID, first.Kind}
		well[of] = append(well[of], first.ID)
		return nil
	}
	since, err := tx.Feed.NoteHealth(ctx, h)
	if err != nil {
		return err
	}
	last := jobs[len(jobs)-1]
	switch {
	case gone != nil:
		return d.disable(ctx, tx, gone, "the receiver answered 410 Gone")
	case since != nil && last.at.Sub(since.Time) >= disableAfter:
		return d.disable(ctx, tx, last, fmt.Sprintf("no attempt has succeeded since %s", since))
	}
	return nil
}

func (d *Deliverer) disable(ctx context.Context, tx *store.Tx, j *job, reason string) error {
	was, err := tx.Feed.DisableTarget(ctx, j.Target, j.Kind, d.now())
	if err != nil || !was {
		return err
	}
	j.disabled = true
	data, owner := drover.WebhookDisabled{Reason: reason}, j.TenantID
	if j.Kind == drover.TargetMilestone {
		m, err := tx.Trips.Milestone(ctx, j.TenantID, j.ID)
		if err != nil {
			return err
		}
		data.Milestone, owner = &m.Milestone, m.DeviceTenantID
	} else {
		w, err := tx.Webhooks.Webhook(ctx, j.TenantID, j.ID)
		if err != nil {
			return err
		}
		data.Webhook = &w.Webhook
	}
	e, err := drover.NewEvent(drover.EventWebhookDisabled, d.now(), data)
	if err != nil {
		return err
	}
	return journal.AppendOf(ctx, tx, j.TenantID, owner, []drover.Event{e})
}
