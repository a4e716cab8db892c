package store_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// followed is a store with a real copy of its database.
type followed struct {
	*store.Store
	t      *testing.T
	copied *storetest.Server
	name   string
	tenant string
}

func follow(t *testing.T) followed {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	primary, err := storetest.StartServer(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopServer(t, primary) })
	f := followed{t: t, name: "drover", tenant: store.NewID()}
	if err := primary.Create(ctx, f.name, ""); err != nil {
		t.Fatal(err)
	}
	if f.copied, err = primary.Follow(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopServer(t, f.copied) })
	f.Store = storetest.Open(t, store.Options{URL: primary.URL(f.name), FollowerURL: f.copied.URL(f.name), MaxConns: 4})
	f.update(func(tx *store.Tx) error {
		return tx.Accounts.AddTenant(t.Context(), drover.Tenant{ID: f.tenant, Name: "own", CreatedAt: drover.At(time.Now())})
	})
	return f
}

func stopServer(t *testing.T, s *storetest.Server) {
	t.Helper()
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

func (f followed) update(write func(*store.Tx) error) {
	f.t.Helper()
	if err := f.Update(f.t.Context(), write); err != nil {
		f.t.Fatal(err)
	}
}

// add adds a device with its event, as anyone who changes something does.
func (f followed) add() {
	f.t.Helper()
	d := drover.Device{ID: store.NewID(), ConnectionID: store.NewID(), SystemDeviceID: store.NewID(), Active: true, Tags: []string{}}
	e, err := drover.NewEvent(drover.EventDeviceUpdated, drover.At(time.Now()), d)
	if err != nil {
		f.t.Fatal(err)
	}
	f.update(func(tx *store.Tx) error {
		return errors.Join(tx.Fleet.AddDevice(f.t.Context(), f.tenant, d, drover.At(time.Now())),
			journal.Append(f.t.Context(), tx, f.tenant, []drover.Event{e}))
	})
}

// read counts the devices, and says whether the copy was asked.
func (f followed) read() (devices int, fromCopy bool) {
	f.t.Helper()
	list, err := store.Read(f.t.Context(), f.Store, f.tenant, func(from *store.Store) ([]drover.Device, error) {
		fromCopy = from != f.Store
		return from.Fleet.Devices(f.t.Context(), f.tenant, drover.DeviceFilter{}, "", 100)
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return len(list), fromCopy
}

// onCopy runs a statement at the copy.
func (f followed) onCopy(statement string) {
	f.t.Helper()
	conn, err := pgx.Connect(f.t.Context(), f.copied.URL(f.name))
	if err != nil {
		f.t.Fatal(err)
	}
	defer conn.Close(f.t.Context())
	if _, err := conn.Exec(f.t.Context(), statement); err != nil {
		f.t.Fatal(err)
	}
}

// caughtUp reads until the copy answers, which may take a moment on a slow machine, and
// holds each answer to what was written.
func (f followed) caughtUp(devices int) {
	f.t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); ; {
		n, fromCopy := f.read()
		if n != devices {
			f.t.Fatalf("%d devices, not %d", n, devices)
		}
		if fromCopy {
			return
		}
		if time.Now().After(deadline) {
			f.t.Fatal("the copy is not asked")
		}
	}
}

func (f followed) fromItself(devices int) {
	f.t.Helper()
	if n, fromCopy := f.read(); fromCopy || n != devices {
		f.t.Errorf("%d devices, not %d; from the copy: %t", n, devices, fromCopy)
	}
}

func TestCopyOfTheDatabase(t *testing.T) {
	t.Parallel()
	f := follow(t)
	f.add()
	f.caughtUp(1)

	// A copy that stands still has not what was written since.
	f.onCopy("SELECT pg_wal_replay_pause()")
	f.caughtUp(1)
	f.add()
	f.fromItself(2)
	f.onCopy("SELECT pg_wal_replay_resume()")
	f.caughtUp(2)

	// What others share may end at any moment.
	f.update(func(tx *store.Tx) error {
		other := drover.Tenant{ID: store.NewID(), Name: "other", CreatedAt: drover.At(time.Now())}
		share := drover.Share{
			ID: store.NewID(), OwnerTenantID: other.ID, ConnectionID: store.NewID(), TenantID: f.tenant,
			CreatedAt: drover.At(time.Now()),
		}
		return errors.Join(tx.Accounts.AddTenant(t.Context(), other), tx.Shares.AddShare(t.Context(), share, drover.FullGrant))
	})
	f.add()
	f.fromItself(3)
}

func TestCopyThatIsGone(t *testing.T) {
	t.Parallel()
	f := follow(t)
	f.add()
	f.caughtUp(1)
	if err := f.copied.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	f.fromItself(1) // a copy that does not answer is given up, and left alone for a while
	f.fromItself(1)
	if err := f.copied.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}

func TestReadFailsOver(t *testing.T) {
	t.Parallel()
	f := follow(t)
	f.add()
	f.caughtUp(1)
	asked := false
	for deadline := time.Now().Add(3 * time.Minute); !asked && time.Now().Before(deadline); {
		got, err := store.Read(t.Context(), f.Store, f.tenant, func(from *store.Store) (string, error) {
			if from != f.Store {
				asked = true
				return "", errors.New("canceling statement due to conflict with recovery")
			}
			return "the database itself", nil
		})
		if err != nil || got != "the database itself" {
			t.Fatalf("%q, %v", got, err)
		}
	}
	if !asked {
		t.Error("the copy is not asked")
	}
	// The copy takes over. It uses numbers of changes again that are lost with the primary, so no copy of a tenant's
	// records may go on by them.
	changes := func(from *store.Store, at *drover.ChangeCursor) (drover.ChangeList, error) {
		return from.Fleet.Changes(t.Context(), f.tenant, drover.ChangedDevices, at, nil, 10)
	}
	before := must[drover.ChangeList](t)(changes(f.Store, nil))
	f.onCopy("SELECT pg_promote()")
	f.Store = storetest.Open(t, store.Options{URL: f.copied.URL(f.name), MaxConns: 4})
	for range 4 { // so that its numbers have passed those of the primary
		f.add()
	}
	if _, err := changes(f.Store, &before.Next); !errors.Is(err, store.ErrTooOld) {
		t.Errorf("after the promotion a cursor from before it goes on: %v", err)
	}
	all := must[drover.ChangeList](t)(changes(f.Store, nil))
	f.add()
	if more := must[drover.ChangeList](t)(changes(f.Store, &all.Next)); len(all.Changes) != 5 || len(more.Changes) != 1 {
		t.Errorf("a new copy has %d devices and gets %d changes", len(all.Changes), len(more.Changes))
	}
}
