// Package fleet is what a tenant may do: one method for each operation of the interface. It is
// the only room that authorises, and it turns errors of the store into the interface's words.
//
// A Service has a handle for each subject of the interface: Connections, Devices, Trips and so
// on, and Identity (accounts, keys and sign-in) and Notify (events and webhooks), which are
// packages of their own. guard checks the caller's role, scopes and shares.
//
// A use case checks the role first, then reads the record together with its owner and its
// share, and then decides: the record, 403 or 404.
//
// It may import events, ingest/track, keys, memory, order, provider, rules and store. It
// answers no HTTP requests.
package fleet
