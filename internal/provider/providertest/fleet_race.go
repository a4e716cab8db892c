//go:build race

package providertest

// With the race detector the suite is smaller, as it would take minutes: it runs whole without.
const (
	largeFleet = 50
	edgeHours  = 6
)
