package auth

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/trustelem/zxcvbn/frequency"
)

var update = flag.Bool("update", false, "write common.bin instead of comparing it")

func TestCheckChosen(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"password", "PASSWORD", "Password1!", "12345678", "87654321", "1234567890", "abcdefgh", "aaaaaaaa", "abababab", "20202020",
		"qwertyuiop", "letmein1", "ann-lee1", "ann-lee@mail.example", "short",
		// From the list of those that have become known alone.
		"butterfly", "Babygirl1", "rush2112", "mustang1", "goldfish", "scorpion", "blink182",
	} {
		if CheckChosen(bad, "ann-lee", "ann-lee@mail.example") == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	for _, good := range []string{"grey-owl", "correct horse battery staple", "drover-demo", "password of the long kind", "k7#mQ2!x"} {
		if err := CheckChosen(good, "ann-lee", "ann-lee@mail.example"); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
}

// TestCommonPasswords holds the passwords that are refused to the list of a module, which is
// no part of the program: it would be larger than all else that checks them. The 10,000
// commonest that a user could choose are among them, and what is shorter where it is one of
// the 10,000 commonest of all.
func TestCommonPasswords(t *testing.T) {
	t.Parallel()
	var hashes [][]byte
	chosen := 0
	for rank, word := range frequency.FrequencyLists["passwords"] {
		short := len(word) < minPasswordBytes
		if len(word) < leastWord || short && rank >= 10_000 || chosen == 10_000 {
			continue
		}
		hash := sha256.Sum256([]byte(strings.ToLower(word)))
		hashes = append(hashes, hash[:leakedBytes])
		if short {
			continue
		}
		if chosen++; CheckChosen(word) == nil && !*update {
			t.Errorf("%q is taken", word)
		}
	}
	if chosen < 10_000 {
		t.Errorf("%d are common", chosen)
	}
	slices.SortFunc(hashes, bytes.Compare)
	want := bytes.Join(slices.CompactFunc(hashes, bytes.Equal), nil)
	if *update {
		if err := os.WriteFile("common.bin", want, 0o644); err != nil { // it is no secret
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(leaked, want) {
		t.Error("common.bin is not what the list says: run go test ./internal/keys/auth -update")
	}
}

// TestCheckChosenAtTheBounds holds up to how many characters make nothing of a common beginning any better, and which rows
// and repetitions are refused.
func TestCheckChosenAtTheBounds(t *testing.T) {
	t.Parallel()
	for password, refused := range map[string]bool{
		"droverq7kz": true, "droverq7kzw": false, // a word and four characters, and five
		"zyxgooq7kz": true, "zyxgooq7kzw": false, // the name
		"goldfishq7kz": true, "goldfishq7kzw": false, // one that is on the list
		"x9q!x9q!x9q!": true, "x9q!kx9q!kx9q!k": false, // four characters again and again, and five
		"6789012345": true, "3210987654": true, "6789112345": false, "3210087654": false, // rows over the zero
	} {
		if err := CheckChosen(password, "zyxgoo@example.com"); (err != nil) != refused {
			t.Errorf("%s: %v, refused should be %v", password, err, refused)
		}
	}
}
