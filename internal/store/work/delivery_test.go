package work_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

func emptyFilters() drover.WebhookFilters {
	f, _ := (*drover.WebhookFiltersInput)(nil).Normalize() // nothing to refuse
	return f
}

func (f fixture) addWebhook(change func(w *drover.Webhook)) drover.Target {
	f.t.Helper()
	w := store.Webhook{TenantID: f.own, Webhook: drover.Webhook{
		ID: store.NewID(), URL: "https://hooks.example/", Enabled: true, CreatedAt: noon, UpdatedAt: noon, Filters: emptyFilters(),
	}}
	if change != nil {
		change(&w.Webhook)
	}
	f.update(func(tx *store.Tx) error { return tx.Webhooks.AddWebhook(f.t.Context(), w, []byte("sealed")) })
	return drover.Target{TenantID: f.own, ID: w.ID}
}

// moved is an event about positions of devices.
func (f fixture) moved(at drover.Time, devices ...drover.Device) drover.Event {
	f.t.Helper()
	b := drover.PositionBatch{ConnectionID: f.connection}
	for _, d := range devices {
		b.Positions = append(b.Positions, drover.DevicePosition{DeviceID: d.ID, SystemDeviceID: d.SystemDeviceID})
	}
	return must[drover.Event](f.t)(drover.NewEvent(drover.EventPositionUpdated, at, b))
}

func (f fixture) due(target drover.Target, now drover.Time, known ...string) []drover.Delivery {
	f.t.Helper()
	return must[[]drover.Delivery](f.t)(f.Feed.DueDeliveries(f.t.Context(), target, now, known, 100))
}

func (f fixture) log(target drover.Target) []drover.DeliveryAttempt {
	f.t.Helper()
	return must[[]drover.DeliveryAttempt](f.t)(f.Feed.DeliveryLog(f.t.Context(), target, "", drover.AttemptCursor{}, 1000))
}

func TestEnqueueFilters(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		north, plain := f.addDevice("north"), f.addDevice()
		f.update(func(tx *store.Tx) error { return tx.Accounts.TagConnection(ctx, f.own, f.connection, []string{"cold"}) })
		about := func(typ drover.EventType, device *string, connection *string) drover.Event {
			e := event(f.t, typ, nil)
			e.DeviceID, e.ConnectionID = device, connection
			switch {
			case device != nil:
				e.Subjects = []drover.Subject{{DeviceID: *device}}
			case connection != nil:
				e.Subjects = []drover.Subject{{ConnectionID: *connection}}
			}
			return e
		}
		events := []drover.Event{
			about(drover.EventDeviceUpdated, &north.ID, &f.connection), about(drover.EventDeviceUpdated, &plain.ID, &f.connection),
			about(drover.EventConnectionUpdated, nil, &f.connection), about(drover.EventWebhookDisabled, nil, nil), f.moved(noon, north, plain),
		}
		// What is heard of: the two devices, the connection, the account, and the
		// devices of the batch.
		for name, c := range map[string]struct {
			filters drover.WebhookFilters
			heard   []int
			batch   []string // nil is all
		}{
			"Empty":           {drover.WebhookFilters{}, []int{0, 1, 2, 3, 4}, nil},
			"Connection":      {drover.WebhookFilters{ConnectionIDs: []string{f.connection}}, []int{0, 1, 2, 4}, nil},
			"OtherConnection": {drover.WebhookFilters{ConnectionIDs: []string{store.NewID()}}, nil, nil},
			"DeviceTag":       {drover.WebhookFilters{Tags: []string{"north"}}, []int{0, 4}, []string{north.ID}},
			"ConnectionTag":   {drover.WebhookFilters{Tags: []string{"cold"}}, []int{0, 1, 2, 4}, nil},
			"Device":          {drover.WebhookFilters{DeviceIDs: []string{plain.ID}}, []int{1, 4}, []string{plain.ID}},
			"ConnectionDevices": {drover.WebhookFilters{ConnectionDevices: []drover.ConnectionDevices{{
				ConnectionID:    f.connection,
				SystemDeviceIDs: []string{north.SystemDeviceID},
			}}}, []int{0, 4}, []string{north.ID}},
			"AnyListIsEnough": {drover.WebhookFilters{DeviceIDs: []string{plain.ID}, Tags: []string{"north"}}, []int{0, 1, 4}, nil},
		} {
			target := f.addWebhook(func(w *drover.Webhook) { w.Filters = c.filters })
			mine := slices.Clone(events)
			for i := range mine {
				mine[i].ID = store.NewID()
			}
			f.append(f.own, mine...)
			var heard []int
			for _, d := range f.due(target, noon) {
				i := slices.IndexFunc(mine, func(e drover.Event) bool { return e.ID == d.EventID })
				heard = append(heard, i)
				if i == 4 && !slices.Equal(d.Devices, c.batch) {
					f.t.Errorf("%s: the batch is narrowed to %v, want %v", name, d.Devices, c.batch)
				}
				if d.ConnectionID != f.connection && i != 3 {
					f.t.Errorf("%s: delivery %d has connection %q", name, i, d.ConnectionID)
				}
			}
			if !slices.Equal(heard, c.heard) {
				f.t.Errorf("%s hears of %v, want %v", name, heard, c.heard)
			}
			f.update(func(tx *store.Tx) error { return tx.Webhooks.DropWebhook(ctx, f.own, target.ID) })
		}
	})
}

