package collect_test

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// stubName is the provider of stubs.
const stubName = drover.Navixy

// stub is an adapter that answers what a test tells it to.
type stub struct {
	mu        sync.Mutex
	devices   []provider.Device
	listing   func(cursor string) (provider.Page[provider.Device], error) // in place of devices
	positions func(ctx context.Context, q provider.Query) (provider.Page[provider.Position], error)
	trips     func(ctx context.Context, q provider.Query) (provider.Page[provider.Trip], error)
	faults    func(ctx context.Context, q provider.Query) (provider.Page[provider.FaultReport], error)
	safety    func(ctx context.Context, q provider.Query) (provider.Page[provider.SafetyEvent], error)
	stated    func(ctx context.Context, q provider.Query) (provider.Page[provider.Assignment], error)
	asked     []provider.Query // for positions
	drivers   func(cursor string) (provider.Page[provider.Driver], error)
}

// stubInfo describes the stubs: positions each minute, and a history that is read
// an hour at a time. Native trips take a credential.
func (r *rig) stubInfo() provider.Info {
	return provider.Info{
		Name: stubName, Title: "Stub",
		Fields:   []provider.Field{{Name: "stub"}, {Name: "trips"}},
		Features: provider.Features{Backfill: true, Trips: true, TripsNeed: "trips"},
		Poll:     provider.Poll{Devices: 10 * time.Minute, Positions: time.Minute, Trips: time.Minute, Window: time.Hour},
		New: func(c provider.Config) (provider.Provider, error) {
			return r.stubs.get(c.Credentials["stub"])
		},
	}
}

// stub connects to a new stub with some devices.
func (r *rig) stub(name string, start time.Time, devices []string, with ...func(*drover.ConnectionInput)) (*stub, drover.Connection) {
	r.t.Helper()
	s := &stub{}
	s.list(devices...)
	r.stubs.set(name, s)
	return s, r.connect(stubName, start, map[string]string{"stub": name}, with...)
}

// native makes a connection to a stub that reports trips.
func native(in *drover.ConnectionInput) { in.Credentials["trips"] = "yes" }

// list sets the devices that the vendor has.
func (s *stub) list(ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.devices = nil
	for _, id := range ids {
		s.devices = append(s.devices, provider.Device{SystemDeviceID: id, Description: new("vendor's " + id), Active: true})
	}
}

// next makes the next live poll answer these records, and those after it nothing.
func (s *stub) next(records ...provider.Position) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.positions = func(_ context.Context, q provider.Query) (provider.Page[provider.Position], error) {
		page := provider.Page[provider.Position]{Cursor: "x"}
		if q.Live() {
			page.Records, records = records, nil
		}
		return page, nil
	}
}

// feed answers live polls with the portions that were given, each until the cursor says that
// it is stored, as a vendor does: a run that fails loses none.
func (s *stub) feed() (give func(records []provider.Position)) {
	var portions [][]provider.Position
	s.mu.Lock()
	defer s.mu.Unlock()
	s.positions = func(_ context.Context, q provider.Query) (provider.Page[provider.Position], error) {
		page := provider.Page[provider.Position]{Cursor: "x"}
		if q.Live() {
			s.mu.Lock()
			defer s.mu.Unlock()
			stored, _ := strconv.Atoi(q.Cursor)
			page.Records = slices.Concat(portions[stored:]...)
			page.Cursor = strconv.Itoa(len(portions))
		}
		return page, nil
	}
	return func(records []provider.Position) {
		s.mu.Lock()
		defer s.mu.Unlock()
		portions = append(portions, records)
	}
}

// nextSaid makes the next live poll answer readings that came by themselves.
func (s *stub) nextSaid(readings ...provider.DeviceReading) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.positions = func(_ context.Context, q provider.Query) (provider.Page[provider.Position], error) {
		page := provider.Page[provider.Position]{Cursor: "x"}
		if q.Live() {
			page.Readings, readings = readings, nil
		}
		return page, nil
	}
}

func (s *stub) queries() []provider.Query {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func (s *stub) Check(context.Context) error { return nil }

func (s *stub) Devices(_ context.Context, cursor string) (provider.Page[provider.Device], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listing != nil {
		return s.listing(cursor)
	}
	return provider.Page[provider.Device]{Records: append([]provider.Device{}, s.devices...)}, nil
}

func (s *stub) Positions(ctx context.Context, q provider.Query) (provider.Page[provider.Position], error) {
	s.mu.Lock()
	answer := s.positions
	s.asked = append(s.asked, q)
	s.mu.Unlock()
	if answer == nil {
		return provider.Page[provider.Position]{Cursor: "x"}, nil
	}
	return answer(ctx, q)
}

func (s *stub) Trips(ctx context.Context, q provider.Query) (provider.Page[provider.Trip], error) {
	s.mu.Lock()
	answer := s.trips
	s.mu.Unlock()
	if answer == nil {
		return provider.Page[provider.Trip]{Cursor: "x"}, nil
	}
	return answer(ctx, q)
}

// at is a position of a device somewhere on its way.
func at(device string, t time.Time, latitude, longitude float64) provider.Position {
	return provider.Position{SystemDeviceID: device, Position: drover.Position{
		Time: drover.At(t), Latitude: latitude, Longitude: longitude,
		SpeedKPH: new(50.0),
	}}
}

// tripsNext makes the next live poll answer these trips, and those after it none.
func (s *stub) tripsNext(records ...provider.Trip) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trips = func(_ context.Context, q provider.Query) (provider.Page[provider.Trip], error) {
		page := provider.Page[provider.Trip]{Cursor: "x"}
		if q.Live() {
			page.Records, records = records, nil
		}
		return page, nil
	}
}

func (s *stub) Drivers(_ context.Context, cursor string) (provider.Page[provider.Driver], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drivers == nil {
		return provider.Page[provider.Driver]{}, nil
	}
	return s.drivers(cursor)
}
