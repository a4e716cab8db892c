// Package api is the JSON HTTP interface. A handler decodes the request, calls package fleet
// and writes {"data"} or {"error"}.
//
// Every operation is one row of a table in the file of its resource; routes.go joins them. The
// row is what the router serves and what the OpenAPI document describes, so the two cannot
// differ. The types of the document are huma's. Its router is not used, because the exact words
// and the order of errors are part of the interface.
//
// It may import decode, events/live (subscriptions), fleet, keys/auth (login throttles), provider
// (descriptions of providers), quota (places for requests) and trace. It never reads the store.
package api
