package drover

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// AssignmentMethod is how it is known who drove.
type AssignmentMethod string

// The methods. Unknown is a provider that says who drove and not how it knows, derived what
// the positions of a trip name, static a driver whom a vehicle has by default.
const (
	ByCard       AssignmentMethod = "card"
	ByTachograph AssignmentMethod = "tachograph"
	ByApp        AssignmentMethod = "app"
	ByHOS        AssignmentMethod = "hos"
	ByCamera     AssignmentMethod = "camera"
	ByStatic     AssignmentMethod = "static"
	ByManual     AssignmentMethod = "manual"
	ByDerived    AssignmentMethod = "derived"
	ByUnknown    AssignmentMethod = "unknown"
)

// AssignmentMethods lists the closed set.
var AssignmentMethods = []AssignmentMethod{
	ByCard, ByTachograph, ByApp, ByHOS, ByCamera, ByStatic, ByManual, ByDerived, ByUnknown,
}

// DriverAssignment says that someone drove a device for some time.
type DriverAssignment struct {
	ID             string           `json:"id" doc:"Made of the device, the driver and the start: it changes where the start does."`
	DeviceID       string           `json:"device_id"`
	ConnectionID   string           `json:"connection_id"`
	DriverID       *string          `json:"driver_id" doc:"The record of the driver; null where the provider does not list the driver."`
	SystemDriverID string           `json:"system_driver_id" doc:"The provider's id: the value of driver_id of positions and trips."`
	StartTime      Time             `json:"start_time"`
	EndTime        *Time            `json:"end_time" doc:"Null while it goes on."`
	Method         AssignmentMethod `json:"method"`
}

// AssignmentID is the id of an assignment, the same each time that it is found.
func AssignmentID(deviceID, systemDriverID string, start Time) string {
	sum := sha256.Sum256([]byte(deviceID + " " + systemDriverID))
	var id [8]byte
	binary.BigEndian.PutUint64(id[:], uint64(start.UnixMilli())<<16)
	copy(sum[:6], id[:6])
	sum[6], sum[8] = sum[6]&0x0f|0x70, sum[8]&0x3f|0x80 // of the form that all ids have, the time first
	text := hex.EncodeToString(sum[:16])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// AssignmentFilter chooses assignments that share time with [From, To), to now without To.
type AssignmentFilter struct {
	DeviceID string `query:"device_id" doc:"Only assignments of this device. It or driver_id is needed."`
	DriverID string `query:"driver_id" doc:"Only assignments of this driver, by the id of the record."`
	From     Time   `query:"from" required:"true" doc:"Only assignments that end after this time."`
	To       *Time  `query:"to" doc:"Only assignments that begin before this time; now otherwise. At most 31 days after from."`
}
