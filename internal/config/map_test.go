package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/config"
)

func TestMapSource(t *testing.T) {
	t.Parallel()
	const free = "https://tiles.openfreemap.org"
	for _, c := range []struct {
		name   string
		config config.Map
		want   config.MapSource
		err    string
	}{
		{"none", config.Map{}, config.MapSource{}, ""},
		{"built in", config.Map{Map: "builtin"}, config.MapSource{}, ""},
		{"by name", config.Map{Map: "openfreemap"}, config.MapSource{Style: free + "/styles/liberty", Origins: []string{free}}, ""},
		{"style", config.Map{Map: "https://maps.example:8443/style.json?key=k"}, config.MapSource{
			Style: "https://maps.example:8443/style.json?key=k", Origins: []string{"https://maps.example:8443"},
		}, ""},
		{"further origins", config.Map{Map: "http://a.example/s", MapOrigin: []string{"https://b.example"}}, config.MapSource{
			Style: "http://a.example/s", Origins: []string{"http://a.example", "https://b.example"},
		}, ""},
		{"tiles need no origin", config.Map{Map: "maps/world.pmtiles"}, config.MapSource{Tiles: "maps/world.pmtiles"}, ""},
		{"an unknown name", config.Map{Map: "openmap"}, config.MapSource{}, "one of openfreemap, openfreemap-bright"},
		{"a path", config.Map{Map: "/style.json"}, config.MapSource{}, "starts with http"},
		{"another scheme", config.Map{Map: "javascript:alert(1)"}, config.MapSource{}, "starts with http"},
		{"a password", config.Map{Map: "https://u:p@a.example/s"}, config.MapSource{}, "starts with http"},
		{"ends the directive", config.Map{Map: "https://a.example;script-src/s"}, config.MapSource{}, "not the name of a host"},
		{"any host", config.Map{Map: "https://*/s"}, config.MapSource{}, "not the name of a host"},
		{"an origin with a path", config.Map{MapOrigin: []string{"https://b.example/tiles"}}, config.MapSource{}, "form https://host"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			source, err := c.config.MapSource()
			if diff := cmp.Diff(c.want, source); diff != "" {
				t.Error(diff)
			}
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("got error %v, want %q", err, c.err)
			}
		})
	}
}
