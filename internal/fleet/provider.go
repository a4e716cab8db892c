package fleet

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// ProviderList describes every provider, in the order of the enum.
func (s *Service) ProviderList() []provider.Info {
	out := make([]provider.Info, 0, len(s.providers))
	for _, name := range drover.ProviderNames {
		if info, ok := s.providers[name]; ok {
			out = append(out, info)
		}
	}
	return out
}
