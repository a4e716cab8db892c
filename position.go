package drover

// Position is where a device was at one instant, and what else the provider
// said of that instant. What it did not say is nil. The newest one of a device is
// stored under the keys of its tags: they are what databases hold, and stay.
type Position struct {
	Time           Time     `json:"Time"`
	Latitude       float64  `json:"Latitude"`
	Longitude      float64  `json:"Longitude"`
	Heading        *float64 `json:"Heading"`
	SpeedKPH       *float64 `json:"SpeedKPH"`
	DriverID       *string  `json:"DriverID"`
	Ignition       *bool    `json:"Ignition"`
	Auxiliary      *bool    `json:"Auxiliary"` // power take-off or another auxiliary is running
	OdometerMetres *float64 `json:"OdometerMetres"`
}

// Point returns the position's coordinate.
func (p Position) Point() Coordinate { return Coordinate{p.Latitude, p.Longitude} }

// View returns the position in the one shape in which the interface shows it.
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

// DetailedPosition is a position with all that the provider said of it.
type DetailedPosition struct {
	CurrentPosition
	Ignition       *bool    `json:"ignition"`
	Auxiliary      *bool    `json:"auxiliary"`
	OdometerMetres *float64 `json:"odometer_metres"`
}

// Detail returns the position with all that is known of it.
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

// History returns the position as a device's history shows it. An empty suspect
// says that it is believed.
func (p Position) History(suspect string) HistoricPosition {
	h := HistoricPosition{DetailedPosition: p.Detail()}
	if suspect != "" {
		h.Suspect = &suspect
	}
	return h
}

// Speed is a speed as the interface shows it.
type Speed struct {
	SpeedKPH float64 `json:"speed_kph"`
}

// DriverID names a driver; format is always text.
type DriverID struct {
	Format string `json:"format"`
	Value  string `json:"value"`
}

// NewDriverID names a driver by a provider's id; nil where none is known.
func NewDriverID(id *string) *DriverID {
	if id == nil {
		return nil
	}
	return &DriverID{Format: "text", Value: *id}
}
