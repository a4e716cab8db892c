package contract_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider/vendors/traccar"
	"github.com/drover-fleet/drover/internal/rules/reading"
	"github.com/drover-fleet/drover/internal/store"
)

// instrument is a series of the world with its values, by how long ago they are.
type instrument struct {
	drover.ReadingSeries
	values map[time.Duration]float64
}

// addReadings stores readings as the collection of them does.
func (w *world) addReadings(tb testing.TB, tenant, device, connection string, instruments ...instrument) {
	tb.Helper()
	var series []store.ReadingSeries
	var rows []store.ReadingRow
	ids := map[[2]string]string{}
	for i, in := range instruments {
		shown := [2]string{string(in.Kind), in.Channel}
		if ids[shown] == "" {
			ids[shown] = store.NewID()
		}
		s := store.ReadingSeries{
			ID: ids[shown], DeviceID: w.ids[device], ConnectionID: w.ids[connection], Number: int64(i) + 1,
			ReadingSeries: in.ReadingSeries,
		}
		var state reading.State
		for ago := 24 * time.Hour; ago >= 0; ago -= time.Minute {
			if value, ok := in.values[ago]; ok {
				v := drover.ReadingValue{At: present.Add(-ago).UnixMilli(), Value: value}
				state.Add(in.Kind, v)
				rows = append(rows, store.ReadingRow{DeviceID: s.DeviceID, ReadingRow: drover.ReadingRow{Series: s.Number, ReadingValue: v}})
			}
		}
		s.Shown, s.Suspect = state.Shown, state.Suspect
		series = append(series, s)
	}
	w.update(tb, func(tx *store.Tx) error {
		if err := tx.Vehicles.SetReadingSeries(tb.Context(), w.ids[tenant], series); err != nil {
			return err
		}
		return tx.Vehicles.AddReadings(tb.Context(), w.ids[tenant], rows)
	})
}

// addInstruments gives alpha's devices theirs: two odometers that must not be mixed, one of
// which was zero for a moment, and a fuel level that is no percentage.
func (w *world) addInstruments(tb testing.TB) {
	tb.Helper()
	w.addReadings(tb, "alpha", "device", "conn",
		instrument{
			drover.ReadingSeries{Kind: drover.ReadingOdometer, Source: drover.SourceTracker, NativeName: "odometer"},
			map[time.Duration]float64{time.Minute: 100},
		},
		instrument{
			drover.ReadingSeries{Kind: drover.ReadingOdometer, Source: drover.SourceVehicle, NativeName: "obdOdometer"},
			map[time.Duration]float64{20 * time.Hour: 47110815, 30 * time.Minute: 47110815, 20 * time.Minute: 0, 10 * time.Minute: 47111815},
		},
		instrument{
			drover.ReadingSeries{Kind: drover.ReadingFuelPercent, NativeName: "fuel"},
			map[time.Duration]float64{25 * time.Minute: 250},
		},
		instrument{
			drover.ReadingSeries{Kind: drover.ReadingProbe, Channel: "1", Source: drover.SourceSensor, NativeName: "temp1"},
			map[time.Duration]float64{15 * time.Minute: -18.5},
		})
	w.addReadings(tb, "alpha", "private_device", "plain_conn", instrument{
		drover.ReadingSeries{Kind: drover.ReadingSupply, Source: drover.SourceTracker, NativeName: "power"},
		map[time.Duration]float64{15 * time.Minute: 12.5},
	})
}

