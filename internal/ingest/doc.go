// Package ingest is the room that turns a vendor's answers into records: collect reads them,
// track derives trips and milestones, routing asks a router for the remaining way. It has no
// code of its own.
//
// It may import background, events, keys, order, outbound, provider, quota, rules, store and
// trace. It checks no rights and answers no requests.
//
// # Claim, lease, run
//
// A connection is read by one process at a time, because many vendors refuse two calls of
// one account at once.
//
//	         due                     claimed under a lease
//	┌───────────────────┐  claim   ┌───────────────────────────┐
//	│ idle              │ ───────► │ run: page, commit, page … │ ──┐ renews the lease
//	│ due at a time     │          │ one transaction a page    │ ◄─┘ every third of it
//	└───────────────────┘          └───────────────────────────┘
//	   ▲   ▲        ▲                 │          │          │
//	   │   │        └── release ──────┘          │          │
//	   │   │   nothing is due, or the turn ends  │          │
//	   │   └──────────── yield ──────────────────┘          │
//	   │         another tenant waits for the worker        │
//	   └──────────────── the lease runs out ────────────────┘
//	                 the process died; another claims it
//
// A page, what follows from it and the new cursor are one transaction, and the transaction
// checks the lease. So a process that lost its lease commits nothing, and a page that is read
// twice changes nothing: positions are unique by device and time, trips by device and the
// vendor's id.
//
// # Push
//
// Some vendors send what is new over an open connection.
//
//	run has read what is due ──► open ──► pushed pages ──┬──► broken: open again after a pause
//	                              │       cursor stays   └──► ended: the lease is given back
//	                              └─ positions are polled at once, so that no moment is missed
//
// Pushed pages leave the cursor alone. It belongs to the polls, which go on beside the push
// and read what the push left out.
package ingest
