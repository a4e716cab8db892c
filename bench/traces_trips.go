package main

import (
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/trip"
)

// tripsOfTraces derives the trips of each trace and prints what became of them.
func (b *bench) tripsOfTraces(all []trace) {
	for _, t := range all {
		trips := deriveTrips(t.positions)
		var metres float64
		invalid := 0
		for _, d := range trips {
			metres += d.DistanceMetres
			if len(trip.Check(d.Facts(), d.EndTime.Time, nil)) > 0 {
				invalid++
			}
		}
		b.table.add("trips, "+t.name, fmt.Sprintf("%d", len(trips)), "invalid", fmt.Sprintf("%d", invalid), fmt.Sprintf("%.1f km", metres/1000))
	}
}

// deriveTrips folds positions, oldest first, up to a silence after the last.
func deriveTrips(positions []drover.Position) []trip.Derived {
	var fold trip.State
	var out []trip.Derived
	for _, p := range positions {
		if _, suspect := trip.Suspect(p, p.Time.Time); suspect {
			continue
		}
		if step := fold.Add(p); step.Completed {
			out = append(out, step.Trip)
		}
	}
	if newest, some := fold.Seen(); some {
		out = append(out, fold.Close(newest.Add(24*time.Hour)).Completed...)
	}
	return out
}
