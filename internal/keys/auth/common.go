package auth

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/ccojocar/zxcvbn-go/data"
)

// leaked are the commonest passwords of those that have become known, in small letters.
// They are read when a person first chooses one.
var leaked = sync.OnceValues(func() (map[string]struct{}, error) {
	raw, err := data.Asset("data/Passwords.json")
	if err != nil {
		return nil, err
	}
	var list struct{ List []string }
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	words := map[string]struct{}{}
	for _, word := range list.List {
		words[strings.ToLower(word)] = struct{}{}
	}
	return words, nil
})

// common are beginnings of passwords that are guessed first: with a few characters more
// they are no better, and so not all of them are on a list.
var common = strings.Fields(`password passw0rd p@ssword p@ssw0rd letmein welcome iloveyou sunshine princess football baseball superman batman
	trustno1 starwars whatever michelle jennifer computer internet corvette mercedes maverick samantha metallica jordan23 dragon monkey shadow master
	qwertyui qwertyuiop qwerty123 asdfghjk asdfghjkl zxcvbnm 1q2w3e4r 1qaz2wsx q1w2e3r4 qazwsxedc abc12345 abcd1234 a1b2c3d4 admin administrator
	root changeme default secret drover test1234 testtest pokemon charlie liverpool chelsea arsenal summer winter spring autumn monday`)

var errCommon = errors.New("password is one of those that are guessed first")

// leastWord is how many characters a word has that is common with others behind it too.
const leastWord = 6

// CheckChosen is CheckPassword for a password that a person chose, which is also refused
// where it is guessed first: a common one, even with a few characters more, one character or
// a short text again and again, a row of the alphabet, or the user's own name or address.
func CheckChosen(password string, names ...string) error {
	if err := CheckPassword(password); err != nil {
		return err
	}
	low := strings.ToLower(password)
	words, err := leaked()
	if err != nil {
		return err
	}
	if repeats(low) || steps(low) {
		return errCommon
	}
	const more = 4                                               // characters that make nothing of a common password any better
	for n := len(low); n >= max(leastWord, len(low)-more); n-- { // short words begin many a good password
		if _, known := words[low[:n]]; known {
			return errCommon
		}
	}
	for _, word := range common {
		if rest, ok := strings.CutPrefix(low, word); ok && len(rest) <= more {
			return errCommon
		}
	}
	for _, name := range names {
		local, _, _ := strings.Cut(strings.ToLower(name), "@")
		if low == strings.ToLower(name) || local != "" && strings.HasPrefix(low, local) && len(low)-len(local) <= more {
			return errCommon
		}
	}
	return nil
}

// repeats reports whether a text is a short one, of four characters at the most, again
// and again.
func repeats(text string) bool {
	for n := 1; n <= 4; n++ {
		if strings.HasPrefix(text, text[:n]) && strings.Repeat(text[:n], len(text)/n+1)[:len(text)] == text {
			return true
		}
	}
	return false
}

// steps reports whether each character of a text follows on the one before, up or down,
// as in 12345678 or hgfedcba; after 9 comes 0.
func steps(text string) bool {
	up, down := true, true
	for i := 1; i < len(text); i++ {
		a, b := text[i-1], text[i]
		up = up && (b == a+1 || a == '9' && b == '0')
		down = down && (b == a-1 || a == '0' && b == '9')
	}
	return up || down
}
