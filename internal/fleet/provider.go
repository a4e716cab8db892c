package fleet

import (
	"maps"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// ProviderNames is the enum of this service: that of the interface, and what the operator
// has enabled beyond it.
func (s Connections) ProviderNames() []drover.ProviderName {
	names := slices.Clone(drover.ProviderNames)
	beyond := slices.Collect(maps.Keys(s.providers))
	if s.vendors != nil {
		beyond = slices.AppendSeq(beyond, maps.Keys(s.vendors.Current()))
	}
	slices.Sort(beyond)
	for _, name := range beyond {
		if !slices.Contains(drover.ProviderNames, name) {
			names = append(names, name)
		}
	}
	return names
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
