// Package events is the room between a change and its receivers: journal stores events and
// their deliveries, match decides which webhooks receive an event, live serves streams and long
// polls, deliver sends to webhooks. It has no code of its own.
//
// It may import background, keys/secret, order, outbound, quota, store and trace. It knows
// neither vendors nor roles; whether a share gives access is part of the statement that reads.
//
// # From an event to a receiver
//
//	change ─► one transaction: event (next number of the tenant's feed), its deliveries
//	             │
//	             ├─► live: one reader per tenant and process ─► streams, long polls
//	             ├─► relay: the outbox ─► feeds of tenants that share the connection
//	             └─► deliver: due rows of a target, under the target's lease
//
// # States of a delivery
//
//	pending ── sent, 2xx ─────────────────────────► delivered
//	   ▲  │
//	   │  ├── failed, tries left ─► waits, longer each time
//	   │  │                             │
//	   └──┼─────────────────────────────┘
//	      ├── failed, no tries left ──────────────► failed
//	      ├── 410, or the webhook is off ─────────► skipped
//	      └── newer positions replace it ─────────► superseded
//
// The result of an attempt is committed together with the log of attempts and the target's
// health. A delivery whose result was not committed is sent again under the same webhook-id: a
// receiver may get a delivery twice, but never misses one.
package events
