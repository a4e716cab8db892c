package collect_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/vendors/john_deere/johndeeretest"
	"github.com/drover-fleet/drover/internal/sim"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// TestCheck asks the vendor besides the collection, and leaves that as it was.
func TestCheck(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		v := r.flespi("check.test", false, noon.Add(-time.Hour))
		r.run()
		before := r.due()
		if err := r.collector.Check(t.Context(), r.principal.TenantID, v.conn.ID); err != nil {
			t.Errorf("with credentials that work: %v", err)
		}
		v.fail(answering(http.StatusUnauthorized, "no"))
		err := r.collector.Check(t.Context(), r.principal.TenantID, v.conn.ID)
		if err == nil || provider.KindOf(err) != provider.KindCredentials {
			t.Errorf("with credentials that are refused: %v", err)
		}
		if got := r.due(); !got.Equal(before.Time) {
			t.Errorf("the connection is due at %v, want %v as before", got, before)
		}
		r.expectState(v.conn, drover.ConnectionHealthy)
		if err := r.collector.Check(t.Context(), r.principal.TenantID, store.NewID()); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a connection that is not there: %v", err)
		}
	})
}

func (r *rig) due() drover.Time {
	r.t.Helper()
	due, err := r.store.Jobs.NextCollection(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return due
}

// TestCheckWaitsForItsTurn has another process read the connection meanwhile.
func TestCheckWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		_, conn := r.stub("busy", noon, []string{"a"})
		claims, err := r.store.Jobs.ClaimCollections(t.Context(), "another", drover.At(noon), drover.At(noon.Add(time.Minute)), 1, work.Shares{})
		if err != nil || len(claims) != 1 {
			t.Fatalf("%d claims: %v", len(claims), err)
		}
		for i := range 50 { // the time is over at any moment of its looks
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*time.Millisecond)
			if err := r.collector.Check(ctx, r.principal.TenantID, conn.ID); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("while another reads, for %d ms: %v", i, err)
			}
			cancel()
		}
		done := make(chan error)
		go func() { done <- r.collector.Check(t.Context(), r.principal.TenantID, conn.ID) }()
		r.update(func(ctx context.Context, tx *store.Tx) error {
			return tx.Jobs.ReleaseLease(ctx, claims[0], drover.At(noon))
		})
		if err := <-done; err != nil {
			t.Errorf("after another has read: %v", err)
		}
	})
}

// TestCheckAmongManyPages holds that a question of a person does not wait for all
// that is to be read: the turn ends with the page at hand.
func TestCheckAmongManyPages(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("long", noon, []string{"a"})
		reading := make(chan struct{}, 1)
		s.positions = func(context.Context, provider.Query) (provider.Page[provider.Position], error) {
			select {
			case reading <- struct{}{}:
			default:
			}
			return provider.Page[provider.Position]{Cursor: "x", More: true}, nil
		}
		ctx, stop := context.WithCancel(t.Context())
		read := make(chan error)
		go func() { read <- r.collector.RunDue(ctx) }()
		<-reading
		if err := r.collector.Check(t.Context(), r.principal.TenantID, conn.ID); err != nil {
			t.Errorf("while it is read: %v", err)
		}
		stop()
		if err := <-read; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// TestAuthorize gives a connection the consent that it lacks.
func TestAuthorize(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		account := sim.NewAccount(sim.New(sim.Options{Seed: 3, Vehicles: 2}), r.clock.Now, map[string]string{
			"client_id": "0oa1", "client_secret": "application-secret", "authorization_code": "code-of-the-consent", "refresh_token": "nobody-knows",
		})
		r.network.serve("deere.test", johndeeretest.New(account))
		credentials := map[string]string{
			"client_id": "0oa1", "client_secret": "application-secret", "redirect_uri": "https://fleet.example.com/callback",
			provider.BaseURLField: "https://deere.test",
		}
		conn := r.connect(drover.JohnDeere, noon.Add(-time.Minute), credentials)
		r.run()
		r.expectState(conn, drover.ConnectionFailing)
		r.checkTrouble(conn, provider.KindCredentials, "no one has agreed")

		err := r.collector.Authorize(t.Context(), r.principal.TenantID, conn.ID, "another-code")
		if err == nil || provider.KindOf(err) != provider.KindCredentials {
			t.Errorf("with a wrong code: %v", err)
		}
		if diff := cmp.Diff(credentials, r.credentials(conn)); diff != "" {
			t.Errorf("a wrong code changed the credentials (-want +got):\n%s", diff)
		}
		if err := r.collector.Authorize(t.Context(), r.principal.TenantID, conn.ID, "code-of-the-consent"); err != nil {
			t.Fatal(err)
		}
		if token := r.credentials(conn)["refresh_token"]; !account.Accepts("refresh_token", token) {
			t.Errorf("the refresh token that is kept, %q, is not the newest", token)
		}
		r.run()
		r.expectState(conn, drover.ConnectionHealthy)
	})
}

func (r *rig) credentials(conn drover.Connection) map[string]string {
	r.t.Helper()
	c, err := r.fleet.Connections.Credentials(r.t.Context(), r.principal, conn.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return c.Credentials
}

func TestAuthorizeOfWhoWantsNone(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		_, conn := r.stub("none", noon, nil)
		err := r.collector.Authorize(t.Context(), r.principal.TenantID, conn.ID, "code")
		if err == nil || provider.KindOf(err) != provider.KindPermanent {
			t.Errorf("got %v", err)
		}
	})
}
