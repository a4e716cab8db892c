package secret

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// rawKey is a key of 32 different bytes that differ from seed to seed.
func rawKey(seed byte) []byte {
	raw := make([]byte, keyBytes)
	for i := range raw {
		raw[i] = seed ^ byte(0xf8+i*7)
	}
	return raw
}

func master(t *testing.T, seeds ...byte) *Master {
	t.Helper()
	var texts []string
	for _, seed := range seeds {
		texts = append(texts, hex.EncodeToString(rawKey(seed)))
	}
	m, err := ParseMaster(strings.Join(texts, ","))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestParseMasterReadsEveryForm(t *testing.T) {
	t.Parallel()
	raw := rawKey(1)
	want := master(t, 1).fingerprint()
	forms := map[string]string{
		"hex":            hex.EncodeToString(raw),
		"upper hex":      strings.ToUpper(hex.EncodeToString(raw)),
		"base64":         base64.StdEncoding.EncodeToString(raw),
		"raw base64":     base64.RawStdEncoding.EncodeToString(raw),
		"url base64":     base64.URLEncoding.EncodeToString(raw),
		"raw url base64": base64.RawURLEncoding.EncodeToString(raw),
		"with blanks":    "\n  " + hex.EncodeToString(raw) + " \r\n\n",
	}
	if !strings.ContainsAny(forms["base64"], "+/") || !strings.ContainsAny(forms["url base64"], "-_") {
		t.Fatal("the sample key does not tell the two alphabets apart")
	}
	for name, text := range forms {
		m, err := ParseMaster(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := m.fingerprint(); got != want {
			t.Errorf("%s: fingerprint %s, want %s", name, got, want)
		}
	}
}

func TestParseMasterRefuses(t *testing.T) {
	t.Parallel()
	good := hex.EncodeToString(rawKey(1))
	for name, text := range map[string]string{
		"nothing":        "",
		"only blanks":    " \n , \n",
		"31 bytes":       base64.StdEncoding.EncodeToString(rawKey(1)[:31]),
		"33 bytes":       base64.StdEncoding.EncodeToString(append(rawKey(1), 0)),
		"16 bytes hex":   good[:32],
		"no hex":         "x" + good[1:],
		"no base64":      strings.Repeat("!", 43),
		"a phrase":       "correct horse battery staple",
		"bad second key": good + ",hunter2hunter2",
	} {
		m, err := ParseMaster(text)
		if err == nil {
			t.Errorf("%s: accepted as %v", name, m)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), good[:8]) {
			t.Errorf("%s: the error tells the key: %v", name, err)
		}
	}
	if _, err := ParseMaster(good + "\nbad"); err == nil || !strings.Contains(err.Error(), "master key 2 ") {
		t.Errorf("error does not say which key is wrong: %v", err)
	}
}

func TestMasterFirstSealsAllOpen(t *testing.T) {
	t.Parallel()
	plain, bind := []byte("data key"), []byte("k1")
	old, both := master(t, 1), master(t, 2, 1)
	sealedOld, err := old.Seal(plain, bind)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := both.Open(sealedOld, bind); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("the second key does not open: %q, %v", got, err)
	}
	sealedNew, err := both.Seal(plain, bind)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := KeyID(sealedNew), master(t, 2).fingerprint(); got != want {
		t.Errorf("sealed by %s, want the first key %s", got, want)
	}
	if _, err := old.Open(sealedNew, bind); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("opened by a master without the key: %v", err)
	}
}

func TestMasterNeverPrintsItsKeys(t *testing.T) {
	t.Parallel()
	m := master(t, 1, 2)
	ring, err := OpenRing(m, []DataKey{dataKey(t, m, "d1", 0)})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(handler).Info("keys", "master", m, "ring", ring)
	}
	out.WriteString(m.String() + ring.String())
	type holder struct {
		m *Master
		r *Ring
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&out, strings.Repeat(verb, 5), m, ring, holder{m, ring}, &holder{m, ring}, []*Master{m})
	}
	printed := out.String()
	if !strings.Contains(printed, m.fingerprint()) {
		t.Error("the fingerprint is not printed")
	}
	for _, seed := range []byte{1, 2} {
		raw := rawKey(seed)
		for _, leak := range []string{
			string(raw),
			hex.EncodeToString(raw[:8]),
			base64.StdEncoding.EncodeToString(raw)[:10],
			fmt.Sprintf("%d %d %d %d", raw[0], raw[1], raw[2], raw[3]),
		} {
			if strings.Contains(printed, leak) {
				t.Errorf("printed output holds key bytes %q", leak)
			}
		}
	}
}

// TestFormatIsStable holds the form against a value built here by the words of
// the package comment: what is in a database must open after any update.
func TestFormatIsStable(t *testing.T) {
	t.Parallel()
	m := master(t, 1)
	if got, want := m.fingerprint(), "99c809769a38"; got != want {
		t.Errorf("fingerprint %s, want %s", got, want)
	}
	block, err := aes.NewCipher(rawKey(1))
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	header := append([]byte{1, 12}, m.fingerprint()...)
	nonce := []byte("twelve bytes")
	sealed := append(bytes.Clone(header), nonce...)
	sealed = gcm.Seal(sealed, nonce, []byte("hello"), append(bytes.Clone(header), "tenant"...))

	if got, want := hex.EncodeToString(sealed), "010c3939633830393736396133387477656c766520627974657301b9e7d320ff3c87ae870d84e3dad6513ca5336682"; got != want {
		t.Errorf("sealed %s, want %s", got, want)
	}
	if got, err := m.Open(sealed, []byte("tenant")); err != nil || string(got) != "hello" {
		t.Errorf("open: %q, %v", got, err)
	}
	if got, want := binding("ab", "", "c"), []byte("\x02ab\x00\x01c"); !bytes.Equal(got, want) {
		t.Errorf("binding %q, want %q", got, want)
	}
}
