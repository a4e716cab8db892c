package gpswoxtest

import (
	"math"
	"net/http"

	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

// Classes of the stretches of a history.
const (
	drive = 1
	stop  = 2
	start = 3
)

// history serves drives and stops. As a server does, it finds them in the points
// of the window: a drive that crosses an edge is cut there, and one that is under
// way ends with the newest point.
func (s *server) history(w http.ResponseWriter, r *http.Request) {
	v, from, to, wrong := s.window(r.URL.Query())
	if wrong != "" {
		invalid(w, wrong)
		return
	}
	items := []object{}
	begin := func(class int, p sim.Sample) {
		items = append(items, object{
			"status": class, "time": "20min 18s", "raw_time": local(p.Time.Time), "distance": 0,
			"items": []place{point(p)},
		})
	}
	samples := s.account.Positions(v, from, to)
	if len(samples) > 0 {
		begin(start, samples[0])
	}
	for _, run := range sim.Journeys(samples) {
		first, last := run[0], run[len(run)-1]
		begin(drive, first)
		places := make([]place, len(run))
		for i, p := range run {
			places[i] = point(p)
		}
		driven := items[len(items)-1]
		driven["items"], driven["distance"] = places, math.Round((*last.OdometerMetres-*first.OdometerMetres)/10)/100
		if !*last.Ignition {
			begin(stop, last)
		}
	}
	fake.Reply(w, object{
		"items": items, "distance_sum": "15.23 km", "top_speed": "97 kph", "move_duration": "20min 18s",
		"item_class": []object{
			{"id": drive, "value": "drive"},
			{"id": stop, "value": "stop"},
			{"id": start, "value": "start"},
			{"id": 4, "value": "end"},
			{"id": 5, "value": "event"},
		},
		"images": []object{}, "sensors": []object{}, "device": object{"id": v.ID, "name": v.Name}, "status": 1,
	})
}

// place is a point of a stretch. There are many: a struct is written faster than
// an object.
type place struct {
	ID        string  `json:"id"`
	Lat       string  `json:"lat"`
	Lng       string  `json:"lng"`
	Latitude  string  `json:"latitude"`
	Longitude string  `json:"longitude"`
	Speed     float64 `json:"speed"`
	Course    string  `json:"course"`
	RawTime   string  `json:"raw_time"`
	Sort      int64   `json:"sort"`
}

func point(p sim.Sample) place {
	lat, lon := text(p.Latitude), text(p.Longitude)
	return place{
		ID: text(float64(p.ID)), Lat: lat, Lng: lon, Latitude: lat, Longitude: lon,
		Speed: *p.SpeedKPH, Course: text(*p.Heading), RawTime: local(p.Time.Time), Sort: p.Time.Unix(),
	}
}