// readingRows are what instruments say.
func readingRows() []row {
	const (
		first = `{"device_id":"$device","connection_id":"$conn","kind":"odometer_metres","channel":null,"timestamp":"2024-05-02T09:45:30Z","value":47110815,
			"source":"vehicle","native_name":"obdOdometer","suspect":null}`
		fuel = `{"device_id":"$device","connection_id":"$conn","kind":"fuel_level_percent","channel":null,"timestamp":"2024-05-02T09:50:30Z","value":250,
			"source":null,"native_name":"fuel","suspect":"range"}`
		probe = `{"device_id":"$device","connection_id":"$conn","kind":"probe_celsius","channel":"1","timestamp":"2024-05-02T10:00:30Z","value":-18.5,
			"source":"sensor","native_name":"temp1","suspect":null}`
		tracker = `{"device_id":"$device","connection_id":"$conn","kind":"odometer_metres","channel":null,"timestamp":"2024-05-02T10:14:30Z","value":100,
			"source":"tracker","native_name":"odometer","suspect":null}`
		volts = `{"device_id":"$private_device","connection_id":"$plain_conn","kind":"supply_volts","channel":null,"timestamp":"2024-05-02T10:00:30Z","value":12.5,
			"source":"tracker","native_name":"power","suspect":null}`
		history = "/device/$device/readings?from=2024-05-02T00:00:00Z"
		changes = "/reading?sort=updated_at"
	)
	shown := func(reading string) string { return with(reading, "id", `"<uuid>"`) }
	odometer := with(first, "timestamp", `"2024-05-02T10:05:30Z"`, "value", "47111815")
	zero := with(first, "timestamp", `"2024-05-02T09:55:30Z"`, "value", "0", "suspect", `"zero"`)
	read := func(name, user, path string, status int, want string) row {
		return row{name: name, as: user, method: "GET", path: path, status: status, want: want}
	}
	return []row{
		read("Newest", alice, "/reading", 200, list(shown(fuel), shown(odometer), shown(probe), shown(volts))),
		read("NewestForViewer", vera, "/reading", 200, list(shown(fuel), shown(odometer), shown(probe), shown(volts))),
		read("NewestShared", carol, "/reading", 200, list(shown(fuel), shown(odometer), shown(probe))),
		read("NewestOfOtherTenant", bob, "/reading", 200, list()),
		read("NewestByDevice", alice, "/reading?device_id=$private_device&device_id=$bare_device", 200, list(shown(volts))),
		read("NewestByForeignDevice", bob, "/reading?device_id=$device", 200, list()),
		read("NewestByDeviceNoUUID", alice, "/reading?device_id=x", 200, list()),
		read("NewestByConnection", alice, "/reading?connection_id=$plain_conn", 200, list(shown(volts))),
		read("NewestByTag", alice, "/reading?tag=Cold", 200, list(shown(fuel), shown(odometer), shown(probe))),
		read("NewestByTagOfConnection", carol, "/reading?tag=south", 200, list(shown(fuel), shown(odometer), shown(probe))),
		read("NewestByKinds", alice, "/reading?kind=supply_volts&kind=probe_celsius", 200, list(shown(probe), shown(volts))),
		read("NewestByUnknownKind", alice, "/reading?kind=miles", 422,
			invalid("enum", "Input should be 'odometer_metres', 'engine_seconds', 'idle_seconds', 'pto_seconds', "+
				"'fuel_used_litres', 'fuel_level_percent', 'fuel_level_litres', 'def_level_percent', 'charge_percent', 'supply_volts', 'coolant_celsius', "+
				"'ambient_celsius', 'probe_celsius', 'door_open' or 'pto_active'", "query", "kind")),

		read("Changes", alice, changes, 200, list(shown(odometer), shown(fuel), shown(probe), shown(volts))),
		read("ChangesShared", carol, changes, 200, list(shown(odometer), shown(fuel), shown(probe))),
		read("ChangesOfOtherTenant", bob, changes, 200, list()),
		read("ChangesAfter", carol, "/reading?updated_after=2020-01-01T00:00:00Z", 200, list(shown(odometer), shown(fuel), shown(probe))),
		read("ChangesAfterNoTime", alice, "/reading?updated_after=today", 422, timeFault("query", "updated_after")),
		read("ChangesWithFilter", alice, changes+"&kind=supply_volts", 422, noFilterOfChanges),
		read("ChangesOfAnotherDatabase", alice, changes+"&cursor="+cursorElsewhere("reading"), 410,
			refusal(410, "The changes since then are not known any more: take a new snapshot, from a first page without cursor and updated_after")),
		read("SortUnknown", alice, "/reading?sort=kind", 422, invalid("enum", "Input should be 'device_id' or 'updated_at'", "query", "sort")),
		read("OfDevice", alice, "/device/$device/reading", 200, list(shown(fuel), shown(odometer), shown(probe))),
		read("OfShared", carol, "/device/$device/reading", 200, list(shown(fuel), shown(odometer), shown(probe))),
		read("OfNone", alice, "/device/$bare_device/reading", 200, list()),
		read("OfForeign", bob, "/device/$device/reading", 403, forbidden),
		read("OfUnknown", alice, "/device/$unknown/reading", 404, notFound(noDevice, "$unknown")),

		read("Coverage", alice, "/connection/$conn/coverage", 200, coverage(2, map[string]string{
			"odometer_metres":            `"devices_with":1,"share":0.5,"newest_at":"2024-05-02T10:14:30Z","native_names":["obdOdometer","odometer"],"sources":["vehicle","tracker"]`,
			"fuel_level_percent":         `"devices_with":1,"share":0.5,"newest_at":"2024-05-02T09:50:30Z","native_names":["fuel"],"sources":[]`,
			"fault":                      `"devices_with":1,"share":0.5,"newest_at":"2024-05-02T09:15:30Z","native_names":["dtcs"],"sources":[]`,
			"safety_event.harsh_braking": `"devices_with":1,"share":0.5,"newest_at":"2024-05-02T08:15:30Z","native_names":[],"sources":[]`,
			"probe_celsius":              `"devices_with":1,"share":0.5,"newest_at":"2024-05-02T10:00:30Z","native_names":["temp1"],"sources":["sensor"]`,
		})),
		read("CoverageOfADay", vera, "/connection/$conn/coverage?days=1", 200, "<any>"),
		read("CoverageOfTwoDays", alice, "/connection/$conn/coverage?days=2", 422, invalid("enum", "Input should be 1, 7 or 30", "query", "days")),
		read("CoverageOfShared", carol, "/connection/$conn/coverage", 403, forbidden),
		read("CoverageOfForeign", bob, "/connection/$conn/coverage", 403, forbidden),
		read("CoverageOfUnknown", alice, "/connection/$unknown/coverage", 404, notFound(noConnection, "$unknown")),

		read("File", alice, "/connection/$conn/file", 200,
			`{"data":{"connection_id":"$conn","version":null,"since":null,"text":null,"refused":null,"parts":[],"records":[]}}`),
		read("FileForViewer", vera, "/connection/$conn/file", 200, "<any>"),
		read("FileOfShared", carol, "/connection/$conn/file", 403, forbidden),
		read("FileOfForeign", bob, "/connection/$conn/file", 403, forbidden),
		read("FileOfUnknown", alice, "/connection/$unknown/file", 404, notFound(noConnection, "$unknown")),

		read("History", alice, history, 200, list(first, probe, odometer, tracker)),
		read("HistoryOfShared", carol, history, 200, list(first, probe, odometer, tracker)),
		read("HistoryNewestFirst", alice, history+"&order=desc", 200, list(tracker, odometer, probe, first)),
		read("HistoryWithSuspect", alice, history+"&suspect=true", 200, list(first, fuel, zero, probe, odometer, tracker)),
		read("HistoryWithSuspectNewestFirst", alice, history+"&suspect=true&order=desc", 200, list(tracker, odometer, probe, zero, fuel, first)),
		read("HistoryByKind", alice, history+"&kind=probe_celsius", 200, list(probe)),
		read("HistoryByKindThatItHasNot", alice, history+"&kind=pto_active", 200, list()),
		read("HistoryEveryHour", alice, history+"&every=3600", 200, list(first, probe, odometer, tracker)),
		read("HistoryEveryDay", alice, history+"&every=86400", 200, list(first, probe, tracker)),
		read("HistoryEveryDayNewestFirst", alice, history+"&every=86400&order=desc", 200, list(tracker, probe, first)),
		read("HistoryEveryTwoDays", alice, history+"&every=86401", 422,
			invalid("less_than_equal", "Input should be less than or equal to 86400", "query", "every")),
		read("HistoryEveryBeforeNow", alice, history+"&every=-1", 422,
			invalid("greater_than_equal", "Input should be greater than or equal to 0", "query", "every")),
		read("HistoryFromIsInclusive", alice, "/device/$device/readings?from=2024-05-02T10:05:30Z", 200, list(odometer, tracker)),
		read("HistoryToIsExclusive", alice, history+"&to=2024-05-02T10:05:30Z", 200, list(first, probe)),
		// What it is judged by lies before.
		read("HistoryAfterAZero", alice, "/device/$device/readings?from=2024-05-02T09:55:30Z&suspect=true&to=2024-05-02T10:00:00Z", 200,
			list(zero)),
		read("HistoryOfNone", alice, "/device/$bare_device/readings?from=2024-05-02T00:00:00Z", 200, list()),
		read("HistoryWithoutFrom", alice, "/device/$device/readings", 422, invalid("missing", "Field required", "query", "from")),
		read("HistoryFromNoDateTime", alice, "/device/$device/readings?from=x", 422, timeFault("query", "from")),
		read("HistoryToBeforeFrom", alice, history+"&to=2024-05-01T00:00:00Z", 422,
			invalid("value_error", "Value error, to must not be before from", "query", "to")),
		read("HistoryInUnknownOrder", alice, history+"&order=up", 422, invalid("enum", "Input should be 'asc' or 'desc'", "query", "order")),
		read("HistorySuspectNoBoolean", alice, history+"&suspect=x", 422,
			invalid("bool_parsing", "Input should be a valid boolean, unable to interpret input", "query", "suspect")),
		read("HistoryOfForeign", bob, history, 403, forbidden),
		read("HistoryOfUnknown", alice, "/device/$unknown/readings?from=2024-05-02T00:00:00Z", 404, notFound(noDevice, "$unknown")),
	}
}

