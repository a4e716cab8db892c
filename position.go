package drover

// Position is the place of a device at one instant, with what else the provider reported for
// that instant. Unreported fields are nil.
type Position struct {
	Time                Time
	Latitude, Longitude float64
	Heading             *float64
	SpeedKPH            *float64
	DriverID            *string
	Ignition            *bool
	Auxiliary           *bool // power take-off or another auxiliary is running
	OdometerMetres      *float64
}

// StoredPosition is a position of a device's history. Suspect is the reason why a position is
// implausible; such a position is stored, but not used for trips and milestones.
type StoredPosition struct {
	Position
	Suspect string
}

// Point returns the position's coordinate.
func (p Position) Point() Coordinate { return Coordinate{p.Latitude, p.Longitude} }

// View returns the position as the interface shows it.
func (p Position) View() *CurrentPosition {
	v := &CurrentPosition{Timestamp: p.Time, Longitude: p.Longitude, Latitude: p.Latitude, Heading: p.Heading}
	if p.SpeedKPH != nil {
		v.Speed = &Speed{SpeedKPH: *p.SpeedKPH}
	}
	v.DriverID = NewDriverID(p.DriverID)
	return v
}

// CurrentPosition is a position as the interface shows it.
type CurrentPosition struct {
	Timestamp Time      `json:"timestamp"`
	Longitude float64   `json:"longitude"`
	Latitude  float64   `json:"latitude"`
	Heading   *float64  `json:"heading"`
	Speed     *Speed    `json:"speed"`
	DriverID  *DriverID `json:"driver_id"`
}

// DetailedPosition is a position with all fields that the provider reported.
type DetailedPosition struct {
	CurrentPosition
	Ignition       *bool    `json:"ignition"`
	Auxiliary      *bool    `json:"auxiliary"`
	OdometerMetres *float64 `json:"odometer_metres"`
}

// Detail returns the position with all its fields.
func (p Position) Detail() DetailedPosition {
	return DetailedPosition{CurrentPosition: *p.View(), Ignition: p.Ignition, Auxiliary: p.Auxiliary, OdometerMetres: p.OdometerMetres}
}

// NewestPosition is the row of a device in the newest positions of a fleet.
type NewestPosition struct {
	DeviceID     string  `json:"device_id"`
	ConnectionID string  `json:"connection_id"`
	Description  *string `json:"description"`
	Registration *string `json:"registration"`
	DeviceStatus
	Position *DetailedPosition `json:"position" doc:"Null for a device that has never reported."`
}

// HistoricPosition is a position of a device's history.
type HistoricPosition struct {
	DetailedPosition
	Suspect *string `json:"suspect" doc:"Why the position is not believed; null where it is."`
}

// History returns the position as a device's history shows it.
func (p StoredPosition) History() HistoricPosition {
	h := HistoricPosition{DetailedPosition: p.Detail()}
	if p.Suspect != "" {
		h.Suspect = &p.Suspect
	}
	return h
}

// Speed is a speed as the interface shows it.
type Speed struct {
	SpeedKPH float64 `json:"speed_kph"`
}

// DriverID is the id of a driver; format is always text.
type DriverID struct {
	Format string `json:"format"`
	Value  string `json:"value"`
}

// NewDriverID makes a DriverID of a provider's id; nil if it is unknown.
func NewDriverID(id *string) *DriverID {
	if id == nil {
		return nil
	}
	return &DriverID{Format: "text", Value: *id}
}