func TestEnqueueOwnWebhook(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		d, other := f.addDevice(), f.addDevice()
		url := "https://shipper.example/"
		m := drover.Milestone{
			ID: store.NewID(), TenantID: f.own, DeviceID: d.ID, StartTime: noon, CreatedAt: noon, UpdatedAt: noon,
			Status: drover.TripNotStarted, WebhookURL: &url, WebhookEnabled: true,
		}
		f.update(func(tx *store.Tx) error {
			return tx.Trips.AddMilestone(ctx, store.Milestone{Milestone: m, DeviceTenantID: f.own, State: json.RawMessage("{}")})
		})
		reported := func(typ drover.EventType) drover.Event {
			return must[drover.Event](f.t)(drover.NewEvent(typ, noon, m))
		}
		f.append(f.own, reported(drover.EventMilestoneCreated), f.moved(noon, other, d), f.moved(noon, other),
			f.moved(drover.At(noon.Add(-time.Hour)), d))
		m.Status = drover.TripEnded
		f.update(func(tx *store.Tx) error {
			return errors.Join(tx.Trips.SetMilestone(ctx, store.Milestone{Milestone: m, DeviceTenantID: f.own, State: json.RawMessage("{}")}),
				journal.Append(ctx, tx, f.own, []drover.Event{reported(drover.EventMilestoneEnded), f.moved(noon, d)}))
		})
		f.update(func(tx *store.Tx) error {
			return errors.Join(tx.Trips.DropMilestone(ctx, f.own, m.ID),
				journal.Append(ctx, tx, f.own, []drover.Event{reported(drover.EventMilestoneDeleted)}))
		})
		got := f.due(drover.Target{TenantID: f.own, ID: m.ID}, noon)
		types := make([]drover.EventType, len(got))
		for i, d := range got {
			types[i] = d.Type
			if d.URL == nil || *d.URL != url || d.Kind != drover.TargetMilestone || d.ConnectionID != f.connection {
				f.t.Errorf("delivery %d is %+v", i, d)
			}
		}
		check(f.t, types, []drover.EventType{
			drover.EventMilestoneCreated, drover.EventPositionUpdated, drover.EventMilestoneEnded,
			drover.EventMilestoneDeleted,
		})
		check(f.t, got[1].Devices, []string{d.ID})
	})
}