// coverage is the list of all kinds of a traccar connection, of which some were seen.
func coverage(devices int, seen map[string]string) string {
	declared := map[string][]string{}
	for _, r := range traccar.Info.Readings {
		kind := string(r.Kind)
		if !slices.Contains(declared[kind], r.NativeName) {
			declared[kind] = append(declared[kind], r.NativeName)
		}
	}
	var rows []string
	for _, kind := range drover.ReadingKinds {
		names, offer, share := "[]", "not_offered", "0"
		if d := declared[string(kind)]; len(d) > 0 {
			names, offer = `["`+strings.Join(d, `","`)+`"]`, "native"
		}
		rest := seen[string(kind)]
		if rest == "" {
			rest = `"devices_with":0,"share":` + share + `,"newest_at":null,"native_names":` + names + `,"sources":[]`
		}
		rows = append(rows, fmt.Sprintf(`{"field":%q,"declared":%q,"need":null,"devices":%d,%s}`, kind, offer, devices, rest))
	}
	fault := seen[drover.FieldFault]
	if fault == "" {
		fault = `"devices_with":0,"share":0,"newest_at":null,"native_names":["dtcs"],"sources":[]`
	}
	rows = append(rows, fmt.Sprintf(`{"field":"fault","declared":"native","need":null,"devices":%d,%s}`, devices, fault))
	for _, typ := range drover.SafetyTypes {
		offer := "not_offered"
		if typ == drover.SafetyOther || slices.Contains(traccar.Info.Safety.Types, typ) {
			offer = "native"
		}
		rest := seen[drover.FieldSafety+"."+string(typ)]
		if rest == "" {
			rest = `"devices_with":0,"share":0,"newest_at":null,"native_names":[],"sources":[]`
		}
		rows = append(rows, fmt.Sprintf(`{"field":"safety_event.%s","declared":%q,"need":null,"devices":%d,%s}`, typ, offer, devices, rest))
	}
	rows = append(rows, fmt.Sprintf(`{"field":"driver","declared":"native","need":null,"devices":%d,"devices_with":1,"share":0.5,
		"newest_at":"2024-05-02T08:15:30Z","native_names":[],"sources":[]}`, devices))
	rows = append(rows, fmt.Sprintf(`{"field":"driver_assignment","declared":"not_offered","need":null,"devices":%d,"devices_with":0,"share":0,
		"newest_at":null,"native_names":[],"sources":[]}`, devices))
	return list(rows...)
}
