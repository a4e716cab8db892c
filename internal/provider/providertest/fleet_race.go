//go:build race

package providertest

// largeFleet is smaller than what a connection must be able to follow: with the race
// detector, that fleet takes minutes. It is followed without.
const largeFleet = 50
