package deliver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background/clocktest"
	"github.com/drover-fleet/drover/internal/events/deliver"
	"github.com/drover-fleet/drover/internal/events/deliver/signing"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/keys/secret"
	"github.com/drover-fleet/drover/internal/keys/vault"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/quota"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.PlannedMain(m) }

// patience bounds every wait: long for a busy machine, never for a passing test.
const patience = 3 * time.Minute

// rig is a tenant, and a deliverer that is not started.
type rig struct {
	*store.Store
	t        *testing.T
	clock    *clocktest.Clock
	vault    *vault.Vault
	tenant   string
	conn     string
	deliver  *deliver.Deliverer
	usage    *quota.Meter
	sequence int
}

func onBoth(t *testing.T, f func(t *testing.T, r *rig)) {
	t.Helper()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		f(t, newRig(t, s))
	})
}

func newRig(t *testing.T, s *store.Store) *rig {
	t.Helper()
	master, err := secret.ParseMaster("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff")
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{Store: s, t: t, clock: clocktest.New(time.Now().UTC().Truncate(time.Millisecond)), tenant: store.NewID(), conn: store.NewID()}
	logger := slog.New(slog.DiscardHandler)
	if r.vault, err = vault.Open(t.Context(), vault.Options{Store: s, Master: master, Now: r.clock.Now, Logger: logger}); err != nil {
		t.Fatal(err)
	}
	r.update(func(tx *store.Tx) error {
		return tx.Accounts.AddTenant(t.Context(), drover.Tenant{ID: r.tenant, Name: "own", CreatedAt: r.now()})
	})
	r.usage = quota.NewMeter(r.clock.Now)
	r.deliver = r.newDeliverer(nil)
	return r
}

// newDeliverer makes one that may call this machine.
func (r *rig) newDeliverer(change func(o *deliver.Options)) *deliver.Deliverer {
	r.t.Helper()
	guard := outbound.NewGuard([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")})
	o := deliver.Options{
		Store: r.Store, Vault: r.vault, Now: r.clock.Now, Logger: slog.New(slog.NewTextHandler(r.t.Output(), nil)),
		Transport: outbound.NewTransport(guard), UserAgent: "drover/test", Owner: store.NewID(),
		Timeout: patience, Poll: 5 * time.Millisecond, Rand: func() float64 { return 0 }, Usage: r.usage,
	}
	if change != nil {
		change(&o)
	}
	return deliver.New(o)
}

// start runs the deliverer until the test ends.
func (r *rig) start() {
	r.t.Helper()
	storetest.AwaitPlace(r.t, r.Store, r.tenant) // with Citus
	r.deliver.Start(context.WithoutCancel(r.t.Context()))
	r.t.Cleanup(r.deliver.Stop)
}

func (r *rig) now() drover.Time { return drover.At(r.clock.Now()) }

func (r *rig) update(f func(tx *store.Tx) error) {
	r.t.Helper()
	if err := r.Update(context.WithoutCancel(r.t.Context()), f); err != nil {
		r.t.Fatal(err)
	}
}

// steal gives the target of a webhook to another process, whatever lease is on it.
func (r *rig) steal(h hook) {
	r.t.Helper()
	at := ""
	if place := r.PlaceOf(r.tenant); place != "" {
		at = " at " + place
	}
	for _, holder := range []string{"watched " + r.deliver.Owner + at, r.deliver.Owner + at} {
		ok, err := r.Feed.ClaimTarget(r.t.Context(), h.Target, "other", holder, r.now(), drover.At(r.clock.Now().Add(time.Hour)))
		if err != nil {
			r.t.Fatal(err)
		}
		if ok {
			return
		}
	}
	r.t.Fatal("the target is held by someone else")
}

// hook is a webhook of the tenant.
type hook struct {
	drover.Target
	secret string
}

func (r *rig) addWebhook(url string, change func(w *drover.Webhook)) hook {
	r.t.Helper()
	filters, err := (*drover.WebhookFiltersInput)(nil).Normalize()
	if err != nil {
		r.t.Fatal(err)
	}
	w := store.Webhook{TenantID: r.tenant, Webhook: drover.Webhook{
		ID: store.NewID(), URL: url, Enabled: true, CreatedAt: r.now(), UpdatedAt: r.now(), Filters: filters,
	}}
	if change != nil {
		change(&w.Webhook)
	}
	ring, err := signing.NewRing()
	if err != nil {
		r.t.Fatal(err)
	}
	sealed, err := ring.Seal(r.vault, store.Sealed{TenantID: r.tenant, ID: w.ID})
	if err != nil {
		r.t.Fatal(err)
	}
	r.update(func(tx *store.Tx) error { return tx.Webhooks.AddWebhook(r.t.Context(), w, sealed.Sealed) })
	return hook{drover.Target{TenantID: r.tenant, ID: w.ID}, ring.View(r.clock.Now()).Secret}
}

func (r *rig) webhook(h hook) drover.Webhook {
	r.t.Helper()
	w, err := r.Webhooks.Webhook(r.t.Context(), r.tenant, h.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return w.Webhook
}

// tell stores an event about a device, empty for none.
func (r *rig) tell(device string) drover.Event {
	r.t.Helper()
	r.sequence++
	e := drover.Event{
		Type: drover.EventDeviceUpdated, Timestamp: r.now(), ConnectionID: &r.conn, Data: fmt.Appendf(nil, `{"number":%d}`, r.sequence),
		Subjects: []drover.Subject{{ConnectionID: r.conn, DeviceID: device}},
	}
	if device != "" {
		e.DeviceID = &device
	}
	events := []drover.Event{e}
	r.update(func(tx *store.Tx) error { return journal.Append(r.t.Context(), tx, r.tenant, events) })
	return events[0]
}

func (r *rig) log(h hook) []drover.DeliveryAttempt {
	r.t.Helper()
	log, err := r.Feed.DeliveryLog(r.t.Context(), h.Target, "", drover.AttemptCursor{}, 1000)
	if err != nil {
		r.t.Fatal(err)
	}
	return log
}

var errNotYet = errors.New("not yet")

// eventually waits until f is satisfied. What it says otherwise is the failure.
func (r *rig) eventually(f func() error) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.t.Context()), patience)
	defer cancel()
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for err := f(); err != nil; err = f() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			r.t.Fatalf("not within %s: %v", patience, err)
		}
	}
}

