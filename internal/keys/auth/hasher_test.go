package auth

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestHasherRoundTrip(t *testing.T) {
	t.Parallel()
	h := NewHasher(salt(), 2)
	hash, err := h.Hash(t.Context(), "a", password)
	if err != nil {
		t.Fatal(err)
	}
	for try, want := range map[string]bool{password: true, "wrong horse": false} {
		if got, err := h.Verify(t.Context(), hash, try); err != nil || got != want {
			t.Errorf("Verify(%q) = %v, %v, want %v", try, got, err, want)
		}
	}
	if _, err := h.Verify(t.Context(), noHash, password); err != nil {
		t.Error(err)
	}
	if _, err := h.Hash(t.Context(), "a", "short"); err == nil {
		t.Error("a password of 5 bytes was hashed")
	}
	if len(h.slots) != 0 {
		t.Errorf("%d slots were not given back", len(h.slots))
	}
}

// TestNoOneCostsTheSame is what makes unknown users take the time of known
// ones.
func TestNoOneCostsTheSame(t *testing.T) {
	t.Parallel()
	got, err := parsePHC(noHash)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := Hash(password, salt())
	if err != nil {
		t.Fatal(err)
	}
	want, err := parsePHC(hash)
	if err != nil {
		t.Fatal(err)
	}
	if got.memory != want.memory || got.passes != want.passes || got.lanes != want.lanes ||
		len(got.salt) != len(want.salt) || len(got.sum) != len(want.sum) {
		t.Errorf("no one costs %v, a user %v", noHash, hash)
	}
}

func TestHasherWaitsForASlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := NewHasher(salt(), 2)
		if got, want := cap(h.slots), 2; got != want {
			t.Errorf("%d slots, want one per processor, %d", got, want)
		}
		for range cap(h.slots) {
			h.slots <- struct{}{}
		}
		done := make(chan error, 1)
		go func() { _, err := h.Verify(t.Context(), noHash, password); done <- err }()
		synctest.Wait()
		select {
		case err := <-done:
			t.Fatalf("went ahead without a slot: %v", err)
		default:
		}
		h.release()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestHasherGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := NewHasher(salt(), 2)
		for range cap(h.slots) {
			h.slots <- struct{}{}
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 2)
		go func() { _, err := h.Verify(ctx, noHash, password); done <- err }()
		go func() { _, err := h.Hash(ctx, "a", password); done <- err }()
		synctest.Wait()
		cancel()
		for range 2 {
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want that of the context", err)
			}
		}
		h.release()
		if _, err := h.Verify(ctx, noHash, password); !errors.Is(err, context.Canceled) {
			t.Errorf("a request that was over took a free slot: %v", err)
		}
	})
}
