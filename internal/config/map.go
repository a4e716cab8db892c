package config

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Map is what the console's maps are drawn with; without it the built-in world is shown,
// which has no streets.
type Map struct {
	Map       string   `help:"Map of the console: builtin, a file of tiles (.pmtiles), the address of a MapLibre style, or a street map of OpenFreeMap: openfreemap, openfreemap-bright, openfreemap-positron. Pages may then load from its host too." name:"map" env:"DROVER_MAP" default:"builtin" placeholder:"NAME"`
	MapOrigin []string `help:"Further origin that the style loads from, such as https://tiles.example.com; repeatable." name:"map-origin" env:"DROVER_MAP_ORIGIN" placeholder:"ORIGIN"`
}

// builtinMap is the map that needs no other host.
const builtinMap = "builtin"

// streetMaps are free maps that load everything from the host of their style, by name.
var streetMaps = map[string]string{
	"openfreemap":          "https://tiles.openfreemap.org/styles/liberty",
	"openfreemap-bright":   "https://tiles.openfreemap.org/styles/bright",
	"openfreemap-positron": "https://tiles.openfreemap.org/styles/positron",
}

// MapSource is where a map comes from: the address of its style or the file of its tiles,
// neither for the built-in one, and the hosts that pages may load from besides their own.
type MapSource struct {
	Style, Tiles string
	Origins      []string
}

// MapSource says what the name of the map means.
func (m *Map) MapSource() (s MapSource, err error) {
	style, named := streetMaps[m.Map]
	switch {
	case named:
		s.Style = style
	case m.Map == "" || m.Map == builtinMap:
	case strings.HasSuffix(m.Map, ".pmtiles") && !strings.Contains(m.Map, "://"):
		s.Tiles = m.Map
	default:
		s.Style = m.Map
	}
	if s.Style != "" {
		origin, err := originOf(s.Style)
		if err != nil {
			names := append(slices.Sorted(maps.Keys(streetMaps)), builtinMap)
			return MapSource{}, fmt.Errorf("--map: %w; nor is it a file that ends in .pmtiles, or one of %s", err, strings.Join(names, ", "))
		}
		s.Origins = append(s.Origins, origin)
	}
	for _, text := range m.MapOrigin {
		origin, err := originOf(text)
		if err != nil || origin != text {
			return MapSource{}, fmt.Errorf("--map-origin: %q is not of the form https://host", text)
		}
		s.Origins = append(s.Origins, origin)
	}
	return s, nil
}

// originOf keeps what a content security policy takes: nothing that could end the
// directive and begin another.
func originOf(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil {
		return "", fmt.Errorf("%q is not an address that starts with http:// or https://", address)
	}
	for _, r := range u.Host {
		if r == ';' || r == ',' || r == '\'' || r == '*' || r <= ' ' || r > '~' {
			return "", fmt.Errorf("%q is not the name of a host", u.Host)
		}
	}
	return u.Scheme + "://" + u.Host, nil
}
