// Package events is the room of what happened: journal stores events with their deliveries,
// match decides who receives what, live hands them to streams and long polls, deliver sends
// them to webhooks. It has no code of its own.
//
// It may import store, outbound and the sealing of keys. It knows no vendor and no right; when
// a share gives access is asked in the statement that reads.
//
// # From an event to a receiver
//
//	change ─► one transaction: event (next number of the tenant's feed), its deliveries
//	             │
//	             ├─► live: one reader a tenant and process ─► streams, long polls
//	             ├─► relay: the outbox ─► feeds of tenants that share the connection
//	             └─► deliver: due rows of a target, under the target's lease
//
// # A delivery
//
//	pending ── sent, 2xx ─────────────────────────► delivered
//	   ▲  │
//	   │  ├── failed, tries left ─► waits, longer each time
//	   │  │                             │
//	   └──┼─────────────────────────────┘
//	      ├── failed, no tries left ──────────────► failed
//	      ├── 410, or the webhook is off ─────────► skipped
//	      └── newer positions took its place ──────► superseded
//
// What came of an attempt is committed with the log of attempts and the target's health.
// Whatever was not committed is sent again under the same webhook-id: a receiver may see a
// delivery twice and misses none.
package events
