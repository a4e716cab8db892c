package drover

import "slices"

// Driver is a person who drives, as a connection's provider lists them. All of it is about
// a person: a share shows it with the scope drivers, and without it there is no driver.
type Driver struct {
	ID             string      `json:"id"`
	ConnectionID   string      `json:"connection_id"`
	SystemDriverID string      `json:"system_driver_id" doc:"The provider's id: the value of driver_id of positions and trips. After an erasure it is the pseudonym."`
	Name           *string     `json:"name" doc:"The whole name, as the provider writes it, or put together from its parts."`
	FirstName      *string     `json:"first_name" doc:"The first name; null where the provider does not say."`
	LastName       *string     `json:"last_name" doc:"The last name; null where the provider does not say."`
	EmployeeNumber *string     `json:"employee_number" doc:"What the fleet's business calls the driver; null where the provider does not say."`
	Email          *string     `json:"email" doc:"An e-mail address; null where the provider does not say."`
	Phone          *string     `json:"phone" doc:"A telephone number; null where the provider does not say."`
	LicenceNumber  *string     `json:"licence_number" doc:"The number of the driving licence; null where the provider does not say."`
	LicenceRegion  *string     `json:"licence_region" doc:"The state or country that gave the licence."`
	Keys           []DriverKey `json:"keys" doc:"What the driver is known by at a vehicle."`
	Active         bool        `json:"active" doc:"Whether the provider lists the driver as active, unless the tenant has set it."`
	Tags           []string    `json:"tags"`
}

// DriverKeyType says what a driver is known by at a vehicle.
type DriverKeyType string

// The types of keys.
const (
	KeyIButton    DriverKeyType = "ibutton"
	KeyRFID       DriverKeyType = "rfid"
	KeyTachograph DriverKeyType = "tachograph_card"
	KeyCode       DriverKeyType = "code"
	KeyOther      DriverKeyType = "other"
)

// DriverKeyTypes lists the closed set.
var DriverKeyTypes = []DriverKeyType{KeyIButton, KeyRFID, KeyTachograph, KeyCode, KeyOther}

// DriverKey is what a driver is known by at a vehicle.
type DriverKey struct {
	Type  DriverKeyType `json:"type"`
	Value string        `json:"value" doc:"What the key says."`
}

// MaxDriverKeys bounds the keys of one driver.
const MaxDriverKeys = 20

// SameDriver reports whether two records of one driver say the same.
func SameDriver(a, b Driver) bool {
	return a.SystemDriverID == b.SystemDriverID && same(a.Name, b.Name) && same(a.FirstName, b.FirstName) &&
		same(a.LastName, b.LastName) && same(a.EmployeeNumber, b.EmployeeNumber) && same(a.Email, b.Email) && same(a.Phone, b.Phone) &&
		same(a.LicenceNumber, b.LicenceNumber) && same(a.LicenceRegion, b.LicenceRegion) && slices.Equal(a.Keys, b.Keys) &&
		a.Active == b.Active && slices.Equal(a.Tags, b.Tags)
}

// Erased is what is left of a driver under a pseudonym: nothing of the person.
func (d Driver) Erased(pseudonym string) Driver {
	return Driver{ID: d.ID, ConnectionID: d.ConnectionID, SystemDriverID: pseudonym, Keys: []DriverKey{}, Tags: []string{}}
}

// DriverUpdate is a partial change of a driver by its tenant.
type DriverUpdate struct {
	Active Optional[bool]     `json:"active" required:"false" nullable:"false" doc:"Collection leaves it alone from then on."`
	Tags   Optional[[]string] `json:"tags" required:"false" maxLength:"255" trimmed:"true"`
}

// Apply returns d with the update's fields set. Tags are normalised; null clears them.
func (u DriverUpdate) Apply(d Driver) (Driver, error) {
	u.Active.ApplyValue(&d.Active)
	if u.Tags.Set {
		var tags []string
		u.Tags.ApplyValue(&tags)
		tags, err := NormalizeTags(tags)
		if err != nil {
			return Driver{}, Under(err, "tags")
		}
		d.Tags = tags
	}
	return d, nil
}

// DriverFilter narrows a list of drivers.
type DriverFilter struct {
	ConnectionID   string `query:"connection_id" doc:"Only drivers of this connection."`
	SystemDriverID string `query:"system_driver_id" maxLength:"255" doc:"Only drivers with this id at the provider: the value of a driver_id."`
	Tag            string `query:"tag" maxLength:"255" doc:"Only drivers with this tag."`
	Active         *bool  `query:"active" doc:"Only active or only inactive drivers."`
	Text           string `query:"q" maxLength:"255" doc:"Only drivers whose id is this, or whose name, employee number or provider's id contains it, whatever the case."`
	IDs            []string
}

// DriverNotice is the data of events about drivers. It names no one: the feed and what is
// sent to receivers outlive a driver, and the record is read by its id.
type DriverNotice struct {
	ID           string `json:"id"`
	ConnectionID string `json:"connection_id"`
	Active       bool   `json:"active" doc:"Whether the driver is active now."`
}

// Notice is what an event says of a driver.
func (d Driver) Notice() DriverNotice {
	return DriverNotice{ID: d.ID, ConnectionID: d.ConnectionID, Active: d.Active}
}

func (n DriverNotice) describe(e *Event) {
	e.ConnectionID = &n.ConnectionID
	e.Subjects = []Subject{{ConnectionID: n.ConnectionID}}
}
