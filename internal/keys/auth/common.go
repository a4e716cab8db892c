package auth

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"errors"
	"sort"
	"strings"
)

// leaked are the commonest passwords of those that have become known, in small letters:
// the first bytes of the hash of each, in order. A test makes them from a list that others
// keep, and holds them to it.
//
//go:embed common.bin
var leaked []byte

// leakedBytes is how much of a hash is kept: enough that a good password is not refused by
// chance.
const leakedBytes = 4

// isLeaked reports whether a text in small letters is one of the commonest passwords.
func isLeaked(low string) bool {
	hash := sha256.Sum256([]byte(low))
	_, found := sort.Find(len(leaked)/leakedBytes, func(i int) int {
		return bytes.Compare(hash[:leakedBytes], leaked[i*leakedBytes:(i+1)*leakedBytes])
	})
	return found
}

// common are beginnings of passwords that are guessed first: with a few characters more
// they are no better, and so not all of them are on a list.
var common = strings.Fields(`password passw0rd p@ssword p@ssw0rd letmein welcome iloveyou sunshine princess football baseball superman batman
	trustno1 starwars whatever michelle jennifer computer internet corvette mercedes maverick samantha metallica jordan23 dragon monkey shadow master
	qwertyui qwertyuiop qwerty123 asdfghjk asdfghjkl zxcvbnm 1q2w3e4r 1qaz2wsx q1w2e3r4 qazwsxedc abc12345 abcd1234 a1b2c3d4 admin administrator
	root changeme default secret drover test1234 testtest pokemon charlie liverpool chelsea arsenal summer winter spring autumn monday`)

var errCommon = errors.New("password is too common")

// leastWord is how many characters a word has that is common with others behind it too.
const leastWord = 6

// more is how many characters make nothing of a common password any better.
const more = 4

// CheckChosen is CheckPassword for a password that a person chose, which is also refused
// where it is guessed first: a common one, even with a few characters more, one character or
// a short text again and again, a row of the alphabet, or the user's own name or address.
func CheckChosen(password string, names ...string) error {
	if err := checkPassword(password); err != nil {
		return err
	}
	low := strings.ToLower(password)
	if repeats(low) || steps(low) {
		return errCommon
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
	for n := len(low); n >= max(leastWord, len(low)-more); n-- { // short words begin many a good password
		if isLeaked(low[:n]) {
			return errCommon
		}
	}
	return nil
}

// repeats reports whether a text is a short one, of four characters at the most, again
// and again.
func repeats(text string) bool {
	for n := 1; n <= 4; n++ {
		if strings.HasPrefix(text, text[n:]) {
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
