package webfleettest

import (
	"net/url"
	"time"
)

// accelerations serves hard brakings of the fleet.
func (s *server) accelerations(query url.Values) ([]object, *fault) {
	from, to, failed := period(query)
	if failed != nil {
		return nil, failed
	}
	var rows []object
	for _, v := range s.account.Vehicles() {
		for _, p := range s.account.Brakings(v, from, to) {
			rows = append(rows, object{
				"objectno": v.ID, "objectname": v.Name, "objectuid": ObjectUID(v), "driverno": "", "driveruid": "", "accel_type": 1,
				"start_time": timestamp(p.Time.Time), "end_time": timestamp(p.Time.Add(3 * time.Second)), "start_speed": 61,
				"latitude": micro(p.Latitude), "longitude": micro(p.Longitude), "postext": "Ballarat", "roadspeedlimit": 80,
			})
		}
	}
	return rows, nil
}
