package account_test

import (
	"testing"

	"github.com/drover-fleet/drover/internal/store/account"
)

func TestNormalName(t *testing.T) {
	t.Parallel()
	for _, same := range [][2]string{
		{"ann", " ANN "},
		{"Viewer@ACME.example", "viewer@acme.example"},
		{"Ännchen", "äNNCHEN"},
		{"ann", "ａｎｎ"},
		{"caf\u00e9", "cafe\u0301"},
		{"ﬁn", "FIN"},
	} {
		if a, b := account.NormalName(same[0]), account.NormalName(same[1]); a != b {
			t.Errorf("%q is %q, and %q is %q", same[0], a, same[1], b)
		}
	}
}

func TestCheckUsername(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ann", "Ann Lee", "ann.lee-2", "Übermüller", "安"} {
		if err := account.CheckUsername(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{
		"", "viewer@acme.example", "viewer＠acme.example", "ann\r\nlee", "ann\x00", "ann\u200blee", "ann\u200d", "\u202eann", "ann\ufeff",
		"a\u00adnn", "ann\u2028", "ann\ufe0f", "ann\u3164",
	} {
		if account.CheckUsername(name) == nil {
			t.Errorf("%q is taken for a name", name)
		}
	}
}
