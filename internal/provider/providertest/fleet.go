//go:build !race

package providertest

const (
	// largeFleet is what a connection must be able to follow.
	largeFleet = 500
	// edgeHours is how far apart the times of a day are at which trips are begun to be followed.
	edgeHours = 1
)
