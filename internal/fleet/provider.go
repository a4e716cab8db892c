package fleet

import (
	"maps"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// offered are the names of providers, with the vendors' files among them.
type offered struct {
	files map[drover.ProviderName]provider.Info
	names []drover.ProviderName
}

// ProviderNames is the enum of this service: that of the interface, and what the operator
// has enabled beyond it. Each request asks for it, so it is made again only where the files of
// vendors have other names than before. No one changes it.
func (s Connections) ProviderNames() []drover.ProviderName {
	var files map[drover.ProviderName]provider.Info
	if s.vendors != nil {
		files = s.vendors.Current()
	}
	if before := s.offered.Load(); before != nil && sameKeys(before.files, files) {
		return before.names
	}
	names := slices.Clone(drover.ProviderNames)
	beyond := slices.Collect(maps.Keys(s.providers))
	beyond = slices.AppendSeq(beyond, maps.Keys(files))
	slices.Sort(beyond)
	for _, name := range beyond {
		if !slices.Contains(drover.ProviderNames, name) {
			names = append(names, name)
		}
	}
	names = slices.Clip(names)
	s.offered.Store(&offered{files, names})
	return names
}

func sameKeys[V any](a, b map[drover.ProviderName]V) bool {
	for name := range a {
		if _, ok := b[name]; !ok {
			return false
		}
	}
	return len(a) == len(b)
}

// provider describes a provider as new connections to it are read; nothing where there is
// no such provider.
func (s *core) provider(name drover.ProviderName) provider.Info {
	info, ok := s.providers[name]
	if !ok && s.vendors != nil {
		info = s.vendors.Current()[name]
	}
	return info
}

// ProviderList describes every provider, in the order of the enum.
func (s Connections) ProviderList() []provider.Info {
	var out []provider.Info
	for _, name := range s.ProviderNames() {
		if info := s.provider(name); info.Name != "" {
			out = append(out, info)
		}
	}
	return out
}