func TestEnqueueWakes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		var mu sync.Mutex
		var woken []drover.Target
		f.Feed.OnDeliveries(func(added []work.Added, targets []drover.Target) {
			mu.Lock()
			defer mu.Unlock()
			woken = append(woken, targets...)
			for _, a := range added {
				check(f.t, []any{a.TenantID, a.First, a.Last}, []any{f.own, int64(2), int64(2)})
				for _, d := range a.Deliveries {
					// What is reported is what would be read.
					check(f.t, f.due(d.Target, noon), []drover.Delivery{d})
					woken = append(woken, d.Target)
				}
			}
		})
		f.append(f.own, event(f.t, drover.EventDeviceCreated, nil))
		check(f.t, woken, nil)
		on := f.addWebhook(nil)
		off := f.addWebhook(func(w *drover.Webhook) { w.Enabled = false })
		f.append(f.own, event(f.t, drover.EventDeviceCreated, nil))
		check(f.t, woken, []drover.Target{on})
		failed := errors.New("no")
		err := f.Update(f.t.Context(), func(tx *store.Tx) error {
			return errors.Join(journal.Append(f.t.Context(), tx, f.own, []drover.Event{event(f.t, drover.EventDeviceCreated, nil)}), failed)
		})
		if !errors.Is(err, failed) || len(woken) != 1 {
			f.t.Errorf("%v, woken %v", err, woken)
		}
		check(f.t, len(f.due(on, noon)), 1)
		check(f.t, f.log(off)[0].State, drover.DeliverySkipped)
	})
}

func TestDueTargets(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		find := func(tenant string, now drover.Time) []drover.Target {
			f.t.Helper()
			out := []drover.Target{}
			for _, d := range must[[]work.DueTarget](f.t)(f.Feed.DueTargets(ctx, tenant, now)) {
				out = append(out, d.Target)
			}
			return out
		}
		check(f.t, find("", noon), []drover.Target{})
		var all []drover.Target
		for range 3 {
			all = append(all, f.addWebhook(nil))
		}
		f.append(f.own, event(f.t, drover.EventDeviceCreated, nil), event(f.t, drover.EventDeviceCreated, nil))
		check(f.t, find("", noon), all)
		check(f.t, find(f.own, noon), all)
		check(f.t, find(f.other, noon), []drover.Target{})
		check(f.t, find("", drover.At(noon.Add(-time.Second))), []drover.Target{})

		later := drover.At(noon.Add(time.Minute))
		for range 2 { // a free one, and one of the owner's
			if !must[bool](f.t)(f.Feed.ClaimTarget(ctx, all[0], "a", "", noon, later)) {
				f.t.Error("a target could not be claimed")
			}
		}
		if must[bool](f.t)(f.Feed.ClaimTarget(ctx, all[0], "b", "", noon, later)) {
			f.t.Error("a claimed target was claimed")
		}
		if must[bool](f.t)(f.Feed.ClaimTarget(ctx, all[0], "b", "c", noon, later)) ||
			!must[bool](f.t)(f.Feed.ClaimTarget(ctx, all[0], "b", "a", noon, later)) {
			f.t.Error("a claimed target is taken from its dead owner, and from no other")
		}
		if !must[bool](f.t)(f.Feed.ClaimTarget(ctx, all[0], "a", "b", noon, later)) {
			f.t.Error("a claimed target could not be taken back")
		}
		if got := must[[]work.DueTarget](f.t)(f.Feed.DueTargets(ctx, "", noon)); got[0].LeasedBy != "a" || got[0].LeasedUntil != later {
			f.t.Errorf("leased: %+v", got[0])
		}
		f.update(func(tx *store.Tx) error {
			return tx.Feed.ReleaseTargets(ctx, "a", f.own, []string{all[0].ID, all[1].ID, all[2].ID})
		})
		if !must[bool](f.t)(f.Feed.ClaimTarget(ctx, all[0], "b", "", noon, later)) {
			f.t.Error("a released target could not be claimed")
		}
		if !must[bool](f.t)(f.Feed.ClaimTarget(ctx, all[0], "c", "", later, drover.At(later.Add(time.Minute)))) {
			f.t.Error("an expired lease could not be taken over")
		}
	})
}

