package main

import (
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		only string
		want string
	}{
		{"", "start,read,write,scale,summary,ingest,idle,deliver"},
		{"ingest,read", "read,ingest"},
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
