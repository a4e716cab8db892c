package config

import (
	"errors"
	"fmt"
	"net/url"
)

// Map is what the console's maps are drawn with; without any of it the built-in
// world is shown, which has no streets.
type Map struct {
	MapStyle   string   `help:"Address of a MapLibre style for the console's maps; the pages may then load from its host too." name:"map-style" env:"DROVER_MAP_STYLE" placeholder:"URL"`
	MapOrigin  []string `help:"Further origin that the style loads from, such as https://tiles.example.com; repeatable." name:"map-origin" env:"DROVER_MAP_ORIGIN" placeholder:"ORIGIN"`
	MapPMTiles string   `help:"File of map tiles (.pmtiles) for the console's maps, served by this process." name:"map-pmtiles" env:"DROVER_MAP_PMTILES" placeholder:"FILE"`
}

// MapOrigins are the hosts that the console's pages may load from besides their
// own: that of the style first.
func (m *Map) MapOrigins() ([]string, error) {
	if m.MapStyle != "" && m.MapPMTiles != "" {
		return nil, errors.New("--map-style and --map-pmtiles exclude each other")
	}
	var origins []string
	if m.MapStyle != "" {
		origin, err := originOf(m.MapStyle)
		if err != nil {
			return nil, fmt.Errorf("--map-style: %w", err)
		}
		origins = append(origins, origin)
	}
	for _, text := range m.MapOrigin {
		origin, err := originOf(text)
		if err != nil || origin != text {
			return nil, fmt.Errorf("--map-origin: %q is not of the form https://host", text)
		}
		origins = append(origins, origin)
	}
	return origins, nil
}

// originOf keeps what a content security policy takes: nothing that could end the
// directive and begin another.
func originOf(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil {
		return "", fmt.Errorf("%q is no address that starts with http:// or https://", address)
	}
	for _, r := range u.Host {
		if r == ';' || r == ',' || r == '\'' || r == '*' || r <= ' ' || r > '~' {
			return "", fmt.Errorf("%q is not the name of a host", u.Host)
		}
	}
	return u.Scheme + "://" + u.Host, nil
}
