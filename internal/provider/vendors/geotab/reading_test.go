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

// TestReadingsOfAPageThatWasNotStored has pages asked for again: what the feed of status data said
// with them comes again, and is not repeated once the page is stored, also where no positions come
// and the version of their feed stays. Of what is never stored, the newest is kept.
func TestReadingsOfAPageThatWasNotStored(t *testing.T) {
	t.Parallel()
	const row = `{"device":{"id":"b1A"},"diagnostic":{"id":"DiagnosticOdometerId"},"dateTime":"2026-07-14T11:00:00Z","data":7}`
	var positions, status, rows int
	a := newAdapter(t, func(req *http.Request) (*http.Response, error) {
		body, _ := io.ReadAll(req.Body)
		switch text := string(body); {
		case strings.Contains(text, `"Authenticate"`):
			return answer(`{"result":{"credentials":{"sessionId":"s"},"path":"ThisServer"}}`)
		case strings.Contains(text, `"LogRecord"`):
			if positions++; positions > 2 {
				return answer(`{"result":{"data":[],"toVersion":"3"}}`)
			}
			return answer(`{"result":{"data":[{"device":{"id":"b1A"},"dateTime":"2026-07-14T11:00:00Z","latitude":1,"longitude":2}],"toVersion":"2"}}`)
		case strings.Contains(text, `"StatusData"`) && strings.Contains(text, "GetFeed"):
			status++
			return answer(`{"result":{"data":[` + strings.TrimSuffix(strings.Repeat(row+",", rows), ",") + `],"toVersion":"9"}}`)
		case strings.Contains(text, "GetFeed"):
			return answer(`{"result":{"data":[],"toVersion":"1"}}`)
		default:
			return answer(`{"result":[]}`)
		}
	})
	at := "1"
	const many = 19_000
	for i, step := range []struct {
		rows, want int
		stored     bool
	}{
		{1, 1, false},
		{0, 1, true},
		{0, 0, true}, // no positions from here on
		{1, 1, false},
		{0, 1, true},
		{0, 0, true},
		{many, many, false},
		{many, 2 * many, false},
		{many, 3 * many, false},
		{0, 50_000, true},
		{0, 0, true},
	} {
		rows = step.rows
		page, err := a.Positions(t.Context(), provider.Query{Cursor: at, From: now})
		if err != nil || len(page.Readings) != step.want {
			t.Errorf("step %d: %d readings, %v, want %d", i, len(page.Readings), err, step.want)
		}
		if step.stored {
			at = page.Cursor
		}
	}
	if status < 11 {
		t.Error("a page without positions did not ask for readings")
	}
}
