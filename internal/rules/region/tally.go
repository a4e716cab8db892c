package region

import (
	"cmp"
	"maps"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/trip"
)

// Tally sums up by region what trips have driven.
type Tally struct {
	sums map[Region]sum
	way  map[Region]sum // of the trip under way
	last *drover.Position
}

type sum struct{ metres, unseen float64 }

// Pass is the next position of a trip.
func (t *Tally) Pass(p drover.Position) {
	if t.way == nil {
		t.way = map[Region]sum{}
	}
	if t.last != nil {
		a, b := t.last.Point(), p.Point()
		metres := geo.DistanceMetres(a, b)
		for _, part := range Split(a, b) {
			s := t.way[part.Region]
			s.metres += metres * part.Share
			if p.Time.Sub(t.last.Time.Time) >= trip.Gap {
				s.unseen += metres * part.Share
			}
			t.way[part.Region] = s
		}
	}
	t.last = &p
}

// End ends a trip. Its distance, which may come from an odometer, is parted as its way is; a
// trip that has none is as long as its way. One without a way is of no region.
func (t *Tally) End(distance *float64) {
	if t.sums == nil {
		t.sums = map[Region]sum{}
	}
	whole := 0.0
	for _, s := range t.way {
		whole += s.metres
	}
	if whole == 0 && distance != nil {
		at := Region{}
		if t.last != nil {
			at = At(t.last.Point())
		}
		t.way, whole = map[Region]sum{at: {metres: *distance}}, *distance
	}
	scale := 1.0
	if distance != nil && whole > 0 {
		scale = *distance / whole
	}
	for at, s := range t.way {
		all := t.sums[at]
		t.sums[at] = sum{all.metres + s.metres*scale, all.unseen + s.unseen*scale}
	}
	t.way, t.last = nil, nil
}

// Rows are the regions with what was driven in them, by code, the unknown one last.
func (t *Tally) Rows() []drover.RegionDistance {
	rows := make([]drover.RegionDistance, 0, len(t.sums))
	regions := slices.Collect(maps.Keys(t.sums))
	order.By(regions, func(a, b Region) int { return cmp.Compare(cmp.Or(a.Code, "~"), cmp.Or(b.Code, "~")) })
	for _, at := range regions {
		s := t.sums[at]
		if s.metres == 0 {
			continue
		}
		r := drover.RegionDistance{DistanceMetres: s.metres, UnseenMetres: s.unseen}
		if at.Code != "" {
			r.Country, r.Region, r.Name = new(at.Country()), new(at.Code), new(at.Name)
		}
		rows = append(rows, r)
	}
	return rows
}
