package signing_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/drover-fleet/drover/internal/events/deliver/signing"
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
