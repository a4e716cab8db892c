package auth

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
)

const password = "correct horse"

// salt is where tests take their randomness from.
func salt() *strings.Reader { return strings.NewReader("sixteen bytes .. and sixteen more") }

func TestHashAndVerify(t *testing.T) {
	t.Parallel()
	hash, err := Hash(password, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if want := "$argon2id$v=19$m=19456,t=2,p=1$"; !strings.HasPrefix(hash, want) {
		t.Errorf("hash %s, want it to begin with %s", hash, want)
	}
	for try, want := range map[string]bool{password: true, "correct horsf": false, "": false, password + " ": false} {
		if got, err := Verify(hash, try); err != nil || got != want {
			t.Errorf("Verify(%q) = %v, %v, want %v", try, got, err, want)
		}
	}
	again, err := Hash(password, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if hash == again {
		t.Error("the same password gave the same hash twice")
	}
}

func TestHashIsStable(t *testing.T) {
	t.Parallel()
	got, err := Hash(password, salt())
	if err != nil {
		t.Fatal(err)
	}
	if want := "$argon2id$v=19$m=19456,t=2,p=1$c2l4dGVlbiBieXRlcyAuLg$LkhLWr3lRoDZbMt6nOX6ckwxqiYJUdCpxOWdl2/pmzU"; got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
}

// TestVerifyReadsOtherImplementations uses a vector of the reference
// implementation's own tests, with a cost that is not ours.
func TestVerifyReadsOtherImplementations(t *testing.T) {
	t.Parallel()
	const hash = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	if ok, err := Verify(hash, "password"); err != nil || !ok {
		t.Errorf("Verify = %v, %v, want true", ok, err)
	}
}

func TestPasswordLength(t *testing.T) {
	t.Parallel()
	for n, ok := range map[int]bool{0: false, 7: false, 8: true, 1024: true, 1025: false} {
		text := strings.Repeat("x", n)
		if err := checkPassword(text); (err == nil) != ok {
			t.Errorf("CheckPassword of %d bytes: %v", n, err)
		}
		if _, err := Hash(text, salt()); (err == nil) != ok {
			t.Errorf("Hash of %d bytes: %v", n, err)
		}
	}
	if _, err := Hash(password, strings.NewReader("short")); err == nil {
		t.Error("a salt was made of too little randomness")
	}
}

func TestVerifyRefusesUnusableHashes(t *testing.T) {
	t.Parallel()
	const (
		good = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
		sum  = "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	)
	if _, err := Verify(good, password); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{good, ""},
		{"$argon2id", "$argon2i"},
		{"v=19", "v=16"},
		{"$v=19", ""},
		{"m=64", "m=0"},
		{"m=64,", ""},
		{"m=64", "m=4294967295"},
		{"t=1", "t=0"},
		{"t=1", "t=1000"},
		{"p=1", "p=0"},
		{"p=1", "p=257"},
		{"m=64,t=1", "t=1,m=64"},
		{"c29tZXNhbHQ", "!!"},
		{"c29tZXNhbHQ", ""},
		{sum, ""},
		{sum, "CTFh"},
		{sum, sum + "="},
		{sum, sum + "$x"},
	} {
		hash := strings.Replace(good, change[0], change[1], 1)
		if hash == good {
			t.Fatalf("the change of %s changed nothing", change[0])
		}
		if ok, err := Verify(hash, password); ok || !errors.Is(err, errHash) {
			t.Errorf("%s: %v, %v", hash, ok, err)
		}
	}
}

// TestVerifyAtTheBounds holds which sums and costs are just acceptable.
func TestVerifyAtTheBounds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		cost  string
		bytes int
		want  error
	}{
		{"m=128,t=1,p=1", 15, errHash},
		{"m=128,t=1,p=1", 16, nil},
		{"m=128,t=1,p=1", 64, nil},
		{"m=128,t=1,p=1", 65, errHash},
		{"m=128,t=16,p=16", 32, nil},
		{"m=128,t=17,p=16", 32, errHash},
		{"m=128,t=16,p=17", 32, errHash},
	} {
		sum := base64.RawStdEncoding.EncodeToString(make([]byte, tc.bytes))
		if ok, err := Verify("$argon2id$v=19$"+tc.cost+"$c29tZXNhbHQ$"+sum, password); ok || !errors.Is(err, tc.want) {
			t.Errorf("%s with a sum of %d bytes: %v, %v", tc.cost, tc.bytes, ok, err)
		}
	}
}
