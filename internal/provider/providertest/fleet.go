//go:build !race

package providertest

// largeFleet is what a connection must be able to follow.
const largeFleet = 500
