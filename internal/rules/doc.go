// Package rules is the room of pure functions: trip, milestone, motion, path, arrival,
// quality, geo and calendar. No database, no clock, no network: positions in, findings out.
// It has no code of its own, and imports only the records of package drover.
//
// Trips, stops and milestones are functions of a set of positions. No rule asks in which
// order they arrived, so late, repeated and shuffled positions come to the same end.
package rules
