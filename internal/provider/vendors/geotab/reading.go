package geotab

import (
	"slices"
	"strconv"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// diagnostics are those of the feed of status data that are readings, by the vendor's ids; the
// rest of it is dropped. Not read are the adjustments of odometer and engine hours, of which a
// row means that a person has set the one or the other, and the times of idling and of the
// power take-off, whose unit is not known.
//
// The level of fuel has no source, though it is the vehicle's: on some vehicles it is no
// percentage, and the other one goes before it.
var diagnostics = append([]provider.Instrument[statusData]{
	diagnostic("DiagnosticOdometerId", drover.ReadingOdometer, drover.SourcePlatform, ""), // calibrated by the vendor
	diagnostic("DiagnosticRawOdometerId", drover.ReadingOdometer, drover.SourceVehicle, ""),
	diagnostic("DiagnosticEngineHoursId", drover.ReadingEngine, drover.SourceVehicle, ""), // seconds, whatever its name says
	diagnostic("DiagnosticTotalFuelUsedId", drover.ReadingFuelUsed, drover.SourceVehicle, ""),
	diagnostic("DiagnosticDeviceTotalFuelId", drover.ReadingFuelUsed, drover.SourceTracker, ""),
	diagnostic("DiagnosticFuelLevelPercentageId", drover.ReadingFuelPercent, drover.SourceVehicle, ""),
	diagnostic("DiagnosticFuelLevelId", drover.ReadingFuelPercent, "", ""),
	diagnostic("DiagnosticStateOfChargeId", drover.ReadingCharge, drover.SourceVehicle, ""),
	diagnostic("DiagnosticGoDeviceVoltageId", drover.ReadingSupply, drover.SourceTracker, ""),
	diagnostic("DiagnosticEngineCoolantTemperatureId", drover.ReadingCoolant, drover.SourceVehicle, ""),
	diagnostic("DiagnosticOutsideTemperatureId", drover.ReadingAmbient, drover.SourceVehicle, ""),
	diagnostic("DiagnosticDieselExhaustFluidId", drover.ReadingDEF, drover.SourceVehicle, ""),
	diagnostic("DiagnosticGenericAdblueTankLevelId", drover.ReadingDEF, drover.SourceVehicle, ""),
	state("DiagnosticPowerTakeoffEngagedId", drover.ReadingPTOActive, ""),
	state("DiagnosticDoorAjarId", drover.ReadingDoor, ""),
	state("DiagnosticBusAccessDoorId", drover.ReadingDoor, "bus_access"),
}, reefer()...)

func diagnostic(id string, kind drover.ReadingKind, source drover.ReadingSource, channel string) provider.Instrument[statusData] {
	return provider.Instrument[statusData]{
		Name: id, Kind: kind, Source: source, Channel: channel,
		Of: func(s statusData) *float64 { return s.Data.Ptr() },
	}
}

func state(id string, kind drover.ReadingKind, channel string) provider.Instrument[statusData] {
	return provider.Instrument[statusData]{
		Name: id, Kind: kind, Source: drover.SourceVehicle, Channel: channel, Of: statusData.on,
	}
}

// reefer are the zones of a refrigerated body.
func reefer() []provider.Instrument[statusData] {
	zones := make([]provider.Instrument[statusData], 4)
	for i := range zones {
		number := strconv.Itoa(i + 1)
		zones[i] = diagnostic("DiagnosticReeferTemperatureZone"+number+"Id", drover.ReadingProbe, drover.SourceSensor, number)
	}
	return zones
}

// on is 1 or 0; nil for any other number.
func (s statusData) on() *float64 {
	v := s.Data.Ptr()
	if v == nil || *v != 0 && *v != 1 {
		return nil
	}
	return v
}

// noEnd is the year in which the vendor puts what has no time.
const noEnd = 9999

// reading returns what a row says of an instrument; false where it is of none.
func (s statusData) reading() (provider.DeviceReading, bool) {
	i := slices.IndexFunc(diagnostics, func(d provider.Instrument[statusData]) bool { return d.Name == string(s.Diagnostic) })
	if i < 0 || s.Device == "" || s.DateTime.IsZero() || s.DateTime.Year() >= noEnd {
		return provider.DeviceReading{}, false
	}
	r, ok := diagnostics[i].Say(diagnostics[i].Of(s))
	r.Time = s.DateTime.Record()
	return provider.DeviceReading{SystemDeviceID: string(s.Device), Reading: r}, ok
}

// said are readings of the feed of status data on their way. The feed goes on whether or not
// the page is stored that they are given out with, so that they are kept until it is.
type said struct {
	list []provider.DeviceReading
	page int // the number of the page that they were given out with, 0 for none
}

// mostSaid bounds what is kept of pages that were not stored, of which the newest remain.
const mostSaid = 50_000

func (s *said) add(rows []statusData) {
	s.list = append(s.list, wire.Records(rows, statusData.reading)...)
}

// stored forgets what was given out with the page after which is asked for now.
func (s *said) stored(page int) {
	if s.page != 0 && s.page == page {
		s.list = nil
	} else if over := len(s.list) - mostSaid; over > 0 {
		s.list = slices.Clone(s.list[over:])
	}
	s.page = 0
}

// give returns what has come, with the number of the page that has it, which comes after another.
func (s *said) give(after int) (list []provider.DeviceReading, page int) {
	if len(s.list) == 0 {
		return nil, after
	}
	s.page = after + 1
	return slices.Clone(s.list), s.page
}

// cursor is where the feed of positions goes on: its version and, where a page had readings, the
// number of the last of those. A feed without new positions stays at its version.
type cursor struct {
	version string
	page    int
}

func cursorOf(text string) cursor {
	version, number, _ := strings.Cut(text, ":")
	page, _ := strconv.Atoi(number) // a cursor without one is from before there were any
	return cursor{version, page}
}

func (c cursor) String() string {
	if c.page == 0 {
		return c.version
	}
	return c.version + ":" + strconv.Itoa(c.page)
}
