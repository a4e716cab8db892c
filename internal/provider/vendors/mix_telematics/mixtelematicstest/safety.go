package mixtelematicstest

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/drover-fleet/drover/internal/sim"
)

// brakingType is the id of a type of events, which each account has its own of.
const brakingType = "-5551234567890123456"

// library serves what the types of events are called.
func (s *server) library(w http.ResponseWriter, r *http.Request) {
	if _, ok := s.vehicles(r.PathValue("group")); !ok {
		notAuthorised(w)
		return
	}
	replyList(w, http.StatusOK, []object{
		{
			"EventTypeId": json.Number(brakingType), "Description": "Harsh braking", "EventType": "Standard", "DisplayUnits": "km/h/s",
			"FormatType": "Numeric", "ValueName": "Deceleration",
		},
		{"EventTypeId": 7, "Description": "Excessive idle", "EventType": "Standard", "DisplayUnits": "", "FormatType": "", "ValueName": ""},
	})
}

// events lists where vehicles braked hard.
func (s *server) events(v sim.Vehicle, from, to time.Time, _ bool) []row {
	var rows []row
	for _, p := range s.account.Brakings(v, from, to) {
		rows = append(rows, row{p.Received, object{
			"EventId": -p.ID, "EventTypeId": json.Number(brakingType), "EventCategory": "Detail", "AssetId": json.Number(AssetID(v)),
			"DriverId": driver(p.DriverID), "StartDateTime": timestamp(p.Time.Time), "EndDateTime": timestamp(p.Time.Add(2 * time.Second)),
			"StartPosition": object{"Latitude": p.Latitude, "Longitude": p.Longitude, "Heading": int(*p.Heading)}, "EndPosition": nil,
			"StartOdometerKilometres": nil, "EndOdometerKilometres": nil, "Value": 11.5, "ValueType": "Maximum", "ValueUnits": "km/h/s",
			"SpeedLimit": nil, "TotalTimeSeconds": 2, "TotalOccurances": 1, "FuelUsedLitres": nil, "MediaUrls": nil,
		}})
	}
	return rows
}

// eventsBetween serves the events of an organisation in a span of time.
func (s *server) eventsBetween(w http.ResponseWriter, r *http.Request) {
	from, errFrom := time.Parse("20060102150405", r.PathValue("from"))
	to, errTo := time.Parse("20060102150405", r.PathValue("to"))
	var filter struct {
		IDs []json.Number `json:"EntityIds"`
	}
	err := json.NewDecoder(r.Body).Decode(&filter)
	if errFrom != nil || errTo != nil || err != nil || len(filter.IDs) != 1 {
		badArgument(w, "from, to and a filter are expected")
		return
	}
	if to.Sub(from) > longest {
		badArgument(w, "the range must not be longer than 7 days")
		return
	}
	vehicles, ok := s.vehicles(filter.IDs[0].String())
	if !ok {
		notAuthorised(w)
		return
	}
	var rows []object
	for _, v := range vehicles {
		for _, r := range s.events(v, from, to.Add(time.Nanosecond), false) {
			rows = append(rows, r.object)
		}
	}
	replyList(w, http.StatusOK, rows)
}
