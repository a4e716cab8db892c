package track

import (
	"cmp"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/reading"
	"github.com/drover-fleet/drover/internal/store"
)

// ShownReadings chooses the series that devices show, one of each kind and channel, and
// orders what they say by device, kind and channel.
func ShownReadings(series []store.ReadingSeries) []drover.NewestReading {
	key := func(s *store.ReadingSeries) drover.ReadingCursor {
		return drover.ReadingCursor{DeviceID: s.DeviceID, Kind: s.Kind, Channel: s.Channel}
	}
	sorted := make([]*store.ReadingSeries, len(series))
	for i := range series {
		sorted[i] = &series[i]
	}
	slices.SortStableFunc(sorted, func(a, b *store.ReadingSeries) int {
		return cmp.Or(cmp.Compare(a.DeviceID, b.DeviceID), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Channel, b.Channel),
			cmp.Compare(a.Number, b.Number))
	})
	readings := make([]drover.NewestReading, 0, len(sorted))
	var candidates []reading.Candidate
	for i := 0; i < len(sorted); {
		end := i + 1
		for end < len(sorted) && key(sorted[end]) == key(sorted[i]) {
			end++
		}
		candidates = candidates[:0]
		for _, s := range sorted[i:end] {
			candidates = append(candidates, reading.Candidate{Source: s.Source, At: s.Shown.At, Suspect: s.Suspect != ""})
		}
		readings = append(readings, shownReading(sorted[i+reading.Best(candidates)]))
		i = end
	}
	return readings
}

// shownReading is what a series shows.
func shownReading(s *store.ReadingSeries) drover.NewestReading {
	r := s.Reading(s.DeviceID, s.ConnectionID, drover.Milli(s.Shown.At), reading.Shown(s.Kind, s.Shown.Value), s.Suspect)
	return drover.NewestReading{ID: s.ID, Reading: r}
}
