package scaniatest

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider/kit/rfms/rfmstest"
	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
)

func (s *server) positions(w http.ResponseWriter, r *http.Request) {
	page, err := rfmstest.Positions(s.account, r.URL.Query())
	if err != nil {
		refuse(w, http.StatusBadRequest, "InvalidParameter", err.Error())
		return
	}
	list := []object{}
	for _, p := range page.Reports {
		o := object{
			"triggerType": trigger("TIMER"), "wheelBasedSpeed": *p.SpeedKPH, "tachographSpeed": *p.SpeedKPH + 0.3,
			"gnssPosition": gnss(p),
		}
		list = append(list, stamped(o, p, time.Second))
	}
	answer(w, object{"vehiclePositionResponse": object{"vehiclePositions": list}}, page)
}

func (s *server) statuses(w http.ResponseWriter, r *http.Request) {
	page, err := rfmstest.Statuses(s.account, r.URL.Query())
	if err != nil {
		refuse(w, http.StatusBadRequest, "InvalidParameter", err.Error())
		return
	}
	filter := r.URL.Query().Get("contentFilter")
	list := []object{}
	for _, p := range page.Reports {
		list = append(list, status(p, filter, extended(r)))
	}
	answer(w, object{"vehicleStatusResponse": object{"vehicleStatuses": list}}, page)
}

func status(p rfmstest.Report, filter string, extended bool) object {
	names := map[rfmstest.Event]string{rfmstest.None: "TIMER", rfmstest.Start: "IGNITION_ON", rfmstest.End: "IGNITION_OFF"}
	g := p.Gauges()
	o := object{
		"triggerType": trigger(names[p.Event]), "hrTotalVehicleDistance": *p.OdometerMetres,
		"totalEngineHours": g[drover.ReadingEngine] / 3600, "engineTotalFuelUsed": g[drover.ReadingFuelUsed] * 1000,
	}
	if p.DriverID != nil {
		o["driver1Id"] = object{"tachoDriverIdentification": object{
			"driverIdentification": *p.DriverID, "cardIssuingMemberState": "S",
			"cardReplacementIndex": "0", "cardRenewalIndex": "0",
		}}
	}
	if includes(filter, "SNAPSHOT") {
		snapshot := object{
			"gnssPosition": gnss(p), "wheelBasedSpeed": *p.SpeedKPH, "fuelLevel1": g[drover.ReadingFuelPercent],
			"catalystFuelLevel": g[drover.ReadingDEF], "ambientAirTemperature": g[drover.ReadingAmbient],
			"hybridBatteryPackRemainingCharge": "NOT_AVAILABLE",
		}
		if extended {
			snapshot["ignition"] = map[bool]string{true: "ON", false: "OFF"}[*p.Ignition]
		}
		o["snapshotData"] = snapshot
	}
	if includes(filter, "UPTIME") {
		state := map[bool]string{true: "YELLOW", false: "OFF"}[p.Vehicle.Broken()]
		o["uptimeData"] = object{"tellTaleInfo": []object{
			{"tellTale": "ENGINE_MIL_INDICATOR", "state": state}, {"tellTale": "ADBLUE_LEVEL", "state": "NOT_AVAILABLE"},
		}}
	}
	if includes(filter, "ACCUMULATED") && p.Counters != nil {
		o["accumulatedData"] = object{
			"durationWheelbasedSpeedOverZero": p.Counters.Driving, "durationWheelbasedSpeedZero": p.Counters.Idling,
			"ptoActiveClass": []object{
				{"label": "WHEELBASED_SPEED_ZERO", "seconds": p.Counters.Auxiliary - 10, "milliLitres": 900},
				{"label": "WHEELBASED_SPEED_OVER_ZERO", "seconds": 10, "meters": 50},
			},
		}
	}
	return stamped(o, p, 0)
}

func includes(filter, part string) bool { return filter == "" || strings.Contains(filter, part) }

func trigger(name string) object {
	return object{"triggerType": name, "context": "RFMS", "triggerInfo": []string{}}
}

// gnss has the heading as a text, as the service does.
func gnss(p rfmstest.Report) object {
	return object{
		"latitude": p.Latitude, "longitude": p.Longitude, "altitude": 32, "speed": *p.SpeedKPH - 0.2,
		"heading": strconv.Itoa(int(*p.Heading)), "positionDateTime": timestamp(p.Time.Time),
	}
}

// stamped adds the vehicle and the times. Now and then a time lacks its Z.
func stamped(o object, p rfmstest.Report, age time.Duration) object {
	o["vin"] = p.Vehicle.VIN
	o["createdDateTime"] = strings.TrimSuffix(timestamp(p.Time.Add(age)), "Z")
	o["receivedDateTime"] = timestamp(p.Received)
	return o
}

func answer(w http.ResponseWriter, o object, page rfmstest.Page) {
	o["moreDataAvailable"], o["moreDataAvailableLink"] = page.More, nil
	o["requestServerDateTime"] = timestamp(page.Now)
	fake.Reply(w, o)
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
