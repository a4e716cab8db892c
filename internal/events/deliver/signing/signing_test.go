package signing_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/deliver/signing"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// TestOfficialLibrary lets the library of Standard Webhooks verify what a ring
// signs, before, during and after a rotation.
func TestOfficialLibrary(t *testing.T) {
	t.Parallel()
	body, now := []byte(`{"type":"webhook.test"}`), time.Now()
	first, err := signing.NewRing()
	if err != nil {
		t.Fatal(err)
	}
	second, err := first.Rotate(now)
	if err != nil {
		t.Fatal(err)
	}
	old, fresh := first.View(now).Secret, second.View(now).Secret
	if second.View(now).PreviousExpiresAt == nil || first.View(now).PreviousExpiresAt != nil {
		t.Error("only after a rotation is there a secret before")
	}
	for name, c := range map[string]struct {
		ring     signing.Ring
		at       time.Time
		old, new bool
	}{
		"Before": {first, now, true, false},
		"During": {second, now, true, true},
		"After":  {second, now.Add(signing.Overlap), false, true},
	} {
		h := http.Header{}
		c.ring.Sign(h, "id", c.at, body)
		for secret, want := range map[string]bool{old: c.old, fresh: c.new} {
			w, err := standardwebhooks.NewWebhook(secret)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.VerifyIgnoringTimestamp(body, h); (err == nil) != want {
				t.Errorf("%s: the official library says %v", name, err)
			}
			if err := signing.Verify(secret, h, body, c.at); (err == nil) != want {
				t.Errorf("%s: Verify says %v", name, err)
			}
		}
	}
}

func TestVerifyRefuses(t *testing.T) {
	t.Parallel()
	secret, err := signing.NewSecret(bytes.NewReader(make([]byte, 32)))
	if err != nil {
		t.Fatal(err)
	}
	w, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	now, body := time.Now(), []byte("{}")
	signature, err := w.Sign("id", now, body)
	if err != nil {
		t.Fatal(err)
	}
	good := http.Header{}
	ring, err := signing.NewRing()
	if err != nil {
		t.Fatal(err)
	}
	ring.Sign(good, "id", now, body)
	good.Set(signing.HeaderSignature, "v1,bm9wZQ== "+signature)
	for name, c := range map[string]struct {
		secret string
		change func(h http.Header)
		body   string
		at     time.Time
		want   string
	}{
		"Good":        {secret, func(http.Header) {}, "{}", now, ""},
		"Body":        {secret, func(http.Header) {}, "{ }", now, "no signature matches"},
		"ID":          {secret, func(h http.Header) { h.Set(signing.HeaderID, "other") }, "{}", now, "no signature matches"},
		"Old":         {secret, func(http.Header) {}, "{}", now.Add(6 * time.Minute), "away from now"},
		"OldEnough":   {secret, func(http.Header) {}, "{}", now.Truncate(time.Second).Add(5 * time.Minute), ""},
		"AheadEnough": {secret, func(http.Header) {}, "{}", now.Truncate(time.Second).Add(-5 * time.Minute), ""},
		"Future":      {secret, func(http.Header) {}, "{}", now.Add(-6 * time.Minute), "away from now"},
		"NoHeader":    {secret, func(h http.Header) { h.Del(signing.HeaderID) }, "{}", now, "missing"},
		"EmptySecret": {"whsec_", func(http.Header) {}, "{}", now, "not whsec_"},
	} {
		h := good.Clone()
		c.change(h)
		err := signing.Verify(c.secret, h, []byte(c.body), c.at)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// vault keeps what it seals as it is, before the record that it belongs to.
type vault struct{ broken bool }

func (v vault) Seal(plain []byte, bind ...string) ([]byte, error) {
	if v.broken {
		return nil, errors.New("the vault is broken")
	}
	return append([]byte(strings.Join(bind, "/")+" "), plain...), nil
}

func (v vault) Open(_ context.Context, sealed []byte, bind ...string) ([]byte, error) {
	plain, ok := bytes.CutPrefix(sealed, []byte(strings.Join(bind, "/")+" "))
	if !ok || v.broken {
		return nil, errors.New("it is another record's")
	}
	return plain, nil
}

// TestSealed holds that a ring that was sealed signs as before, and that what is no ring does not become an empty one.
func TestSealed(t *testing.T) {
	t.Parallel()
	ring, err := signing.NewRing()
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := ring.Seal(vault{}, store.Sealed{TenantID: "t", ID: "r"})
	if err != nil || !strings.HasPrefix(string(sealed.Sealed), "t/r ") {
		t.Fatalf("sealed as %q: %v", sealed.Sealed, err)
	}
	if _, err := ring.Seal(vault{broken: true}, sealed); err == nil {
		t.Error("a broken vault seals")
	}
	opened, err := signing.Open(t.Context(), vault{}, sealed)
	if err != nil {
		t.Fatal(err)
	}
	var headers [2]http.Header
	for i, r := range []signing.Ring{ring, opened} {
		headers[i] = http.Header{}
		r.Sign(headers[i], "id", time.Unix(1, 0), []byte("{}"))
	}
	if diff := cmp.Diff(headers[0], headers[1]); diff != "" {
		t.Errorf("it signs otherwise than before (-before +after):\n%s", diff)
	}
	for _, text := range []string{"other/r []", "t/r []", "t/r 1", `t/r [{"secret":"whsec_"}]`} {
		sealed.Sealed = []byte(text)
		if r, err := signing.Open(t.Context(), vault{}, sealed); err == nil {
			t.Errorf("%s opens as %v", text, r)
		}
	}
	if err := signing.Sign(http.Header{}, "id", time.Unix(1, 0), nil, "whsec_"); err == nil {
		t.Error("an empty secret signs")
	}
}

// TestAccount holds that the secrets of a tenant's milestones are made when they are first asked for, and are the same from
// then on, and that a vault that does not work is an error.
func TestAccount(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.Options(t, "sqlite"))
	tenant, other, _ := storetest.TwoTenants(t, s, drover.At(time.Unix(1, 0)))
	if ring, err := signing.Account(t.Context(), s, vault{broken: true}, tenant); err == nil {
		t.Errorf("a broken vault gives %v", ring)
	}
	first, err := signing.Account(t.Context(), s, vault{}, tenant)
	if err != nil {
		t.Fatal(err)
	}
	again, err := signing.Account(t.Context(), s, vault{}, tenant)
	if err != nil || len(again) != 1 || again[0].Text != first[0].Text {
		t.Errorf("then it is %v: %v", again, err)
	}
	if others, err := signing.Account(t.Context(), s, vault{}, other); err != nil || others[0].Text == first[0].Text {
		t.Errorf("another tenant has %v: %v", others, err)
	}
	if ring, err := signing.Account(t.Context(), s, vault{broken: true}, tenant); err == nil {
		t.Errorf("a broken vault opens %v", ring)
	}
}
