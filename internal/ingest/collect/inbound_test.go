package collect_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/demo/sandbox"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/vendors/motive"
)

// inbound is a connection to Motive with an address for its notices.
func (r *rig) inbound(secret string) (conn drover.Connection, token string) {
	r.t.Helper()
	info := motive.Info
	info.Limits = nil // time stands still
	r.options.Providers[info.Name] = info
	vendor, err := sandbox.New(sandbox.Options{Provider: info.Name, Vehicles: 3, Seed: 3, Now: r.clock.Now})
	if err != nil {
		r.t.Fatal(err)
	}
	r.network.serve("motive.invalid", vendor)
	credentials := vendor.Credentials("https://motive.invalid")
	credentials[provider.WebhookSecretField] = secret
	conn = r.connect(info.Name, noon, credentials)
	made, err := r.fleet.Connections.MakeInbound(r.t.Context(), r.principal, conn.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	path, ok := strings.CutPrefix(made.URL, "/inbound/"+conn.ID+"/")
	if !ok || made.Signed != (secret != "") || made.Help == "" {
		r.t.Fatalf("the address is %+v", made)
	}
	return conn, path
}

// notice calls an address as a vendor does.
func (r *rig) notice(id, token string, header http.Header, body []byte) error {
	in, err := r.fleet.Connections.Inbound(r.t.Context(), id, token)
	if err != nil {
		return err
	}
	return r.fleet.Connections.Notice(r.t.Context(), in, header, body)
}

// readAt is when the connection's positions were read last.
func (r *rig) readAt(conn drover.Connection) time.Time {
	r.t.Helper()
	for _, s := range r.health(conn).Jobs {
		if s.Kind == "positions" && s.Backfill == nil && s.LastRunAt != nil {
			return s.LastRunAt.Time
		}
	}
	r.t.Fatal("positions were never read")
	return time.Time{}
}

// TestNoticeIsReadAtOnce lets the vendor say that there is something new in the middle
// of an interval: it is read then, and a storm of notices brings about one reading
// every few seconds.
func TestNoticeIsReadAtOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		conn, token := r.inbound("s3cret-s3cret")
		r.run()
		body := []byte(`{"action":"vehicle_location_updated"}`)
		mac := hmac.New(sha1.New, []byte("s3cret-s3cret"))
		mac.Write(body)
		header := http.Header{}
		header.Set("X-KT-Webhook-Signature", hex.EncodeToString(mac.Sum(nil)))
		notice := func() {
			t.Helper()
			if err := r.notice(conn.ID, token, header, body); err != nil {
				t.Fatal(err)
			}
			r.run()
		}
		r.clock.Advance(7 * time.Second)
		notice()
		if at := r.readAt(conn); !at.Equal(r.clock.Now()) {
			t.Errorf("read at %s, noticed at %s", at, r.clock.Now())
		}
		first := r.readAt(conn)
		for range 4 {
			r.clock.Advance(time.Second)
			notice()
		}
		if at := r.readAt(conn); !at.Equal(first) {
			t.Errorf("read again after %s", at.Sub(first))
		}
		r.clock.Advance(time.Second)
		notice()
		if at := r.readAt(conn); at.Sub(first) != 5*time.Second {
			t.Errorf("the storm was read again after %s", at.Sub(first))
		}
		h, err := r.fleet.Connections.ConnectionHealth(t.Context(), r.principal, conn.ID)
		if err != nil || h.Inbound == nil || h.Inbound.LastNoticeAt == nil {
			t.Errorf("the health shows %+v, %v", h.Inbound, err)
		}
	})
}

// TestNoticeOfOthers refuses what is not the vendor's.
func TestNoticeOfOthers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		conn, token := r.inbound("s3cret-s3cret")
		for _, c := range []struct {
			name, id, token string
			want            drover.Kind
		}{
			{"Unsigned", conn.ID, token, drover.KindForbidden},
			{"OtherToken", conn.ID, token[1:] + "x", drover.KindNotFound},
			{"NoToken", conn.ID, "", drover.KindNotFound},
			{"OtherConnection", "0193f9f0-0000-7000-8000-000000000000", token, drover.KindNotFound},
			{"NoID", "x", token, drover.KindNotFound},
		} {
			if err := r.notice(c.id, c.token, http.Header{}, []byte("{}")); drover.ErrorKind(err) != c.want {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if _, err := r.fleet.Connections.MakeInbound(t.Context(), r.principal, conn.ID); err != nil {
			t.Fatal(err)
		}
		if err := r.notice(conn.ID, token, http.Header{}, nil); drover.ErrorKind(err) != drover.KindNotFound {
			t.Errorf("an address that was replaced: %v", err)
		}
	})
}

// TestConfirm calls the address that a vendor wants to be called.
func TestConfirm(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		called := ""
		r.network.serve("sns.invalid", http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if called = req.URL.Query().Get("Token"); called == "bad" {
				w.WriteHeader(http.StatusForbidden)
			}
		}))
		if err := r.collector.Confirm(t.Context(), "https://sns.invalid/?Token=good"); err != nil || called != "good" {
			t.Errorf("called with %q: %v", called, err)
		}
		if err := r.collector.Confirm(t.Context(), "https://sns.invalid/?Token=bad"); err == nil || strings.Contains(err.Error(), "Token") {
			t.Errorf("a refusal: %v", err)
		}
	})
}
