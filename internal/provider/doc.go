// Package provider is the seam between drover and the telematics vendors. An adapter has a
// folder below vendors, speaks one vendor's API and returns records in drover's units: UTC
// times, degrees, km/h, metres and seconds.
//
// An adapter describes itself with Info, which is data. Info drives the check of credentials,
// the pacing of calls, GET /provider and the documentation.
//
// Package all lists the adapters, declared runs adapters that are described by a file, kit has
// what several adapters share, and providertest is the suite that every adapter passes.
//
// It may import background/clocktest (for the suite), order, outbound, rules and sim (for the
// fakes). It never reads the store.
package provider
