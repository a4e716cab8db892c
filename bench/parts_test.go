package main

import (
	"slices"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ only, want string }{
		{"", without("against", "readings", "guess", "citus", "console", "view", "copy", "traces", "tracing", "lag")},
		{"ingest,read", "read,ingest"},
		{"idle,copy", "copy,idle"},
	} {
		chosen, err := choose(test.only)
		var names []string
		for _, p := range chosen {
			names = append(names, p.name)
		}
		if got := strings.Join(names, ","); got != test.want || err != nil {
			t.Errorf("%q: got %s, %v; want %s", test.only, got, err, test.want)
		}
	}
	if _, err := choose("read,rest"); err == nil || !strings.Contains(err.Error(), `"rest"`) {
		t.Errorf("an unknown part was answered with %v", err)
	}
}

// without lists all parts but some.
func without(names ...string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(partNames(), ","), func(name string) bool { return slices.Contains(names, name) }),
		",")
}
