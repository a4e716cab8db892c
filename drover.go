// Package drover holds the records of the service and the rules that belong to
// them: what a connection, a device, a trip, a milestone or a webhook is, which
// values each field may take, and the one error type whose message may be shown
// to a caller.
//
// It imports the standard library only. Every other package imports it; it
// imports none of them.
package drover
