package trip

import "github.com/drover-fleet/drover"

// Driver is who drove a trip, by its positions, oldest first: the driver that most of
// them name, the first of several that are named as often; nil where none is. Where a
// position is does not matter for that, so jumps count too, and the driver follows from
// the set of positions whatever is known of them.
func Driver(positions []drover.Position) *string {
	named := map[string]int{}
	var most *string
	for _, p := range positions {
		if p.DriverID != nil {
			named[*p.DriverID]++
		}
	}
	for _, p := range positions {
		if p.DriverID != nil && (most == nil || named[*p.DriverID] > named[*most]) {
			most = p.DriverID
		}
	}
	return most
}
