// Package fleet is what a tenant may do: one method for each operation of the interface. It is
// the only room that authorises, and it turns errors of the store into the interface's words.
//
// Connections, devices, trips and milestones are in this package. guard checks the caller's
// role, scopes and shares; identity has accounts, keys and sign-in; notify has events and
// webhooks. A Service has the methods of all three.
//
// A use case checks the role first, then reads the record together with its owner and its
// share, and then decides: the record, 403 or 404.
//
// It may import events, ingest/track, keys, memory, order, provider, rules, store and
// upkeep/export. It answers no HTTP requests.
package fleet