func TestAttempts(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		target := f.addWebhook(nil)
		first, second := event(f.t, drover.EventDeviceCreated, nil), event(f.t, drover.EventDeviceUpdated, nil)
		f.append(f.own, first, second)
		later := drover.At(noon.Add(time.Minute))
		status, text, answer := 500, "the answer was 500", `"quoted" \ ünï`
		attempt := func(id string, number int, state drover.DeliveryState) work.Attempt {
			return work.Attempt{
				Target: target, EventID: id, Number: number, Time: noon, Status: &status, Duration: 12, Error: &text, Response: &answer,
				State: state, DueAt: later, Tries: number,
			}
		}
		add := func(attempts ...work.Attempt) {
			f.t.Helper()
			f.update(func(tx *store.Tx) error { return tx.Feed.AddAttempts(ctx, attempts) })
		}
		add(attempt(first.ID, 1, drover.DeliveryPending), attempt(second.ID, 1, drover.DeliveryDelivered))
		check(f.t, len(f.due(target, noon)), 0)
		due := f.due(target, later)
		if len(due) != 1 || due[0].EventID != first.ID || due[0].Attempts != 1 || due[0].Tries != 1 || string(due[0].Data) != string(first.Data) {
			f.t.Errorf("due: %+v", due)
		}
		// The same attempt, reported by someone who has lost his lease.
		add(attempt(first.ID, 1, drover.DeliveryFailed))
		check(f.t, len(f.due(target, later)), 1)
		check(f.t, len(f.due(target, later, first.ID)), 0)
		add(attempt(first.ID, 2, drover.DeliveryFailed))

		log := f.log(target)
		sequence, duration := int64(2), int64(12)
		check(f.t, log[0], drover.DeliveryAttempt{
			EventID: second.ID, Type: second.Type, Sequence: &sequence, State: drover.DeliveryDelivered, CreatedAt: noon,
			Attempt: 1, Time: &noon, Status: &status, DurationMS: &duration, Error: &text, Response: &answer,
		})
		check(f.t, []int{len(log), log[1].Attempt, log[2].Attempt}, []int{3, 2, 1})
		var paged []drover.DeliveryAttempt
		for cursor := (drover.AttemptCursor{}); ; {
			page := must[[]drover.DeliveryAttempt](f.t)(f.Feed.DeliveryLog(ctx, target, "", cursor, 1))
			if len(page) == 0 {
				break
			}
			paged = append(paged, page...)
			cursor = drover.AttemptCursor{EventID: page[0].EventID, Attempt: page[0].Attempt}
		}
		check(f.t, paged, log)
	})
}

// TestSkipDisabled skips for a target that was disabled when someone looked, and
// has been enabled since: nothing is given up.
func TestSkipDisabled(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		target := f.addWebhook(nil)
		f.append(f.own, event(f.t, drover.EventDeviceCreated, nil))
		f.update(func(tx *store.Tx) error { return tx.Feed.SkipDisabled(f.t.Context(), target) })
		check(f.t, len(f.due(target, noon)), 1)
	})
}

func TestReplay(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		target := f.addWebhook(nil)
		e := event(f.t, drover.EventDeviceCreated, nil)
		f.append(f.own, e)
		f.update(func(tx *store.Tx) error { return tx.Feed.SkipDeliveries(ctx, target) })
		check(f.t, len(f.due(target, noon)), 0)
		replay := func(since drover.Time) (n int) {
			f.update(func(tx *store.Tx) (err error) {
				n, err = tx.Feed.ReplayDeliveries(ctx, target, since, noon)
				return err
			})
			return n
		}
		check(f.t, replay(drover.At(noon.Add(time.Second))), 0)
		check(f.t, replay(noon), 1)
		check(f.t, replay(noon), 0)
		check(f.t, f.due(target, noon)[0].EventID, e.ID)
		for id, want := range map[string]error{e.ID: nil, store.NewID(): store.ErrNotFound, "x": store.ErrNotFound} {
			err := f.Update(ctx, func(tx *store.Tx) error { return tx.Feed.ReplayDelivery(ctx, target, id, noon) })
			if !errors.Is(err, want) {
				f.t.Errorf("replay %s: %v, want %v", id, err, want)
			}
		}
		f.update(func(tx *store.Tx) error {
			return tx.Feed.SkipDeliveries(ctx, target)
		})
		old := must[[]string](f.t)(f.Feed.SettledDeliveries(ctx, target, drover.At(time.Now().Add(time.Hour)), 10))
		check(f.t, old, []string{e.ID})
		check(f.t, must[[]string](f.t)(f.Feed.SettledDeliveries(ctx, target, noon, 10)), []string{})
		check(f.t, must[[]string](f.t)(f.Feed.LostDeliveries(ctx, target, 10)), []string{})
		f.update(func(tx *store.Tx) error {
			return tx.Feed.DropDeliveries(ctx, target, old)
		})
		check(f.t, f.log(target), []drover.DeliveryAttempt{})
	})
}

