package collect

import (
	"math"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// What a vendor reports may hold what a database refuses: PostgreSQL takes no zero
// byte in a text, SQLite no number that is none. One such record would make its
// page fail for ever, so it is cleaned before anything is done with it. Texts and
// years are held to the bounds that a tenant's own have.

func cleanDevices(records []provider.Device) {
	for i := range records {
		r := &records[i]
		r.SystemDeviceID = cleanText(r.SystemDeviceID)
		for _, text := range []**string{&r.Description, &r.Registration, &r.Make, &r.Model} {
			*text = cleanOptional(*text)
		}
		if r.Year != nil && (*r.Year < drover.MinDeviceYear || *r.Year > drover.MaxDeviceYear) {
			r.Year = nil
		}
	}
}

func cleanPositions(records []provider.Position) {
	for i := range records {
		r := &records[i]
		r.SystemDeviceID, r.DriverID = cleanText(r.SystemDeviceID), cleanOptional(r.DriverID)
		r.Readings = cleanReadings(r.Readings)
	}
}

func cleanTrips(records []provider.Trip) {
	for i := range records {
		r := &records[i]
		r.SystemDeviceID, r.SystemTripID, r.DriverID = cleanText(r.SystemDeviceID), cleanText(r.SystemTripID), cleanOptional(r.DriverID)
		for _, number := range []**float64{&r.DistanceMetres, &r.DrivingSeconds, &r.IdlingSeconds, &r.AuxiliarySeconds} {
			if *number != nil && !finite(**number) {
				*number = nil
			}
		}
		for _, place := range []**drover.Coordinate{&r.Start, &r.End} {
			if *place != nil && (!finite((*place).Latitude) || !finite((*place).Longitude)) {
				*place = nil
			}
		}
	}
}

func cleanOptional(text *string) *string {
	if text == nil {
		return nil
	}
	if clean := firstCharacters(cleanText(*text), drover.MaxDeviceText); clean != *text {
		return &clean
	}
	return text
}

// firstCharacters cuts a text, so that no vendor can fill the database or an answer
// with one record.
func firstCharacters(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

func cleanText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
