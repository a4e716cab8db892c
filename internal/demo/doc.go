// Package demo is a small world to try the service in: two tenants, three users and a simulated
// fleet that drives in real time, with two weeks of history. The service collects it from fakes
// of four vendors' APIs in the same process.
//
// Like app, it may import every room.
package demo
