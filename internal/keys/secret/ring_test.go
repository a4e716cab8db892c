package secret

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

var day = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)

func dataKey(t *testing.T, m *Master, id string, age time.Duration) DataKey {
	t.Helper()
	key, err := NewDataKey(m, id, day.Add(-age))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func ring(t *testing.T, m *Master, stored ...DataKey) *Ring {
	t.Helper()
	r, err := OpenRing(m, stored)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func sealed(t *testing.T, r *Ring, plain string, bind ...string) []byte {
	t.Helper()
	b, err := r.Seal([]byte(plain), bind...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func wantOpens(t *testing.T, r *Ring, box []byte, want string, bind ...string) {
	t.Helper()
	got, err := r.Open(box, bind...)
	if err != nil {
		t.Errorf("open: %v", err)
	} else if string(got) != want {
		t.Errorf("opened %q, want %q", got, want)
	}
}

func TestRingRoundTrip(t *testing.T) {
	t.Parallel()
	m := master(t, 1)
	r := ring(t, m, dataKey(t, m, "d1", 0))
	for _, plain := range []string{"", "x", strings.Repeat("long ", 10_000)} {
		box := sealed(t, r, plain, "tenant", "connection")
		wantOpens(t, r, box, plain, "tenant", "connection")
		if bytes.Contains(box, []byte("long ")) {
			t.Error("the secret is readable in what was sealed")
		}
		if got := KeyID(box); got != "d1" {
			t.Errorf("KeyID %q, want d1", got)
		}
	}
	if bytes.Equal(sealed(t, r, "same"), sealed(t, r, "same")) {
		t.Error("the same secret sealed twice gives the same bytes")
	}
}

func TestRingOpensOnlyForItsBinding(t *testing.T) {
	t.Parallel()
	m := master(t, 1)
	r := ring(t, m, dataKey(t, m, "d1", 0))
	box := sealed(t, r, "secret", "ab", "c")
	wantOpens(t, r, box, "secret", "ab", "c")
	for _, bind := range [][]string{
		nil, {"ab"}, {"a", "bc"}, {"abc"}, {"c", "ab"}, {"ab", "c", ""}, {"", "ab", "c"}, {"\x02ab\x01c"}, {"ab", "d"},
	} {
		if got, err := r.Open(box, bind...); !errors.Is(err, errTampered) || got != nil {
			t.Errorf("binding %q: opened %q, %v", bind, got, err)
		}
	}
}

func TestEveryAlteredByteIsNoticed(t *testing.T) {
	t.Parallel()
	m := master(t, 1)
	// The second key has an id one bit away: a changed id must not lead to it.
	r := ring(t, m, dataKey(t, m, "d0", time.Hour), dataKey(t, m, "d1", 0))
	box := sealed(t, r, "secret", "tenant")
	for i := range box {
		for bit := range 8 {
			altered := bytes.Clone(box)
			altered[i] ^= 1 << bit
			got, err := r.Open(altered, "tenant")
			if got != nil || (!errors.Is(err, errTampered) && !errors.Is(err, ErrUnknownKey)) {
				t.Fatalf("byte %d bit %d: opened %q, %v", i, bit, got, err)
			}
		}
	}
	for n := range box {
		if got, err := r.Open(box[:n], "tenant"); err == nil {
			t.Fatalf("cut to %d bytes: opened %q", n, got)
		}
	}
	if got, err := r.Open(append(bytes.Clone(box), 0), "tenant"); !errors.Is(err, errTampered) {
		t.Errorf("lengthened: opened %q, %v", got, err)
	}
	wantOpens(t, r, box, "secret", "tenant")
}

func TestKeyIDOfWhatIsNotSealed(t *testing.T) {
	t.Parallel()
	for _, b := range []string{"", "\x01", "\x01\x00", "\x01\x05abc", "\x02\x02d1", "plain text"} {
		if got := KeyID([]byte(b)); got != "" {
			t.Errorf("KeyID(%q) = %q, want none", b, got)
		}
	}
}

func TestRotatingDataKeys(t *testing.T) {
	t.Parallel()
	m := master(t, 1)
	d1 := dataKey(t, m, "d1", time.Hour)
	before := ring(t, m, d1)
	old := sealed(t, before, "secret", "t")

	d2 := dataKey(t, m, "d2", 0)
	d1.Active = false
	after := ring(t, m, d2, d1)
	wantOpens(t, after, old, "secret", "t")
	fresh := sealed(t, after, "secret", "t")
	if KeyID(fresh) != "d2" || after.Active() != "d2" {
		t.Errorf("sealed by %s, active %s, want d2", KeyID(fresh), after.Active())
	}
	if _, err := before.Open(fresh, "t"); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("a ring without the new key says %v, want ErrUnknownKey", err)
	}
	if _, err := ring(t, m, d2).Open(old, "t"); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("a ring without the old key says %v, want ErrUnknownKey", err)
	}
}

func TestNewestActiveKeySeals(t *testing.T) {
	t.Parallel()
	m := master(t, 1)
	older, newer, twin := dataKey(t, m, "z", time.Hour), dataKey(t, m, "a", 0), dataKey(t, m, "b", 0)
	if got := ring(t, m, newer, older).Active(); got != "a" {
		t.Errorf("active %s, want the newest", got)
	}
	if one, two := ring(t, m, twin, newer).Active(), ring(t, m, newer, twin).Active(); one != two {
		t.Errorf("two processes seal with %s and %s", one, two)
	}
}

func TestOpenRingRefuses(t *testing.T) {
	t.Parallel()
	m := master(t, 1)
	d1, d2 := dataKey(t, m, "d1", time.Hour), dataKey(t, m, "d2", 0)
	if _, err := OpenRing(m, nil); err == nil {
		t.Error("a ring without keys was opened")
	}
	retired := d1
	retired.Active = false
	if _, err := OpenRing(m, []DataKey{retired}); err == nil {
		t.Error("a ring without an active key was opened")
	}
	if _, err := OpenRing(m, []DataKey{d1, d1}); err == nil {
		t.Error("a ring with one id twice was opened")
	}
	if _, err := OpenRing(master(t, 2), []DataKey{d1}); !errors.Is(err, ErrUnknownKey) || !strings.Contains(err.Error(), "master key") {
		t.Errorf("with another master: %v", err)
	}
	swapped := d1
	swapped.Sealed = d2.Sealed
	if _, err := OpenRing(m, []DataKey{swapped}); !errors.Is(err, errTampered) {
		t.Errorf("a key under another's id: %v", err)
	}
	short, err := d1.sealedBy(m, make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenRing(m, []DataKey{short}); err == nil {
		t.Error("a key of 16 bytes was accepted")
	}
}

func TestNewDataKeyRefusesUnusableIDs(t *testing.T) {
	t.Parallel()
	m := master(t, 1)
	for _, id := range []string{"", strings.Repeat("x", 256)} {
		if _, err := NewDataKey(m, id, day); err == nil {
			t.Errorf("id of %d bytes was accepted", len(id))
		}
	}
	long := strings.Repeat("x", 255)
	r := ring(t, m, dataKey(t, m, long, 0))
	wantOpens(t, r, sealed(t, r, "secret"), "secret")
}

func TestRewrapReplacesTheMasterKey(t *testing.T) {
	t.Parallel()
	before, both, after := master(t, 1), master(t, 2, 1), master(t, 2)
	d1 := dataKey(t, before, "d1", 0)
	box := sealed(t, ring(t, before, d1), "secret", "t")

	moved, err := Rewrap(both, both, d1)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := KeyID(moved.Sealed), after.fingerprint(); got != want {
		t.Errorf("sealed by master key %s, want %s", got, want)
	}
	if moved.ID != d1.ID || moved.CreatedAt != d1.CreatedAt || !moved.Active {
		t.Errorf("the key changed beside its seal: %+v", moved)
	}
	wantOpens(t, ring(t, after, moved), box, "secret", "t")
	if _, err := OpenRing(before, []DataKey{moved}); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("the old master still opens: %v", err)
	}
	if _, err := Rewrap(after, after, d1); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("rewrapped without the old key: %v", err)
	}
}

func TestZeroValuesSealNothing(t *testing.T) {
	t.Parallel()
	if _, err := new(Master).Seal([]byte("x"), nil); err == nil {
		t.Error("a Master without keys sealed")
	}
	if _, err := new(Ring).Seal([]byte("x")); err == nil {
		t.Error("a Ring without keys sealed")
	}
}
