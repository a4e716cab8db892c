package drover

import "time"

// TimeUse is how long vehicles drove, idled and ran an auxiliary in a month, by the
// registration number of the business that they work for.
type TimeUse struct {
	Month    string         `json:"month" doc:"The month, such as 2024-05."`
	TimeZone string         `json:"time_zone" doc:"IANA name of the time zone in which the month begins and ends."`
	From     Time           `json:"from" doc:"Beginning of the month."`
	To       Time           `json:"to" doc:"End of the month; trips that start before it count."`
	Vehicles []TimeUseRow   `json:"vehicles" doc:"A row for each vehicle with a valid trip, by registration number and vehicle."`
	LeftOut  []TimeUseTrip  `json:"left_out" doc:"Trips that count nowhere because they are not valid, oldest first; at most 10,000."`
	Totals   TimeUseSeconds `json:"totals" doc:"Sums over all rows."`
}

// TimeUseSeconds are sums over valid trips. A sum is null if no trip has the value.
type TimeUseSeconds struct {
	Trips            int64    `json:"trips" doc:"Number of valid trips that start in the month."`
	DrivingSeconds   *float64 `json:"driving_seconds" doc:"Time driven; null where no trip says."`
	IdlingSeconds    *float64 `json:"idling_seconds" doc:"Time idled; null where no trip says."`
	AuxiliarySeconds *float64 `json:"auxiliary_seconds" doc:"Time with an auxiliary running; null where no trip says."`
	// Unknown is the number of trips that lack a part, so that a sum is not read as
	// complete.
	UnknownTrips int64 `json:"unknown_trips" doc:"Number of those trips that leave one of the times open: the sums lack it."`
}

// TimeUseRow is the row of a vehicle.
type TimeUseRow struct {
	ABN          *string `json:"abn" doc:"Registration number of the business; null where its connection has none."`
	BusinessName string  `json:"business_name" doc:"Name of the business."`
	ConnectionID string  `json:"connection_id" doc:"Id of the connection that the vehicle belongs to."`
	DeviceID     string  `json:"device_id" doc:"Id of the vehicle."`
	Registration *string `json:"registration" doc:"Plate of the vehicle."`
	Description  *string `json:"description" doc:"Description of the vehicle."`
	TimeUseSeconds
}

// TimeUseTrip is a trip that was left out.
type TimeUseTrip struct {
	TripID          string  `json:"trip_id" doc:"Id of the trip."`
	DeviceID        string  `json:"device_id" doc:"Id of the vehicle."`
	ABN             *string `json:"abn" doc:"Registration number of the business."`
	Registration    *string `json:"registration" doc:"Plate of the vehicle."`
	StartTime       Time    `json:"start_time" doc:"When the trip started."`
	EndTime         Time    `json:"end_time" doc:"When it ended."`
	DurationSeconds float64 `json:"duration_seconds" doc:"How long it took."`
	Reason          *string `json:"reason" doc:"Why it is not valid."`
}

// MaxLeftOut bounds the trips that a report lists.
const MaxLeftOut = 10_000

// ParseMonth reads a month such as 2024-05 as its beginning and end in a zone.
func ParseMonth(text string, zone *time.Location) (from, to Time, err error) {
	begin, err := time.ParseInLocation("2006-01", text, zone)
	if err != nil {
		return Time{}, Time{}, InvalidValue("month must be a year and a month such as 2024-05", "query", "month")
	}
	return At(begin), At(begin.AddDate(0, 1, 0)), nil
}

// Add adds the sums of another row.
func (s *TimeUseSeconds) Add(o TimeUseSeconds) {
	s.Trips += o.Trips
	s.UnknownTrips += o.UnknownTrips
	s.DrivingSeconds = addKnown(s.DrivingSeconds, o.DrivingSeconds)
	s.IdlingSeconds = addKnown(s.IdlingSeconds, o.IdlingSeconds)
	s.AuxiliarySeconds = addKnown(s.AuxiliarySeconds, o.AuxiliarySeconds)
}

func addKnown(a, b *float64) *float64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	sum := *a + *b
	return &sum
}

// RegionFilter chooses the vehicles and the time of a report by region.
type RegionFilter struct {
	DeviceID     string `query:"device_id" doc:"Only this vehicle."`
	ConnectionID string `query:"connection_id" doc:"Only vehicles of this connection."`
	Tag          string `query:"tag" maxLength:"255" doc:"Only vehicles with this tag."`
	From         Time   `query:"from" required:"true" doc:"Trips that start at or after this time."`
	To           Time   `query:"to" required:"true" doc:"Trips that start before this time, at most 100 days after from."`
}

// DeviceRegions is how far a vehicle drove in each region.
type DeviceRegions struct {
	DeviceID       string           `json:"device_id" doc:"Id of the vehicle."`
	ConnectionID   string           `json:"connection_id" doc:"Id of the connection that the vehicle belongs to."`
	Registration   *string          `json:"registration" doc:"Plate of the vehicle."`
	Description    *string          `json:"description" doc:"Description of the vehicle."`
	Trips          int64            `json:"trips" doc:"Number of valid trips that start in the time asked for."`
	DistanceMetres float64          `json:"distance_metres" doc:"What these trips have together: the sum of the regions."`
	Regions        []RegionDistance `json:"regions" doc:"A row for each region, by its code; the one without a code last."`
}

// RegionDistance is how far a vehicle drove in one region.
type RegionDistance struct {
	Country        *string `json:"country" doc:"The country's code of ISO 3166-1, such as US; null where the region is not known."`
	Region         *string `json:"region" doc:"The code of ISO 3166-2, such as US-CA, of a state or province of the United States, Canada, Mexico and Australia, and that of the country elsewhere; null for the high seas, and for trips without positions."`
	Name           *string `json:"name" doc:"The region's name in English; null where it is not known."`
	DistanceMetres float64 `json:"distance_metres" doc:"Parts of the trips' distances, as their positions lie."`
	UnseenMetres   float64 `json:"unseen_metres" doc:"The part of it that lies between two positions more than 15 minutes apart: in which regions it was driven follows from the straight line between them."`
}
