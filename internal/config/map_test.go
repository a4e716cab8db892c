package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/config"
)

func TestMapOrigins(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		config  config.Map
		origins []string
		err     string
	}{
		{"none", config.Map{}, nil, ""},
		{"style", config.Map{MapStyle: "https://maps.example:8443/style.json?key=k"}, []string{"https://maps.example:8443"}, ""},
		{"further origins", config.Map{MapStyle: "http://a.example/s", MapOrigin: []string{"https://b.example"}}, []string{"http://a.example", "https://b.example"}, ""},
		{"tiles need no origin", config.Map{MapPMTiles: "world.pmtiles"}, nil, ""},
		{"both", config.Map{MapStyle: "https://a.example", MapPMTiles: "f"}, nil, "exclude each other"},
		{"a path", config.Map{MapStyle: "/style.json"}, nil, "starts with http"},
		{"another scheme", config.Map{MapStyle: "javascript:alert(1)"}, nil, "starts with http"},
		{"a password", config.Map{MapStyle: "https://u:p@a.example/s"}, nil, "starts with http"},
		{"ends the directive", config.Map{MapStyle: "https://a.example;script-src/s"}, nil, "not the name of a host"},
		{"any host", config.Map{MapStyle: "https://*/s"}, nil, "not the name of a host"},
		{"an origin with a path", config.Map{MapOrigin: []string{"https://b.example/tiles"}}, nil, "form https://host"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			origins, err := c.config.MapOrigins()
			if diff := cmp.Diff(c.origins, origins); diff != "" {
				t.Error(diff)
			}
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("got error %v, want %q", err, c.err)
			}
		})
	}
}
