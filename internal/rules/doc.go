// Package rules is the room of pure functions over positions: trips, stops, milestones, arrival
// times, quality, faults, readings, roads, who drove, geometry and calendars. It has no code of
// its own.
//
// It may import order. It knows no database, no clock and no network.
//
// Trips, stops and milestones are functions of a set of positions. No rule depends on the order
// of arrival, so late, repeated and shuffled positions give the same result.
package rules
