package geotab

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
)

// TestReadings reads rows of the feed: what an hour is in them, what is no reading, and what is
// no number.
func TestReadings(t *testing.T) {
	t.Parallel()
	row := func(diagnostic, data, at string) string {
		return `{"id":"b1","device":{"id":"b1A"},"diagnostic":{"id":"` + diagnostic + `"},"dateTime":"` + at + `","data":` + data + `,
			"controller":"ControllerNoneId","version":"00000000000000a7"}`
	}
	const at = "2026-05-05T05:59:10.500Z"
	cases := map[string]map[string]float64{}
	for id, value := range map[string]float64{
		"DiagnosticOdometerId": 210454468, "DiagnosticRawOdometerId": 1000, "DiagnosticEngineHoursId": 4012000,
		"DiagnosticTotalFuelUsedId": 81234.5, "DiagnosticDeviceTotalFuelId": 12.5, "DiagnosticFuelLevelPercentageId": 71,
		"DiagnosticFuelLevelId": 70.5, "DiagnosticStateOfChargeId": 64.5, "DiagnosticGoDeviceVoltageId": 13.9,
		"DiagnosticEngineCoolantTemperatureId": 84, "DiagnosticOutsideTemperatureId": -1, "DiagnosticDieselExhaustFluidId": 42,
		"DiagnosticGenericAdblueTankLevelId": 41, "DiagnosticPowerTakeoffEngagedId": 1, "DiagnosticDoorAjarId": 0,
		"DiagnosticBusAccessDoorId": 1, "DiagnosticReeferTemperatureZone1Id": -18, "DiagnosticReeferTemperatureZone4Id": 4,
	} {
		cases[row(id, number(value), at)] = map[string]float64{id: value}
	}
	for _, none := range []string{
		row("DiagnosticOdometerAdjustmentId", "1", at), row("DiagnosticTotalIdleHoursId", "1", at), row("DiagnosticElectricVehicleRangeId", "1", at),
		row("DiagnosticIgnitionId", "1", at), row("DiagnosticOdometerId", "null", at), row("DiagnosticOdometerId", "-1", at),
		row("DiagnosticOdometerId", "4294967295", at), row("DiagnosticFuelLevelPercentageId", "255", at),
		row("DiagnosticDoorAjarId", "2", at), row("DiagnosticOdometerId", "5", "9999-12-31T00:00:00.000Z"), row("DiagnosticOdometerId", "5", ""),
		`{"diagnostic":{"id":"DiagnosticOdometerId"},"dateTime":"2026-05-05T05:59:10.500Z","data":5}`,
	} {
		cases[none] = map[string]float64{}
	}
	providertest.CheckReadings(t, cases, func(s statusData) []provider.Reading {
		r, ok := s.reading()
		if !ok {
			return nil
		}
		return []provider.Reading{r.Reading}
	})
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// TestReadingsOfAPageThatWasNotStored has a page asked for again: what the feed of status data
// said with it comes again, and is not repeated once the page is stored.
func TestReadingsOfAPageThatWasNotStored(t *testing.T) {
	t.Parallel()
	feeds := map[string]int{}
	a := newAdapter(t, func(req *http.Request) (*http.Response, error) {
		body, _ := io.ReadAll(req.Body)
		switch text := string(body); {
		case strings.Contains(text, `"Authenticate"`):
			return answer(`{"result":{"credentials":{"sessionId":"s"},"path":"ThisServer"}}`)
		case strings.Contains(text, `"LogRecord"`):
			feeds["LogRecord"]++
			if feeds["LogRecord"] > 2 {
				return answer(`{"result":{"data":[],"toVersion":"3"}}`)
			}
			return answer(`{"result":{"data":[{"device":{"id":"b1A"},"dateTime":"2026-07-14T11:00:00Z","latitude":1,"longitude":2}],"toVersion":"2"}}`)
		case strings.Contains(text, `"StatusData"`) && strings.Contains(text, "GetFeed"):
			feeds["StatusData"]++
			if feeds["StatusData"] > 1 {
				return answer(`{"result":{"data":[],"toVersion":"9"}}`)
			}
			return answer(`{"result":{"data":[{"device":{"id":"b1A"},"diagnostic":{"id":"DiagnosticOdometerId"},"dateTime":"2026-07-14T11:00:00Z","data":7}],
				"toVersion":"9"}}`)
		case strings.Contains(text, "GetFeed"):
			return answer(`{"result":{"data":[],"toVersion":"1"}}`)
		default:
			return answer(`{"result":[]}`)
		}
	})
	for i, step := range []struct {
		cursor string
		want   int
	}{{"1", 1}, {"1", 1}, {"2", 0}} {
		page, err := a.Positions(t.Context(), provider.Query{Cursor: step.cursor, From: now})
		if err != nil || len(page.Readings) != step.want {
			t.Errorf("step %d: %d readings, %v, want %d", i, len(page.Readings), err, step.want)
		}
	}
	if feeds["StatusData"] < 3 {
		t.Error("a page without positions did not ask for readings")
	}
}