func TestWaitingPositions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		a, b := f.addDevice(), f.addDevice()
		target := f.addWebhook(nil)
		one := f.addWebhook(func(w *drover.Webhook) { w.Filters.DeviceIDs = []string{a.ID} })
		events := []drover.Event{
			f.moved(noon, a), f.moved(noon, a, b), event(f.t, drover.EventDeviceCreated, nil),
			f.moved(drover.At(noon.Add(time.Hour)), b),
		}
		f.append(f.own, events...)
		cut := drover.At(noon.Add(time.Minute))
		check(f.t, must[[]drover.Target](f.t)(f.Feed.StaleTargets(ctx, cut)), []drover.Target{target, one})
		page := must[[]work.WaitingBatch](f.t)(f.Feed.WaitingPositions(ctx, target, "", 2))
		check(f.t, []string{page[0].EventID, page[1].EventID}, []string{events[3].ID, events[1].ID})
		check(f.t, must[drover.PositionBatch](f.t)(drover.ReadPositions(page[1].Data)).Subjects()[1].DeviceID, b.ID)
		page = must[[]work.WaitingBatch](f.t)(f.Feed.WaitingPositions(ctx, target, page[1].EventID, 2))
		check(f.t, []string{page[0].EventID, page[0].CreatedAt.String()}, []string{events[0].ID, noon.String()})
		// Narrowed to its device, a batch needs no data to tell it.
		check(f.t, must[[]work.WaitingBatch](f.t)(f.Feed.WaitingPositions(ctx, one, "", 10)), []work.WaitingBatch{
			{EventID: events[1].ID, CreatedAt: noon, Devices: []string{a.ID}}, {EventID: events[0].ID, CreatedAt: noon, Data: events[0].Data},
		})
		for _, want := range []int{1, 0} {
			f.update(func(tx *store.Tx) error {
				n, err := tx.Feed.SupersedeDeliveries(ctx, target, []string{events[0].ID})
				check(f.t, n, want)
				return err
			})
		}
	})
}

