package auth

import "testing"

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
