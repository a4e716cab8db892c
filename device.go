package drover

import "slices"

// Limits of the fields of a device. The tags of DeviceUpdate have the same ones.
const (
	MaxDeviceText = 255 // characters of a description, registration, make or model
	MinDeviceYear = 1900
	MaxDeviceYear = 2200
)

// Device is a tracked unit of a connection.
type Device struct {
	ID             string   `json:"id"`
	SystemDeviceID string   `json:"system_device_id"`
	ConnectionID   string   `json:"connection_id"`
	Description    *string  `json:"description"`
	Registration   *string  `json:"registration"`
	Make           *string  `json:"make"`
	Model          *string  `json:"model"`
	Year           *int     `json:"year"`
	Active         bool     `json:"active"`
	Tags           []string `json:"tags"`
}

// DeviceUpdate is a partial change of a device by its tenant.
type DeviceUpdate struct {
	Description  Optional[string]   `json:"description" required:"false" blank:"true" minLength:"1" maxLength:"255"`
	Registration Optional[string]   `json:"registration" required:"false" blank:"true" minLength:"1" maxLength:"255"`
	Make         Optional[string]   `json:"make" required:"false" blank:"true" minLength:"1" maxLength:"255"`
	Model        Optional[string]   `json:"model" required:"false" blank:"true" minLength:"1" maxLength:"255"`
	Year         Optional[int]      `json:"year" required:"false" minimum:"1900" maximum:"2200"`
	Active       Optional[bool]     `json:"active" required:"false" nullable:"false"`
	Tags         Optional[[]string] `json:"tags" required:"false" maxLength:"255" trimmed:"true"`
}

// Apply returns d with the update's fields set. Tags are normalised; null
// clears them.
func (u DeviceUpdate) Apply(d Device) (Device, error) {
	u.Description.Apply(&d.Description)
	u.Registration.Apply(&d.Registration)
	u.Make.Apply(&d.Make)
	u.Model.Apply(&d.Model)
	u.Year.Apply(&d.Year)
	u.Active.ApplyValue(&d.Active)
	if u.Tags.Set {
		var tags []string
		u.Tags.ApplyValue(&tags)
		tags, err := NormalizeTags(tags)
		if err != nil {
			return Device{}, Under(err, "tags")
		}
		d.Tags = tags
	}
	return d, nil
}

// SameDevice reports whether two records of one device are equal.
func SameDevice(a, b Device) bool {
	return same(a.Description, b.Description) && same(a.Registration, b.Registration) && same(a.Make, b.Make) &&
		same(a.Model, b.Model) && same(a.Year, b.Year) && a.Active == b.Active && slices.Equal(a.Tags, b.Tags)
}

// DeviceState says what a device does.
type DeviceState string

// The states of a device. A silent one has not reported for longer than expected.
const (
	DeviceDriving DeviceState = "driving"
	DeviceIdling  DeviceState = "idling"
	DeviceStopped DeviceState = "stopped"
	DeviceSilent  DeviceState = "silent"
)

// DeviceStates lists the closed set.
var DeviceStates = []DeviceState{DeviceDriving, DeviceIdling, DeviceStopped, DeviceSilent}

// DeviceStatus is the state of a device, and since when. A silent device is silent since its
// last report; one that has never reported has no time.
type DeviceStatus struct {
	State      DeviceState `json:"state"`
	StateSince *Time       `json:"state_since"`
}

// DeviceTagInput adds tags to devices and removes others.
type DeviceTagInput struct {
	DeviceIDs []string `json:"device_ids" minItems:"1" maxItems:"1000" maxLength:"255"`
	Add       []string `json:"add" required:"false" nullable:"true" maxLength:"255" trimmed:"true" doc:"Tags that the devices are to have."`
	Remove    []string `json:"remove" required:"false" nullable:"true" maxLength:"255" trimmed:"true" doc:"Tags that they are to have no longer."`
}

// DeviceTagResult is the number of devices whose tags were changed.
type DeviceTagResult struct {
	Changed int `json:"changed" doc:"How many devices have other tags now."`
}