func TestTargetHealth(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		hook := f.addWebhook(nil)
		url := "https://shipper.example/"
		m := drover.Milestone{
			ID: store.NewID(), TenantID: f.own, DeviceID: f.addDevice().ID, StartTime: noon, WebhookURL: &url,
			WebhookEnabled: true, Status: drover.TripNotStarted,
		}
		f.update(func(tx *store.Tx) error {
			return tx.Trips.AddMilestone(ctx, store.Milestone{Milestone: m, DeviceTenantID: f.own, State: json.RawMessage("{}")})
		})
		later := drover.At(noon.Add(time.Hour))
		for _, h := range []work.AttemptHealth{
			{Target: hook, Kind: drover.TargetWebhook}, {Target: drover.Target{TenantID: f.own, ID: m.ID}, Kind: drover.TargetMilestone},
		} {
			note := func(change func(h *work.AttemptHealth)) (since *drover.Time) {
				f.t.Helper()
				now := h
				change(&now)
				f.update(func(tx *store.Tx) (err error) {
					since, err = tx.Feed.NoteHealth(ctx, now)
					return err
				})
				return since
			}
			check(f.t, note(func(h *work.AttemptHealth) { h.Failures, h.FirstAt, h.LastAt, h.LastError = 2, noon, noon, "a" }), &noon)
			check(f.t, note(func(h *work.AttemptHealth) { h.Failures, h.FirstAt, h.LastAt, h.LastError = 1, later, later, "b" }), &noon)
			if h.Kind == drover.TargetWebhook {
				w := must[store.Webhook](f.t)(f.Webhooks.Webhook(ctx, f.own, h.ID))
				check(f.t, []any{w.ErrorCount, *w.LastError, *w.LastErrorAt}, []any{3, "b", later})
			} else {
				m := must[store.Milestone](f.t)(f.Trips.Milestone(ctx, f.own, h.ID))
				check(f.t, []any{m.WebhookErrorCount, *m.LastWebhookError, *m.LastWebhookErrorAt}, []any{3, "b", later})
			}
			check(f.t, note(func(h *work.AttemptHealth) { h.Succeeded = true }), nil)
			check(f.t, note(func(h *work.AttemptHealth) { h.Failures, h.FirstAt, h.LastAt, h.LastError = 1, later, later, "c" }), &later)
			s := must[work.TargetSettings](f.t)(f.Feed.TargetSettings(ctx, h.Target, noon))
			check(f.t, []any{s.Kind, s.Enabled}, []any{h.Kind, true})
			for _, want := range []bool{true, false} {
				f.update(func(tx *store.Tx) error {
					was, err := tx.Feed.DisableTarget(ctx, h.Target, h.Kind, noon)
					check(f.t, was, want)
					return err
				})
			}
			check(f.t, must[work.TargetSettings](f.t)(f.Feed.TargetSettings(ctx, h.Target, noon)).Enabled, false)
		}
	})
}

// TestWaitNotedAhead has a receiver's wish noted by a clock that is ahead: once that is
// put right it does not hold, and the next one does.
func TestWaitNotedAhead(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx, target := f.t.Context(), f.addWebhook(nil)
		if held, err := f.Feed.ClaimTarget(ctx, target, "a", "", noon, drover.At(noon.Add(time.Minute))); err != nil || !held {
			f.t.Fatal(held, err)
		}
		wait := func(now, until drover.Time) {
			f.t.Helper()
			f.update(func(tx *store.Tx) error { return tx.Feed.SetWait(ctx, target, now, until) })
		}
		reads := func(now, want drover.Time) {
			f.t.Helper()
			if got := must[work.TargetSettings](f.t)(f.Feed.TargetSettings(ctx, target, now)).WaitUntil; !got.Equal(want.Time) {
				f.t.Errorf("it waits until %s, want %s", got, want)
			}
		}
		ahead := drover.At(noon.Add(2 * time.Hour))
		wait(ahead, drover.At(ahead.Add(10*time.Second)))
		reads(ahead, drover.At(ahead.Add(10*time.Second)))
		reads(noon, drover.Milli(0))
		wait(noon, drover.At(noon.Add(5*time.Second)))
		reads(noon, drover.At(noon.Add(5*time.Second)))
		wait(noon, drover.At(noon.Add(time.Second))) // the longer one stays
		reads(noon, drover.At(noon.Add(5*time.Second)))
	})
}

func TestOwners(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx, die := context.WithCancel(f.t.Context())
		defer die()
		held, ended := make(chan struct{}), make(chan error, 1)
		go func() { ended <- f.Jobs.HoldOwner(ctx, "alive", func() { close(held) }) }()
		<-held
		want := []string{"dead"}
		if f.Database() == "sqlite" {
			want = nil // the only process is alive
		}
		owners := []string{"alive", "dead"}
		check(f.t, must[[]string](f.t)(f.Jobs.DeadOwners(f.t.Context(), owners)), want)
		die()
		if err := <-ended; err != nil {
			f.t.Error(err)
		}
		for f.Database() == "postgres" && len(must[[]string](f.t)(f.Jobs.DeadOwners(f.t.Context(), owners))) < 2 { // the server notices by and by
		}
	})
}
