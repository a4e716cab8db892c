package fleet

import (
	"maps"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// ProviderNames is the enum of this service: that of the interface, and what the operator
// has enabled beyond it.
func (s *Service) ProviderNames() []drover.ProviderName {
	names := slices.Clone(drover.ProviderNames)
	for _, name := range slices.Sorted(maps.Keys(s.providers)) {
		if !slices.Contains(drover.ProviderNames, name) {
			names = append(names, name)
		}
	}
	return names
}

// ProviderList describes every provider, in the order of the enum.
func (s *Service) ProviderList() []provider.Info {
	out := make([]provider.Info, 0, len(s.providers))
	for _, name := range s.ProviderNames() {
		if info, ok := s.providers[name]; ok {
			out = append(out, info)
		}
	}
	return out
}
