// Package outbound sends all outgoing HTTP requests of the service. It refuses calls into
// private networks, keeps to the limits that vendors declare, retries, bounds time and size,
// and keeps secrets out of errors.
//
// Client sends the requests of adapters. Guard, NewTransport and NewHTTPClient are for callers
// with rules of their own, such as webhook delivery. Origins divides the calls to one host
// among tenants.
//
// It may import quota. It knows neither vendors nor webhooks nor a database.
package outbound
