package contract_test

import (
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// changing is a list of work's whose records change while it is read.
type changing struct {
	// of makes what the list belongs to, and returns its path.
	of   func() (path string)
	key  []string // the fields of a row that name it; id where there are none
	add  func() (id string)
	drop func(id string) // nil where records are only ever added
}

// changes makes and takes away work's records.
type changes struct {
	t      *testing.T
	s      *service
	random *rand.Rand
	stops  map[string]drover.Stop
	count  int
}

// lists are all lists that are paged.
func (c *changes) lists() map[string]changing {
	at := func(path string) func() string { return func() string { return path } }
	within := func(name, before, after string) func() string {
		return func() string {
			c.s.ids[name] = c.s.fresh(c.t, name)[name]
			return before + c.s.ids[name] + after
		}
	}
	return map[string]changing{
		"listDevices":      {of: at("/device"), add: c.fresh("new_device"), drop: c.dropDevice},
		"listTrips":        {of: at("/trip"), add: c.fresh("new_trip"), drop: c.dropTrip},
		"listSafetyEvents": {of: at("/safety-event"), add: c.addDanger, drop: c.dropDanger},
		"listFaults":       {of: at("/fault"), add: c.addFault, drop: c.dropFault},
		"listStops":        {of: at("/stop"), add: c.addStop, drop: c.dropStop},
		"listMilestones":   {of: at("/milestone"), add: c.fresh("new_milestone"), drop: c.byAPI("/milestone/")},
		"listMilestoneUpdates": {
			of: at("/milestone/update"), key: []string{"milestone_id"}, add: c.fresh("new_milestone"),
			drop: c.byAPI("/milestone/"),
		},
		"listWebhooks":        {of: at("/webhook"), add: c.fresh("new_webhook"), drop: c.byAPI("/webhook/")},
		"listConnections":     {of: at("/connection"), add: c.fresh("new_conn"), drop: c.dropConnection},
		"listUsers":           {of: at("/user"), add: c.fresh("new_user"), drop: c.byAPI("/user/")},
		"listAPIKeys":         {of: at("/api-key"), add: c.fresh("new_key"), drop: c.byAPI("/api-key/")},
		"listConnectionLinks": {of: at("/connection-link"), add: c.fresh("new_link"), drop: c.byAPI("/connection-link/")},
		"listAllShares":       {of: at("/share"), add: c.fresh("new_share"), drop: c.byAPI("/share/")},
		"listExports":         {of: at("/export"), add: c.fresh("new_export"), drop: c.dropExport},

		"listNotes":         {of: func() string { return c.notes("") }, add: c.addNote, drop: func(id string) { c.byAPI(c.notes("/"))(id) }},
		"listRecomputes":    {of: at("/trip-recompute"), add: c.fresh("new_recompute")},
		"listAudit":         {of: at("/audit"), add: c.changeDevice},
		"listEvents":        {of: at("/event"), add: c.changeDevice},
		"listAllDeliveries": {of: func() string { c.fresh("new_webhook")(); return "/delivery" }, add: c.changeDevice},
		"listDeliveries": {
			of: within("new_webhook", "/webhook/", "/delivery"), key: []string{"event_id", "attempt"},
			add: c.changeDevice,
		},
		"listMilestoneEvents": {of: within("new_milestone", "/milestone/", "/event"), add: c.addMilestoneEvent},
		"listMilestoneETAHistory": {
			of: within("new_milestone", "/milestone/", "/eta-history"), key: []string{"predicted_at"},
			add: c.addPrediction,
		},
		"listDrivers":        {of: at("/driver"), add: c.fresh("new_driver")},
		"listNewestReadings": {of: at("/reading"), key: []string{"device_id", "kind"}, add: c.addInstrument},
		"listDeviceReadings": {
			of: within("new_device", "/device/", "/readings?from=2024-05-01T00:00:00Z"), key: []string{"timestamp"},
			add: c.addReading,
		},
		"listDistanceByRegion": {
			of: at("/report/distance-by-region?from=2024-05-01T00:00:00Z&to=2024-06-01T00:00:00Z"), key: []string{"device_id"},
			add: c.fresh("new_device"), drop: c.dropDevice,
		},
		"listDevicePositions": {
			of: within("new_device", "/device/", "/positions?from=2024-05-01T00:00:00Z"), key: []string{"timestamp"},
			add: c.addPosition,
		},
	}
}

func (c *changes) fresh(name string) func() string {
	return func() string {
		c.t.Helper()
		return c.s.fresh(c.t, name)[name]
	}
}

func (c *changes) send(method, path, body string, want int) {
	c.t.Helper()
	got := c.s.send(c.t, request{method: method, path: path, body: body, header: c.s.authorized(c.t, wanda)})
	if got.status != want {
		c.t.Fatalf("%s %s: status %d, %s", method, path, got.status, got.body)
	}
}

func (c *changes) byAPI(path string) func(id string) {
	return func(id string) {
		c.t.Helper()
		c.send(http.MethodDelete, path+id, "", http.StatusNoContent)
	}
}

// moment is a time of the day before that none of the others is.
func (c *changes) moment() drover.Time {
	c.count++
	return drover.At(present.Add(-time.Duration(c.random.IntN(24*3600))*time.Second + time.Duration(c.count)*time.Millisecond))
}

// changeDevice makes a change that is audited, an event, and deliveries.
func (c *changes) changeDevice() string {
	c.t.Helper()
	c.count++
	c.send(http.MethodPatch, "/device/"+c.s.ids["work_device"], jsonText(map[string]int{"year": 1900 + c.count%300}), http.StatusOK)
	return ""
}

func (c *changes) addMilestoneEvent() string {
	c.t.Helper()
	id := c.s.ids["new_milestone"]
	e := drover.Event{
		ID: store.NewID(), Type: drover.EventMilestoneUpdated, Timestamp: drover.At(present), MilestoneID: &id,
		Data: []byte(jsonText(drover.Milestone{ID: id})),
	}
	c.s.update(c.t, func(tx *store.Tx) error { return journal.Append(c.t.Context(), tx, c.s.ids["work"], []drover.Event{e}) })
	return ""
}

func (c *changes) addPrediction() string {
	c.t.Helper()
	p := store.Prediction{Time: c.moment(), ETA: drover.At(present), DistanceKM: 1}
	c.s.update(c.t, func(tx *store.Tx) error {
		return tx.Trips.AddPrediction(c.t.Context(), c.s.ids["work"], c.s.ids["new_milestone"], p)
	})
	return ""
}

func (c *changes) addPosition() string {
	c.t.Helper()
	c.s.addHistory(c.t, "work", "new_device", drover.Position{Time: c.moment(), Latitude: 48, Longitude: 11})
	return ""
}

// addInstrument adds a device with an instrument.
func (c *changes) addInstrument() string {
	c.t.Helper()
	c.s.ids["instrumented"] = c.s.fresh(c.t, "new_device")["new_device"]
	c.s.addReadings(c.t, "work", "instrumented", "work_conn", c.instrument(0))
	return ""
}

// addReading adds a value to the instrument of a device.
func (c *changes) addReading() string {
	c.t.Helper()
	c.count++
	c.s.addReadings(c.t, "work", "new_device", "work_conn", c.instrument(time.Duration(c.count%1440)*time.Minute))
	return ""
}

func (c *changes) instrument(ago time.Duration) instrument {
	return instrument{drover.ReadingSeries{Kind: drover.ReadingSupply, NativeName: "power"}, map[time.Duration]float64{ago: 12.5}}
}

func (c *changes) addStop() string {
	c.t.Helper()
	start := c.moment()
	s := drover.Stop{
		Latitude: new(48.0), Longitude: new(11.0), StartTime: start, EndTime: new(drover.At(start.Add(time.Minute))),
		DurationSeconds: 60,
	}
	c.s.addStop(c.t, "work", "new_stop", "work_conn", "work_device", s)
	s.ID, s.DeviceID = c.s.ids["new_stop"], c.s.ids["work_device"]
	c.stops[s.ID] = s
	return s.ID
}

// addDanger adds a device with a safety event.
func (c *changes) addDanger() string {
	c.t.Helper()
	c.s.ids["driven"] = c.s.fresh(c.t, "new_device")["new_device"]
	return c.s.addSafetyEvent(c.t, "work", "new_safety_event", "driven", "work_conn", drover.SafetyEvent{
		SystemEventID: "1", Type: drover.SafetyCrash, NativeType: "crash", StartTime: c.moment(), Status: drover.SafetyOpen,
	})
}

func (c *changes) dropDanger(id string) {
	c.t.Helper()
	c.s.update(c.t, func(tx *store.Tx) error {
		e, err := tx.Vehicles.SafetyEvent(c.t.Context(), c.s.ids["work"], id)
		if err == nil {
			_, err = tx.Vehicles.EraseSafetyEvents(c.t.Context(), c.s.ids["work"], e.DeviceID)
		}
		return err
	})
}

// addFault adds a device with a fault.
func (c *changes) addFault() string {
	c.t.Helper()
	c.s.ids["broken"] = c.s.fresh(c.t, "new_device")["new_device"]
	return c.s.addFault(c.t, "work", "new_fault", "broken", "work_conn", drover.Fault{
		Protocol: drover.FaultOBD, Code: "P0420", Lamps: []drover.Lamp{}, Status: drover.FaultOpen, FirstSeenAt: c.moment(),
		LastSeenAt: drover.At(present),
	})
}

func (c *changes) dropFault(id string) {
	c.t.Helper()
	c.s.update(c.t, func(tx *store.Tx) error {
		f, err := tx.Vehicles.Fault(c.t.Context(), c.s.ids["work"], id)
		if err == nil {
			_, err = tx.Vehicles.EraseFaults(c.t.Context(), c.s.ids["work"], f.DeviceID)
		}
		return err
	})
}

func (c *changes) dropStop(id string) {
	c.t.Helper()
	c.s.update(c.t, func(tx *store.Tx) error {
		return tx.Trips.DropStop(c.t.Context(), c.s.ids["work"], c.s.ids["work_conn"], store.Stop{Stop: c.stops[id]})
	})
}

func (c *changes) dropDevice(id string) {
	c.t.Helper()
	c.s.update(c.t, func(tx *store.Tx) error { return tx.Fleet.EraseDevice(c.t.Context(), c.s.ids["work"], id) })
}

func (c *changes) dropTrip(id string) {
	c.t.Helper()
	c.s.update(c.t, func(tx *store.Tx) error {
		trip, err := tx.Trips.Trip(c.t.Context(), c.s.ids["work"], id)
		if err != nil {
			return err
		}
		return tx.Trips.DropTrip(c.t.Context(), trip)
	})
}

func (c *changes) dropConnection(id string) {
	c.t.Helper()
	c.s.update(c.t, func(tx *store.Tx) error {
		_, err := tx.Fleet.EraseConnection(c.t.Context(), work.Purge{TenantID: c.s.ids["work"], ConnectionID: id})
		return err
	})
}

func (c *changes) dropExport(id string) {
	c.t.Helper()
	c.s.update(c.t, func(tx *store.Tx) error { return tx.Jobs.DropExport(c.t.Context(), c.s.ids["work"], id) })
}
