// Package upkeep is the room of work that no caller waits for: retain forgets and packs what
// is old, purge erases connections, export and sink write files, backup keeps and restores a
// database. It has no code of its own.
//
// It may import events and store. Each of its tasks works in small transactions, looks again
// at what is left, and can be killed at any point.
//
// # Packing a day
//
//	rows of a device and day ── settled: nothing changed for --pack-after ──► block
//	       ▲                                                                   │
//	       └────────── a late position of that day: unpacked, added ◄──────────┘
//
// The row with the version of a packed day changes in the same transaction, so readers see
// each position once, and a sink knows which files to write again.
package upkeep
