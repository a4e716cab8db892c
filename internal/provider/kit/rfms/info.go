package rfms

import (
	"cmp"
	"slices"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
)

// notes hold for every maker.
var notes = []string{
	"Faults are the tell-tales of the newest status of each vehicle, red and yellow ones, read every 15 minutes; rFMS has no codes.",
	"Trips are native in as far as vehicles report ignition or engine events: their numbers are differences of the vehicle's counters; " +
		"without events a trip goes from the first moving status to the last before a silence of 75 minutes.",
	"A trip is reported about ten minutes after its end, so that late reports are counted.",
}

// Describe adds what the standard says to what a maker's adapter says of itself. Devices are
// listed every six hours where the adapter says nothing else.
func Describe(maker provider.Info) provider.Info {
	maker.Features = provider.Features{
		Feed: true, Backfill: true, Trips: true,
		Heading: true, Speed: true, Driver: true, Ignition: true, Odometer: true,
		Idling: true, Auxiliary: true,
	}
	maker.Readings, maker.Faults = provider.Declared(readings), faults
	maker.Poll = provider.Poll{
		Devices: cmp.Or(maker.Poll.Devices, 6*time.Hour), Positions: time.Minute,
		Trips: 10 * time.Minute, TripsAfter: settling, Window: 24 * time.Hour,
	}
	maker.Notes = slices.Concat(notes, maker.Notes)
	return maker
}
