// Package upkeep is the room of work that no request waits for: retain deletes and packs old
// data, purge erases connections, export and sink write files, backup saves and restores a
// database. It has no code of its own.
//
// It may import background, decode, events, fleet/guard (for the rights of an export), order,
// quota and store. Each task works in small transactions, checks again what is left to do, and
// can be killed at any point.
//
// # Packing a day
//
//	rows of a device and day ── unchanged for --pack-after ──► block
//	       ▲                                                    │
//	       └───── a late position of that day: unpack, add ◄────┘
//
// The row with the version of a packed day changes in the same transaction. So readers see each
// position once, and a sink knows which files to write again.
package upkeep