// attempts waits until so many were logged for a webhook, newest first.
func (r *rig) attempts(h hook, n int) []drover.DeliveryAttempt {
	r.t.Helper()
	var log []drover.DeliveryAttempt
	r.eventually(func() error {
		log = r.log(h)
		made := 0
		for _, a := range log {
			if a.Attempt > 0 {
				made++
			}
		}
		if made != n {
			return fmt.Errorf("%d attempts, want %d: %w", made, n, errNotYet)
		}
		return nil
	})
	return log
}

// delivery is what a receiver got.
type delivery struct {
	id     string
	path   string
	header http.Header
	raw    []byte
	Type   drover.EventType `json:"type"`
	Time   string           `json:"timestamp"`
	Seq    *int64           `json:"sequence"`
	Data   json.RawMessage  `json:"data"`
}

// verify lets the official library check a delivery.
func (d delivery) verify(t *testing.T, secret string) {
	t.Helper()
	w, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.VerifyIgnoringTimestamp(d.raw, d.header); err != nil {
		t.Errorf("delivery %s: %v", d.id, err)
	}
}

// receiver is a server that gets deliveries. Answer, where it is set, answers.
type receiver struct {
	*httptest.Server
	got chan delivery

	mu     sync.Mutex
	answer http.HandlerFunc
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	rc := &receiver{got: make(chan delivery, 10_000)}
	rc.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		raw, err := io.ReadAll(q.Body)
		d := delivery{id: q.Header.Get(signing.HeaderID), path: q.URL.Path, header: q.Header, raw: raw}
		if err == nil {
			err = json.NewDecoder(bytes.NewReader(raw)).Decode(&d)
		}
		if err != nil {
			t.Errorf("a delivery cannot be read: %v", err)
		}
		rc.got <- d
		rc.mu.Lock()
		answer := rc.answer
		rc.mu.Unlock()
		if answer != nil {
			answer(w, q)
		}
	}))
	t.Cleanup(rc.Close)
	return rc
}

func (rc *receiver) answers(f http.HandlerFunc) {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	rc.answer = f
}

func (rc *receiver) status(code int) {
	rc.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
}

// next waits for a delivery.
func (rc *receiver) next(t *testing.T) delivery {
	t.Helper()
	select {
	case d := <-rc.got:
		return d
	case <-time.After(patience):
		t.Fatal("no delivery came")
		return delivery{}
	}
}
