package provider

import (
	"strings"

	"github.com/drover-fleet/drover"
)

// Driver is a person who drives, as the vendor lists them. Fields the vendor lacks are nil.
type Driver struct {
	SystemDriverID string // the DriverID of positions and trips
	Name           *string
	FirstName      *string
	LastName       *string
	EmployeeNumber *string
	Email          *string
	Phone          *string
	LicenceNumber  *string
	LicenceRegion  *string
	Keys           []drover.DriverKey
	Active         bool
}

// Named reports whether an id is that of a person: vendors have words, and zero, for no one.
func (d Driver) Named() bool { return !noOne(d.SystemDriverID) }

// FullName is the name of the record, or its parts put together; nil where there are none.
func (d Driver) FullName() *string {
	if d.Name != nil {
		return d.Name
	}
	var parts []string
	for _, part := range []*string{d.FirstName, d.LastName} {
		if part != nil {
			parts = append(parts, *part)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return new(strings.Join(parts, " "))
}

func noOne(id string) bool {
	switch id {
	case "", "0", "-1", "null", "UnknownDriverId", "NoDriverId":
		return true
	}
	return false
}

// Key is a key of a driver, none where its value is not known or says that there is none.
func Key(of drover.DriverKeyType, value *string) []drover.DriverKey {
	if value == nil || strings.Trim(*value, "0 ") == "" {
		return nil
	}
	return []drover.DriverKey{{Type: of, Value: *value}}
}
